import { contradictions, type Operation } from './history.ts';

let clock = 0;
const stored = (text: string, seq: number): Operation => ({
  writer: 'w',
  text,
  begun: ++clock,
  ended: ++clock,
  outcome: { kind: 'stored', seq },
});
const journal = (...texts: string[]) =>
  texts.map((text, seq) => ({ seq, type: 'message.added', data: { text }, position: undefined }));

describe('the checker of histories', () => {
  it('accepts a correct history, and an unknown outcome either way', () => {
    const unknown = (text: string): Operation => ({ ...stored(text, 0), outcome: { kind: 'unknown' } });
    expect(contradictions([stored('a', 0), stored('b', 1), unknown('c')], journal('a', 'b', 'c'))).toEqual([]);
    expect(contradictions([stored('a', 0), unknown('c')], journal('a'))).toEqual([]);
  });

  it('finds an acknowledged event that is missing', () => {
    expect(contradictions([stored('a', 0), stored('b', 1)], journal('a'))).toEqual([
      expect.stringContaining('lost: b'),
    ]);
  });

  it('finds a doubled event, and one that was never appended', () => {
    expect(contradictions([stored('a', 0)], journal('a', 'a'))).toEqual([expect.stringContaining('doubled: a')]);
    expect(contradictions([], journal('x'))).toEqual([expect.stringContaining('x was never appended')]);
  });

  it('finds a refused event that was stored', () => {
    const refused: Operation = { ...stored('a', 0), outcome: { kind: 'refused' } };
    expect(contradictions([refused], journal('a'))).toEqual([expect.stringContaining('was refused')]);
    expect(contradictions([refused, stored('b', 0)], journal('b'))).toEqual([]);
  });

  it('finds a refused event that was stored, also after a repetition', () => {
    const first = (kind: 'refused' | 'unknown'): Operation => ({ ...stored('a', 0), outcome: { kind } });
    const landed = (kind: 'refused' | 'unknown') => [first(kind), stored('b', 1), stored('a', 0)];
    expect(contradictions(landed('refused'), journal('a', 'b'))).toEqual([
      expect.stringContaining('was refused, and is there: a'),
    ]);
    expect(contradictions(landed('unknown'), journal('a', 'b'))).toEqual([]);
    expect(contradictions([first('refused'), stored('b', 0), stored('a', 1)], journal('b', 'a'))).toEqual([]);
  });

  it('finds two appends that both succeeded at one position', () => {
    const found = contradictions([stored('a', 0), stored('b', 0)], journal('a'));
    expect(found).toContainEqual(expect.stringContaining('both succeeded: a and b'));
  });

  it('finds a later event before an earlier one', () => {
    const found = contradictions([stored('a', 1), stored('b', 0)], journal('b', 'a'));
    expect(found).toEqual([expect.stringContaining('out of order: b')]);
  });
});
