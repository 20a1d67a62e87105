// Reads the source that an import kept: the bytes of a generation, from the attachments that its parts name. A part of
// a generation that rewrote the source is compressed with an earlier generation as dictionary, which is unpacked first.
// Parts of older versions of ollm name the pieces that the generation before has too.
import { createHash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { OllmError } from '../errors/index.ts';
import type { EventData } from '../events/index.ts';
import { everyEvent } from '../journal/reading/outcomes.ts';
import type { EventReader, JournalStore } from '../journal/types.ts';

export type KeptPart = EventData<'source.kept'>;

/** Every part that the journal of an import keeps. */
export async function keptParts(reader: EventReader): Promise<KeptPart[]> {
  const parts: KeptPart[] = [];
  await everyEvent(reader.outcomes(), ({ type, data }) => {
    if (type === 'source.kept') parts.push(structuredClone(data) as unknown as KeptPart);
  });
  return parts;
}

/** The dictionary and a part together: zstd looks back that far without being asked for more. */
export const MAX_WINDOW_BYTES = 2 ** 27;

/** Whether the bytes of the part were kept: not so where hub.redact was on. */
export function isKept({ blob, pieces }: KeptPart): boolean {
  return blob !== undefined || pieces !== undefined;
}

/** Bytes of the source up to the end of the part. */
export function endOf(part: KeptPart | undefined): number {
  return part === undefined ? 0 : part.offset + part.bytes;
}

/**
 * The bytes of one generation, in order. `from`: earlier bytes are left out, and no attachment is read only for them.
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
  const all = Map.groupBy(parts, (part) => part.generation);
  const unpacked = async (wanted: number, before: Buffer | undefined) => {
    const contents: Buffer[] = [];
    for (const part of all.get(wanted) ?? []) contents.push(await unpack(store, part, before));
    return Buffer.concat(contents);
  };
  let before: Buffer | undefined;
  for (const needed of neededFor(all, generation)) before = await unpacked(needed, before);
  let passed = 0;
  for (const part of all.get(generation) ?? []) {
    const left = Math.max(0, from - passed);
    passed += part.bytes;
    if (left < part.bytes) yield (await unpack(store, part, before)).subarray(left);
  }
}

/** The generations that are unpacked before this one, each with the help of the one before it in the list. */
function neededFor(all: ReadonlyMap<number, readonly KeptPart[]>, wanted: number): readonly number[] {
  const needed: number[] = [];
  for (let next = baseOf(all.get(wanted)); next !== undefined; next = baseOf(all.get(next))) needed.unshift(next);
  return needed;
}

/** The earlier generation that this one takes bytes from. */
function baseOf(parts: readonly KeptPart[] = []): number | undefined {
  for (const { generation, dictionary, pieces = [] } of parts) {
    const base = dictionary ?? pieces.find((piece) => piece.generation !== undefined)?.generation;
    if (base === undefined) continue;
    if (base >= generation) throw unreadable('takes bytes from a generation that is not an earlier one');
    return base;
  }
  return undefined;
}

/**
 * The bytes of a generation, by default the newest, checked against the sha256 that the journal has of them.
 * @throws OllmError SESSION_NOT_FOUND (the source was not kept), IO_FAILED: after the last byte too, if the bytes
 * differ from those that were read
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

export function requireZstd(): void {
  if ((zlib as Partial<typeof zlib>).zstdCompressSync !== undefined) return;
  throw new OllmError('IO_FAILED', 'This Node.js cannot compress with zstd, in which imports keep their sources.', {
    hint: 'Use Node.js 22.15 or later, or set hub.redact: true to import without the source.',
  });
}

/** `before`: the bytes of the earlier generation that the part needs. */
async function unpack(
  store: Pick<JournalStore, 'readBlob'>,
  part: KeptPart,
  before: Buffer | undefined,
): Promise<Buffer> {
  if (!isKept(part)) throw unreadable('was not kept (hub.redact was on)');
  const { blob, dictionary, pieces = [{ offset: 0, bytes: part.bytes }] } = part;
  const ownBytes = pieces.reduce((sum, piece) => (piece.generation === undefined ? sum + piece.bytes : sum), 0);
  const own =
    blob === undefined
      ? undefined
      : await unpackBlob(store, blob, ownBytes, dictionary === undefined ? undefined : before);
  if (own !== undefined && part.pieces === undefined) return own;
  return Buffer.concat(
    pieces.map(({ generation, offset, bytes }) => {
      const content = (generation === undefined ? own : before)?.subarray(offset, offset + bytes);
      if (content?.length !== bytes) throw unreadable('names bytes that do not exist');
      return content;
    }),
  );
}

async function unpackBlob(
  store: Pick<JournalStore, 'readBlob'>,
  blob: string,
  bytes: number,
  dictionary: Buffer | undefined,
): Promise<Buffer> {
  const compressed = await store.readBlob(blob);
  if (compressed === undefined) throw unreadable(`is missing: blobs/${blob}`);
  const content = zlib.zstdDecompressSync(compressed, {
    maxOutputLength: Math.max(1, bytes),
    // Decompressed into one piece of memory; its end shows that no bytes follow.
    chunkSize: bytes + zlib.constants.Z_MIN_CHUNK,
    ...(dictionary === undefined ? {} : { dictionary }),
  });
  if (content.length !== bytes) throw unreadable(`is too short: blobs/${blob}`);
  return content;
}

function unreadable(reason: string): OllmError {
  return new OllmError('IO_FAILED', `A part of the kept source ${reason}.`);
}
