// Byte surgery on journals: a small vocabulary, so that a test of damage takes a few lines and reads as its effect.
import { isDeepStrictEqual } from 'node:util';
import { openJournalFile } from '../../lib/journal/files/journal-file.ts';
import { isLocked } from '../../lib/journal/files/lock.ts';
import type { WriterPorts } from '../../lib/journal/files/store-context.ts';
import { LineBuffer, toJson } from '../../lib/journal/line/buffer.ts';
import { followJournal } from '../../lib/journal/reading/follow.ts';
import {
  anchorEvent,
  ForwardReading,
  type ReadingStep,
  readBackwards,
  readFirst,
} from '../../lib/journal/reading/scan.ts';
import { verifyJournal } from '../../lib/journal/reading/verify.ts';
import type { Anchor, Damage, DamageKind, Outcome, StoredEvent } from '../../lib/journal/types.ts';
import { createJournalWriter, openJournalWriter } from '../../lib/journal/writing/writer.ts';
import {
  countingIds,
  type FileSystem,
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  type ProcessInfo,
  silentLog,
} from '../../lib/platform/index.ts';
import { stepsAtOnce } from '../support/at-once.ts';

export const ID = 'patient';
export const TEST_PROCESS: ProcessInfo = {
  pid: 4711,
  host: 'test',
  command: 'ollm repl',
  uid: 0,
  isAlive: () => true,
};

/** A disk in memory with one place for a journal on it. */
export function journalDisk(bytes?: Uint8Array, fileSystem: MemoryFileSystem = memoryFileSystem({ uid: 0 })) {
  const place = {
    id: ID,
    path: `/s/${ID}.jsonl`,
    lockPath: `/s/${ID}.lock`,
    quarantineDirectory: '/s/quarantine',
  };
  const clock = manualClock();
  const dependencies = (disk: FileSystem = fileSystem): WriterPorts => ({
    fileSystem: disk,
    clock,
    ids: countingIds(),
    process: TEST_PROCESS,
    log: silentLog,
    settled: new Set(),
  });
  if (!fileSystem.stat('/s')) {
    fileSystem.makeDirectory('/s');
    // In memory this is done before it returns.
    void fileSystem.syncDirectory('/');
  }
  const disk = {
    fileSystem,
    place,
    clock,
    dependencies,
    put(content: Uint8Array, path = place.path) {
      if (fileSystem.stat(path)) fileSystem.unlink(path);
      const handle = fileSystem.open(path, 'create');
      if (content.length > 0) handle.write(content);
      handle.close();
    },
    bytes: (path = place.path) => bytesOf(fileSystem, path),
    quarantined: () =>
      fileSystem.stat(place.quarantineDirectory)
        ? fileSystem
            .readDirectory(place.quarantineDirectory)
            .map(({ name }) => bytesOf(fileSystem, `${place.quarantineDirectory}/${name}`))
        : [],
    reader: () => readerAtOnce(fileSystem, place),
    create: (disk?: FileSystem) =>
      createJournalWriter(dependencies(disk), { ...place, created: { model: 'm', provider: 'p', ollm: '0' } }),
    openWriter: (options: Partial<Parameters<typeof openJournalWriter>[1]> = {}, disk?: FileSystem) =>
      openJournalWriter(dependencies(disk), { ...place, ...options }),
  };
  if (bytes) disk.put(bytes);
  return disk;
}

/** What a journal's reader finds, without waiting for a batch. */
export function readerAtOnce(
  fileSystem: FileSystem,
  place: { readonly id: string; readonly path: string; readonly lockPath: string },
) {
  const handle = openJournalFile(fileSystem, place, 'read');
  const isBeingWritten = () => isLocked(fileSystem, place.lockPath);
  const outcomes = function* (steps: Iterable<ReadingStep>): Generator<Outcome, void, void> {
    for (const step of stepsAtOnce(handle, steps)) yield* step;
  };
  return {
    size: () => handle.stat().size,
    holds: async (anchor: Anchor) => (await anchorEvent(handle, anchor)) !== undefined,
    isBeingWritten,
    first: () => readFirst(handle),
    outcomes: ({ after }: { readonly after?: Anchor | undefined } = {}) =>
      outcomes(new ForwardReading(handle, { after, isBeingWritten }).steps()),
    backwards: () => outcomes(readBackwards(handle, isBeingWritten)),
    verify: (onDamage?: (damage: Damage) => void) =>
      verifyJournal(handle, { isBeingWritten, onDamage, pause: async () => {} }),
    follow: (options: { readonly after?: Anchor | undefined; readonly signal: AbortSignal }) =>
      followJournal(fileSystem, { ...place, ...options, log: silentLog }),
    close: () => handle.close(),
  };
}

export function bytesOf(fileSystem: FileSystem, path: string): Buffer {
  const handle = fileSystem.open(path, 'read');
  const bytes = Buffer.alloc(handle.stat().size);
  handle.read(bytes, 0);
  handle.close();
  return bytes;
}

