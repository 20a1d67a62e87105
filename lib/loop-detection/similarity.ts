// How much two outputs say the same: the share of their runs of three words that they have in common, estimated from a
// sketch of fixed size (minhash), so that the outputs themselves need not be kept. Broder, On the resemblance and containment
// of documents, 1997. Pure.

/** The smallest hash of all runs, under each of several orders. */
export type Sketch = readonly number[];

/** From here on two outputs count as the same. */
export const SIMILAR = 0.85;

const ORDERS = 16;
const WORDS_PER_RUN = 3;
/** A shorter text is only the same as itself: one word more or less is a different message. */
const MIN_WORDS = 12;
const MAX_CHARACTERS = 20_000;

/** Undefined for a text too short to be similar to another. Case, punctuation and figures do not count. */
export function sketchOf(text: string): Sketch | undefined {
  const words =
    text
      .slice(0, MAX_CHARACTERS)
      .toLowerCase()
      .replace(/\d+/gu, '0')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < MIN_WORDS) return undefined;
  const hashes = words.map(hashWord);
  const sketch = new Array<number>(ORDERS).fill(0xffffffff);
  for (let index = WORDS_PER_RUN - 1; index < hashes.length; index++) {
    let run = 0;
    for (let back = 0; back < WORDS_PER_RUN; back++) run = mix(run ^ hashes[index - back]!);
    for (let order = 0; order < ORDERS; order++) {
      const value = mix(run ^ Math.imul(order + 1, 0x9e3779b1)) >>> 0;
      if (value < sketch[order]!) sketch[order] = value;
    }
  }
  return sketch;
}

/** From 0 to 1. */
export function similarity(one: Sketch | undefined, other: Sketch | undefined): number {
  if (one === undefined || other === undefined) return 0;
  return one.filter((value, order) => value === other[order]).length / ORDERS;
}

function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
