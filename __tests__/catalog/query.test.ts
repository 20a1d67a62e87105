// Text that looks like syntax is text: no query makes the index fail.
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { TOKENIZER } from '../../lib/catalog/prepared-text.ts';
import { matchExpression, parseQuery } from '../../lib/catalog/query.ts';
import { isOllmError } from '../../lib/errors/index.ts';
import { anyCharacter } from '../support/any-character.ts';

let database: DatabaseSync;
beforeAll(() => {
  database = new DatabaseSync(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="${TOKENIZER}")`,
  );
});
afterAll(() => database.close());

const ask = (query: string) =>
  database.prepare('SELECT rowid FROM words WHERE words MATCH ?').all(matchExpression(parseQuery(query)));

const piece = fc.oneof(
  fc.constantFrom(
    '"',
    '""',
    '*',
    '-',
    '^',
    '(',
    ')',
    '{',
    '}',
    ':',
    '+',
    'AND',
    'OR',
    'NOT',
    'NEAR(a b, 2)',
    'text:',
    '\0',
  ),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom(' ', 'word', '数据', '😀', "'; DROP TABLE words; --"),
);

describe('a query', () => {
  it('of any text is executed without an error, or refused as wrong usage', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const query = pieces.join('');
        try {
          ask(query);
        } catch (error) {
          if (!isOllmError(error, 'USAGE')) throw new Error(JSON.stringify(query), { cause: error });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['one two', '"one" AND "two"'],
    ['one AND two', '"one" AND "AND" AND "two"'],
    ['title:x', '"title:x"'],
    ['"a phrase" more', '"a phrase" AND "more"'],
    ['"never closed', '"never closed"'],
    ['conf*', '"conf"*'],
    ['co*', '"co"'],
    ['foo.*', '"foo."'],
    ['one -two -"three four"', '("one") NOT ("two" OR "three four")'],
    ['well-known', '"well-known"'],
    ['- one --', '"one"'],
    ['--flag one', '"--flag" AND "one"'],
    ['one -two-three', '("one") NOT ("two-three")'],
  ])('%s is %s', (query, expression) => expect(matchExpression(parseQuery(query))).toBe(expression));

  it.each([['', ' ', '-', '"', '* -test', '…', '-only -these']])('%s is refused', (query) =>
    expect(() => parseQuery(query)).toThrow(expect.objectContaining({ code: 'USAGE' })),
  );

  it('has a limited length', () => {
    expect(() => parseQuery('word '.repeat(65))).toThrow('at most 64 words');
    expect(() => parseQuery('x'.repeat(5000))).toThrow('4096 characters');
  });
});
