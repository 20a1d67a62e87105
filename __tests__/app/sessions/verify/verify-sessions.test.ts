import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type { App } from '../../../../lib/app/app.ts';
import { createApp } from '../../../../lib/app/compose.ts';
import type { VerifiedSession } from '../../../../lib/app/sessions/verify/verify-session.ts';
import {
  threadsBesides,
  type VerifySessionsOptions,
  verifySessions,
} from '../../../../lib/app/sessions/verify/verify-sessions.ts';
import { ROOT } from '../../../support/cli.ts';
import { until } from '../../../support/until.ts';

const BUILT = pathToFileURL(join(ROOT, 'dist/program/parts/verify-worker.js'));
/** Threads whatever there is to do. */
const ALWAYS = { worthBytes: 1, maxFindings: 50 } as const;
let home: string;
let sound: Buffer;
let sealed: Buffer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ollm-verify-'));
  sound = await journal({});
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, Buffer.alloc(32, 7), { mode: 0o600 });
  sealed = await journal({ OLLM_RETENTION__KEY_FILE: keyFile, OLLM_RETENTION__ENCRYPT_AT_REST: 'true' });
}, 300_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const open = (env: Readonly<Record<string, string>> = {}): Promise<App> =>
  createApp({
    env: { HOME: home, OLLM_HOME: home, ...env },
    cwd: home,
    command: 'test',
    parts: { askPassphrase: () => undefined },
  });

/** The bytes of a journal with a few lines. */
async function journal(env: Readonly<Record<string, string>>): Promise<Buffer> {
  const app = await open(env);
  const writer = await app.store.create('model', { model: 'm', provider: 'p', ollm: '1' }, { policy: 'process' });
  for (let turn = 1; turn <= 6; turn += 1) {
    await writer.append({ type: 'turn.started', turn, data: { input: `question ${turn}` } });
    await writer.append({ type: 'a.stranger', data: { text: 'x'.repeat(200 * turn) } });
  }
  await writer.close();
  await app.close();
  const bytes = readFileSync(join(home, 'session-data/model.jsonl'));
  rmSync(join(home, 'session-data'), { recursive: true });
  return bytes;
}

/** Puts these journals in the place of all that were there. */
function keep(journals: Readonly<Record<string, Buffer | 'directory'>>): void {
  const sessions = join(home, 'session-data');
  rmSync(sessions, { recursive: true, force: true });
  mkdirSync(sessions, { mode: 0o700 });
  for (const [id, bytes] of Object.entries(journals)) {
    const path = join(sessions, `${id}.jsonl`);
    if (bytes === 'directory') mkdirSync(path);
    else writeFileSync(path, bytes, { mode: 0o600 });
  }
}

async function verified(
  options: VerifySessionsOptions,
  afterEach: () => Promise<unknown> | undefined = () => undefined,
): Promise<VerifiedSession[]> {
  const app = await open();
  try {
    const sessions: VerifiedSession[] = [];
    const ids = app.store.list().map(({ id }) => id);
    for await (const session of verifySessions(app, ids, options)) {
      sessions.push(session);
      await afterEach();
    }
    return sessions;
  } finally {
    await app.close();
  }
}

const bytes = fc.oneof(
  { weight: 3, arbitrary: fc.constant('sound' as const) },
  fc.record({ flip: fc.nat() }),
  fc.record({ cut: fc.nat() }),
  fc.record({ double: fc.nat() }),
  fc.constantFrom('empty' as const, 'directory' as const, 'sealed' as const, 'noise' as const),
);
type Kind = typeof bytes extends fc.Arbitrary<infer Value> ? Value : never;

function bytesOf(kind: Kind): Buffer | 'directory' {
  if (kind === 'sound') return sound;
  if (kind === 'sealed') return sealed;
  if (kind === 'empty') return Buffer.alloc(0);
  if (kind === 'noise') return Buffer.alloc(5000, 'no journal\n');
  if (kind === 'directory') return kind;
  if ('cut' in kind) return sound.subarray(0, kind.cut % sound.length);
  if ('flip' in kind) {
    const flipped = Buffer.from(sound);
    flipped[kind.flip % sound.length]! ^= 1;
    return flipped;
  }
  const lines = sound.toString().split('\n');
  const at = kind.double % (lines.length - 1);
  lines.splice(at, 0, lines[at]!);
  return Buffer.from(lines.join('\n'));
}

