// Syncs, imports and watches that are killed at any moment, or run alongside one another, over files of lines,
// documents and a database: the next one ends as one that was never disturbed.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { type KeptPart, keptBytes } from '../../lib/hub/kept-bytes.ts';
import { countingIds, manualClock, nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { seededRandom } from '../lab/random.ts';
import { eventsOf } from '../session/world.ts';
import { endWithTests } from '../support/end-with-tests.ts';
import { startSource } from '../support/source-child.ts';
import { times } from '../support/times.ts';

const CHILD = new URL('./hub-child.ts', import.meta.url).pathname;
const KILLS = times(6);

type Verb = 'sync' | 'import' | 'watch';

/** Where the agents keep their sessions, the same for every run. */
const home = mkdtempSync(join(tmpdir(), 'ollm-killed-'));
let homes = 0;
beforeAll(() => makeSessions(home));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.each<Verb>(['sync', 'import', 'watch'])('%s', (verb) => {
  it('that is killed at any moment is completed by the next one', async () => {
    const whole = newHome();
    const { ms } = await run(verb, whole);
    let killed = newHome();
    const random = seededRandom(20_261_123);
    let [kills, longestMs] = [0, ms / 4];
    for (let starts = 0; starts < KILLS || (kills === 0 && starts < 10 * KILLS); starts += 1) {
      if (await startAndKill(verb, killed, random() * longestMs)) kills += 1;
      else if (kills === 0) {
        // The first run was slower than this one: the machine did more, or the code was not compiled yet.
        killed = newHome();
        longestMs /= 2;
      }
    }
    expect(kills).toBeGreaterThan(0);
    expect((await run(verb, killed)).code).toBe(0);
    expect(await contentOf(verb, killed)).toEqual(await contentOf(verb, whole));
    // There is nothing left to do.
    const before = await contentOf(verb, killed);
    await run(verb, killed);
    expect(await contentOf(verb, killed)).toEqual(before);
  });

  it('next to a second one leaves every session there once', async () => {
    const [one, both] = [newHome(), newHome()];
    await run(verb, one);
    const codes = await Promise.all([run(verb, both), run(verb, both)]);
    expect(codes.map(({ code, errors }) => ({ code, errors }))).toEqual([
      { code: 0, errors: '' },
      { code: 0, errors: '' },
    ]);
    await run(verb, both);
    expect(await contentOf(verb, both)).toEqual(await contentOf(verb, one));
  });
});

describe('import', () => {
  it('that is killed while a document is rewritten repeatedly ends with its last state', async () => {
    const path = join(home, '.gemini/tmp/abc/chats/session-2026-01-01T00-00-g0.json');
    const document = JSON.parse(readFileSync(path, 'utf8')) as { messages: object[] };
    const killed = newHome();
    const { ms } = await run('import', killed);
    const random = seededRandom(7);
    for (let kills = 0; kills < KILLS / 2; kills += 1) {
      // The last message is completed in place, and another one begins.
      document.messages[document.messages.length - 1] = { ...document.messages.at(-1), content: `complete ${kills}` };
      document.messages.push({ ...document.messages.at(-1), id: `n-${kills}`, content: 'begun' });
      writeFileSync(path, JSON.stringify(document));
      await startAndKill('import', killed, random() * ms);
    }
    await run('import', killed);
    const fresh = newHome();
    await run('import', fresh);
    const [once, often] = await Promise.all([fresh, killed].map((each) => importsIn(join(each, 'session-data'))));
    expect(Object.keys(often!)).toEqual(Object.keys(once!));
    for (const [id, { said, kept }] of Object.entries(once!)) expect(often![id]).toMatchObject({ said, kept });
    expect(Object.values(often!).map(({ kept }) => kept)).toContain(JSON.stringify(document));
  });
});

function newHome(): string {
  homes += 1;
  const path = join(home, `ollm-${homes}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

function start(verb: Verb, ollm: string) {
  const env = { PATH: process.env.PATH ?? '', HOME: home, OLLM_HOME: ollm };
  const child = startSource(CHILD, [verb], { env, cwd: home, errors: 'pipe' });
  endWithTests(() => child.kill('SIGKILL'));
  const output = { errors: '' };
  child.stderr.on('data', (bytes) => {
    output.errors += String(bytes);
  });
  return { child, output, begun: once(child.stdout, 'data'), closed: once(child, 'close') };
}

/** False: it had ended by itself. */
async function startAndKill(verb: Verb, ollm: string, afterMs: number): Promise<boolean> {
  const { child, begun, closed } = start(verb, ollm);
  await Promise.race([begun, closed]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await closed;
  return child.signalCode === 'SIGKILL';
}

async function run(verb: Verb, ollm: string): Promise<{ code: number | null; errors: string; ms: number }> {
  const { child, output, begun, closed } = start(verb, ollm);
  await Promise.race([begun, closed]);
  const began = performance.now();
  await closed;
  return { code: child.exitCode, errors: output.errors, ms: performance.now() - began };
}

async function contentOf(verb: Verb, ollm: string): Promise<unknown> {
  return verb === 'sync' ? rowsOf(join(ollm, CATALOG_NAME)) : importsIn(join(ollm, 'session-data'));
}

function rowsOf(catalog: string): unknown[] {
  const database = new DatabaseSync(catalog);
  try {
    database.exec("INSERT INTO words(words, rank) VALUES ('integrity-check', 0)");
    return [
      'SELECT s.agent, s.id, s.title, m.seq, m.role, m.kind, m.text FROM messages m JOIN sessions s ON s.number = session ORDER BY s.agent, s.id, m.seq, m.id',
      'SELECT s.agent, s.id, c.* FROM counted c JOIN sessions s ON s.number = session ORDER BY s.agent, s.id, c.record',
    ]
      .flatMap((rows) => database.prepare(rows).all())
      .map(({ session: _, ...row }) => ({ ...row }));
  } finally {
    database.close();
  }
}

interface Imported {
  readonly said: readonly unknown[];
  /** The last generation. */
  readonly kept: string;
  readonly generations: ReadonlySet<number>;
}

/** What each import says, and the bytes that it kept. */
async function importsIn(directory: string): Promise<Record<string, Imported>> {
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  const store = openFileStore({ ...ports, fileSystem: nodeFileSystem }, { directory });
  const imports: Record<string, Imported> = {};
  for (const { id } of await store.list()) {
    const events = await eventsOf(store, id);
    const said = events.flatMap(({ type, turn, data: { pid: _, previous: __, ...data } }) =>
      data.origin === undefined ? [] : [[type, turn, data]],
    );
    const parts = events.flatMap(({ type, data }) => (type === 'source.kept' ? [data as unknown as KeptPart] : []));
    const kept = await Array.fromAsync(keptBytes(store, parts, parts.at(-1)!.generation));
    imports[id] = {
      said,
      kept: Buffer.concat(kept).toString(),
      generations: new Set(parts.map((part) => part.generation)),
    };
  }
  return imports;
}

function makeSessions(root: string): void {
  const text = (number: number) => `walrus ${number} ${'and more words '.repeat(40)}`;
  const claude = join(root, '.claude/projects/-work');
  const gemini = join(root, '.gemini/tmp/abc/chats');
  const opencode = join(root, '.local/share/opencode');
  for (const folder of [claude, gemini, opencode]) mkdirSync(folder, { recursive: true });
  const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();
  for (let session = 0; session < 8; session += 1) {
    const lines = Array.from({ length: 80 }, (_, number) => {
      const message = { role: 'user', content: text(number) };
      return `${JSON.stringify({ type: 'user', uuid: `u-${session}-${number}`, timestamp: at(number), cwd: '/home/ada', message })}\n`;
    });
    writeFileSync(join(claude, `s-${session}.jsonl`), lines.join(''));
    const messages = Array.from({ length: 40 }, (_, number) => ({
      ...{
        id: `m-${number}`,
        timestamp: at(number),
        type: number % 2 === 0 ? 'user' : 'gemini',
        content: text(number),
      },
    }));
    const document = { sessionId: `g-${session}`, projectHash: 'abc', startTime: at(0), lastUpdated: at(40), messages };
    writeFileSync(join(gemini, `session-2026-01-01T00-00-g${session}.json`), JSON.stringify(document));
  }
  const database = new DatabaseSync(join(opencode, 'opencode.db'));
  database.exec(
    'CREATE TABLE session(id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER); CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT); CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, data TEXT)',
  );
  for (let session = 0; session < 3; session += 1) {
    const id = `ses_${session}`;
    database
      .prepare('INSERT INTO session VALUES (?, NULL, ?, ?, ?, NULL, 1, 2)')
      .run(id, '/home/ada', `Talk ${session}`, '1.0');
    for (let number = 0; number < 40; number += 1) {
      const message = `msg_${session}_${String(number).padStart(3, '0')}`;
      const info = { role: 'user', time: { created: 1_767_225_600_000 + number } };
      database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(message, id, number, JSON.stringify(info));
      const part = { type: 'text', text: text(number) };
      database.prepare('INSERT INTO part VALUES (?, ?, ?)').run(`prt_${message}`, message, JSON.stringify(part));
    }
  }
  database.close();
}
