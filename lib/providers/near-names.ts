// Which of many names may have been meant. Pure.

const MAX_NAMES = 20;

/** The first twenty, ordered by how much they share with the sought name. */
export function nearNames(names: readonly string[], sought: string): readonly string[] {
  const words = wordsOf(sought);
  const score = (name: string) => wordsOf(name).filter((word) => words.includes(word)).length;
  return names
    .map((name) => ({ name, score: score(name) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z0-9]+/);
}
