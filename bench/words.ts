// Generated texts whose words are as unevenly common as those of a language: with a few words, an index costs next to
// nothing.
const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** A word of syllables for each rank, from 1, the most common first: the same in each run. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = Math.floor(rank) + 1_000; rest > 0; rest = Math.floor(rest / (CONSONANTS.length * VOWELS.length))) {
    word += CONSONANTS[rest % CONSONANTS.length]! + VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length]!;
  }
  return word;
}

/** Draws words; of each doubling of the rank as many. `vocabulary`: how many different ones. */
export function wordSource(vocabulary: number, random: () => number) {
  const word = () => wordOf(vocabulary ** random());
  return { word, text: (length: number) => Array.from({ length }, word).join(' ') };
}
