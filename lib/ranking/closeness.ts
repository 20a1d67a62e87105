// What a passage is worth because words that are neighbours in the question are near each other in it as well: they
// often name one thing, such as the parts of an identifier or of a message. Pure.
import { type Query, stemsAmong, textsAround } from './words.ts';

/** Words at most this far apart are near each other. */
const NEAR = 4;
/** The weight of two near words, relative to the weight of a single word that occurs. */
const NEAR_WEIGHT = 0.5;
/** The extra weight if they follow each other as in the question. There one of them may be as common as “of”. */
const ADJACENT_WEIGHT = 0.25;

/** As many characters on each side of a word are read: more than the words take that are near it. */
const PART_CHARACTERS = 160;

/** Two words of a question. */
interface Pair {
  readonly worth: number;
}

/** A pair that ends with a word: how far before it the other one may be. */
interface Ending {
  readonly other: string;
  readonly reach: number;
  readonly pair: Pair;
}

/**
 * `rarityOf`: what a word counts where it is rare, by its stem; 0 where it is not sought.
 *
 * @example
 * const closeness = closenessTo(readQuery('port of the server'), () => 1);
 * closeness('the server port') > closeness('a port, and far away from it all, a server'); // true
 */
export function closenessTo(query: Query, rarityOf: (stem: string) => number): (text: string) => number {
  const endings = endingsOf(query, rarityOf);
  // A pair without one of these is worth nothing.
  const partsOf = textsAround(
    query.terms.map(({ stem }) => stem).filter((stem) => rarityOf(stem) > 0),
    PART_CHARACTERS,
  );
  const pairs = new Set([...endings.values()].flatMap((those) => those.map(({ pair }) => pair))).size;
  const stemsOf = stemsAmong(new Set(endings.keys()));
  return (text) => {
    const found = new Set<Pair>();
    const lastAt = new Map<string, number>();
    let at = 0;
    for (const part of partsOf(text)) {
      if (found.size === pairs) break;
      for (const stem of stemsOf(part)) {
        const those = stem === undefined ? undefined : endings.get(stem);
        for (const { other, reach, pair } of those ?? []) {
          if (at - (lastAt.get(other) ?? Number.NEGATIVE_INFINITY) <= reach) found.add(pair);
        }
        if (those !== undefined) lastAt.set(stem!, at);
        at += 1;
      }
      at += NEAR;
    }
    let worth = 0;
    for (const pair of found) worth += pair.worth;
    return worth;
  };
}

/** By each word of a pair. One that only begins a pair has none. */
function endingsOf({ stems, terms }: Query, rarityOf: (stem: string) => number): ReadonlyMap<string, Ending[]> {
  const sought = new Set(terms.map(({ stem }) => stem));
  const endings = new Map<string, Ending[]>(stems.map((stem) => [stem, []]));
  const pair = (one: string, other: string, weight: number): Pair => ({
    worth: (weight * (rarityOf(one) + rarityOf(other))) / 2,
  });
  for (const [first, second] of neighbours(stems.filter((stem) => sought.has(stem)))) {
    const near = pair(first, second, NEAR_WEIGHT);
    endings.get(first)!.push({ other: second, reach: NEAR, pair: near });
    endings.get(second)!.push({ other: first, reach: NEAR, pair: near });
  }
  for (const [first, second] of neighbours(stems)) {
    endings.get(second)!.push({ other: first, reach: 1, pair: pair(first, second, ADJACENT_WEIGHT) });
  }
  return endings;
}

/** Each pair once. */
function neighbours(stems: readonly string[]): readonly (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  for (const [index, first] of stems.entries()) {
    const second = stems[index + 1];
    if (second !== undefined && second !== first) pairs.set(`${first} ${second}`, [first, second]);
  }
  return [...pairs.values()];
}