/** `deep` asks for the key, which is not there. What was cut off between two lines is missed by nobody. */
function isWhole(kind: Kind, deep: boolean): boolean {
  if (kind === 'sealed') return !deep;
  if (typeof kind === 'object' && 'cut' in kind) return sound[(kind.cut % sound.length) - 1] === 0x0a;
  return kind === 'sound';
}

describe('verifying sessions', () => {
  it('tells the same on one core and on many, whatever the journals are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 2, max: 3 }),
        fc.boolean(),
        async (kinds, cores, deep) => {
          keep(Object.fromEntries(kinds.map((kind, at) => [`s-${String.fromCharCode(97 + at)}`, bytesOf(kind)])));
          const alone = await verified({ ...ALWAYS, deep, cores: 1 });
          const together = await verified({ ...ALWAYS, deep, cores, entry: BUILT }, () => setTimeout(5));
          expect(together).toEqual(alone);
          expect(alone.map(({ report }) => report.findings === 0)).toEqual(kinds.map((kind) => isWhole(kind, deep)));
        },
      ),
      { numRuns: 25 },
    );
  }, 300_000);

  it('has a thread take the largest, in the sources as in the program', async () => {
    const taken = join(home, 'taken');
    keep({ a: sound, b: sound, large: Buffer.concat([sound, sound]) });
    for (const entry of [undefined, BUILT]) {
      rmSync(taken, { force: true });
      const wrapped = `
        import { workerData } from 'node:worker_threads';
        import { renameSync, writeFileSync } from 'node:fs';
        await import(${JSON.stringify(String(entry ?? pathToFileURL(join(ROOT, 'lib/app/sessions/verify/verify-worker.ts'))))});
        const look = () => {
          if (workerData.takenBy[0] === 0) return setTimeout(look, 1);
          // It is there with what it says, or not yet.
          writeFileSync(${JSON.stringify(`${taken}.new`)}, workerData.ids[0] + workerData.takenBy[0]);
          renameSync(${JSON.stringify(`${taken}.new`)}, ${JSON.stringify(taken)});
        };
        look();`;
      const sessions = await verified({ ...ALWAYS, cores: 2, entry: dataUrl(wrapped) }, () =>
        until(() => existsSync(taken)),
      );
      expect(readFileSync(taken, 'utf8')).toBe('large2');
      expect(sessions.map(({ report }) => [report.id, report.findings > 0])).toEqual([
        ['a', false],
        ['b', false],
        ['large', true],
      ]);
    }
  }, 120_000);

  it('goes on with what is left while a thread is at the journal that is to be told next', async () => {
    const taken = join(home, 'taken-for-long');
    keep({ a: sound, b: Buffer.concat([sound, sound]), c: sound, d: sound });
    const slow = `
      import { parentPort, workerData } from 'node:worker_threads';
      import { writeFileSync } from 'node:fs';
      const { takenBy, member, ids } = workerData;
      takenBy[0] = member;
      writeFileSync(${JSON.stringify(taken)}, '');
      const report = { id: ids[0], lines: 0, events: 0, bytes: 0, unknownTypes: 0, findings: 0 };
      const wait = () => (takenBy.includes(0) ? setTimeout(wait, 1) : parentPort.postMessage({ place: 0, session: { report, findings: [] }, logged: [] }));
      wait();`;
    const sessions = await verified({ ...ALWAYS, cores: 2, entry: dataUrl(slow) }, () =>
      until(() => existsSync(taken)),
    );
    expect(sessions.map(({ report }) => [report.id, report.events > 0])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
      ['d', true],
    ]);
  });

  it.each([
    ['throws', `throw new Error('no memory left')`, 'no memory left'],
    ['runs out of memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));', 'memory limit'],
    ['ends', 'process.exit(3)', 'the thread ended with code 3'],
  ])(
    'tells of the journal at which a thread %s, and goes on with the others',
    async (_, fault, reason) => {
      const taken = join(home, `taken-${reason.length}`);
      keep({ a: sound, b: sound, large: Buffer.concat([sound, sound]) });
      const dying = `
      import { workerData } from 'node:worker_threads';
      import { writeFileSync } from 'node:fs';
      import { setFlagsFromString } from 'node:v8';
      Atomics.compareExchange(workerData.takenBy, 0, 0, workerData.member);
      writeFileSync(${JSON.stringify(taken)}, '');
      ${fault}`;
      const heapLimited = `
      import { Worker, workerData, parentPort } from 'node:worker_threads';
      const inner = new Worker(new URL(${JSON.stringify(String(dataUrl(dying)))}), { workerData, resourceLimits: { maxOldGenerationSizeMb: 20 } });
      inner.on('error', (error) => { throw error; });`;
      const entry = dataUrl(reason === 'memory limit' ? heapLimited : dying);
      const sessions = await verified({ ...ALWAYS, cores: 2, entry }, () => until(() => existsSync(taken)));
      expect(sessions).toMatchObject([
        { report: { id: 'a', findings: 0 } },
        { report: { id: 'b', findings: 0 } },
        {
          report: { id: 'large', findings: 1, events: 0 },
          findings: [{ type: 'unreadable', code: 'INTERNAL', reason: expect.stringContaining(reason) }],
        },
      ]);
    },
    120_000,
  );

  it('does all of it alone where no thread can be started', async () => {
    keep({ a: sound, b: sound, c: sound.subarray(0, 900) });
    const alone = await verified({ ...ALWAYS, cores: 1 });
    const entry = new URL('not-there.js', BUILT);
    expect(await verified({ ...ALWAYS, cores: 3, entry }, () => setTimeout(100))).toEqual(alone);
  });

  it('ends at once when it is told to, and its threads with it', async () => {
    const taken = join(home, 'stuck');
    keep({ a: sound, large: Buffer.concat([sound, sound]) });
    const stuck = dataUrl(`
      import { workerData } from 'node:worker_threads';
      import { writeFileSync } from 'node:fs';
      Atomics.compareExchange(workerData.takenBy, 0, 0, workerData.member);
      writeFileSync(${JSON.stringify(taken)}, '');
      Atomics.wait(workerData.waiting, 0, 0);`);
    const stopping = new AbortController();
    const seen: string[] = [];
    const running = (async () => {
      const app = await open();
      const options = { ...ALWAYS, cores: 2, entry: stuck, signal: stopping.signal };
      for await (const { report } of verifySessions(app, ['a', 'large'], options)) {
        seen.push(report.id);
        await until(() => existsSync(taken));
        void setTimeout(50).then(() => stopping.abort());
      }
    })();
    await expect(running).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(seen).toEqual(['a']);
  });

  it('keeps no more findings than it is asked for, and counts them all', async () => {
    keep({ a: Buffer.alloc(40_000, 'noise\n\n'), b: Buffer.alloc(40_000, 'noise\n\n'), c: sound });
    for (const cores of [1, 2]) {
      const [a] = await verified({ worthBytes: 1, maxFindings: 2, cores, entry: BUILT });
      expect(a?.findings).toHaveLength(2);
      expect(a?.report.findings).toBeGreaterThan(2);
    }
  });
});

describe('how many threads earn their start', () => {
  const journals = (...sizes: number[]) => sizes.map((size) => ({ bytes: size }));

  it.each([
    ['many of a size', journals(...Array(8).fill(25)), 2, 1],
    ['as many cores as it pays for', journals(...Array(100).fill(10)), 8, 7],
    ['fewer where there is little to take off', journals(60, 60), 8, 1],
    ['none where there is next to nothing to do', journals(1, 1, 1), 8, 0],
    ['none where one journal is nearly all of it', journals(1000, 1, 1), 8, 0],
    ['none on one core', journals(...Array(100).fill(10)), 1, 0],
    ['none for nothing', [], 8, 0],
  ])('%s', (_, tasks, cores, threads) => {
    expect(threadsBesides(tasks, cores, 50)).toBe(threads);
  });
});

function dataUrl(module: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(module)}`);
}
