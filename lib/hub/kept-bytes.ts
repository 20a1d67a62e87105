// Reads what an import kept of its source: the bytes of a generation, from the attachments that its parts name. A part
// may take bytes from an earlier generation; which attachment they are in is worked out first, so that none is read for
// nothing.
import { createHash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { OllmError } from '../errors/index.ts';
import type { EventData } from '../events/index.ts';
import type { JournalStore } from '../journal/types.ts';

export type KeptPart = EventData<'source.kept'>;

/** Bytes of what an attachment unpacks into. */
interface Span {
  readonly blob: string;
  /** Of all that the attachment unpacks into. */
  readonly blobBytes: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Attachments that are unpacked at the same time: pieces of a few alternate. */
const UNPACKED = 4;

/** Whether the bytes of the part were kept: not so where hub.redact was on. */
export function isKept({ blob, pieces }: KeptPart): boolean {
  return blob !== undefined || pieces !== undefined;
}

/** Bytes of the source up to the end of the part. */
export function endOf(part: KeptPart | undefined): number {
  return part === undefined ? 0 : part.offset + part.bytes;
}

/**
 * The bytes of one generation, in its order. `from`: those in front of this one are left out, and no attachment is read
 * for them alone.
 * @param parts - of all generations
 * @throws OllmError IO_FAILED
 */
export async function* keptBytes(
  store: Pick<JournalStore, 'readBlob'>,
  parts: readonly KeptPart[],
  generation: number,
  from = 0,
): AsyncGenerator<Buffer, void, void> {
  requireZstd();
  const unpacked = new Map<string, Buffer>();
  let passed = 0;
  for (const { blob, blobBytes, offset, bytes } of spansOf(parts, generation)) {
    const left = Math.max(0, from - passed);
    passed += bytes;
    if (left >= bytes && bytes > 0) continue;
    const content = unpacked.get(blob) ?? (await unpack(store, blob, blobBytes));
    unpacked.delete(blob);
    unpacked.set(blob, content);
    const [oldest] = unpacked.keys();
    if (unpacked.size > UNPACKED && oldest !== undefined) unpacked.delete(oldest);
    yield content.subarray(offset + left, offset + bytes);
  }
}

/**
 * The bytes of a generation, by default the newest, checked against the sha256 that the journal has of them.
 * @throws OllmError SESSION_NOT_FOUND (the source was not kept), IO_FAILED: also behind the last byte, where the bytes
 * are others than were read
 */
export async function* givenBack(
  store: Pick<JournalStore, 'readBlob'>,
  parts: readonly KeptPart[],
  generation = parts.at(-1)?.generation,
): AsyncGenerator<Buffer, void, void> {
  const last = parts.findLast((part) => part.generation === generation);
  if (last === undefined || !parts.every((part) => part.generation !== last.generation || isKept(part))) {
    throw new OllmError('SESSION_NOT_FOUND', 'The source was not kept with this import.', {
      hint: 'It was imported with hub.redact, or the import was interrupted: "ollm import" of its address shows which.',
    });
  }
  const hash = createHash('sha256');
  for await (const bytes of keptBytes(store, parts, last.generation)) {
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') === last.sha256) return;
  throw new OllmError(
    'IO_FAILED',
    'The kept source is damaged: its bytes have another sha256 than those that were read.',
  );
}

/** How many places the bytes of a generation are in. */
export function countSpans(parts: readonly KeptPart[], generation: number): number {
  return spansOf(parts, generation).length;
}

export function requireZstd(): void {
  if ((zlib as Partial<typeof zlib>).zstdCompressSync !== undefined) return;
  throw new OllmError('IO_FAILED', 'This Node.js cannot compress with zstd, in which imports keep their sources.', {
    hint: 'Use Node.js 22.15 or later, or set hub.redact: true to import without the source.',
  });
}

async function unpack(store: Pick<JournalStore, 'readBlob'>, blob: string, bytes: number): Promise<Buffer> {
  const compressed = await store.readBlob(blob);
  if (compressed === undefined) throw unreadable(`is missing: blobs/${blob}`);
  // Into one piece of memory, whose end shows that nothing comes behind it.
  const chunkSize = bytes + zlib.constants.Z_MIN_CHUNK;
  const content = zlib.zstdDecompressSync(compressed, { maxOutputLength: Math.max(1, bytes), chunkSize });
  if (content.length !== bytes) throw unreadable(`is too short: blobs/${blob}`);
  return content;
}

function unreadable(reason: string): OllmError {
  return new OllmError('IO_FAILED', `A part of the kept source ${reason}.`);
}

/**
 * Works from the oldest generation that is needed to the wanted one, without recursion: a chain of them may be long.
 */
function spansOf(parts: readonly KeptPart[], wanted: number): readonly Span[] {
  const { needed, lastUse } = neededFor(parts, wanted);
  const known = new Map<number, readonly Span[]>();
  for (const [generation, those] of [...needed].sort(([a], [b]) => a - b)) {
    known.set(generation, joined(those.flatMap((part) => [...spansOfPart(part, known)])));
    for (const before of known.keys())
      if ((lastUse.get(before) ?? wanted) <= generation && before !== wanted) known.delete(before);
  }
  return known.get(wanted) ?? [];
}

interface Needed {
  /** The parts of each generation that the wanted one takes bytes from, and its own. */
  readonly needed: ReadonlyMap<number, readonly KeptPart[]>;
  /** The last generation that takes bytes from it. */
  readonly lastUse: ReadonlyMap<number, number>;
}

function neededFor(parts: readonly KeptPart[], wanted: number): Needed {
  const all = Map.groupBy(parts, ({ generation }) => generation);
  const needed = new Map<number, readonly KeptPart[]>();
  const lastUse = new Map<number, number>();
  const waiting = [wanted];
  for (let generation = waiting.pop(); generation !== undefined; generation = waiting.pop()) {
    if (needed.has(generation)) continue;
    const those = all.get(generation) ?? [];
    needed.set(generation, those);
    for (const { generation: from } of those.flatMap(({ pieces = [] }) => pieces)) {
      // One that takes bytes from itself, or from a later one, was not written by an import.
      if (from === undefined || from >= generation) continue;
      waiting.push(from);
      lastUse.set(from, Math.max(generation, lastUse.get(from) ?? 0));
    }
  }
  return { needed, lastUse };
}

function* spansOfPart(part: KeptPart, known: ReadonlyMap<number, readonly Span[]>): Generator<Span, void, void> {
  if (!isKept(part)) throw unreadable('was not kept (hub.redact was on)');
  const { blob, bytes, pieces = [{ offset: 0, bytes }] } = part;
  const blobBytes = pieces.reduce((sum, piece) => (piece.generation === undefined ? sum + piece.bytes : sum), 0);
  for (const { generation, offset, bytes: length } of pieces) {
    if (generation !== undefined) yield* cutOut(known.get(generation) ?? [], offset, length);
    else if (blob === undefined) throw unreadable('has no attachment');
    else yield { blob, blobBytes, offset, bytes: length };
  }
}

function* cutOut(spans: readonly Span[], offset: number, bytes: number): Generator<Span, void, void> {
  let position = 0;
  let left = bytes;
  for (const span of spans) {
    const before = Math.max(0, offset - position);
    const length = Math.min(left, span.bytes - before);
    position += span.bytes;
    if (length <= 0) continue;
    yield { ...span, offset: span.offset + before, bytes: length };
    left -= length;
    if (left === 0) return;
  }
  throw unreadable('names bytes that an earlier one does not have');
}

/** Spans that follow one another in the same attachment are one. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last?.blob === span.blob && last.offset + last.bytes === span.offset) {
      all[all.length - 1] = { ...last, bytes: last.bytes + span.bytes };
    } else all.push(span);
  }
  return all;
}
