import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { App } from '../../../../lib/app/app.ts';
import { createApp } from '../../../../lib/app/compose.ts';
import {
  type VerifiedSession,
  type VerifySessionsOptions,
  verifySessions,
} from '../../../../lib/app/sessions/read/verify-sessions.ts';

let home: string;
let sound: Buffer;
let sealed: Buffer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ollm-verify-'));
  sound = await journal({});
  const keyFile = join(home, 'key');
  writeFileSync(keyFile, 'a key file that is for the tests', { mode: 0o600 });
  sealed = await journal({ OLLM_RETENTION__KEY_FILE: keyFile, OLLM_RETENTION__ENCRYPT_AT_REST: 'true' });
});
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

async function verified(options: VerifySessionsOptions): Promise<VerifiedSession[]> {
  const app = await open();
  try {
    const ids = (await app.store.list()).map(({ id }) => id);
    return await all(verifySessions(app, ids, options));
  } finally {
    await app.close();
  }
}

async function all(sessions: AsyncIterable<VerifiedSession>): Promise<VerifiedSession[]> {
  const found: VerifiedSession[] = [];
  for await (const session of sessions) found.push(session);
  return found;
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

/** `deep` asks for the key, which is not there. A journal that is cut off after a line is whole. */
function isWhole(kind: Kind, deep: boolean): boolean {
  if (kind === 'sealed') return !deep;
  if (typeof kind === 'object' && 'cut' in kind) return sound[(kind.cut % sound.length) - 1] === 0x0a;
  return kind === 'sound';
}

describe('a check of sessions', () => {
  it('reports the faults of each, in any combination', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { minLength: 1, maxLength: 12 }), fc.boolean(), async (kinds, deep) => {
        keep(Object.fromEntries(kinds.map((kind, at) => [`s-${String.fromCharCode(97 + at)}`, bytesOf(kind)])));
        const sessions = await verified({ deep, maxFindings: 50 });
        expect(sessions.map(({ report }) => report.findings === 0)).toEqual(kinds.map((kind) => isWhole(kind, deep)));
      }),
      { numRuns: 40 },
    );
  });

  it('names a session whose seals do not cover whole lines, and no other', async () => {
    const older = readFileSync(new URL('../../../../fixtures/encrypted/without-version.jsonl', import.meta.url));
    keep({ notes: older, sealed, sound });
    const sessions = await verified({ maxFindings: 5 });
    expect(sessions.map(({ report: { id, findings, olderSeals } }) => [id, findings, olderSeals]).toSorted()).toEqual([
      ['notes', 0, true],
      ['sealed', 0, undefined],
      ['sound', 0, undefined],
    ]);
  });

  it('reports a fault of ollm itself as a finding, and continues with the next session', async () => {
    keep({ a: sound, b: sound, c: sound });
    const app = await open();
    const store = {
      ...app.store,
      openReader(id: string) {
        if (id === 'b') throw new TypeError('not a function');
        return app.store.openReader(id);
      },
    };
    const found = await all(verifySessions({ ...app, store }, ['a', 'b', 'c'], { maxFindings: 5 }));
    expect(found.map(({ report }) => report.findings)).toEqual([0, 1, 0]);
    expect(found[1]?.findings).toEqual([
      { type: 'unreadable', code: 'INTERNAL', reason: 'The check broke off: not a function' },
    ]);
    await app.close();
  });

  it('ends before the next session if it is aborted', async () => {
    keep({ a: sound, b: sound });
    const stopping = new AbortController();
    const seen: string[] = [];
    const app = await open();
    const running = (async () => {
      for await (const { report } of verifySessions(app, ['a', 'b'], { maxFindings: 1, signal: stopping.signal })) {
        seen.push(report.id);
        stopping.abort();
      }
    })();
    await expect(running).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(seen).toEqual(['a']);
    await app.close();
  });

  it('keeps at most the given number of findings, and counts them all', async () => {
    keep({ a: Buffer.alloc(40_000, 'noise\n\n'), b: sound });
    const [a] = await verified({ maxFindings: 2 });
    expect(a?.findings).toHaveLength(2);
    expect(a?.report.findings).toBeGreaterThan(2);
  });
});
