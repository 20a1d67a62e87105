// Encrypted sessions on a simulated disk: made, read, and changed as an attacker would who has no key.
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { LineBuffer } from '../../lib/journal/line/buffer.ts';
import type { JournalReader, JournalStore, Outcome } from '../../lib/journal/types.ts';
import { countingIds, manualClock, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { sealingStore } from '../../lib/stores/sealing/sealing-store.ts';
import { type AskPassphrase, createKeyring } from '../../lib/stores/sealing/unlock.ts';
import { type SimulatedDisk, simulatedDisk } from '../lab/simulated-disk.ts';

export const DIRECTORY = '/home/sessions';
export const KEY_FILE = '/home/key';
/** As random as a test needs it: a key file of one byte is refused. */
export const KEY = Buffer.from('a key file that is for the tests');
export const PLANTED = 'the-plan-is-blue-whale';
export const CREATED = { model: 'm', provider: 'p', ollm: '0', cwd: `/home/${PLANTED}`, title: PLANTED };
export const SYSTEM = { text: `Remember: ${PLANTED}`, tokens: { count: 1, method: 'unknown' } } as const;
export const CHEAP = { N: 2 ** 10, r: 8, p: 1 };
export const log = silentLog;

export const said = (text: string) => ({
  type: 'message.added' as const,
  data: {
    role: 'user' as const,
    parts: [{ type: 'text' as const, text }],
    tokens: { count: 1, method: 'unknown' as const },
    trusted: true,
  },
});

export interface Opening {
  readonly ask?: AskPassphrase;
  readonly keyFile?: string | undefined;
  readonly encryptNew?: boolean;
}

/** A store as a new process opens it. */
export function storeOf(
  disk: SimulatedDisk,
  { ask = () => undefined, keyFile, encryptNew = false }: Opening = {},
): JournalStore {
  const { fileSystem } = disk.start();
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log };
  const keyring = createKeyring({ fileSystem, keyFile, ask, cost: CHEAP });
  return sealingStore(openFileStore({ fileSystem, ...ports }, { directory: DIRECTORY }), { keyring, encryptNew });
}

export function diskWithKey(): SimulatedDisk {
  const disk = simulatedDisk();
  write(disk, KEY_FILE, KEY);
  return disk;
}

export function write(disk: SimulatedDisk, path: string, content: Uint8Array): void {
  const { fileSystem } = disk.start();
  if (fileSystem.stat(path)) fileSystem.unlink(path);
  fileSystem.open(path, 'create', 0o600).write(content);
}

export const withKey = { keyFile: KEY_FILE, encryptNew: true } as const;

/** A session with a message, closed. */
export async function makeSession(
  store: JournalStore,
  id = 'notes',
  texts: readonly string[] = [PLANTED],
): Promise<void> {
  const session = await createSession(store, { id, created: CREATED, system: SYSTEM }, { log });
  for (const text of texts) await session.append(said(text));
  await session.close('exit');
}

export async function outcomesOf(reader: JournalReader): Promise<Outcome[]> {
  const outcomes = [...(await Array.fromAsync(reader.outcomes())).flat()];
  reader.close();
  return outcomes;
}

/** Types of events, and kinds of damage with the seq that they name. */
export async function storyOf(store: JournalStore, id = 'notes'): Promise<string[]> {
  return (await outcomesOf(store.openReader(id))).map((outcome) =>
    outcome.kind === 'event' ? outcome.event.type : `${outcome.damage.kind} ${outcome.damage.seq}`,
  );
}

export async function textsOf(store: JournalStore, id = 'notes'): Promise<unknown[]> {
  return (await outcomesOf(store.openReader(id))).flatMap((outcome) =>
    outcome.kind === 'event' && outcome.event.type === 'message.added'
      ? [(outcome.event.data.parts as { text: string }[])[0]?.text]
      : [],
  );
}

export type Line = Record<string, unknown>;

/** Changes the lines of a journal as an attacker would who has no key: numbers, chain and checksums are right again. */
export function forge(disk: SimulatedDisk, change: (lines: Line[]) => Line[], id = 'notes'): void {
  const path = `${DIRECTORY}/${id}.jsonl`;
  const lines = String(Buffer.from(disk.files().get(path) ?? []))
    .trimEnd()
    .split('\n');
  const buffer = new LineBuffer();
  let prev = '0'.repeat(16);
  for (const [seq, line] of change(lines.map((text) => JSON.parse(text) as Line)).entries()) {
    prev = buffer.addMembers(line, seq, prev);
  }
  write(disk, path, buffer.bytes);
}

export function dataOf(line: Line): Line {
  return line.data as Line;
}

/** Base64 with one bit of its last bytes changed. */
export function flipped(base64: unknown): string {
  const bytes = Buffer.from(String(base64), 'base64');
  bytes[bytes.length - 1]! ^= 1;
  return bytes.toString('base64');
}
