// Ranks texts that are in no index, such as the messages of one session, by the order of passages.
import { closenessTo } from '../ranking/closeness.ts';
import { mayHold, readQuery } from '../ranking/words.ts';
import { findByWords, inOrder } from './find-by-words.ts';
import { stemsOf } from './passages.ts';
import { PASSAGES_FORM } from './schema.ts';

const MAX_CLOSE = 60;

/**
 * The indexes of those that hold a word of it, best first.
 *
 * @example
 * await rankTexts('port of the server', ['The sail.', 'The server has the port 80.']); // [1]
 */
export async function rankTexts(question: string, texts: readonly string[]): Promise<readonly number[]> {
  const query = readQuery(question);
  const { DatabaseSync: Database } = await import('node:sqlite');
  using database = new Database(':memory:');
  database.exec(PASSAGES_FORM.schema);
  database.exec('BEGIN');
  const passage = database.prepare("INSERT INTO passages (id, hash, about, text) VALUES (?, randomblob(16), '', '')");
  const words = database.prepare("INSERT INTO words (rowid, about, text) VALUES (?, '', ?)");
  for (const [index, text] of texts.entries()) {
    passage.run(index + 1);
    // A text without a word of the question counts for how rare each of them is.
    words.run(index + 1, mayHold(text, query) ? stemsOf(text) : '');
  }
  database.exec('COMMIT');
  const { ranked, rarityOf } = findByWords(database, query);
  const closeness = closenessTo(query, rarityOf);
  const close = ranked.slice(0, MAX_CLOSE).map(({ passage: id, score }) => ({
    passage: id,
    score: score + closeness(texts[id - 1]!),
  }));
  return [...inOrder(close), ...ranked.slice(MAX_CLOSE)].map(({ passage: id }) => id - 1);
}
