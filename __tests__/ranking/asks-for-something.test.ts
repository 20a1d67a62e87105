import fc from 'fast-check';
import { asksForSomething } from '../../lib/ranking/asks-for-something.ts';

test.each([
  '',
  '?!',
  'ok',
  'OK!',
  'yes',
  'yes, go on',
  'go ahead',
  'Thanks, that looks great!',
  "no, that's wrong",
  'try again please',
  'really?',
  'why not?',
  'and now?',
  'do it',
  'commit',
  'ja, mach weiter',
  'oui, merci',
  'sí, adelante',
  '好的',
  '继续吧',
])('%j is not a question', (message) => {
  expect(asksForSomething(message)).toBe(false);
});

test.each([
  'where is the port?',
  'how does the scheduler work',
  'harbour lock',
  'yes, and pin the port as before',
  'ENOENT',
  'TS2304',
  'acquireLock',
  'harbour.toml',
  'lib/turn',
  '`lock`',
  'Warum ist der Port fest?',
  '锁是什么？',
  '为什么构建失败',
])('%j is a question', (message) => {
  expect(asksForSomething(message)).toBe(true);
});

test('a question stays one within any small talk', () => {
  const talk = fc
    .array(fc.constantFrom('ok', 'yes', 'Thanks', 'go on', 'great', 'hm'))
    .map((words) => words.join(', '));
  fc.assert(
    fc.property(talk, talk, (before, after) => {
      expect(asksForSomething(`${before} ${after}`)).toBe(false);
      expect(asksForSomething(`${before} release the harbour lock ${after}`)).toBe(true);
    }),
  );
});
