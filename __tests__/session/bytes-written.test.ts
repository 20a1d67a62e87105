// What a session writes next to the words of its user, counted: a constant share of the journal.

import { type FileHandle, type FileSystem, nodeFileSystem } from '../../lib/platform/index.ts';
import { newJournal, newSession } from '../support/generated-journals.ts';
import { generatedEvents, generatedTurns } from '../support/generated-session.ts';
import { createTree } from '../support/tree.ts';

test('a line has at most 150 bytes in addition to the data of its event', async () => {
  using tree = createTree();
  const events = [...generatedEvents(1000)];
  const writer = await newJournal(tree.root);
  const before = writer.head.offset;
  await writer.append(events);
  const written = writer.head.offset - before;
  await writer.close();
  const data = events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event.data)), 0);
  expect((written - data) / events.length).toBeLessThan(150);
});

test('state file and snapshot are a constant share of what a session without a pause writes', async () => {
  const shares = [];
  for (const events of [1_000, 4_000]) {
    using tree = createTree();
    let written = 0;
    const fileSystem = watched((bytes) => {
      written += bytes;
    });
    const session = await newSession(tree.root, 'counted', fileSystem);
    for (const turn of generatedTurns()) {
      await session.append(turn);
      await session.save();
      if (session.writer.head.seq >= events) break;
    }
    await session.close('exit');
    shares.push(written / session.writer.head.offset);
  }
  expect(shares[1]).toBeLessThan(3);
  expect(shares[1]! / shares[0]!).toBeLessThan(1.2);
});

/** The file system, and how many bytes each write has. Nothing waits for the device. */
function watched(onWrite: (bytes: number) => void): FileSystem {
  const counting = (handle: FileHandle): FileHandle =>
    new Proxy(handle, {
      get(target, name) {
        if (name === 'sync' || name === 'dataSync') return async () => {};
        const member: unknown = Reflect.get(target, name);
        if (name !== 'write') return typeof member === 'function' ? member.bind(target) : member;
        return (...parameters: Parameters<FileHandle['write']>) => {
          const bytes = target.write(...parameters);
          onWrite(bytes);
          return bytes;
        };
      },
    });
  return {
    ...nodeFileSystem,
    open: (path, mode, permissions) => counting(nodeFileSystem.open(path, mode, permissions)),
    syncDirectory: async () => {},
  };
}
