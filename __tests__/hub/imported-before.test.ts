// What a killed process leaves of the journal of imports, and of the journal of an import: any beginning of its bytes.
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '../../lib/agents/agent.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { importSessions } from '../../lib/hub/import.ts';
import { importedBefore, noteDeleted } from '../../lib/hub/imported-before.ts';
import { countingIds, manualClock, nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { eventsOf } from '../session/world.ts';
import { createTree } from '../support/tree.ts';
import { small } from './small-agent.ts';

const ID = 'small-s';

it('an import records its sessions after any interruption of the journal of imports', async () => {
  using world = diskWorld();
  await world.import();
  const path = join(world.root, 'hub', 'imports.jsonl');
  const whole = readFileSync(path);
  for (let left = 0; left < whole.length; left += 11) {
    writeFileSync(path, whole.subarray(0, left));
    expect({ left, ...(await world.import()) }).toMatchObject({ left, skipped: [] });
    expect({ left, ids: [...(await importedBefore(world.hub))] }).toEqual({ left, ids: [ID] });
  }
});

it('a deletion is recorded in a journal of imports that never got its first line', async () => {
  using world = diskWorld();
  mkdirSync(join(world.root, 'hub'), { mode: 0o700 });
  writeFileSync(join(world.root, 'hub', 'imports.jsonl'), '');
  await noteDeleted(world.hub, { id: ID, address: 'small:s' });
  expect([...(await importedBefore(world.hub))]).toEqual([ID]);
});

it.each([
  ['its first line', (text: string) => text.replace('"seq":0', '"seq":X'), [ID, 'small-t']],
  ['the line of a deleted session', (text: string) => text.replace('"small-t"', '"small-x"'), [ID]],
  ['all of it', () => 'not a journal\n', [ID]],
])('an import repairs the journal of imports if %s is damaged, and says so once', async (_, damage, ids) => {
  using world = diskWorld();
  await world.import();
  await noteDeleted(world.hub, { id: 'small-t', address: 'small:t' });
  const path = join(world.root, 'hub', 'imports.jsonl');
  const damaged = damage(readFileSync(path, 'utf8'));
  writeFileSync(path, damaged);

  expect((await world.import()).damage).toBeUndefined();
  const report = await world.import({ areNamed: false });
  const [archive, ...others] = readdirSync(join(world.root, 'hub', 'archive'));
  expect(others).toEqual([]);
  const kept = join(world.root, 'hub', 'archive', archive!);
  expect(report.damage).toContain(`${path}, the list of what was imported, is damaged at byte`);
  expect(report.damage).toContain(`the damaged file is ${kept} now.`);
  expect(readFileSync(kept, 'utf8')).toContain(damaged.slice(0, 10));
  expect([...(await importedBefore(world.hub))].sort()).toEqual(ids);
  expect((await world.import({ areNamed: false })).damage).toBeUndefined();
});

it('a deletion is refused if the journal of imports cannot be read, with a hint', async () => {
  using world = diskWorld();
  await world.import();
  const path = join(world.root, 'hub', 'imports.jsonl');
  writeFileSync(path, 'not a journal\n');
  await expect(noteDeleted(world.hub, { id: ID, address: 'small:s' })).rejects.toMatchObject({
    code: 'JOURNAL_DAMAGED',
    message: `The list of what was imported cannot be read: ${path}`,
    hint: expect.stringContaining('ollm import --all'),
  });
});

it('an import continues after any interruption of its journal', async () => {
  using whole = diskWorld();
  await whole.import();
  const bytes = readFileSync(whole.journal);
  using world = diskWorld();
  await world.import();
  for (let left = bytes.length - 1; left >= 0; left -= 23) {
    truncateSync(world.journal, Math.min(left, readFileSync(world.journal).length));
    expect({ left, ...(await world.import()) }).toMatchObject({ left, skipped: [] });
    expect(await world.said()).toEqual(await whole.said());
  }
});

function diskWorld() {
  const lines = ['a', 'b', 'c'].map((text) => `${JSON.stringify({ text, output: `of ${text}` })}\n`);
  const tree = createTree({ source: lines.join('') });
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  const storeAt = (name: string) =>
    openFileStore({ ...ports, fileSystem: nodeFileSystem }, { directory: join(tree.root, name) });
  const store = storeAt('session-data');
  const hub = { store: storeAt('hub'), sessions: 'here' };
  const source = { agent: 'small', id: 's', path: join(tree.root, 'source') };
  return {
    root: tree.root,
    hub,
    journal: join(tree.root, 'session-data', `${ID}.jsonl`),
    import: ({ areNamed = true } = {}) =>
      importSessions({
        ...{ store, hub, files: { fileSystem: nodeFileSystem, uid: process.getuid?.() } },
        ...{ keepsSource: true, keepsOutputs: true, areNamed },
        sources: [{ agent: small as Agent, source }],
      }),
    said: async () =>
      (await eventsOf(store, ID))
        .filter(({ type, data }) => data.origin !== undefined && type !== 'session.created')
        .map(({ type, data }) => [type, data]),
    [Symbol.dispose]: () => tree[Symbol.dispose](),
  };
}
