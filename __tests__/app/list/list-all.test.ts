// The sessions of every program in one list: found, counted and titled whatever state the catalogue is in.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import { importForeign } from '../../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../../lib/app/import/sync-sessions.ts';
import { listAgents } from '../../../lib/app/list/list-agents.ts';
import { listAll } from '../../../lib/app/list/list-all.ts';
import { listSessions } from '../../../lib/app/list/list-sessions.ts';
import type { SessionRow } from '../../../lib/app/list/session-row.ts';
import { subagentImports } from '../../../lib/app/list/subagent-imports.ts';
import { deleteSession } from '../../../lib/app/sessions/change/delete-session.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { searchSessions } from '../../../lib/app/sessions/read/search-sessions.ts';
import { showSession } from '../../../lib/app/sessions/read/show-session.ts';
import type { JournalFileInfo } from '../../../lib/journal/types.ts';
import { sessionsToPick } from '../../../lib/repl/pick-session.ts';
import {
  agentFiles,
  CLAUDE_FILE,
  CLAUDE_ID,
  CLAUDE_OTHER_ID,
  CODEX_ID,
  claudePrompt,
  lines,
  listingOf,
  PROJECT,
  TOKEN,
} from '../../support/agent-homes.ts';
import { countingFileSystem } from '../../support/counting-file-system.ts';

