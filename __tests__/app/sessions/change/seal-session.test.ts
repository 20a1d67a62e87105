import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { createApp } from '../../../../lib/app/compose.ts';
import { sealSession, sealsPath } from '../../../../lib/app/sessions/change/seal-session.ts';
import { memoryFileSystem, silentLog } from '../../../../lib/platform/index.ts';
import type { AllowedSigner } from '../../../../lib/seals/allowed-signers.ts';
import { checkSeals } from '../../../../lib/seals/check-seals.ts';
import { appendSeal, readSeals } from '../../../../lib/seals/seals-file.ts';
import { ed25519Blob, fingerprintOf } from '../../../../lib/seals/ssh-key.ts';
import { signWithEd25519 } from '../../../../lib/seals/ssh-signature.ts';
import { SEAL_NAMESPACE, statementText } from '../../../../lib/seals/statement.ts';
import { CREATED } from '../../../journal/store.contract.ts';
import { sampleJournal, TEST_PROCESS } from '../../../journal/surgery.ts';

const FOLDER = '/home/.ollm/session-data';
const PATH = `${FOLDER}/notes.jsonl`;
const SEALS = `${FOLDER}/notes.seals`;
const whole = sampleJournal(8);
const ann = generateKeyPairSync('ed25519');
const bob = generateKeyPairSync('ed25519');

type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
const signing =
  ({ privateKey, publicKey }: Pair) =>
  async (message: string) =>
    signWithEd25519(privateKey, publicKey, { message, namespace: SEAL_NAMESPACE });
const signerOf = ({ publicKey }: Pair, principals: string): AllowedSigner => ({
  principals,
  fingerprint: fingerprintOf(ed25519Blob(publicKey)),
  afterMs: Number.NEGATIVE_INFINITY,
  beforeMs: Number.POSITIVE_INFINITY,
});

async function scene(bytes: Buffer = whole) {
  const fileSystem = memoryFileSystem({ uid: 0 });
  const app = await createApp({
    env: { HOME: '/home', OLLM_HOME: '/home/.ollm' },
    cwd: '/',
    command: 'test',
    parts: { fileSystem, process: TEST_PROCESS, log: silentLog },
  });
  fileSystem.makeDirectory(FOLDER);
  const put = (content: Uint8Array) => {
    if (fileSystem.stat(PATH)) fileSystem.unlink(PATH);
    const handle = fileSystem.open(PATH, 'create');
    handle.write(content);
    handle.close();
  };
  put(bytes);
  async function check(signers?: readonly AllowedSigner[]) {
    const reader = app.store.openReader('notes');
    try {
      return await checkSeals(readSeals(fileSystem, sealsPath(app, 'notes')), reader, { session: 'notes', signers });
    } finally {
      reader.close();
    }
  }
  const problems = async (signers?: readonly AllowedSigner[]) =>
    (await check(signers)).seals.map(({ problem }) => problem);
  return { app, fileSystem, put, check, problems };
}

const linesOf = (bytes: Buffer) => bytes.toString().trimEnd().split('\n');

