// The bytes of another program's session as an import keeps them: compressed parts, each in an attachment of the
// journal, with an event that names it. An attachment is on the device before its event is written, so a crash leaves
// parts that follow one another without gaps. What the store does with attachments holds for them too: they are sealed,
// go to the trash and are purged with their session.
import { createHash, type Hash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { OllmError } from '../errors/index.ts';
import type { EventData } from '../events/index.ts';
import type { JournalStore } from '../journal/types.ts';

export type KeptPart = EventData<'source.kept'>;

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

export interface KeepOptions {
  /** The last part that is kept. */
  readonly last?: KeptPart | undefined;
  readonly translator: number;
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
 * generation of its own.
 * @throws the reason of `signal`, and what `onPart` throws
 */
export async function keepSource(source: SourceBytes, options: KeepOptions): Promise<KeepOutcome> {
  const { last } = options;
  const first = await keepBehind(source, last, options);
  if (first !== 'rewritten') return first;
  const again = await keepBehind(source, undefined, options, (last?.generation ?? -1) + 1);
  return again === 'same' ? 'shrunk' : 'rewritten';
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

/** The bytes of the parts of one generation, part by part. @throws OllmError IO_FAILED */
export async function* keptBytes(
  store: Pick<JournalStore, 'readBlob'>,
  parts: readonly KeptPart[],
): AsyncGenerator<Buffer, void, void> {
  requireZstd();
  for (const { blob, bytes } of parts) {
    const compressed = blob === undefined ? undefined : await store.readBlob(blob);
    if (compressed === undefined) {
      const reason = blob === undefined ? 'was not kept (hub.redact was on)' : `is missing: blobs/${blob}`;
      throw new OllmError('IO_FAILED', `A part of the kept source ${reason}.`);
    }
    const part = zlib.zstdDecompressSync(compressed, { maxOutputLength: bytes });
    if (part.length !== bytes)
      throw new OllmError('IO_FAILED', `A part of the kept source is too short: blobs/${blob}`);
    yield part;
  }
}

export function endOf(part: KeptPart | undefined): number {
  return part === undefined ? 0 : part.offset + part.bytes;
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

class Keeper {
  readonly #hash: Hash;
  readonly #options: Omit<KeepOptions, 'last'> & Pick<KeptPart, 'generation' | 'form'>;
  #offset: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #hasKept = false;

  constructor(hash: Hash, options: Omit<KeepOptions, 'last'> & Pick<KeptPart, 'generation' | 'form' | 'offset'>) {
    this.#hash = hash;
    this.#options = options;
    this.#offset = options.offset;
    if (options.put !== undefined) requireZstd();
  }

  async take(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes < PART_BYTES) return;
    const lineEnd = bytes.lastIndexOf(LINE_FEED) + 1;
    if (lineEnd === 0 && this.#waitingBytes < MAX_PART_BYTES) return;
    const all = Buffer.concat(this.#waiting);
    const end = lineEnd === 0 ? all.length : all.length - bytes.length + lineEnd;
    this.#waiting = [Buffer.from(all.subarray(end))];
    this.#waitingBytes = all.length - end;
    await this.#keep(all.subarray(0, end));
  }

  async finish(): Promise<'same' | 'grown'> {
    if (this.#waitingBytes > 0) await this.#keep(Buffer.concat(this.#waiting));
    return this.#hasKept ? 'grown' : 'same';
  }

  async #keep(bytes: Buffer): Promise<void> {
    const { generation, form, translator, put, onPart } = this.#options;
    this.#hash.update(bytes);
    const blob = await put?.(zlib.zstdCompressSync(bytes));
    const sha256 = this.#hash.copy().digest('hex');
    const place = { generation, offset: this.#offset, bytes: bytes.length, sha256 };
    await onPart({ ...place, ...(blob === undefined ? {} : { blob }), form, translator });
    this.#offset += bytes.length;
    this.#hasKept = true;
  }
}

function requireZstd(): void {
  if ((zlib as Partial<typeof zlib>).zstdCompressSync !== undefined) return;
  throw new OllmError('IO_FAILED', 'This Node.js cannot compress with zstd, in which imports keep their sources.', {
    hint: 'Use Node.js 22.15 or later, or set hub.redact: true to import without the source.',
  });
}
