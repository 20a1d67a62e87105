// The reports about a foreign session whose file became shorter, and about one that has a second id there.
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importForeign } from '../../../../lib/app/import/import-sessions.ts';
import { readJournal } from '../../../../lib/app/journals/read-journal.ts';
import { listAll } from '../../../../lib/app/list/list-all.ts';
import { forkSession } from '../../../../lib/app/sessions/change/fork-session.ts';
import { ownSession } from '../../../../lib/app/sessions/open/own-session.ts';
import { exportSource } from '../../../../lib/app/sessions/read/export-source.ts';
import { moreInImport } from '../../../../lib/app/sessions/read/kept-sources.ts';
import { showSession } from '../../../../lib/app/sessions/read/show-session.ts';
import type { ImportedSession } from '../../../../lib/hub/import-session.ts';
import { firstEvent } from '../../../../lib/session/fork.ts';
import { type HubWorld, hubWorld } from '../../../hub/world.ts';
import { CLAUDE_FILE, CLAUDE_ID, claudePrompt, lines } from '../../../support/agent-homes.ts';

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

function write(path: string, records: readonly object[]): string {
  const file = join(hub.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines(records));
  return file;
}

const address = `claude:${CLAUDE_ID}`;
const prompts = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    claudePrompt(`a${index}`, `Question ${index}`, `2026-11-20T10:00:0${index}.000Z`),
  );

async function imported(): Promise<ImportedSession> {
  const sessions: ImportedSession[] = [];
  const onSession = (session: ImportedSession) => void sessions.push(session);
  await hub.withApp((app) => importForeign(app, { all: true, onSession }));
  return sessions[0]!;
}

const sourceOf = (generation?: number) =>
  hub.withApp(async (app) => {
    const { chunks } = await exportSource(app, address, { generation, imported: true });
    return Buffer.concat(await Array.fromAsync(chunks)).toString();
  });

describe('a file that became shorter', () => {
  it.each([
    ['halved', (file: string, whole: string) => truncateSync(file, whole.length / 2)],
    ['emptied', (file: string) => truncateSync(file, 0)],
  ])('and was %s is reported, its lost messages were kept, and readers are told of the import', async (_, cut) => {
    const file = write(CLAUDE_FILE, prompts(6));
    const whole = readFileSync(file, 'utf8');
    expect(await imported()).not.toHaveProperty('shrunk');
    const more = () => hub.withApp((app) => moreInImport(app, address));
    expect(await more()).toEqual([]);
    cut(file, whole);
    const now = readFileSync(file, 'utf8');
    const told = [
      expect.stringMatching(/^The file of claude:.* and its import has more, of .*: --imported reads that\.$/),
    ];
    expect(await more()).toEqual(told);
    const shrunk = { from: whole.length, to: now.length, generation: 0 };
    expect(await imported()).toMatchObject({ events: 0, shrunk });
    if (now !== '') expect(await imported()).not.toHaveProperty('shrunk');
    expect(await more()).toEqual(told);
    expect(await sourceOf(0)).toBe(whole);
    if (now !== '') expect([await sourceOf(1), await sourceOf()]).toEqual([now, now]);
    await expect(sourceOf(7)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('no generation 7'),
      hint: expect.stringMatching(/^It has 0 \(/),
    });
    // The whole file again, and more.
    write(CLAUDE_FILE, prompts(7));
    await imported();
    expect(await more()).toEqual([]);
  });
});

it('a session of Gemini CLI has the id that its program prints in lists and in show, and is found by it', async () => {
  const programId = '02cc9599-4d5e-4f60-8a7b-1c2d3e4f5a6b';
  write('.gemini/tmp/boat/chats/session-2026-06-12T09-32-02cc9599.jsonl', [
    { sessionId: programId, projectHash: 'ab12', startTime: '2026-06-12T09:32:00.000Z', kind: 'main' },
    { id: 'm1', timestamp: '2026-06-12T09:32:01.000Z', type: 'user', content: [{ text: 'Where is the boat?' }] },
  ]);
  const listed = () => hub.withApp(async (app) => (await listAll(app, { agent: 'gemini' })).rows);
  const row = { address: 'gemini:02cc9599-2026-06-12T09-32', programId };
  expect(await listed()).toMatchObject([row]);
  await hub.sync();
  expect(await listed()).toMatchObject([row]);
  for (const named of [row.address, `gemini:${programId}`]) {
    expect(await hub.withApp((app) => showSession(app, named))).toMatchObject({ id: row.address, programId });
  }
});

it("a fork of a foreign session has the session's directory if it exists, and a resumed one the present directory", async () => {
  const boat = join(hub.home, 'boat');
  const cwdOf = async (make: (app: Parameters<typeof forkSession>[0]) => Promise<{ id: string }>) =>
    hub.withApp(async (app) => (await readJournal(app.store, (await make(app)).id, firstEvent)).data.cwd);
  write(CLAUDE_FILE, [{ ...claudePrompt('a1', 'Where am I?', '2026-11-20T10:00:00.000Z'), cwd: boat }]);
  expect(await cwdOf((app) => forkSession(app, address))).toBe(hub.home);
  mkdirSync(boat);
  expect(await cwdOf((app) => forkSession(app, address))).toBe(boat);
  expect(await cwdOf((app) => ownSession(app, address))).toBe(hub.home);
  await hub.make('oak', ['Here']);
  expect(await cwdOf((app) => forkSession(app, 'oak'))).toBe(hub.home);
});
