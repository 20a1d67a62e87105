// What a sync brings into the catalogue, and that nothing else stays in it.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { recall } from '../../lib/app/recall/recall.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { bothEnds } from '../../lib/catalog/both-ends.ts';
import { unpacked } from '../../lib/catalog/packed-text.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import type { TextSource } from '../../lib/catalog/text-source.ts';
import { OllmError } from '../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { ownSessions } from '../../lib/hub/own-sessions.ts';
import type { SessionPlace } from '../../lib/hub/sources.ts';
import { type SyncOptions, type SyncOutcome, syncCatalog } from '../../lib/hub/sync.ts';
import { systemError } from '../../lib/platform/files/io.ts';
import { seededRandom } from '../lab/random.ts';
import { said } from '../session/world.ts';
import { callOf, type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
beforeEach(() => {
  hub = hubWorld();
});
afterEach(() => hub.remove());

/** The indexed rows of a session, in order. */
function rowsOf(id: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(hub.home, CATALOG_NAME), { readOnly: true });
  try {
    return database
      .prepare(
        'SELECT m.seq, m.role, m.kind, m.text FROM messages m JOIN sessions s ON s.number = session WHERE s.id = ? ORDER BY m.seq, m.id',
      )
      .all(id)
      .map((row) => ({ ...row, text: unpacked(row.text) }));
  } finally {
    database.close();
  }
}

function opened(use: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(join(hub.home, CATALOG_NAME));
  try {
    use(database);
  } finally {
    database.close();
  }
}

function countOf(sql: string): number {
  const database = new DatabaseSync(join(hub.home, CATALOG_NAME), { readOnly: true });
  try {
    return Number(database.prepare(sql).get()?.n);
  } finally {
    database.close();
  }
}

/** A sync of our own sessions, with their place changed. */
function syncOwn(
  change: (own: SessionPlace) => Promise<SessionPlace>,
  options: Partial<SyncOptions> = {},
): Promise<SyncOutcome> {
  return hub.withApp(async (app) => {
    const own = ownSessions({ ...app, directory: hub.sessions, indexEncrypted: false, hasKeyFile: false });
    const { catalog, fileSystem, clock } = app;
    return syncCatalog({
      ...{
        catalog,
        fileSystem,
        clock,
        home: hub.home,
        storesText: true,
        isThorough: true,
        outputs: true,
        clean: (text) => text,
      },
      erase: (sessions) => catalog.forget(sessions),
      places: [await change(own)],
      ...options,
    });
  });
}

/** Sessions of which a stat says that they are large. */
const large = (source: TextSource, grownBy = 0): TextSource => ({
  ...source,
  asData: {},
  file: { ...source.file!, size: 64 * 1024 * 1024 + grownBy },
});

