// What a passage is worth because words that are neighbours in the question are near each other in it as well: they
// often name one thing, such as the parts of an identifier or of a message. Pure.
import { beginOf, isPlain, type Query, stemsAmong } from './words.ts';

/** Words at most this far apart are near each other. */
const NEAR = 4;
/** The weight of two near words, relative to the weight of a single word that occurs. */
const NEAR_WEIGHT = 0.5;
/** The extra weight if they follow each other as in the question. There one of them may be as common as “of”. */
const ADJACENT_WEIGHT = 0.25;

/** As many characters on each side of a word are read: more than the words take that are as near to it. */
const CHARACTERS = 160;
/** For words that follow each other. */
const ADJACENT_CHARACTERS = 32;
/** A word that is there more often is as common as others. */
const MAX_PLACES = 200;
/** Parts with both words of a pair, after which the two are not expected to be near each other. */
const MAX_PARTS = 50;

/** Two words of a question, by their stems. */
interface Pair {
  readonly first: string;
  readonly second: string;
  /** How many words apart they may be. */
  readonly reach: number;
  /** Whether they count only in the order of the question. */
  readonly isInOrder: boolean;
  readonly worth: number;
}

/**
 * `rarityOf`: what a word counts where it is rare, by its stem; 0 where it is not sought.
 *
 * @example
 * const closeness = closenessTo(readQuery('port of the server'), () => 1);
 * closeness('the server port') > closeness('a port, and far away from it all, a server'); // true
 */
export function closenessTo(query: Query, rarityOf: (stem: string) => number): (text: string) => number {
  const pairs = pairsOf(query, rarityOf);
  const sought = new Set(query.terms.map(({ stem }) => stem).filter((stem) => rarityOf(stem) > 0));
  const stemsOf = stemsAmong(new Set(pairs.flatMap(({ first, second }) => [first, second])));
  return (text) => {
    const partsWith = isPlain(text) ? partsOf(text, { sought, stemsOf }) : wholeOf(stemsOf(text));
    let worth = 0;
    for (const pair of pairs) {
      for (const stems of partsWith(pair)) {
        if (!holds(stems, pair)) continue;
        worth += pair.worth;
        break;
      }
    }
    return worth;
  };
}

/** The pairs of a question that are worth something. */
function pairsOf({ stems, terms }: Query, rarityOf: (stem: string) => number): readonly Pair[] {
  const sought = new Set(terms.map(({ stem }) => stem));
  const worthOf = (first: string, second: string) => (rarityOf(first) + rarityOf(second)) / 2;
  const near = neighbours(stems.filter((stem) => sought.has(stem))).map(([first, second]): Pair => {
    return { first, second, reach: NEAR, isInOrder: false, worth: NEAR_WEIGHT * worthOf(first, second) };
  });
  const adjacent = neighbours(stems).map(([first, second]): Pair => {
    return { first, second, reach: 1, isInOrder: true, worth: ADJACENT_WEIGHT * worthOf(first, second) };
  });
  return [...near, ...adjacent].filter(({ worth }) => worth > 0);
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

/** The stems of a text, in its order; undefined for words that are in no pair. */
type Stems = readonly (string | undefined)[];

function wholeOf(stems: Stems): () => readonly Stems[] {
  return () => [stems];
}

function holds(stems: Stems, { first, second, reach, isInOrder }: Pair): boolean {
  let [firstAt, secondAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [at, stem] of stems.entries()) {
    if (stem === first) {
      if (!isInOrder && at - secondAt <= reach) return true;
      firstAt = at;
    } else if (stem === second) {
      if (at - firstAt <= reach) return true;
      secondAt = at;
    }
  }
  return false;
}

/**
 * The stems in each part of a text that may hold a pair: finding the beginnings of its two words is quicker than
 * reading all words of the text. `sought` has one word of each pair or both.
 */
function partsOf(
  text: string,
  { sought, stemsOf }: { readonly sought: ReadonlySet<string>; readonly stemsOf: (text: string) => Stems },
): (pair: Pair) => Iterable<Stems> {
  const lower = text.toLowerCase();
  const known = new Map<string, readonly number[]>();
  const placesOf = (stem: string) => {
    const places = known.get(stem) ?? placesIn(lower, beginOf(stem));
    known.set(stem, places);
    return places;
  };
  return function* ({ first, second, reach }) {
    const [rarest = first] = [first, second]
      .filter((stem) => sought.has(stem))
      .toSorted((a, b) => placesOf(a).length - placesOf(b).length);
    const other = beginOf(rarest === first ? second : first);
    const characters = reach === 1 ? ADJACENT_CHARACTERS : CHARACTERS;
    let parts = 0;
    for (const place of placesOf(rarest)) {
      const from = Math.max(0, place - characters);
      const to = place + rarest.length + characters;
      if (parts === MAX_PARTS) return;
      if (!lower.slice(from, to).includes(other)) continue;
      parts += 1;
      yield stemsOf(text.slice(from, to));
    }
  };
}

function placesIn(lower: string, begin: string): readonly number[] {
  const places: number[] = [];
  if (begin === '') return places;
  for (let at = lower.indexOf(begin); at >= 0 && places.length < MAX_PLACES; at = lower.indexOf(begin, at + 1)) {
    places.push(at);
  }
  return places;
}