let home: string;
let app: App;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'ollm-all-'));
  for (const [path, content] of Object.entries(agentFiles())) write(path, content);
  app = await createApp({ env: { HOME: home, OLLM_HOME: join(home, '.ollm') }, cwd: home, command: 'test' });
});
afterEach(async () => {
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

const CLAUDE = `claude:${CLAUDE_ID}`;
const OTHER = `claude:${CLAUDE_OTHER_ID}`;
const CODEX = `codex:${CODEX_ID}`;
const rowsOf = async (options = {}): Promise<readonly SessionRow[]> => (await listAll(app, options)).rows;
const addressesOf = async (options = {}) => (await rowsOf(options)).map(({ address }) => address);

/** Times of change can be set by no program: the clock of the app is set to later. */
async function synced(): Promise<void> {
  const { clock } = app;
  const outcome = await syncSessions({ ...app, clock: { ...clock, now: () => clock.now() + 60_000 } });
  expect(outcome.kind).toBe('done');
}

describe('the list of all sessions', () => {
  it('has those of every program, the newest activity first, each with its subject', async () => {
    const before = listingOf(home);
    expect(await rowsOf()).toMatchObject([
      { address: CODEX, title: 'How long is the mast?', project: PROJECT, lastActivity: '2026-01-04T10:00:06.000Z' },
      { address: OTHER, title: 'Paint the hull blue', project: '/home/ada/paint', messageCount: undefined },
      { address: CLAUDE, title: 'The mast of the boat', model: 'claude-test-1', branch: 'main' },
    ]);
    expect(listingOf(home)).toEqual(before);
  });

  it("includes ollm's own", async () => {
    const { session } = await openSession(app, { kind: 'new', name: 'walk' });
    await session.append({
      type: 'message.added',
      data: { role: 'user', parts: [{ type: 'text', text: 'Where to?' }], trusted: true },
    });
    await session.close('exit');
    expect(await rowsOf({ limit: 1 })).toMatchObject([{ address: 'ollm:walk', agent: 'ollm', messageCount: 1 }]);
    expect(await addressesOf({ agent: 'ollm' })).toEqual(['ollm:walk']);
    expect(await addressesOf()).toHaveLength(4);
  });

  it('titles an own session without a title by the first message of its user', async () => {
    const { session } = await openSession(app, { kind: 'new' });
    for (const [role, text] of [
      ['user', 'Where to?'],
      ['assistant', 'To the sea.'],
    ] as const) {
      await session.append({
        type: 'message.added',
        data: { role, parts: [{ type: 'text', text }], trusted: role === 'user' },
      });
    }
    await session.close('exit');
    expect(await rowsOf({ agent: 'ollm' })).toMatchObject([{ title: 'Where to?', messageCount: 2 }]);
  });

  it.each([
    ['one program', { agent: 'claude' }, [OTHER, CLAUDE]],
    ['one directory', { project: PROJECT }, [CODEX, CLAUDE]],
    ['the sessions below a directory', { project: '/home/ada' }, [CODEX, OTHER, CLAUDE]],
    ['not what only begins like it', { project: '/home/ada/bo' }, []],
    ['the new sessions', { sinceMs: Date.parse('2026-01-03T09:00:00Z') }, [CODEX, OTHER]],
    ['a number of them', { limit: 2 }, [CODEX, OTHER]],
    ['none', { limit: 0 }, []],
    ['the oldest beginning last', { sort: 'created' }, [CODEX, OTHER, CLAUDE]],
    ['the alphabet', { sort: 'title' }, [CODEX, OTHER, CLAUDE]],
  ])('has %s, before and after a sync', async (_name, options, expected) => {
    expect((await addressesOf(options)).sort()).toEqual([...expected].sort());
    await synced();
    expect(await addressesOf(options)).toEqual(expected);
  });

  it('reads no file that the catalogue knows, and one that has grown since', async () => {
    await synced();
    const rows = await rowsOf();
    expect(rows.map(({ messageCount }) => messageCount)).toEqual([2, 1, 2]);
    const disk = countingFileSystem(app.fileSystem);
    const bytes = async () => (await disk.during(() => listAll({ ...app, fileSystem: disk.fileSystem }))).readBytes;
    expect(await bytes()).toBe(0);
    write(
      CLAUDE_FILE,
      agentFiles()[CLAUDE_FILE] + lines([claudePrompt('9a09', 'And now?', '2026-02-01T10:00:00.000Z')]),
    );
    const grown = await bytes();
    expect(grown).toBeGreaterThan(0);
    expect(grown).toBeLessThan(20_000);
    expect((await rowsOf())[0]).toMatchObject({ address: CLAUDE, lastActivity: '2026-02-01T10:00:00.000Z' });
  });

  it('keeps vanished sessions, with a mark, as long as the catalogue knows them', async () => {
    await synced();
    rmSync(join(home, CLAUDE_FILE));
    await synced();
    expect((await rowsOf()).find(({ address }) => address === CLAUDE)).toMatchObject({
      gone: true,
      title: 'The mast of the boat',
    });
  });

  it('has one row for an imported session', async () => {
    const id = `claude-${CLAUDE_ID}`;
    const { session } = await openSession(app, { kind: 'new', name: id });
    await session.append({ type: 'session.titled', data: { title: 'Imported', by: 'user' } });
    await session.close('exit');
    const rows = await rowsOf();
    expect(rows.filter((row) => row.id.includes(CLAUDE_ID))).toMatchObject([{ address: CLAUDE, importId: id }]);
    await deleteSession(app, id);
    expect((await rowsOf()).find(({ address }) => address === CLAUDE)?.importId).toBeUndefined();
  });

  it('leaves out subagents, and lists unreadable sessions with the reason', async () => {
    write(`.claude/projects/-home-ada-boat/${CLAUDE_ID}/subagents/agent-a1.jsonl`, '{}\n');
    mkdirSync(join(home, '.codex/sessions/2026/01/05'), { recursive: true });
    write('.codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-x.jsonl.zst', 'x');
    const { rows, unreadable } = await listAll(app);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({ address: 'codex:x', problem: expect.stringContaining('cannot be unpacked') });
    expect(unreadable).toEqual([]);
  });

  it.each(['is there', 'has vanished since the sync', 'has vanished before any sync'])(
    'leaves out the import of a subagent that %s, like the list of own sessions and the picker',
    async (state) => {
      const path = `.claude/projects/-home-ada-boat/${CLAUDE_ID}/subagents/agent-a1.jsonl`;
      const { session } = await openSession(app, { kind: 'new', name: 'mine' });
      await session.close('exit');
      write(
        path,
        lines([{ ...claudePrompt('a101', 'Look', '2026-01-05T10:00:00.000Z'), isSidechain: true, agentId: 'a1' }]),
      );
      await importForeign(app, { addresses: [CLAUDE, 'claude:agent-a1'] });
      if (state !== 'has vanished before any sync') await synced();
      if (state !== 'is there') rmSync(join(home, path));
      if (state === 'has vanished since the sync') await synced();
      expect((await app.store.list()).map(({ id }) => id).sort()).toEqual([
        `claude-${CLAUDE_ID}`,
        'claude-agent-a1',
        'mine',
      ]);
      expect(await addressesOf()).not.toContain('ollm:claude-agent-a1');
      expect(await addressesOf({ agent: 'ollm' })).toContain('ollm:claude-agent-a1');
      const { find } = await sessionsToPick(app);
      expect(find('agent-a1')).toEqual([]);
      const without = (journals: readonly JournalFileInfo[]) => subagentImports(app, journals);
      const own = async (limit?: number) => (await listSessions(app, { limit, without })).map(({ id }) => id);
      expect((await own()).sort()).toEqual([`claude-${CLAUDE_ID}`, 'mine']);
      expect(await own(1)).toHaveLength(1);
    },
  );

  it('is not broken by a file with any contents', async () => {
    for (const [index, content] of [
      '',
      '\0\0\0',
      '{"type":"user"',
      '[1]\nnull\n"x"\n',
      '{"timestamp":7,"cwd":[]}\n',
    ].entries()) {
      write(`.claude/projects/-x/0000000${index}.jsonl`, content);
    }
    const rows = await rowsOf();
    expect(rows).toHaveLength(8);
    for (const { lastActivity } of rows) expect(Date.parse(lastActivity!)).not.toBeNaN();
  });

  it('redacts secrets in its rows', async () => {
    write(
      '.claude/projects/-x/0001.jsonl',
      lines([claudePrompt('1', `Use ${TOKEN}\n\nplease`, '2026-03-01T10:00:00.000Z')]),
    );
    expect((await rowsOf())[0]?.title).toBe('Use [redacted github-token 40] please');
  });

  it('names the existing agents after an unknown one', async () => {
    await expect(rowsOf({ agent: 'pigeon' })).rejects.toMatchObject({
      code: 'USAGE',
      message: '“pigeon” is not an agent.',
    });
  });
});

describe('a project with several clones', () => {
  const rowsOf = async (project: string) =>
    (await listAll(app, { project: join(home, project) })).rows.map(({ address }) => address).sort();

  it('is one project: sessions of every program in any clone are listed, before a sync and after it', async () => {
    write(
      'one/.git/config',
      '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://ada:pw@example.com/ada/boat.git\n',
    );
    write('one/.git/HEAD', 'ref: refs/heads/main\n');
    write('one/sub/notes.txt', '');
    const codex = (id: string, cwd: string, url?: string) =>
      write(
        `.codex/sessions/2026/02/01/rollout-2026-02-01T10-00-00-${id}.jsonl`,
        lines([
          {
            type: 'session_meta',
            payload: { id, timestamp: '2026-02-01T10:00:00.000Z', cwd, git: { repository_url: url } },
          },
          { type: 'response_item', payload: { type: 'message', role: 'user', content: 'Where?' } },
        ]),
      );
    codex('a1', '/there/boat', 'git@example.com:ada/boat.git');
    codex('b2', '/elsewhere/boat', 'git@example.com:ada/raft.git');
    const claude = (id: string, cwd: string) =>
      write(
        `.claude/projects/p/${id}.jsonl`,
        lines([{ ...claudePrompt('9a', 'Where?', '2026-02-01T10:00:00.000Z'), cwd }]),
      );
    claude('c3', '/there/boat/hull');
    claude('d4', '/elsewhere/boat');
    claude('e5', join(home, 'one/sub'));
    const ofTheProject = ['claude:c3', 'claude:e5', 'codex:a1'];
    expect(await rowsOf('one')).toEqual(ofTheProject);
    await syncSessions(app);
    expect(await rowsOf('one')).toEqual(ofTheProject);
    expect(await rowsOf('one/sub')).toEqual(['claude:e5']);
    const foundIn = async (project: string) => {
      const { hits } = await searchSessions(app, { text: 'where', project: join(home, project) });
      return [...new Set(hits.map(({ agent, id }) => `${agent}:${id}`))].sort();
    };
    expect(await foundIn('one')).toEqual(ofTheProject);
    expect(await foundIn('one/sub')).toEqual(['claude:e5']);
    const { rows } = await listAll(app, { agent: 'codex' });
    expect(rows.find(({ id }) => id === 'a1')?.remote).toBe('example.com/ada/boat');
  });
});

describe('a session that a foreign program forked', () => {
  it('names its source, before a sync and after it', async () => {
    const id = '019b7e26-5500-7000-8000-000000000009';
    write(
      `.codex/sessions/2026/02/01/rollout-2026-02-01T10-00-00-${id}.jsonl`,
      lines([
        {
          type: 'session_meta',
          payload: { id, timestamp: '2026-02-01T10:00:00.000Z', forked_from_id: CODEX_ID, cwd: PROJECT },
        },
        { type: 'session_meta', payload: { id: CODEX_ID, timestamp: '2026-01-04T09:59:59.500Z', forked_from_id: 'x' } },
        { type: 'response_item', payload: { type: 'message', role: 'user', content: 'Where?' } },
      ]),
    );
    const prompt = { ...claudePrompt('9a', 'Where?', '2026-02-01T10:00:00.000Z'), sessionId: 'f6' };
    const answer = {
      type: 'assistant',
      uuid: '9b',
      sessionId: 'f6',
      requestSessionId: CLAUDE_ID,
      message: { content: [] },
    };
    write('.claude/projects/p/f6.jsonl', lines([prompt, answer]));
    write('.claude/projects/p/f6/subagents/agent-a1.jsonl', lines([{ ...prompt, isSidechain: true, agentId: 'a1' }]));
    write(
      `.pi/agent/sessions/--p--/2026-02-01T10-00-00-000Z_77aa.jsonl`,
      lines([
        { type: 'session', id: '77aa', cwd: PROJECT, parentSession: '/any/where/2026-01-01T10-00-00-000Z_66bb.jsonl' },
        { type: 'message', id: 'm1', message: { role: 'user', content: 'Where?' } },
      ]),
    );
    const parents = async () => {
      const { rows } = await listAll(app);
      return rows.flatMap(({ address, parent }) => (parent === undefined ? [] : [[address, parent]])).sort();
    };
    const expected = [
      ['claude:f6', `claude:${CLAUDE_ID}`],
      [`codex:${id}`, `codex:${CODEX_ID}`],
      ['pi:77aa', 'pi:66bb'],
    ];
    expect(await parents()).toEqual(expected);
    await syncSessions(app);
    expect(await parents()).toEqual(expected);
    for (const [address, parent] of [...expected, ['claude:agent-a1', 'claude:f6']]) {
      expect((await showSession(app, address!)).parent).toEqual({ sessionId: parent });
    }
    const [, [, ofCodex]] = expected as [unknown, [string, string], unknown];
    await importForeign(app, { addresses: [`codex:${id}`] });
    expect((await showSession(app, `codex-${id}`)).parent).toEqual({ sessionId: ofCodex });
  });
});

it('the table of programs reads each directory of sessions as often as a list does', async () => {
  const { fileSystem, during } = countingFileSystem(app.fileSystem);
  const counted: App = { ...app, fileSystem };
  const list = await during(() => listAll(counted));
  const table = await during(() => listAgents(counted));
  expect(list.calls.readDirectory).toBeGreaterThan(0);
  expect(table.calls.readDirectory).toBe(list.calls.readDirectory);
});
