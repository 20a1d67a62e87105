import fc from 'fast-check';
import { type Assembly, createMessageAssembler, isOpenBlock } from '../../../lib/repl/input/message.ts';

function enter(...lines: readonly string[]): Assembly[] {
  const assembler = createMessageAssembler();
  return lines.map((line) => assembler.push(line)).filter(({ type }) => type !== 'open');
}
/** Whatever of it was typed. */
const message = (text: string): Assembly => ({ type: 'message', text, typed: expect.any(String) });

describe('a message', () => {
  it.each<[string, string[], Assembly[]]>([
    ['is one line', ['hello'], [message('hello')]],
    ['is nothing when the line is blank', ['   '], [{ type: 'empty' }]],
    ['continues after a backslash at the end', ['one \\', 'two\\', 'three'], [message('one \ntwo\nthree')]],
    ['keeps two backslashes at the end', ['C:\\\\'], [message('C:\\\\')]],
    ['is a block between quotes', ['"""', 'one', '', '/quit', '"""'], [message('one\n\n/quit')]],
    ['may begin and end next to the quotes', ['"""one', 'two"""'], [message('one\ntwo')]],
    ['may be a block on one line', ['"""one"""'], [message('one')]],
    ['is nothing when its block is empty', ['"""', '"""'], [{ type: 'empty' }]],
    ['may begin with a slash when there are two', ['//etc/hosts is what?'], [message('/etc/hosts is what?')]],
    ['may begin with an exclamation mark when there are two', ['!!important'], [message('!important')]],
    ['keeps backslashes within a block', ['"""', 'a \\', 'b', '"""'], [message('a \\\nb')]],
  ])('%s', (_, lines, expected) => {
    expect(enter(...lines)).toEqual(expected);
  });

  it('is a command if its first line begins with a slash', () => {
    expect(enter('/help me')).toEqual([{ type: 'command', text: '/help me' }]);
  });

  it('is a shell command if its line begins with an exclamation mark', () => {
    expect(enter('! git status ')).toEqual([{ type: 'shell', text: 'git status' }]);
    expect(enter('!')).toEqual([{ type: 'empty' }]);
    expect(enter('"""', '!rm -rf /', '"""')).toEqual([message('!rm -rf /')]);
  });

  it('distinguishes typed and pasted parts', () => {
    const assembler = createMessageAssembler();
    assembler.push('first \\');
    expect(assembler.push('see [pasted 1: 2 lines]', 'see @secret\n@other')).toEqual({
      type: 'message',
      text: 'first \nsee @secret\n@other',
      typed: 'first \\\nsee [pasted 1: 2 lines]',
    });
    expect(assembler.push('next')).toMatchObject({ typed: 'next' });
  });

  it('is not a command if the slash comes in a later line', () => {
    expect(enter('a \\', '/quit')).toEqual([message('a \n/quit')]);
  });

  it('is not a command if the slash is in pasted text', () => {
    expect(createMessageAssembler().push('[pasted 1: 2 lines]', '/quit\n/clear')).toEqual(message('/quit\n/clear'));
  });

  it('neither opens nor continues a block with pasted text in its middle', () => {
    expect(createMessageAssembler().push('look: [pasted 1: 2 lines]', 'look: a\n"""\\')).toEqual(
      message('look: a\n"""\\'),
    );
  });

  it('is the open block if the input ends', () => {
    const assembler = createMessageAssembler();
    assembler.push('"""');
    assembler.push('one');
    expect(assembler.isOpen).toBe(true);
    expect(assembler.end()).toEqual(message('one'));
    expect(assembler.end()).toEqual({ type: 'empty' });
  });

  it('is equal if its rows come in one text, and such a text stays open as long as its rows do', () => {
    const row = fc.stringMatching(/^(?:[a-z/! ]{0,3}|\\)$/);
    const block = fc.tuple(
      fc.constantFrom('"""', '  """', '"""a'),
      fc.array(row, { maxLength: 4 }),
      fc.constantFrom('"""', 'b"""', '""" '),
    );
    fc.assert(
      fc.property(block, ([first, middle, last]) => {
        const rows = [first, ...middle, last];
        const asRows = createMessageAssembler();
        const assembled = rows.map((each) => asRows.push(each)).at(-1)!;
        const text = rows.join('\n');
        const whole = createMessageAssembler().push(text);
        expect({ ...whole, typed: '' }).toEqual({ ...assembled, typed: '' });
        expect(isOpenBlock(text)).toBe(false);
        for (let count = 1; count < rows.length; count++)
          expect(isOpenBlock(rows.slice(0, count).join('\n'))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('is dropped when it is cleared', () => {
    const assembler = createMessageAssembler();
    assembler.push('"""secret');
    assembler.clear();
    expect(assembler.push('hello')).toEqual(message('hello'));
  });
});
