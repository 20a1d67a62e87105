// What a word that is in no text was meant to be: a word of the index that differs by one letter, or by two that are
// swapped. Each such form is looked up, so that the work depends on the length of the word and not on the index.
import type { DatabaseSync } from 'node:sqlite';
import { fold } from '../ranking/words.ts';

/** A shorter word is one letter away from too many others. */
const LEAST_CHARACTERS = 4;
const MOST_CHARACTERS = 24;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

const FOUND = `
  SELECT t.term, t.doc FROM json_each(?) AS form CROSS JOIN terms AS t ON t.term = form.value
  ORDER BY t.doc DESC, t.term LIMIT 1`;

/**
 * The form that is in most texts; undefined if none is in any.
 *
 * @example
 * spellingOf(database, 'conection'); // 'connection'
 */
export function spellingOf(database: DatabaseSync, word: string): string | undefined {
  const folded = fold(word);
  const { length } = folded;
  if (length < LEAST_CHARACTERS || length > MOST_CHARACTERS || !/^\p{L}+$/u.test(folded)) return undefined;
  const row = database.prepare(FOUND).get(JSON.stringify([...formsOf(folded)]));
  return row === undefined ? undefined : String(row.term);
}

function formsOf(word: string): Set<string> {
  const letters = new Set([...LETTERS, ...word]);
  const forms = new Set<string>();
  for (let at = 0; at <= word.length; at += 1) {
    const [before, rest] = [word.slice(0, at), word.slice(at)];
    if (rest !== '') forms.add(before + rest.slice(1));
    if (rest.length > 1) forms.add(before + rest[1]! + rest[0]! + rest.slice(2));
    for (const letter of letters) {
      forms.add(before + letter + rest);
      if (rest !== '') forms.add(before + letter + rest.slice(1));
    }
  }
  forms.delete(word);
  return forms;
}