describe('a sync', () => {
  it('reads a large new session in a thread, and one that has grown without a thread', async () => {
    await hub.make('notes', ['a message']);
    const asked: string[][] = [];
    const readAhead = async (sources: readonly TextSource[]) => void asked.push(sources.map(({ id }) => id));
    const syncGrown = (grownBy: number) =>
      syncOwn(
        async (own) => ({
          ...own,
          list: async () => {
            const listed = await own.list();
            return { ...listed, sources: listed.sources.map((source) => large(source, grownBy)) };
          },
        }),
        { readAhead: readAhead as SyncOptions['readAhead'] },
      );
    for (const grownBy of [0, 1, 2]) expect(await syncGrown(grownBy)).toMatchObject({ report: { read: 1 } });
    expect(asked).toEqual([['notes']]);
  });

  it.each([
    new RangeError('a fault'),
    new TypeError('a fault'),
    Object.assign(new Error('a fault'), { code: 'Z_DATA_ERROR' }),
  ])('skips a session that fails by %s, says so, and reads the others', async (fault) => {
    await hub.make('oak', ['The first pelican']);
    const outcome = await syncOwn(async (own) => {
      const [oak] = (await own.list()).sources;
      const failing: TextSource = {
        ...oak!,
        id: 'ash',
        open: async () => {
          throw fault;
        },
      };
      return { ...own, list: async () => ({ sources: [failing, oak!], skipped: [], unlisted: [] }) };
    });
    expect(outcome).toMatchObject({
      kind: 'done',
      report: { read: 1, skipped: [{ address: 'ollm:ash', reason: 'a fault' }] },
    });
    expect(await hub.addresses('pelican')).toEqual(['ollm:oak#1']);
  });

  it('is refused where text that may not be stored cannot be erased, and names a sealed session of which it is kept', async () => {
    await hub.make('oak', ['The first pelican']);
    await hub.sync();
    const run = (storesText: boolean) =>
      syncOwn(
        async (own) => {
          const [oak] = (await own.list()).sources;
          const open = async () => {
            throw new OllmError('SESSION_ENCRYPTED', 'is encrypted');
          };
          return {
            ...own,
            list: async () => ({ sources: [{ ...oak!, version: 'new', open }], skipped: [], unlisted: [] }),
          };
        },
        { storesText, erase: async () => false },
      );
    expect(await run(false)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('may still hold text') });
    const sealed = { address: 'ollm:oak', reason: expect.stringContaining('may still hold text') };
    expect(await run(true)).toMatchObject({ kind: 'done', report: { skipped: [{ address: 'ollm:oak' }, sealed] } });
  });

  it('leaves the sessions of a place that cannot be listed unchanged, and says so', async () => {
    await hub.make('oak', ['The first pelican']);
    await hub.sync();
    const list = async () => {
      throw systemError('EIO', 'scandir', hub.sessions);
    };
    expect(await syncOwn(async (own) => ({ ...own, list }))).toMatchObject({
      kind: 'done',
      report: { vanished: 0, skipped: [{ address: hub.sessions, reason: expect.stringContaining('EIO') }] },
    });
    expect(rowsOf('oak')).toHaveLength(1);
  });

  it('indexes messages, calls, outputs and thoughts, each under its kind', async () => {
    await hub.make('oak', [
      said('system', 'Be brief'),
      'Why does the build fail?',
      {
        type: 'message.added',
        data: {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'Perhaps the cache' },
            { type: 'text', text: 'I look.' },
          ],
          trusted: false,
        },
      },
      ...callOf('c1', { command: 'make\nall', deep: [{ path: 'src/main.c' }] }, 'undefined reference to frobnicate'),
      {
        type: 'message.added',
        data: { role: 'user', parts: [{ type: 'text', text: 'A reminder' }], trusted: true, synthetic: true },
      },
    ]);
    expect(await hub.sync()).toMatchObject({ sessions: 1, read: 1, rows: 7, skipped: [], damaged: 0 });
    expect(rowsOf('oak').map(({ role, kind, text }) => [role, kind, text])).toEqual([
      ['system', 'injected', 'Be brief'],
      ['user', 'text', 'Why does the build fail?'],
      ['assistant', 'text', 'I look.'],
      ['assistant', 'reasoning', 'Perhaps the cache'],
      ['tool', 'call', 'bash\ncommand: make\nall\ndeep: path: src/main.c'],
      ['tool', 'output', 'undefined reference to frobnicate'],
      ['user', 'injected', 'A reminder'],
    ]);
  });

  it('stores the fields of a list for each session, and its shape', async () => {
    const usage = (totalCost: number, message?: string): NewOllmEvent => ({
      type: 'usage.reported',
      data: {
        inputTokens: 1,
        outputTokens: 1,
        totalCost,
        source: 'provider',
        model: 'm-1',
        provider: 'offline',
        ...(message ? { message } : {}),
      },
    });
    await hub.make(
      'oak',
      ['Why does it fail?', usage(0.5), said('assistant', 'Because.'), usage(0.1, 'm'), usage(0.2, 'm')],
      {},
      { git: { root: '/home/ada/garden', branch: 'main' } },
    );
    await hub.sync();
    const database = new DatabaseSync(join(hub.home, CATALOG_NAME), { readOnly: true });
    const row = database.prepare('SELECT * FROM sessions').get();
    database.close();
    expect(row).toMatchObject({
      agent: 'ollm',
      id: 'oak',
      title: 'Why does it fail?',
      project: '/home/ada/garden',
      branch: 'main',
      model: 'm-1',
      messages: 2,
      tokens: 4,
      cost: 0.7,
      state: 'here',
      parent: null,
      said: 'Because.',
      said_by: 'assistant',
    });
    expect(row?.shape).toHaveLength(2);
    expect(Number(row?.started)).toBeGreaterThan(Date.now() - 60_000);
    expect(Number(row?.last_activity)).toBeGreaterThanOrEqual(Number(row?.started));
  });

  it('continues at its last position when a session has grown', async () => {
    await hub.make('oak', ['The first question']);
    await hub.sync();
    await hub.goOn('oak', ['The second question']);
    expect(await hub.sync()).toMatchObject({ read: 1, rows: 1 });
    expect(rowsOf('oak').map(({ text }) => text)).toEqual(['The first question', 'The second question']);
    expect(await hub.sync()).toMatchObject({ read: 0, rows: 0 });
  });

  it('reads a rewritten session again, and removes the old rows', async () => {
    await hub.make('oak', ['An old walrus', 'More of it']);
    await hub.sync();
    rmSync(join(hub.sessions, 'oak.jsonl'));
    rmSync(join(hub.sessions, 'oak.state.json'));
    await hub.make('oak', ['A new question']);
    await hub.sync();
    expect(rowsOf('oak').map(({ text }) => text)).toEqual(['A new question']);
    expect(await hub.search('walrus')).toEqual([]);
  });

  it('gives equal rows after any number of partial syncs and after one', async () => {
    const steps = [
      callOf('c1', { command: 'ls' }, 'a b c'),
      ['One'],
      [said('assistant', 'Two')],
      callOf('c2', { path: 'x' }, 'y'),
    ];
    await hub.make('oak', []);
    for (const step of steps) {
      await hub.goOn('oak', step);
      await hub.sync();
    }
    const inSteps = rowsOf('oak');
    rmSync(join(hub.home, CATALOG_NAME));
    await hub.sync();
    expect(inSteps).toEqual(rowsOf('oak'));
    expect(inSteps).toHaveLength(6);
  });

  it('removes the remains of a killed one, and double rows', async () => {
    await hub.make('oak', ['One', 'Two']);
    await hub.sync();
    const whole = rowsOf('oak');
    const database = new DatabaseSync(join(hub.home, CATALOG_NAME));
    // As a sync that was killed before it had noted how far it had come.
    database.exec(
      "INSERT INTO messages SELECT id + 50, session, seq + 1, message, key, role, at, kind, 5, 'Three', tool, about, blob, cut FROM messages WHERE seq = 2;" +
        "UPDATE sources SET size = size - 1, seq = 2; INSERT INTO words (rowid, text) SELECT id, text FROM messages WHERE text = 'Three'",
    );
    database.close();
    expect(await hub.sync()).toMatchObject({ read: 1 });
    expect(rowsOf('oak')).toEqual(whole);
    expect(await hub.search('Three')).toEqual([]);
    expect(countOf('SELECT count(*) AS n FROM words')).toBe(whole.length);
  });

  it('replaces a message by its newest text, in its place', async () => {
    const parts = (text: string) => [{ type: 'text' as const, text }];
    await hub.make('oak', [
      {
        type: 'message.added',
        data: { role: 'user', message: 'm1', parts: parts('A draft about pelicans'), trusted: true },
      },
      'Between',
    ]);
    await hub.sync();
    await hub.goOn('oak', [{ type: 'message.replaced', data: { message: 'm1', parts: parts('A text about herons') } }]);
    await hub.sync();
    expect(rowsOf('oak')).toEqual([
      { seq: 1, role: 'user', kind: 'text', text: 'A text about herons' },
      { seq: 2, role: 'user', kind: 'text', text: 'Between' },
    ]);
    expect(await hub.search('pelicans')).toEqual([]);
  });

  it('keeps a whole output and the whole arguments of a call, whose middle is found like their ends', async () => {
    const long = (word: string) => `begins ${'before '.repeat(9_000)} ${word} ${'after '.repeat(9_000)} ends`;
    await hub.make('oak', callOf('c1', { command: long('quokka') }, long('wombat Übermut')));
    await hub.sync();
    expect(rowsOf('oak').map(({ text }) => String(text).length)).toEqual([117_034, 117_028]);
    for (const word of ['quokka', 'wombat', 'ubermut', 'ends']) {
      const hits = await hub.search({ text: word, isExact: true });
      expect(hits.map(({ excerpt }) => excerpt.marks.length > 0)).toEqual(word === 'ends' ? [true, true] : [true]);
    }
    expect(await hub.addresses({ text: 'w[o]mbat', isRegex: true })).toEqual(['ollm:oak#4']);
  });

  it('keeps both ends of a text over 16 MiB, says so, and keeps no secret that the cut divides', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const output = `begins ${'x '.repeat(2035)} ${secret} ${'middle '.repeat(5000)} ${secret}${' y'.repeat(2040)} ends`;
    const kept = bothEnds(output, 8 * 1024, (text) => text.replaceAll(/ghp_\w{36}/g, '[redacted]'));
    expect(kept.length).toBeLessThan(8300);
    expect(kept).toMatch(/^begins .* ends$/s);
    expect(kept).not.toContain('ghp_');
    expect(kept).not.toContain(secret.slice(-8));
    await hub.make('oak', ['A question']);
    await hub.sync();
    const { leftOut } = await hub.withApp((app) => searchSessions(app, { text: 'question' }));
    expect(leftOut).toEqual([]);
    opened((database) => database.exec('UPDATE messages SET cut = 1'));
    const after = await hub.withApp((app) => searchSessions(app, { text: 'question' }));
    expect(after.leftOut).toEqual(['Of 1 text of more than 16 MiB only both ends are searched.']);
  });

  it('names the session that cannot be read, and reads the others', async () => {
    await hub.make('oak', ['A question']);
    await hub.make('elm', ['Another question']);
    const path = join(hub.sessions, 'elm.jsonl');
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('Another')]! ^= 1;
    writeFileSync(path, bytes);
    writeFileSync(join(hub.sessions, 'empty.jsonl'), '');
    const report = await hub.sync();
    expect(report).toMatchObject({ damaged: 1 });
    expect(await hub.addresses('question')).toEqual(['ollm:oak#1']);
  });

  it('forgets a session in the trash, and finds it again after a restore', async () => {
    await hub.make('oak', ['A pelican']);
    await hub.sync();
    await hub.withApp((app) => app.store.trash('oak'));
    expect(await hub.sync()).toMatchObject({ sessions: 0, vanished: 1 });
    expect(await hub.search('pelican')).toEqual([]);
    await hub.withApp((app) => app.store.restore('oak'));
    expect(await hub.addresses('pelican')).toEqual(['ollm:oak#1']);
  });

  it('stops when its time is over, and leaves the rest for later', async () => {
    await hub.make('oak', ['One']);
    await hub.make('elm', ['Two']);
    const { syncSessions } = await import('../../lib/app/import/sync-sessions.ts');
    expect(await hub.withApp((app) => syncSessions(app, { budgetMs: -1 }))).toMatchObject({
      report: { read: 0, left: 2 },
    });
  });
});