describe('a sealed journal', () => {
  it('lists the sealed events, and the owner of the seal', async () => {
    const { app, check } = await scene();
    const { statement, added } = await sealSession(app, 'notes', signing(ann));
    expect(added).toBe(true);
    expect(statement).toMatchObject({ session: 'notes', events: 8, through: 7, bytes: whole.length });
    expect(await check([signerOf(ann, 'ann@example.org')])).toMatchObject({
      seals: [{ number: 1, signer: 'ann@example.org', problem: undefined }],
      through: 7,
      last: 7,
    });
  });

  it('is valid when events were added after it, which no seal covers', async () => {
    const lines = linesOf(whole);
    const { app, put, check } = await scene(Buffer.from(`${lines.slice(0, 5).join('\n')}\n`));
    await sealSession(app, 'notes', signing(ann));
    put(whole);
    expect(await check()).toMatchObject({ seals: [{ problem: undefined }], through: 4, last: 7 });
  });

  it('is invalid once any signed byte changed', async () => {
    const { app, put, problems } = await scene();
    await sealSession(app, 'notes', signing(ann));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ difference;
        put(changed);
        expect((await problems())[0]).toMatch(/^The journal was (rewritten|cut)/);
      }),
      { numRuns: 60 },
    );
  });

  it('is invalid for a different journal whose checksums are right', async () => {
    const { app, fileSystem, problems } = await scene();
    await sealSession(app, 'notes', signing(ann));
    fileSystem.unlink(PATH);
    const writer = await app.store.create('notes', CREATED);
    for (let at = 0; at < 40; at += 1) await writer.append({ type: 'note.added', data: { text: 'forged' } });
    await writer.close();
    expect((await problems())[0]).toMatch(/^The journal was rewritten/);
  });

  it('reports the place where it was cut', async () => {
    const { app, put, problems } = await scene();
    await sealSession(app, 'notes', signing(ann));
    put(Buffer.from(`${linesOf(whole).slice(0, 3).join('\n')}\n`));
    expect((await problems())[0]).toMatch(/^The journal was cut: it ends at event 2, .* up to event 7/);
  });

  it('has one seal by each key while nothing is added', async () => {
    const { app, check } = await scene();
    await sealSession(app, 'notes', signing(ann));
    expect((await sealSession(app, 'notes', signing(ann))).added).toBe(false);
    expect((await sealSession(app, 'notes', signing(bob))).added).toBe(true);
    expect((await check()).seals).toHaveLength(2);
  });

  it('keeps both of two seals that are made at the same time', async () => {
    const { app, problems } = await scene();
    await Promise.all([sealSession(app, 'notes', signing(ann)), sealSession(app, 'notes', signing(bob))]);
    expect(await problems()).toEqual([undefined, undefined]);
  });

  it('keeps its seals in the trash and after a restore', async () => {
    const { app, fileSystem, problems } = await scene();
    await sealSession(app, 'notes', signing(ann));
    await app.store.trash('notes');
    expect(fileSystem.stat(SEALS)).toBeUndefined();
    await app.store.restore('notes');
    expect(await problems()).toEqual([undefined]);
  });
});

describe('a seal that does not count', () => {
  it('may be made with a key that is not among the allowed signers', async () => {
    const { app, problems } = await scene();
    await sealSession(app, 'notes', signing(ann));
    expect(await problems([signerOf(bob, 'bob')])).toEqual(['Its key is not among the allowed signers.']);
  });

  it('may be of a session with a different name', async () => {
    const { app, fileSystem, problems } = await scene();
    const { statement } = await sealSession(app, 'notes', signing(ann));
    const message = statementText({ ...statement, session: 'other' });
    const place = { path: SEALS, directory: FOLDER };
    await appendSeal(fileSystem, place, { statement: message, signature: await signing(ann)(message) });
    expect(await problems()).toEqual([undefined, 'It is of session other.']);
  });

  it('may be a line that a crash cut off, and the next seal is read', async () => {
    const { app, fileSystem, problems } = await scene();
    const handle = fileSystem.open(SEALS, 'create');
    handle.write(Buffer.from('{"statement":"ollm se'));
    handle.close();
    await sealSession(app, 'notes', signing(ann));
    expect(await problems()).toEqual(['It cannot be read.', undefined]);
  });

  it('may be any text in the place of a statement or a signature', async () => {
    const { app, fileSystem, check } = await scene();
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (statement, signature) => {
        if (fileSystem.stat(SEALS)) fileSystem.unlink(SEALS);
        await appendSeal(fileSystem, { path: sealsPath(app, 'notes'), directory: FOLDER }, { statement, signature });
        expect((await check()).through).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});

describe('sealing', () => {
  it('is refused for a damaged journal, and leaves no seal', async () => {
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 40] = 0x21;
    const { app, fileSystem } = await scene(damaged);
    await expect(sealSession(app, 'notes', signing(ann))).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    expect(fileSystem.stat(SEALS)).toBeUndefined();
  });

  it('stores nothing if the key signed a different text', async () => {
    const { app, fileSystem } = await scene();
    const wrong = async () => signing(ann)('another text');
    await expect(sealSession(app, 'notes', wrong)).rejects.toMatchObject({ code: 'SIGNING_FAILED' });
    expect(fileSystem.stat(SEALS)).toBeUndefined();
  });
});
