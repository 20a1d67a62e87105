import fc from 'fast-check';
import { shortId, withShortIds } from '../../lib/display/short-id.ts';

const UUID = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';

test('a random id is shown by its first eight characters, and a name whole', () => {
  expect([shortId(UUID), shortId('talk'), shortId(`${UUID}-2`)]).toEqual(['1b9d6bcd', 'talk', `${UUID}-2`]);
});

test.each([
  [`Session ${UUID} is kept.`, 'Session 1b9d6bcd is kept.'],
  [`"ollm repl --resume ${UUID}" goes on`, '"ollm repl --resume 1b9d6bcd" goes on'],
  [`claude:${UUID}#7 and ${UUID}`, 'claude:1b9d6bcd#7 and 1b9d6bcd'],
  [`/home/me/.ollm/sessions/${UUID}.jsonl`, `/home/me/.ollm/sessions/${UUID}.jsonl`],
  [
    '019b7e26-5500-7000-8000-000000000001 begins with a time',
    '019b7e26-5500-7000-8000-000000000001 begins with a time',
  ],
  [`${UUID} or 1b9d6bcd-0000-4000-8000-000000000000?`, `${UUID} or 1b9d6bcd-0000-4000-8000-000000000000?`],
  [`archive/${UUID}`, `archive/${UUID}`],
  [`${UUID}.json is not a session`, `${UUID}.json is not a session`],
])('the sentence %j is shown as %j', (sentence, shown) => {
  expect(withShortIds(sentence)).toBe(shown);
});

test('each id in a sentence is shortened, and nothing else changes', () => {
  const word = fc.stringMatching(/^[a-z“”"(),:]{0,8}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.uuid({ version: 4 })), { maxLength: 5 }), (parts) => {
      const ids = new Set(parts.map(([, id]) => id));
      fc.pre(new Set([...ids].map((id) => id.slice(0, 8))).size === ids.size);
      const written = (idOf: (id: string) => string) => parts.map(([text, id]) => `${text} ${idOf(id)} `).join('');
      expect(withShortIds(written((id) => id))).toBe(written((id) => id.slice(0, 8)));
    }),
  );
});
