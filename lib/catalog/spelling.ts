// What a word that is in no text was meant to be: a word of a text or of a title that differs by one letter, or by two
// that are swapped. Each such form is looked up, so that the work depends on the length of the word and not on the
// index.
import type { DatabaseSync } from 'node:sqlite';
import { fold } from '../ranking/words.ts';

/** A shorter word is one letter away from too many others. */
const LEAST_CHARACTERS = 4;
const MOST_CHARACTERS = 24;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Most words are of these letters, and the classes of Unicode take long to be expanded. */
const ASCII_WORD = /^[a-z]+$/;

/** The words of titles, for this connection: the file has only those of texts. */
const NAMES = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.name_terms USING fts5vocab('main', 'names', 'row')";
const foundIn = (table: string) => `
  SELECT t.term, t.doc FROM json_each(?) AS form CROSS JOIN ${table} AS t ON t.term = form.value
  ORDER BY t.doc DESC, t.term LIMIT 1`;

type WordsPlace = 'texts' | 'names';

/**
 * The form that is in most texts, else in most titles and other names; undefined if none is in any.
 *
 * @example
 * spellingOf(database, 'conection'); // 'connection'
 */
export function spellingOf(
  database: DatabaseSync,
  word: string,
  places: readonly WordsPlace[] = ['texts', 'names'],
): string | undefined {
  const folded = fold(word);
  const { length } = folded;
  if (length < LEAST_CHARACTERS || length > MOST_CHARACTERS || !(ASCII_WORD.test(folded) || /^\p{L}+$/u.test(folded)))
    return undefined;
  const forms = JSON.stringify([...formsOf(folded)]);
  for (const place of places) {
    const row = database.prepare(foundIn(wordsIn(database, place))).get(forms);
    if (row !== undefined) return String(row.term);
  }
  return undefined;
}

/** Whether a text, or a title, a project or a branch, has the word. */
export function isWordIn(database: DatabaseSync, place: WordsPlace, word: string): boolean {
  const found = database.prepare(`SELECT 1 FROM ${wordsIn(database, place)} WHERE term = ?`);
  return found.get(fold(word)) !== undefined;
}

/** A line with each word as it was meant. */
export function corrected(line: string, corrections: ReadonlyMap<string, string>): string {
  return [...corrections].reduce((text, [word, meant]) => text.replace(word, meant), line);
}

function wordsIn(database: DatabaseSync, place: WordsPlace): string {
  if (place === 'texts') return 'terms';
  database.exec(NAMES);
  return 'name_terms';
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
