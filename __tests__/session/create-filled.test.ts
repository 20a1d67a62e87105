// A fork on a disk that says no once, at each call in turn.
import { openFileStore } from '../../lib/journal/file-store.ts';
import {
  type FileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { forkSession } from '../../lib/session/fork.ts';
import { failingFileSystem } from '../support/failing-file-system.ts';
import { OPTIONS, turnEvents, typesOf } from './world.ts';

const storeOn = (fileSystem: FileSystem) =>
  openFileStore(
    { fileSystem, clock: manualClock(), ids: systemIds, process: thisProcess('test'), log: silentLog },
    { directory: '/home/sessions' },
  );

it('A session that is made of another one is whole or not there, wherever the disk was full', async () => {
  let failures = 0;
  for (let at = 1; ; at += 1) {
    const disk = memoryFileSystem();
    const created = { provider: 'p', model: 'm', ollm: '0' };
    const session = await createSession(storeOn(disk), { id: 'notes', created }, OPTIONS);
    for (let turn = 1; turn <= 3; turn += 1) await session.append(turnEvents(turn, 'A question.', 'An answer.'));
    await session.close('exit');

    const failing = failingFileSystem(disk, 'ENOSPC', at);
    const fork = await forkSession(storeOn(failing.fileSystem), 'notes', { id: 'other', created: {} }, {}).catch(
      (error: unknown) => error,
    );
    if (!failing.hasFailed()) break;
    const isThere = storeOn(disk).has('other');
    if (fork instanceof Error || 'code' in (fork as object)) {
      failures += 1;
      expect([at, fork]).toEqual([at, expect.objectContaining({ exitCode: 9 })]);
      expect([at, isThere]).toEqual([at, false]);
    } else {
      expect(typesOf(storeOn(disk), 'other').at(-1)).toBe('session.closed');
    }
    expect(typesOf(storeOn(disk), 'notes')).toHaveLength(14);
  }
  expect(failures).toBeGreaterThan(3);
});
