// Programs that keep many sessions in one database. After any change of one session, an index that follows it equals
// an index from the beginning, and no other session of the database was read for it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import type { Source } from '../../lib/agents/agent.ts';
import { openForeign } from '../../lib/agents/open-foreign.ts';
import { opencode } from '../../lib/agents/opencode/opencode.ts';
import { loadAgent } from '../../lib/agents/registry.ts';
import { contentOf } from '../../lib/agents/session-content.ts';
import type { App } from '../../lib/app/app.ts';
import { createApp } from '../../lib/app/compose.ts';
import { importForeign, importSettings } from '../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { type ListMemory, openListMemory } from '../../lib/app/list/list-memory.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { foreignPorts } from '../../lib/app/start/foreign-ports.ts';
import { unpacked } from '../../lib/catalog/packed-text.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { sourcesOf } from '../../lib/hub/import-sources.ts';
import { watchSources } from '../../lib/hub/watch.ts';
import { manualClock, nodeFileSystem, silentLog } from '../../lib/platform/index.ts';
import { kept } from '../../lib/platform/once.ts';
import { type DatabaseOwner, databaseOwners } from '../support/sessions-in-databases.ts';
import { type HubWorld, hubWorld } from './world.ts';

const OTHERS = ['one', 'two'];

let hub: HubWorld;
let owners: readonly DatabaseOwner[];
let homes = 0;

beforeEach(() => {
  hub = hubWorld();
  mkdirSync(join(hub.home, '.local/share/crush'), { recursive: true });
  const projects = [{ path: join(hub.home, 'boat'), data_dir: '.crush' }];
  writeFileSync(join(hub.home, '.local/share/crush/projects.json'), JSON.stringify({ projects }));
  owners = databaseOwners(hub.home);
  for (const owner of owners) {
    for (const session of [...OTHERS, 'it']) {
      owner.begin(session);
      for (const number of [0, 1, 2]) owner.say(session, number, `${session} says ${number}`);
    }
  }
});
afterEach(() => {
  for (const { database } of owners) database.close();
  hub.remove();
});

/** Everything that a search or a list is answered from. */
function indexIn(home: string): unknown {
  const database = new DatabaseSync(join(home, CATALOG_NAME), { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const of = "(SELECT agent || ':' || id FROM sessions WHERE number = session) AS name";
  try {
    return {
      sessions: all("SELECT * FROM sessions WHERE state = 'here' ORDER BY agent, id").map(
        ({ number: _, ...row }) => row,
      ),
      messages: all(
        `SELECT ${of}, seq, message, key, role, at, kind, size, text, tool, about FROM messages
          WHERE session IN (SELECT number FROM sessions WHERE state = 'here') ORDER BY name, seq`,
      ).map((row) => ({ ...row, text: unpacked(row.text) })),
      names: all(
        `SELECT (SELECT agent || ':' || id FROM sessions WHERE number = names.rowid AND state = 'here') AS name, title,
          prompt, project, branch FROM names WHERE name IS NOT NULL ORDER BY name`,
      ),
    };
  } finally {
    database.close();
  }
}

/** A home whose index was made just now. */
async function fromBeginning(): Promise<string> {
  homes += 1;
  const home = join(hub.home, `home-${homes}`);
  mkdirSync(home, { mode: 0o700 });
  await hub.sync({ OLLM_HOME: home });
  return home;
}

/** Sessions that a source has no more stay in the list. */
async function listed(env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { rows } = await hub.withApp((app) => listAll(app, {}), env);
  return rows.filter(({ gone }) => !gone).map((row) => ({ ...row }));
}

/** Texts that modules are given while `work` runs. */
async function translatedIn(work: () => Promise<unknown>): Promise<string> {
  const records: string[] = [];
  const restore: (() => void)[] = [];
  for (const { agent } of owners) {
    const module = await loadAgent(agent);
    const { translate } = module;
    Object.assign(module, {
      translate(...given: Parameters<typeof translate>) {
        records.push(JSON.stringify(given[0]));
        return translate(...given);
      },
    });
    restore.push(() => Object.assign(module, { translate }));
  }
  await work();
  for (const each of restore) each();
  return records.join('\n');
}

type Edit = readonly [string, (owner: DatabaseOwner) => void, ((owner: DatabaseOwner) => unknown)?];

/** Each with the programs whose session is another one after it. Default: all. */
const EDITS: readonly Edit[] = [
  ['one more message', (owner) => owner.say('it', 3, 'it says more')],
  ['another text of the same length in place', (owner) => owner.edit('it', 1, 'it said 1.')],
  ['the first text again', (owner) => owner.edit('it', 1, 'it says 1')],
  ['the last message taken away', (owner) => owner.remove('it', 3)],
  [
    'the first message written again',
    (owner) => {
      owner.remove('it', 0);
      owner.say('it', 0, 'it says 0');
    },
    // The order of messages is that of their times there.
    ({ agent }) => agent !== 'opencode' && agent !== 'kilo-cli',
  ],
  ['another title', (owner) => owner.rename?.('it', 'Named by hand'), ({ rename }) => rename],
  [
    'a new session',
    (owner) => {
      owner.begin('new');
      owner.say('new', 0, 'new says 0');
    },
  ],
  ['the session taken away', (owner) => owner.end('it'), () => false],
];

it('of many sessions in a database, an index reads the one that changed, and equals an index from the beginning', async () => {
  expect((await hub.sync()).read).toBe(owners.length * 3);
  for (const [name, edit, isChanged = () => true] of EDITS) {
    for (const owner of owners) edit(owner);
    let read = 0;
    const translated = await translatedIn(async () => {
      ({ read } = await hub.sync());
    });
    expect([name, read]).toEqual([name, owners.filter(isChanged).length]);
    expect(translated).not.toMatch(/(?:one|two) says/);
    expect(indexIn(hub.home)).toEqual(indexIn(await fromBeginning()));
  }
  expect(await listed()).toEqual(await listed({ OLLM_HOME: await fromBeginning() }));
});

it('any changes, and syncs that are stopped or see changes on their way, end in an index from the beginning', async () => {
  const change = fc.record({
    owner: fc.nat(owners.length - 1),
    session: fc.constantFrom(...OTHERS, 'it'),
    number: fc.nat(3),
    text: fc.constantFrom('oak', 'elm', 'ash and alder'),
    next: fc.constantFrom('a change', 'a sync', 'a sync with changes', 'a sync that is stopped'),
  });
  /** The texts of each session, from test to test. */
  const said = new Map<string, string[]>();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 6 }), async (changes) => {
      for (const { owner, session, number, text, next } of changes) {
        const program = owners[owner]!;
        const texts = kept(said, `${program.agent}:${session}`, () => [0, 1, 2].map((n) => `${session} says ${n}`));
        const before = texts[number];
        if (before === undefined) program.say(session, texts.length, text);
        else program.edit(session, number, text);
        texts[Math.min(number, texts.length)] = text;
        if (next === 'a change') continue;
        const stop = new AbortController();
        const onProgress = () => {
          if (next === 'a sync that is stopped') stop.abort();
          else if (next === 'a sync with changes') program.edit(session, 0, `${text} for a moment`);
        };
        await hub.withApp((app) => syncSessions(app, { signal: stop.signal, onProgress })).catch(() => {});
        // All is as it was, but for the index.
        if (next === 'a sync with changes') program.edit(session, 0, texts[0]!);
        if (next !== 'a sync that is stopped' || before === undefined) continue;
        program.edit(session, number, before);
        texts[number] = before;
      }
      await hub.sync();
      expect(indexIn(hub.home)).toEqual(indexIn(await fromBeginning()));
    }),
    { numRuns: 3 },
  );
});

