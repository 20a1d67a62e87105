// Tokens by a real tokenizer, in slices and with a memory, so that no text takes long: tokenizers slow down with the
// square of a run without breaks, and a text that was counted once is not counted again. Slicing may add a token at a
// seam.
import { hash } from 'node:crypto';
import type { TokenMethod } from '../messages/index.ts';
import { isHighSurrogate } from '../messages/surrogates.ts';
import type { TokenCounter } from './counter.ts';
import { estimateTokens } from './estimate.ts';

/** Counts the tokens of one slice. */
export type CountSlice = (slice: string) => number;

interface SlicedCounterOptions {
  /** The quality of its numbers for the model: `counted` if the tokenizer is the model's own. */
  readonly method: TokenMethod;
  /** Slices whose counts are remembered. */
  readonly rememberedSlices?: number;
}

const SLICE_CHARACTERS = 4096;
/** A run of this length without a break, or only of breaks, is cut into pieces of this length. */
const RUN_CHARACTERS = 256;
const LONG_RUN = new RegExp(`\\S{${RUN_CHARACTERS}}|\\s{${RUN_CHARACTERS}}`, 'u');
/** A longer text is estimated: counting it would hold up everything else. */
const MAX_CHARACTERS = 1024 * 1024;

export function slicedCounter(
  countSlice: CountSlice,
  { method, rememberedSlices = 4096 }: SlicedCounterOptions,
): TokenCounter {
  const remembered = new Map<string, number>();

  function countRemembered(slice: string): number {
    const key = hash('sha1', slice, 'base64');
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const count = countInPieces(slice, countSlice);
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedSlices && oldest !== undefined) remembered.delete(oldest);
    remembered.set(key, count);
    return count;
  }

  return {
    count(text) {
      if (text.length > MAX_CHARACTERS) return { count: estimateTokens(text), method: 'estimated' };
      let count = 0;
      for (const slice of slices(text, SLICE_CHARACTERS)) count += countRemembered(slice);
      return { count, method };
    },
  };
}

function countInPieces(slice: string, countSlice: CountSlice): number {
  if (!LONG_RUN.test(slice)) return countSlice(slice);
  return slices(slice, RUN_CHARACTERS).reduce((sum, piece) => sum + countSlice(piece), 0);
}

/** Pieces of at most that many characters, none of which ends in the middle of a surrogate pair. */
function slices(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + length;
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
