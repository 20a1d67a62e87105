// The content of a text is found by itself, by SQLite's own tokenizer.
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { hasWords, preparedText, TOKENIZER } from '../../lib/catalog/prepared-text.ts';
import { matchExpression, parseQuery } from '../../lib/catalog/query.ts';
import { anyCharacter } from '../support/any-character.ts';

let database: DatabaseSync;
beforeAll(() => {
  database = new DatabaseSync(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="${TOKENIZER}")`,
  );
});
afterAll(() => database.close());

function finds(text: string, query: string): boolean {
  database.exec('DELETE FROM words');
  database.prepare('INSERT INTO words (rowid, text) VALUES (1, ?)').run(preparedText(text));
  const expression = matchExpression(parseQuery(query));
  return database.prepare('SELECT rowid FROM words WHERE words MATCH ?').all(expression).length === 1;
}

const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        'getUserName',
        'Ärger',
        'HTTPServer2',
        '数据库',
        'ไทย',
        '한국어',
        'é',
        'e\u0301',
        '😀',
        '-',
        '_',
        ' ',
        '"',
      ),
    )
    .map((parts) => parts.join('')),
);

describe('a prepared text', () => {
  it('is found by each of its words', () => {
    fc.assert(
      fc.property(text, (said) => {
        // Compatibility forms may be several words, and a search for one of them must find it too.
        for (const [word] of said.normalize('NFKC').matchAll(WORDS)) {
          if (hasWords(word))
            expect({ said, word, found: finds(said, `"${word}"`) }).toEqual({ said, word, found: true });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is found by any phrase of its own, with anything between the words', () => {
    fc.assert(
      fc.property(text, fc.nat(10), fc.integer({ min: 1, max: 4 }), (said, from, count) => {
        const whole = said.normalize('NFKC').replaceAll('"', ' ');
        const words = [...whole.matchAll(WORDS)].slice(from, from + count);
        if (words.length === 0) return;
        const phrase = whole.slice(words[0]!.index, words.at(-1)!.index + words.at(-1)![0].length);
        expect({ whole, phrase, found: finds(whole, `"${phrase}"`) }).toEqual({ whole, phrase, found: true });
      }),
      { numRuns: 300 },
    );
  });

  it('is equal for each normal form of Unicode', () => {
    fc.assert(
      fc.property(text, (said) => {
        fc.pre(said.isWellFormed());
        expect(preparedText(said.normalize('NFD'))).toBe(preparedText(said));
      }),
    );
  });

  it.each([
    ['连接被重置了', '重置'],
    ['データベースの接続', '接続'],
    ['Die Änderung', 'anderung'],
    ['a naïve café', 'CAFE'],
    ['call getUserName()', 'user'],
    ['call getUserName()', 'getusername'],
    ['call getUserName()', '"user name"'],
    ['parseHTTPServer2', 'server'],
    ['read user_name', 'name'],
    ['हिन्दी भाषा', 'हिन्दी'],
    ['done 🎉 at last', '🎉'],
    ['ＦＵＬＬ width', 'full'],
    ['the configuration', 'conf*'],
    ['of getUserName', 'getUser*'],
    ['barFoo.getNames', 'barFoo.getN*'],
    ['连接被重置了', '被重*'],
  ])('%s is found by %s', (said, query) => expect(finds(said, query)).toBe(true));

  it.each([
    ['连接被重置了', '置重'],
    ['the username', 'user'],
    ['the configuration', 'co*'],
    ['🎉', '🎈'],
    ['one two three', '"one three"'],
    ['one two three', 'one -three'],
  ])('%s is not found by %s', (said, query) => expect(finds(said, query)).toBe(false));

  it('costs at most its length, for any text', () => {
    for (const unit of ['x', 'A', 'aB', 'é', '数', '😀', 'aÄ\u0301'])
      expect(preparedText(unit.repeat(300_000))).not.toBe('');
  });
});
