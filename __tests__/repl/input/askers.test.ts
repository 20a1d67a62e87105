import { type Asker, Askers } from '../../../lib/repl/input/askers.ts';
import type { InputPiece } from '../../../lib/repl/input/paste.ts';

const key = (text: string): InputPiece => ({ type: 'keys', text });
const line: Asker = { kind: 'line', prompt: () => '> ' };

describe('the asker that receives the keys', () => {
  it('is the one that began last, and the one below it once that has its answer', () => {
    const askers = new Askers();
    askers.begin(line);
    const end = askers.begin({ kind: 'wait' });
    expect(askers.top?.kind).toBe('wait');
    expect(askers.line).toBe(line);
    end();
    expect(askers.top).toBe(line);
  });

  it('may end before askers that began after it, and twice', () => {
    const askers = new Askers();
    const endPause = askers.begin({ kind: 'pause' });
    const endLine = askers.begin(line);
    endPause();
    endPause();
    expect(askers.top).toBe(line);
    endLine();
    expect(askers.top).toBeUndefined();
    expect(askers.line).toBeUndefined();
  });

  it('takes input only while on top, and leaves the rest to the next one', () => {
    const askers = new Askers();
    const taken: InputPiece[] = [];
    askers.begin({
      kind: 'pieces',
      take(piece) {
        taken.push(piece);
        return piece.type === 'keys' && piece.text === 'y' ? [] : [piece];
      },
    });
    expect(askers.offer(key('y'))).toEqual([]);
    expect(askers.offer(key('hello'))).toEqual([key('hello')]);
    askers.begin(line);
    expect(askers.offer(key('y'))).toEqual([key('y')]);
    expect(taken).toEqual([key('y'), key('hello')]);
  });

  it('is told of Ctrl+C while it waits, but not while a line is on top of it', () => {
    const askers = new Askers();
    let interrupts = 0;
    askers.begin({ kind: 'wait', interrupt: () => (interrupts += 1) });
    askers.interrupt();
    expect(interrupts).toBe(1);
    const end = askers.begin(line);
    askers.interrupt();
    expect(interrupts).toBe(1);
    end();
    expect(askers.has('line')).toBe(false);
    expect(askers.has('wait')).toBe(true);
  });
});