describe('text that must not be stored', () => {
  const key = () => {
    const path = join(hub.home, 'key');
    writeFileSync(path, 'a key file that is for the tests', { mode: 0o600 });
    return { OLLM_RETENTION__KEY_FILE: path };
  };

  it('includes all text while sessions are encrypted at rest, also earlier rows', async () => {
    await hub.make('oak', ['A question about pelicans']);
    await hub.sync();
    expect(hub.bytes().includes('pelicans')).toBe(true);
    const encrypted = { OLLM_RETENTION__ENCRYPT_AT_REST: 'true', ...key() };
    await hub.make('elm', ['A long question about herons and where they sleep'], encrypted);
    expect(await hub.sync(encrypted)).toMatchObject({ sessions: 0, vanished: 1 });
    expect(hub.bytes().includes('pelicans')).toBe(false);
    expect(hub.bytes().includes('herons')).toBe(false);
  });

  it('includes that of an encrypted session, unless its owner allows it, and is removed when they no longer do', async () => {
    const withKey = key();
    await hub.make('elm', ['A long question about herons and where they sleep'], {
      OLLM_RETENTION__ENCRYPT_AT_REST: 'true',
      ...withKey,
    });
    await hub.make('oak', ['A question about pelicans']);
    const { skipped } = await hub.sync(withKey);
    expect(skipped).toEqual([
      { address: 'ollm:elm', reason: 'Session elm is encrypted and is not indexed.', code: 'SESSION_ENCRYPTED' },
    ]);
    expect(await hub.addresses('question', withKey)).toEqual(['ollm:oak#1']);
    const allowed = { ...withKey, OLLM_CATALOG__INDEX_ENCRYPTED: 'true' };
    expect(await hub.addresses('question', allowed)).toEqual(['ollm:elm#1', 'ollm:oak#1']);
    await hub.withApp((app) => recall(app, { text: 'herons' }), allowed);
    for (const file of ['catalog', 'passages'] as const)
      expect([file, hub.bytes(file).includes('herons')]).toEqual([file, true]);
    await hub.sync(withKey);
    for (const file of ['catalog', 'passages'] as const)
      expect([file, hub.bytes(file).includes('herons')]).toEqual([file, false]);
    expect(await hub.addresses('question', withKey)).toEqual(['ollm:oak#1']);
  });

  it('includes the output of tools if outputs are not stored', async () => {
    await hub.make('oak', callOf('c1', { command: 'cat pelicans' }, 'an output about herons'));
    await hub.sync();
    expect(await hub.addresses('herons')).toHaveLength(1);
    const without = { OLLM_RETENTION__STORE_TOOL_OUTPUTS: 'false' };
    expect(await hub.addresses('herons', without)).toEqual([]);
    expect(await hub.addresses('pelicans', without)).toHaveLength(1);
  });

  it('includes that of a purged session: no word stays in the bytes', async () => {
    // At times that mix their rows with those of others, so that rows move from page to page.
    const random = seededRandom(5);
    const sometime = (text: string): NewOllmEvent => ({
      type: 'message.added',
      data: {
        role: 'user',
        parts: [{ type: 'text', text: text + ' filler'.repeat(random() * 60) }],
        trusted: true,
        at: new Date(Date.UTC(2026, 0, 1) + random() * 1e9).toISOString(),
      },
    });
    await hub.make('oak', []);
    await hub.make('other', []);
    for (let round = 0; round < 20; round += 1) {
      await hub.goOn(
        'oak',
        Array.from({ length: 6 }, () => sometime('pelicans and albatrosses')),
      );
      await hub.goOn(
        'other',
        Array.from({ length: 20 }, () => sometime('something else')),
      );
      await hub.sync();
    }
    await hub.sync();
    expect(hub.bytes().includes('pelicans')).toBe(true);
    await hub.withApp((app) => deleteSession(app, 'oak', { purge: true }));
    for (const word of ['pelican', 'albatross', '/home/ada/oak'])
      expect([word, hub.bytes().includes(word)]).toEqual([word, false]);
    expect(await hub.search({ text: 'something', limit: 1000 })).toHaveLength(400);
    expect(statSync(join(hub.home, CATALOG_NAME)).mode & 0o077).toBe(0);
  });
});
