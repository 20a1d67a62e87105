// The bytes of another program's session as an import keeps them: compressed parts, each in an attachment of the
// journal, with an event that names it. An attachment is on the device before its event is written, so a crash leaves
// parts that follow one another without gaps. What the store does with attachments holds for them too: they are sealed,
// go to the trash and are purged with their session. Of a source that is rewritten whole each time, as a JSON document
// is, the bytes that it had before are named and not stored again: what is kept grows with what changed.
import { createHash, type Hash, hash as hashOf } from 'node:crypto';
import * as zlib from 'node:zlib';
import { isOllmError } from '../errors/index.ts';
import { ContentPieces } from './content-pieces.ts';
import { endOf, type KeptPart, requireZstd } from './kept-bytes.ts';

/** A session of another program as bytes: see `bytesOf`. */
export interface SourceBytes {
  readonly form: KeptPart['form'];
  /** From the beginning to the end as it is now, each time that it is called. */
  chunks(): Iterable<Buffer>;
}

/** Bytes of a part before it is compressed, except where one line is longer. */
const PART_BYTES = 4 * 2 ** 20;
const MAX_PART_BYTES = 64 * 2 ** 20;
const LINE_FEED = 0x0a;
/** Of one part: so that its event fits into a line. */
const MAX_PIECES = 1000;

export interface KeepOptions {
  /** The last part that is kept. */
  readonly last?: KeptPart | undefined;
  readonly translator: number;
  /** The bytes of the last generation, as they are kept; undefined where they are not. */
  readonly before?: (() => AsyncIterable<Buffer>) | undefined;
  /** Stores an attachment; undefined where the bytes are not to be kept. */
  readonly put?: ((bytes: Uint8Array) => Promise<string>) | undefined;
  /** Called for each new part, once its bytes are safe. */
  readonly onPart: (part: KeptPart) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** `same`: nothing is new. `shrunk`: nothing is there any more, and what is kept stays. */
export type KeepOutcome = 'same' | 'grown' | 'rewritten' | 'shrunk';

/**
 * Keeps what a source holds beyond the last part. One that no longer begins as it did is kept from its beginning, as a
 * generation of its own, which takes from the one before it what is the same.
 * @throws the reason of `signal`, and what `onPart` throws
 */
export async function keepSource(source: SourceBytes, options: KeepOptions): Promise<KeepOutcome> {
  const { last } = options;
  const first = await keepBehind(source, last, options);
  if (first !== 'rewritten') return first;
  const generation = (last?.generation ?? -1) + 1;
  const known = last && (await piecesBefore(last, options));
  const again = known
    ? await keepChanged(source, known, { ...options, generation })
    : await keepBehind(source, undefined, options, generation);
  return again === 'same' ? 'shrunk' : 'rewritten';
}

/**
 * The same of a source that is expected to have grown: one that no longer begins as it did is `rewritten`, and nothing
 * of it is kept.
 */
export function keepGrown(
  source: SourceBytes,
  options: KeepOptions & { readonly last: KeptPart },
): Promise<'same' | 'grown' | 'rewritten' | 'shrunk'> {
  return keepBehind(source, options.last, options);
}

/**
 * Keeps bytes that follow the last part, where the caller has them and no file. `hash` has taken in all before them.
 * After a failure it is of no more use.
 */
export async function keepMore(
  bytes: Buffer,
  hash: Hash,
  options: KeepOptions & Pick<KeptPart, 'form'>,
): Promise<void> {
  const { last } = options;
  const keeper = new Keeper(hash, { ...options, generation: last?.generation ?? 0, offset: endOf(last) });
  await keeper.take(bytes);
  await keeper.finish();
}

/** How a source compares with what is kept of it, without keeping anything. */
export async function compareSource(source: SourceBytes, last: KeptPart): Promise<'same' | 'different'> {
  const limit = endOf(last);
  const hash = createHash('sha256');
  let passed = 0;
  for await (const chunk of source.chunks()) {
    passed += chunk.length;
    if (passed > limit) return 'different';
    hash.update(chunk);
  }
  return passed === limit && hash.digest('hex') === last.sha256 ? 'same' : 'different';
}

async function keepBehind(
  source: SourceBytes,
  last: KeptPart | undefined,
  options: KeepOptions,
  generation = last?.generation ?? 0,
): Promise<KeepOutcome> {
  const limit = endOf(last);
  const hash = createHash('sha256');
  const keeper = new Keeper(hash, { ...options, generation, offset: limit, form: source.form });
  let passed = 0;
  for await (const chunk of source.chunks()) {
    options.signal?.throwIfAborted();
    const before = Math.min(chunk.length, limit - passed);
    if (before > 0) {
      hash.update(chunk.subarray(0, before));
      passed += before;
      if (passed === limit && hash.copy().digest('hex') !== last?.sha256) return 'rewritten';
    }
    if (before < chunk.length) await keeper.take(before > 0 ? chunk.subarray(before) : chunk);
  }
  if (passed < limit) return 'rewritten';
  return keeper.finish();
}

/** Where pieces are in a generation, by their sha256. */
interface KnownPieces {
  readonly generation: number;
  readonly sourceBytes: number;
  readonly offsets: ReadonlyMap<string, number>;
  /** The other way around: the piece that follows another one is mostly the one that followed it before. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** Undefined where the generation was not kept, or can no longer be read: then all is kept again. */
async function piecesBefore(last: KeptPart, { before, put, signal }: KeepOptions): Promise<KnownPieces | undefined> {
  if (before === undefined || put === undefined) return undefined;
  const sourceBytes = endOf(last);
  const offsets = new Map<string, number>();
  const hashes = new Map<number, string>();
  let offset = 0;
  try {
    for await (const piece of cut(before(), sourceBytes)) {
      signal?.throwIfAborted();
      const name = hashOf('sha256', piece, 'base64');
      if (!offsets.has(name)) offsets.set(name, offset);
      hashes.set(offset, name);
      offset += piece.length;
    }
  } catch (error) {
    if (isOllmError(error)) return undefined;
    throw error;
  }
  return { generation: last.generation, sourceBytes, offsets, hashes };
}

async function* cut(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  sourceBytes: number,
): AsyncGenerator<Buffer, void, void> {
  const cutter = new ContentPieces(sourceBytes);
  for await (const chunk of chunks) yield* cutter.take(chunk);
  const end = cutter.end();
  if (end.length > 0) yield end;
}

async function keepChanged(
  source: SourceBytes,
  { generation: from, sourceBytes, offsets, hashes }: KnownPieces,
  options: KeepOptions & { readonly generation: number },
): Promise<KeepOutcome> {
  const keeper = new Keeper(createHash('sha256'), { ...options, offset: 0, form: source.form });
  let next = -1;
  for await (const piece of cut(source.chunks(), sourceBytes)) {
    options.signal?.throwIfAborted();
    const name = hashOf('sha256', piece, 'base64');
    const offset = hashes.get(next) === name ? next : offsets.get(name);
    next = offset === undefined ? -1 : offset + piece.length;
    if (offset === undefined) await keeper.takeNew(piece);
    else await keeper.takeKnown(piece, { generation: from, offset, bytes: piece.length });
  }
  return keeper.finish();
}

type Piece = NonNullable<KeptPart['pieces']>[number];

class Keeper {
  readonly #hash: Hash;
  readonly #options: Omit<KeepOptions, 'last'> & Pick<KeptPart, 'generation' | 'form'>;
  #offset: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** What the waiting bytes are put between. */
  #pieces: Piece[] = [];
  #hasKept = false;

