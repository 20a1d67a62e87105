import fc from 'fast-check';
import {
  bufferOf,
  change,
  type EditBuffer,
  kill,
  move,
  redo,
  type,
  undo,
  yank,
  yankEarlier,
} from '../../../lib/repl/input/buffer.ts';
import { emacsKey } from '../../../lib/repl/input/emacs-keys.ts';
import { KeyReader } from '../../../lib/repl/input/keys.ts';

/** Letters, blanks, line breaks, and characters of several units: wide, combining, from right to left, joined. */
const character = fc.constantFrom('a', 'B', ' ', '.', '\n', '\t', 'é', 'e\u0301', '漢', '😀', '👨‍👩‍👧', '🇩🇪', 'ש', 'ع');
const text = fc.string({ unit: character, maxLength: 20 });
const KEYS = [
  ...[
    '\x1b[D',
    '\x1b[C',
    '\x1b[H',
    '\x1b[F',
    '\x01',
    '\x05',
    '\x02',
    '\x06',
    '\x1bb',
    '\x1bf',
    '\x1b[1;5D',
    '\x1b[1;5C',
  ],
  ...['\x1b<', '\x1b>', '\x7f', '\x08', '\x1b[3~', '\x17', '\x1b\x7f', '\x1bd', '\x15', '\x0b', '\x19', '\x1by'],
  ...['\x1f', '\x1e'],
];
const keys = fc.array(
  fc.oneof(
    fc.constantFrom(...KEYS),
    character.filter((each) => !/[\n\t]/.test(each)),
  ),
  {
    maxLength: 20,
  },
);

function pressed(buffer: EditBuffer, typed: string): EditBuffer {
  return new KeyReader().read(typed).reduce((before, key) => emacsKey(before, key) ?? before, buffer);
}
const boundaries = (whole: string) => [
  ...Array.from(new Intl.Segmenter().segment(whole), ({ index }) => index),
  whole.length,
];
const shown = ({ text: whole, cursor }: EditBuffer) => `${whole.slice(0, cursor)}|${whole.slice(cursor)}`;
const at = (marked: string) => bufferOf(marked.replace('|', ''), marked.indexOf('|'));

describe('the edited text', () => {
  it('keeps its cursor inside and never in the middle of a character, after any keys', () => {
    fc.assert(
      fc.property(text, fc.nat(40), keys, (whole, cursor, typed) => {
        let buffer = bufferOf(whole, cursor);
        for (const each of typed) {
          buffer = pressed(buffer, each);
          expect(boundaries(buffer.text)).toContain(buffer.cursor);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('equals its earlier version after each undo, and its later version after each redo', () => {
    fc.assert(
      fc.property(text, keys, (whole, typed) => {
        const start = bufferOf(whole);
        const end = typed.filter((each) => each !== '\x1f' && each !== '\x1e').reduce(pressed, start);
        let back = end;
        const seen = [end.text];
        while (back.past.length > 0) {
          back = undo(back);
          seen.unshift(back.text);
        }
        expect(back.text).toBe(whole);
        expect(undo(back).text).toBe(whole);
        let again = back;
        for (const wanted of seen.slice(1)) {
          again = redo(again);
          expect(again.text).toBe(wanted);
        }
        expect(again.text).toBe(end.text);
        expect(redo(again).text).toBe(end.text);
      }),
      { numRuns: 300 },
    );
  });

  it('has the earlier text and cursor after an undo, and a further change drops the undone one', () => {
    fc.assert(
      fc.property(text, text, fc.nat(20), (one, other, cursor) => {
        const start = bufferOf(one, cursor);
        const back = undo(change(start, { text: other, cursor: 0 }));
        expect({ text: back.text, cursor: back.cursor }).toEqual({ text: start.text, cursor: start.cursor });
        expect(redo(change(back, { text: `${one}x`, cursor: 0 })).text).toBe(`${one}x`);
      }),
    );
  });

  it('is undone word by word after typing, and letter by letter after deleting', () => {
    const typed = [...'two words'].reduce((buffer, letter) => type(buffer, letter), bufferOf(''));
    expect([undo(typed).text, undo(undo(typed)).text]).toEqual(['two', '']);
    const deleted = pressed(typed, '\x7f\x7f');
    expect([undo(deleted).text, undo(undo(deleted)).text]).toEqual(['two word', 'two words']);
  });

  it('gets back the last deleted part, and then the one deleted before', () => {
    fc.assert(
      fc.property(text, fc.nat(20), fc.nat(20), (whole, one, other) => {
        const [from, to] = [bufferOf(whole, Math.min(one, other)).cursor, bufferOf(whole, Math.max(one, other)).cursor];
        expect(yank(kill(bufferOf(whole), from, to)).text).toBe(whole);
      }),
    );
    const buffer = pressed(bufferOf('one two'), '\x17\x17');
    expect([yank(buffer), yankEarlier(yank(buffer)), yankEarlier(move(yank(buffer), 0))].map(shown)).toEqual([
      'one |',
      'two|',
      '|one ',
    ]);
  });

  it.each([
    ['\x01', 'one\ntw|o\nthree', 'one\n|two\nthree'],
    ['\x05', 'one\nt|wo\nthree', 'one\ntwo|\nthree'],
    ['\x15', 'one\ntw|o', 'one\n|o'],
    ['\x15', 'one\n|two', 'one|two'],
    ['\x0b', 'o|ne\ntwo', 'o|\ntwo'],
    ['\x0b', 'one|\ntwo', 'one|two'],
    ['\x1b[D', 'one\n|two', 'one|\ntwo'],
    ['\x7f', 'one\n|two', 'one|two'],
    ['\x17', 'see lib/x.ts|', 'see lib/x.|'],
    ['\x1bb', 'one\n|two', '|one\ntwo'],
    ['\x1b<', 'one\ntw|o', '|one\ntwo'],
    ['\x1b>', 'o|ne\ntwo', 'one\ntwo|'],
    ['\x7f', 'a👨‍👩‍👧|b', 'a|b'],
    ['\x1b[3~', 'a|e\u0301b', 'a|b'],
  ])('%j turns “%s” into “%s”', (key, from, to) => {
    expect(shown(pressed(at(from), key))).toBe(to);
  });
});
