import fc from 'fast-check';
import { mayHold, mayHoldOneOf, readQuery, stem, stemsAmong, stemsIn, wordsIn } from '../../lib/ranking/words.ts';
import { anyCharacter } from '../support/any-character.ts';

const found = (question: string, text: string) => {
  const query = readQuery(question);
  const stems = new Set(Array.from(wordsIn(text), (word) => word.stem));
  const isFound = query.terms.some((term) => stems.has(term.stem));
  if (isFound) expect(mayHold(text, query)).toBe(true);
  return isFound;
};

test.each([
  ['session', 'sessions'],
  ['locking', 'lock'],
  ['locked', 'locks'],
  ['writer', 'writing'],
  ['written', 'writes'],
  ['queries', 'query'],
  ['stopped', 'stopping'],
  ['Dateien', 'datei'],
  ['boxes', 'box'],
])('%s and %s are forms of one word', (one, other) => {
  expect(stem(one.toLowerCase())).toBe(stem(other.toLowerCase()));
});

test.each([
  ['string', 'strong'],
  ['error', 'er'],
  ['process', 'proces'],
  ['status', 'stat'],
  ['lock', 'log'],
])('%s and %s are not forms of one word', (one, other) => {
  expect(stem(one)).not.toBe(stem(other));
});

test.each([
  ['session', 'createSessionStore'],
  ['session', 'SESSION_ID'],
  ['HTTP', 'parseHTTPRequest'],
  ['request', 'parseHTTPRequest'],
  ['64', 'xxh64sum'],
  ['grosse', 'große grosse'],
  ['naive', 'naïve'],
  ['café', 'CAFE'],
  ['журнал', 'Журнал событий'],
  ['格式', '日志格式'],
])('%j is found in %j', (question, text) => {
  expect(found(question, text)).toBe(true);
});

test.each([
  ['lock', 'blockade clock'],
  ['art', 'start'],
  ['int', 'print'],
])('%j is not found inside the word of %j', (question, text) => {
  expect(found(question, text)).toBe(false);
});

test('question words are left out', () => {
  expect(readQuery('what is the lock, wie wird der, où est la, dónde está el').terms.map(({ shown }) => shown)).toEqual(
    ['lock'],
  );
});

test('any word of a text finds that text', () => {
  const word = fc.stringMatching(/^[A-Za-zäöüéß_]{4,20}$/);
  fc.assert(
    fc.property(word, fc.lorem(), (one, rest) => {
      fc.pre(readQuery(one).terms.length > 0);
      expect(found(one, `${rest} ${one} ${rest}`)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a word is found at its position, in any text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('İstanbul', 'ǅ ﬃ ẞ Å', 'ŉ', '日志格式的版本'),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      for (const word of wordsIn(text)) expect(text.startsWith(word.text, word.at)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a question has at most the number of terms that can be searched in reasonable time', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `word${index} 日${index}`).join(' ');
  expect(readQuery(words).terms).toHaveLength(24);
  expect(readQuery('x'.repeat(1_000_000)).terms).toEqual([]);
});

test('a verb begins a question if its subject follows, and otherwise a statement', () => {
  for (const question of [
    'is it sent twice',
    'are the files read',
    'does this retry',
    'is read twice?',
    'how to begin',
  ])
    expect(readQuery(question).isQuestion).toBe(true);
  for (const statement of ['is sent once', 'are read in order', 'does not retry', 'can be undone', 'lock of a file'])
    expect(readQuery(statement).isQuestion).toBe(false);
});

test('a text that has a word is never skipped because of the beginning of its stem', () => {
  const texts = fc.oneof(
    fc.string(),
    fc
      .array(fc.oneof(fc.constantFrom('queries', 'Redaction', 'Éclair', '日志格式', 'i'), anyCharacter))
      .map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(texts, fc.nat(8), (text, length) => {
      for (const { stem } of wordsIn(text)) expect(mayHoldOneOf(['xyzzy', stem.slice(0, length + 1)])(text)).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(mayHoldOneOf(['redac', 'lock'])('lib/journal/reader.ts')).toBe(false);
  expect(mayHoldOneOf([])('lib/journal/reader.ts')).toBe(false);
});

test('the stems of a text are those of its words, with any signs between them', () => {
  const sign = fc.constantFrom(
    ...'\u00a0\u00ab\u00bb\u00aa\u00b2\u00b5\u00bd\u00d7\u00e9\u2014\u2026\u2029\u2190\u2500\u2160\u2115\u2705\u2776\u2c00\ud83c\ud83d\udc4d\udd01'.split(
      '',
    ),
    ...['\u{1f44d}', '\u{1f1e9}', '\u{1f101}', '\u{1fbf1}', '\u2714\ufe0f'],
  );
  const ascii = fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)) });
  const words = fc.constantFrom('parseHTTPRequest', 'SESSION_ID', 'xxh64sum', 'responsibilities', 'Ab', '日志格式');
  fc.assert(
    fc.property(fc.array(fc.oneof(ascii, words, sign, anyCharacter)), (pieces) => {
      const text = pieces.join('');
      // The last letter is outside ASCII, so that all of the text is read by the classes of Unicode.
      const stems = Array.from(wordsIn(`${text} \u00e9`), (word) => word.stem).slice(0, -1);
      expect(stemsIn(text)).toEqual(stems);
      expect(Array.from(wordsIn(text), (word) => word.stem)).toEqual(stems);
      const wanted = new Set(stems.slice(0, 2));
      const among = stemsAmong(wanted)(text);
      expect(among).toHaveLength(stems.length);
      expect(among.map((stem, at) => stem ?? (wanted.has(stems[at]!) ? 'left out' : stems[at]))).toEqual(stems);
    }),
    { numRuns: 500 },
  );
});