it('while the programs write, only those without a log have all sessions of their database read again', async () => {
  // To this clock, every file changed a moment ago.
  const clock = manualClock(Date.now() - 3_600_000);
  const env = { HOME: hub.home, OLLM_HOME: hub.home };
  const readBySync = async () => {
    const app = await createApp({ env, cwd: hub.home, command: 'test', parts: { clock, log: silentLog } });
    const synced = await syncSessions(app);
    await app.close();
    return synced.kind === 'done' ? synced.report.read : synced;
  };
  const logged = owners.filter(({ database }) => database.prepare('PRAGMA journal_mode').get()?.journal_mode === 'wal');
  const all = owners.length * 3;
  expect(await readBySync()).toBe(all);
  for (const owner of owners) owner.idle();
  expect(await readBySync()).toBe(all - logged.length * 3);
  for (const owner of owners) owner.edit('it', 0, 'other words');
  expect(await readBySync()).toBe(all - logged.length * 2);
  const found = (await hub.addresses('other words')).map((address) => address.replace(/#.*$/, ''));
  expect(found).toEqual(owners.map(({ agent }) => `${agent}:it`).sort());
});

it('a reading gives no hash of its content if the database was written meanwhile', async () => {
  const owner = owners.find(({ agent }) => agent === 'opencode')!;
  const source: Source = { agent: 'opencode', id: 'it', path: owner.path };
  const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };
  const reader = openForeign(opencode, source, { ...files, notesContent: true });
  for await (const _ of reader.outcomes()) owner.say('one', 3, 'of another session');
  expect(reader.content()).toBeUndefined();
  for await (const _ of reader.outcomes());
  expect(reader.content()).toEqual(contentOf(opencode, source, files));
  owner.say('one', 4, 'of another session');
  expect(reader.content()).toEqual(contentOf(opencode, source, files));
  owner.edit('it', 0, 'it said 0.');
  expect(contentOf(opencode, source, files)).not.toEqual(reader.content());
});

it('a watcher imports the session of a database that changed, and no other one of it', async () => {
  const stop = new AbortController();
  const walks: string[][] = [];
  await hub.withApp(async (app) => {
    const ports = foreignPorts(app);
    await watchSources({
      ...(await importSettings(app)),
      fileSystem: app.fileSystem,
      now: () => app.clock.now(),
      signal: stop.signal,
      async find() {
        if (walks.length === 1) for (const owner of owners) owner.say('it', 3, 'it says more');
        if (walks.length === 2) stop.abort();
        walks.push([]);
        return sourcesOf(undefined, ports);
      },
      hints: async (_, onHint) => {
        onHint();
        return { watch: onHint, close: async () => {} };
      },
      onSession: ({ kind, address }) => walks.at(-1)!.push(`${kind} ${address}`),
    });
    expect([walks[0]!.length, walks[1]!.sort()]).toEqual([
      owners.length * 3,
      owners.map(({ agent }) => `grown ${agent}:it`).sort(),
    ]);
    const imported = await importForeign(app, { all: true });
    expect(imported).toMatchObject({ unchanged: owners.length * 3, skipped: [] });
    const env = { OLLM_HOME: join(hub.home, 'again') };
    mkdirSync(env.OLLM_HOME, { mode: 0o700 });
    const again = await hub.withApp(async (other) => {
      await importForeign(other, { all: true });
      return saidIn(other);
    }, env);
    expect(again.length).toBeGreaterThan(owners.length * 3 * 3);
    expect(await saidIn(app)).toEqual(again);
  });
});

describe('a database that its program is writing', () => {
  const all = () => owners.flatMap(({ agent }) => [...OTHERS, 'it'].map((session) => `${agent}:${session}`)).sort();
  const withoutLog = () => owners.filter((_, index) => index % 2 === 1);
  const paths = () =>
    withoutLog()
      .map(({ path }) => path)
      .sort();

  /** Lists while transactions are open: those without a log cannot be read meanwhile. */
  async function listedInWriting(app?: { readonly app: App; readonly memory: ListMemory }) {
    for (const { database } of owners) database.exec('BEGIN IMMEDIATE; INSERT INTO idle VALUES (2)');
    try {
      return await (app === undefined
        ? hub.withApp((each) => listAll(each, {}))
        : listAll(app.app, { memory: app.memory }));
    } finally {
      for (const { database } of owners) database.exec('ROLLBACK');
    }
  }

  it.each([
    ['only a list was made', async () => void (await hub.withApp(stored))],
    ['a sync was made', async () => void (await hub.sync())],
    [
      'a sync and a list were made',
      async () => {
        await hub.sync();
        await hub.withApp(stored);
      },
    ],
  ])('hides no session and calls none gone, after %s', async (_, prepare) => {
    await prepare();
    const { rows, unreadable } = await listedInWriting();
    expect(rows.map(({ address }) => address).sort()).toEqual(all());
    expect(rows.filter(({ gone, problem, title }) => gone || problem !== undefined || title === undefined)).toEqual([]);
    expect(unreadable.map(({ path }) => path).sort()).toEqual(paths());
  });

  it('is in the list of a server as before, and one that was removed is not', async () => {
    await hub.sync();
    await hub.withApp(async (app) => {
      const memory = openListMemory(app);
      const before = await listAll(app, { memory });
      expect((await listedInWriting({ app, memory })).rows).toEqual(before.rows);
      const { database, path } = withoutLog()[0]!;
      database.close();
      rmSync(path);
      const { rows } = await listAll(app, { memory });
      expect(rows.some(({ address }) => address.startsWith('kilo-cli:'))).toBe(false);
    });
    owners = owners.filter(({ agent }) => agent !== 'kilo-cli');
  });

  it('is named by a search that finds nothing', async () => {
    await hub.sync();
    for (const { database } of owners) database.exec('BEGIN IMMEDIATE; INSERT INTO idle VALUES (2)');
    const { hits, leftOut } = await hub.withApp((app) =>
      searchSessions(app, { text: 'quagga' }, { syncOthersMs: 9_000 }),
    );
    for (const { database } of owners) database.exec('ROLLBACK');
    expect([hits, leftOut]).toEqual([
      [],
      [expect.stringMatching(/^\/.* was skipped, and 2 more: is in the middle of a write$/)],
    ]);
    expect(
      (await hub.withApp((app) => searchSessions(app, { text: 'quagga' }, { syncOthersMs: 9_000 }))).leftOut,
    ).toEqual([]);
  });

  async function stored(app: App): Promise<void> {
    const memory = openListMemory(app);
    await listAll(app, { memory });
    memory.store();
  }
});

/** The events of all imports that come from their sources. */
async function saidIn({ store }: App): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  for (const { id } of await store.list()) {
    using reader = store.openReader(id);
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) {
        if (outcome.kind !== 'event' || outcome.event.data.origin === undefined) continue;
        const { pid: _, ...data } = outcome.event.data;
        said.push([id, outcome.event.type, data]);
      }
    }
  }
  return said;
}