/** Writes after the end of a journal, as another program does. */
export function appendFile({ fileSystem, place }: ReturnType<typeof journalDisk>, bytes: Uint8Array): void {
  const handle = fileSystem.open(place.path, 'append');
  handle.write(bytes);
  handle.close();
}

/** A journal of `count` lines as the writer writes it, with data that is hard on readers, or that `dataOf` gives. */
export function sampleJournal(count = 6, dataOf?: (seq: number) => object): Buffer {
  const texts = ['hello', 'ü 日本 😀', '\u2028 \ud800 \n \0', '{"seq":1,"ts":"forged"}', 'e'.repeat(80), ''];
  const buffer = new LineBuffer();
  let prev = '0'.repeat(16);
  for (let seq = 0; seq < count; seq += 1) {
    const data =
      seq === 0
        ? { format: 1, sessionId: ID, model: 'm', provider: 'p', ollm: '0' }
        : (dataOf?.(seq) ?? { text: texts[seq % texts.length], nested: { seq, xxh64: prev } });
    const line = {
      seq,
      ts: `2026-01-01T00:00:0${seq % 10}.000Z`,
      type: seq === 0 ? 'session.created' : 'message.added',
      ...(seq % 2 === 1 ? { turn: seq } : {}),
      ...(seq % 3 === 2 ? { id: `key-${seq}` } : {}),
      json: toJson(data),
    };
    prev = buffer.add(line, prev);
  }
  return Buffer.from(buffer.bytes);
}

/** A line with any members, checksum and LF included. */
export function line(members: object): Buffer {
  const buffer = new LineBuffer();
  const { seq, prev, ...rest } = members as { seq: number; prev: string };
  buffer.addMembers(rest, seq, prev);
  return Buffer.from(buffer.bytes);
}

export const linesOf = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(10, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
};
export const checksumOf = (line: Buffer): string => /"xxh64":"(\w{16})"\}\n?$/.exec(line.toString())![1]!;

// Each returns a new journal.
export const flip = (bytes: Buffer, at: number, bit = 0): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ (1 << bit);
  return copy;
};
export const zero = (bytes: Buffer, from: number, count: number): Buffer =>
  Buffer.from(bytes).fill(0, from, from + count);
export const cut = (bytes: Buffer, length: number): Buffer => bytes.subarray(0, length);
export const append = (bytes: Buffer, ...more: (string | Uint8Array)[]): Buffer =>
  Buffer.concat([bytes, ...more.map((part) => Buffer.from(part as string))]);
export const zeros = (count: number): Buffer => Buffer.alloc(count);
/** Changes the list of lines. */
export const edit = (bytes: Buffer, change: (lines: Buffer[]) => Uint8Array[]): Buffer =>
  Buffer.concat(change(linesOf(bytes)));
export const without = (bytes: Buffer, index: number): Buffer => edit(bytes, (lines) => lines.toSpliced(index, 1));
export const doubled = (bytes: Buffer, index: number, count = 1): Buffer =>
  edit(bytes, (lines) => lines.toSpliced(index + count, 0, ...lines.slice(index, index + count)));
export const swapped = (bytes: Buffer, index: number): Buffer =>
  edit(bytes, (lines) => lines.toSpliced(index, 2, lines[index + 1]!, lines[index]!));
/** Takes the LF from after a line. */
export const welded = (bytes: Buffer, index: number, between = ''): Buffer =>
  edit(bytes, (lines) => lines.with(index, append(lines[index]!.subarray(0, -1), between)));
export const withCrLf = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
export const withMark = (bytes: Buffer): Buffer => append(Buffer.from([0xef, 0xbb, 0xbf]), bytes);
export const startOf = (bytes: Buffer, index: number): number =>
  linesOf(bytes)
    .slice(0, index)
    .reduce((sum, { length }) => sum + length, 0);

export const eventsOf = (outcomes: Iterable<Outcome>): StoredEvent[] =>
  [...outcomes].flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
export const damageOf = (outcomes: Iterable<Outcome>): Damage[] =>
  [...outcomes].flatMap((outcome) => (outcome.kind === 'damage' ? [outcome.damage] : []));
export const kindsOf = (outcomes: Iterable<Outcome>): DamageKind[] => damageOf(outcomes).map(({ kind }) => kind);
/** A reading as a sentence: seqs of events, and kinds of damage where they were met. */
export const story = (outcomes: Iterable<Outcome>): string =>
  [...outcomes].map((outcome) => (outcome.kind === 'event' ? outcome.event.seq : outcome.damage.kind)).join(' ');

/** As above, and every way of reading reports it. */
export async function readEverywhere(reader: ReturnType<typeof readerAtOnce>): Promise<string> {
  const outcomes = [...reader.outcomes()];
  const verified: Damage[] = [];
  const { events } = await reader.verify((damage) => verified.push(damage));
  const damage = damageOf(outcomes);
  // Called ten thousand times: equal values need no `expect`, which takes many times longer.
  if (!isDeepStrictEqual(verified, damage)) expect(verified).toEqual(damage);
  if (events !== eventsOf(outcomes).length) expect(events).toBe(eventsOf(outcomes).length);
  return story(outcomes);
}
