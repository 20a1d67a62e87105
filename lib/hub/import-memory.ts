// What a process that continues importing remembers of the sessions that grow: where the translation of each has come
// to. A few of them, and long ones alone: a short one is read again in no time.
import type { TranslatorState } from '../agents/translator.ts';
import type { Anchor } from '../journal/types.ts';
import type { KeptPart } from './kept-bytes.ts';

/** How an import came to its end. It holds as long as the journal ends there. */
export interface Continuation {
  /** The last line of the journal, and how often it had been opened. */
  readonly anchor: Anchor;
  readonly epoch: number;
  readonly parts: readonly KeptPart[];
  /** The seq in the journal of each event of the source. */
  readonly stored: readonly number[];
  /** Bytes of the source in front of the first record that is not translated. */
  readonly position: number;
  readonly translator: TranslatorState;
}

const MOST = 16;
const LEAST_BYTES = 256 * 1024;

export class ImportMemory {
  readonly #leastBytes: number;
  readonly #known = new Map<string, Continuation>();

  /** `leastBytes`: of the source of a session that is remembered. */
  constructor({ leastBytes = LEAST_BYTES }: { readonly leastBytes?: number } = {}) {
    this.#leastBytes = leastBytes;
  }

  /** Remembered until it is asked for: an import that fails is not gone on from. */
  take(id: string): Continuation | undefined {
    const known = this.#known.get(id);
    this.#known.delete(id);
    return known;
  }

  put(id: string, continuation: Continuation): void {
    if (continuation.position < this.#leastBytes) return;
    this.#known.set(id, continuation);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
  }
}
