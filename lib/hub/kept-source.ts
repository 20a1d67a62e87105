// The bytes of another program's session as an import keeps them: compressed parts, each in an attachment of the
// journal, with an event that names it. An attachment is on the device before its event is written, so a crash leaves
// parts that follow one another without gaps. The store treats them like other attachments: they are sealed, go to the
// trash and are purged with their session. A source that is rewritten whole each time, as a JSON document is, is
// compressed with an earlier state as dictionary, so the kept bytes grow only with the changes.
import { createHash, type Hash } from 'node:crypto';
import * as zlib from 'node:zlib';
import { isOllmError } from '../errors/index.ts';
import { endOf, type KeptPart, MAX_WINDOW_BYTES, requireZstd } from './kept-bytes.ts';

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
const LEAST_WINDOW_LOG = 17;
const LEAST_TABLE_LOG = 16;
/** A dictionary is loaded once for each part: so one part follows on it, except in a very long source. */
const MAX_DICTIONARY_BYTES = MAX_WINDOW_BYTES - MAX_PART_BYTES;

export interface KeepOptions {
  /** The last part that is kept. */
  readonly last?: KeptPart | undefined;
  readonly translator: number;
  /** Gives the bytes of an earlier generation; undefined where they were not kept. */
  readonly before?: ((generation: number) => AsyncIterable<Buffer> | undefined) | undefined;
  /** Stores an attachment; undefined where the bytes are not to be kept. */
  readonly put?: ((bytes: Uint8Array) => Promise<string>) | undefined;
  /** Called for each new part, once its bytes are safe. */
  readonly onPart: (part: KeptPart) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** `same`: nothing is new. `shrunk`: the source is empty now, and the kept bytes stay. */
export type KeepOutcome = 'same' | 'grown' | 'rewritten' | 'shrunk';

/**
 * Keeps what a source holds beyond the last part. One that no longer begins as it did is kept from its beginning, as a
 * generation of its own, with an earlier one as dictionary.
 * @throws the reason of `signal`, and what `onPart` throws
 */
export async function keepSource(source: SourceBytes, options: KeepOptions): Promise<KeepOutcome> {
  const first = await keepBehind(source, options.last, options);
  if (first !== 'rewritten') return first;
  const generation = (options.last?.generation ?? -1) + 1;
  const dictionary = await dictionaryFor(generation, options);
  const again = await keepBehind(source, undefined, options, { generation, dictionary });
  return again === 'same' ? 'shrunk' : 'rewritten';
}

/**
 * Keeps a source that is expected to have grown: one with a different beginning is `rewritten`, and none of it is kept.
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

/** How a source compares with its kept bytes, without keeping anything. */
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
  { generation = last?.generation ?? 0, dictionary }: Partial<Pick<KeeperOptions, 'generation' | 'dictionary'>> = {},
): Promise<KeepOutcome> {
  const limit = endOf(last);
  const hash = createHash('sha256');
  const keeper = new Keeper(hash, { ...options, generation, dictionary, offset: limit, form: source.form });
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

interface Dictionary {
  readonly generation: number;
  readonly bytes: Buffer;
}

/**
 * Not always the generation before: the one whose number lacks the last bit that is set. So a state is unpacked in as
 * many steps as its number has bits, and twice as many generations make it one step more.
 */
async function dictionaryFor(
  generation: number,
  { before, put, signal }: KeepOptions,
): Promise<Dictionary | undefined> {
  const earlier = generation & (generation - 1);
  const chunks = put === undefined || generation === 0 ? undefined : before?.(earlier);
  if (chunks === undefined) return undefined;
  const all: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > MAX_DICTIONARY_BYTES) return undefined;
      all.push(chunk);
    }
  } catch (error) {
    // It can no longer be read: then all is kept again.
    if (isOllmError(error)) return undefined;
    throw error;
  }
  return { generation: earlier, bytes: Buffer.concat(all) };
}

interface KeeperOptions
  extends Pick<KeepOptions, 'translator' | 'put' | 'onPart'>,
    Pick<KeptPart, 'generation' | 'form' | 'offset'> {
  readonly dictionary?: Dictionary | undefined;
}

class Keeper {
  readonly #hash: Hash;
  readonly #options: KeeperOptions;
  readonly #partBytes: number;
  #offset: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #hasKept = false;

  constructor(hash: Hash, options: KeeperOptions) {
    this.#hash = hash;
    this.#options = options;
    this.#partBytes = options.dictionary === undefined ? PART_BYTES : MAX_PART_BYTES;
    this.#offset = options.offset;
    if (options.put !== undefined) requireZstd();
  }

  /** A part ends where a line does. */
  async take(bytes: Buffer): Promise<void> {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes < this.#partBytes) return;
    const lineEnd = bytes.lastIndexOf(LINE_FEED) + 1;
    if (lineEnd === 0 && this.#waitingBytes < MAX_PART_BYTES) return;
    const all = Buffer.concat(this.#waiting);
    const end = lineEnd === 0 ? all.length : all.length - bytes.length + lineEnd;
    await this.#keep(all.subarray(0, end));
    this.#waiting = [Buffer.from(all.subarray(end))];
    this.#waitingBytes = all.length - end;
  }

  async finish(): Promise<'same' | 'grown'> {
    if (this.#waitingBytes > 0) await this.#keep(Buffer.concat(this.#waiting));
    return this.#hasKept ? 'grown' : 'same';
  }

  async #keep(bytes: Buffer): Promise<void> {
    const { generation, form, translator, put, onPart, dictionary } = this.#options;
    this.#hash.update(bytes);
    const blob = await put?.(compressed(bytes, dictionary?.bytes));
    await onPart({
      ...{ generation, offset: this.#offset, bytes: bytes.length, sha256: this.#hash.copy().digest('hex') },
      ...(blob === undefined ? {} : { blob }),
      ...(dictionary === undefined ? {} : { dictionary: dictionary.generation }),
      ...{ form, translator },
    });
    this.#offset += bytes.length;
    this.#hasKept = true;
  }
}

/**
 * The window has to reach back over all of the dictionary, and the tables of hashes to have a place for most of its
 * bytes: with those that zstd chooses by the size of the content, little of it is found again.
 */
function compressed(bytes: Buffer, dictionary: Buffer | undefined): Buffer {
  if (dictionary === undefined) return zlib.zstdCompressSync(bytes);
  const { ZSTD_c_windowLog, ZSTD_c_hashLog, ZSTD_c_chainLog } = zlib.constants;
  const windowLog = Math.max(LEAST_WINDOW_LOG, Math.ceil(Math.log2(dictionary.length + bytes.length)));
  const tableLog = Math.max(LEAST_TABLE_LOG, windowLog - 3);
  const params = { [ZSTD_c_windowLog]: windowLog, [ZSTD_c_hashLog]: tableLog, [ZSTD_c_chainLog]: tableLog };
  return zlib.zstdCompressSync(bytes, { dictionary, params });
}