  constructor(hash: Hash, options: Omit<KeepOptions, 'last'> & Pick<KeptPart, 'generation' | 'form' | 'offset'>) {
    this.#hash = hash;
    this.#options = options;
    this.#offset = options.offset;
    if (options.put !== undefined) requireZstd();
  }

  /** Bytes of a source of which nothing is known. A part ends where a line does. */
  async take(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes < PART_BYTES) return;
    const lineEnd = bytes.lastIndexOf(LINE_FEED) + 1;
    if (lineEnd === 0 && this.#waitingBytes < MAX_PART_BYTES) return;
    const all = Buffer.concat(this.#waiting);
    const end = lineEnd === 0 ? all.length : all.length - bytes.length + lineEnd;
    this.#hash.update(all.subarray(0, end));
    await this.#keep(all.subarray(0, end));
    this.#waiting = [Buffer.from(all.subarray(end))];
    this.#waitingBytes = all.length - end;
  }

  /** Bytes that no earlier generation has. */
  async takeNew(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#addPiece({ offset: this.#waitingBytes, bytes: bytes.length });
    // The piece is a part of more, and would hold it in memory.
    this.#waiting.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= PART_BYTES || this.#pieces.length >= MAX_PIECES) await this.#keepPieces();
  }

  /** Bytes that an earlier generation has at `piece`. */
  async takeKnown(bytes: Buffer, piece: Piece): Promise<void> {
    this.#hash.update(bytes);
    this.#addPiece(piece);
    if (this.#pieces.length >= MAX_PIECES) await this.#keepPieces();
  }

  async finish(): Promise<'same' | 'grown'> {
    if (this.#pieces.length > 0) await this.#keepPieces();
    else if (this.#waitingBytes > 0) {
      const all = Buffer.concat(this.#waiting);
      this.#hash.update(all);
      await this.#keep(all);
    }
    return this.#hasKept ? 'grown' : 'same';
  }

  #addPiece(piece: Piece): void {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.generation === piece.generation && last.offset + last.bytes === piece.offset) {
      this.#pieces[this.#pieces.length - 1] = { ...last, bytes: last.bytes + piece.bytes };
    } else this.#pieces.push(piece);
  }

  async #keepPieces(): Promise<void> {
    const pieces = this.#pieces;
    const own = Buffer.concat(this.#waiting);
    this.#pieces = [];
    this.#waiting = [];
    this.#waitingBytes = 0;
    const isAllOwn = pieces.every(({ generation }) => generation === undefined);
    await this.#keep(own, isAllOwn ? undefined : pieces);
  }

  /** Their hash has been taken. `pieces`: what the part is put together from, besides `own`. */
  async #keep(own: Buffer, pieces?: readonly Piece[]): Promise<void> {
    const { generation, form, translator, put, onPart } = this.#options;
    const bytes = pieces === undefined ? own.length : pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    const blob = own.length === 0 ? undefined : await put?.(zlib.zstdCompressSync(own));
    await onPart({
      ...{ generation, offset: this.#offset, bytes, sha256: this.#hash.copy().digest('hex') },
      ...(blob === undefined ? {} : { blob }),
      ...(pieces === undefined ? {} : { pieces: [...pieces] }),
      ...{ form, translator },
    });
    this.#offset += bytes;
    this.#hasKept = true;
  }
}
