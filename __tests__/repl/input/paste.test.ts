import fc from 'fast-check';
import { createPasteSplitter, type InputPiece } from '../../../lib/repl/input/paste.ts';
import { createPasteShelf } from '../../../lib/repl/input/paste-shelf.ts';
import { anyCharacter } from '../../support/any-character.ts';

const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

/** Adjacent keys joined: where they were cut does not matter. */
function split(chunks: readonly string[]): InputPiece[] {
  const splitter = createPasteSplitter();
  const joined: InputPiece[] = [];
  for (const piece of chunks.flatMap((chunk) => splitter.push(chunk))) {
    const last = joined.at(-1);
    if (last?.type === 'keys' && piece.type === 'keys')
      joined[joined.length - 1] = { type: 'keys', text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

describe('bracketed paste', () => {
  it('comes out as one piece, with LF as line end', () => {
    expect(split([`ab${paste('one\rtwo\r\nthree')}cd`])).toEqual([
      { type: 'keys', text: 'ab' },
      { type: 'paste', text: 'one\ntwo\nthree' },
      { type: 'keys', text: 'cd' },
    ]);
  });

  it('is equal wherever it was cut on its way', () => {
    const part = fc.oneof(
      fc.stringMatching(/^[a-z\x03\r]{1,6}$/).map((text): InputPiece => ({ type: 'keys', text })),
      fc.stringMatching(/^[a-z/\n]{0,20}$/).map((text): InputPiece => ({ type: 'paste', text })),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: 1, max: 7 }), (parts, size) => {
        const raw = parts.map((piece) => (piece.type === 'keys' ? piece.text : paste(piece.text))).join('');
        const chunks = raw.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        // A lone ESC at the end of a chunk is the Escape key, so no chunk of these ends in one.
        const whole = chunks.reduce<string[]>((all, chunk) => {
          if (all.at(-1)?.endsWith('\x1b')) all[all.length - 1] += chunk;
          else all.push(chunk);
          return all;
        }, []);
        expect(split(whole)).toEqual(split([raw]));
      }),
      { numRuns: 300 },
    );
  });

  it('passes the Escape key on immediately', () => {
    expect(createPasteSplitter().push('\x1b')).toEqual([{ type: 'keys', text: '\x1b' }]);
  });

  it('takes 20 MiB in small chunks', () => {
    const line = 'x'.repeat(1023);
    const splitter = createPasteSplitter();
    splitter.push('\x1b[200~');
    for (let index = 0; index < 20 * 1024; index++) splitter.push(`${line}\r`);
    const [piece] = splitter.push('\x1b[201~');
    expect(piece?.type).toBe('paste');
    expect(piece?.text.length).toBe(20 * 1024 * 1024);
  });
});

describe('pasted text in the line', () => {
  const put = (text: string, atStart = true) => {
    const shelf = createPasteShelf();
    const line = shelf.put(text, { atStart });
    return { line, expanded: shelf.expand(line) };
  };

  it('is shown itself if it is one short line, without the copied Enter', () => {
    expect(put('git status\n').line).toBe('git status');
  });

  it('keeps its line breaks', () => {
    expect(put('one\ntwo')).toEqual({ line: 'one\ntwo', expanded: 'one\ntwo' });
  });

  it('is shown as a label if it is long', () => {
    const text = 'line\n'.repeat(300);
    expect(put(text)).toEqual({ line: '[pasted 1: 300 lines]', expanded: text });
  });

  it('never makes a command of a block that begins with a slash', () => {
    const { line, expanded } = put('/quit\n/clear');
    expect(line.startsWith('/')).toBe(false);
    expect(expanded).toBe('/quit\n/clear');
  });

  it('is sent with characters that the line cannot show', () => {
    const text = 'a\x1b[2Jb\u202e';
    const { line, expanded } = put(text);
    expect(line).not.toContain('\x1b');
    expect(expanded).toBe(text);
  });

  it('is sent exactly as pasted, with any characters, between typed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2000 }), fc.boolean(), (text, atStart) => {
        fc.pre(!text.endsWith('\n'));
        const shelf = createPasteShelf();
        const line = `before ${shelf.put(text, { atStart })} after`;
        expect(shelf.expand(line)).toBe(`before ${text} after`);
      }),
      { numRuns: 300 },
    );
  });
});
