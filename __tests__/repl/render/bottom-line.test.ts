import fc from 'fast-check';
import { textWidth } from '../../../lib/display/width.ts';
import { type BottomFacts, bottomLine } from '../../../lib/repl/render/bottom-line.ts';

const line = (facts: Partial<BottomFacts>, columns: number): string =>
  bottomLine({ sign: '⠋', elapsedMs: 12_400, verb: 'writing', queued: 0, isTyping: false, ...facts }, columns)
    .map(({ text }) => text)
    .join('');

const arbitraryFacts = fc.record({
  verb: fc.constantFrom('writing', 'waiting for the model', 'thinking:'),
  object: fc.option(fc.string({ unit: 'grapheme', maxLength: 80 }), { nil: undefined }),
  amount: fc.option(fc.constantFrom('5 bytes', '3.1 kB'), { nil: undefined }),
  cut: fc.constantFrom('beginning' as const, 'end' as const),
  elapsedMs: fc.nat(10_000_000),
  queued: fc.nat(20),
  isTyping: fc.boolean(),
  task: fc.option(fc.string({ unit: 'grapheme', maxLength: 80 }), { nil: undefined }),
});

describe('the line at the bottom of a running turn', () => {
  it('shows time, activity, amount, queue and helpful keys', () => {
    const facts = { object: 'src/big.txt', amount: '3.1 kB', queued: 2 };
    expect(line(facts, 79)).toBe('⠋ 12 s · writing src/big.txt, 3.1 kB · 2 queued · Ctrl+C cancels');
    expect(line({ ...facts, elapsedMs: 128_000, isTyping: true }, 119)).toBe(
      '⠋ 2 min 8 s · writing src/big.txt, 3.1 kB · 2 queued · Enter queues · Ctrl+S steers · Ctrl+C cancels',
    );
  });

  it("names the current entry of the model's list if there is room left", () => {
    const facts = { object: 'src/big.txt', amount: '3.1 kB', task: 'Write down all of the animals' };
    expect(line(facts, 119)).toBe(
      '⠋ 12 s · writing src/big.txt, 3.1 kB · ▸ Write down all of the animals · Ctrl+C cancels',
    );
    expect(line(facts, 79)).toBe('⠋ 12 s · writing src/big.txt, 3.1 kB · ▸ Write down all of th… · Ctrl+C cancels');
    expect(line(facts, 39)).toBe('⠋ 12 s · writing src/big.txt, 3.1 kB');
    expect(line({ task: 'Read' }, 50)).toBe('⠋ 12 s · writing · ▸ Read · Ctrl+C cancels');
  });

  it('drops the least important part first, and keeps the end of a path', () => {
    const facts = { object: 'lib/some/where/deep/big.txt', amount: '3.1 kB' };
    expect(line(facts, 50)).toBe('⠋ 12 s · writing …re/deep/big.txt, 3.1 kB · Ctrl+C');
    expect(line(facts, 39)).toBe('⠋ 12 s · writing …/deep/big.txt, 3.1 kB');
    expect(line({ amount: '3.1 kB', queued: 1 }, 39)).toBe('⠋ 12 s · writing, 3.1 kB · 1 queued');
    expect(line(facts, 12)).toBe('⠋ 12 s · wr…');
  });

  it('fits any width, and always shows the time', () => {
    fc.assert(
      fc.property(arbitraryFacts, fc.integer({ min: 1, max: 140 }), (facts, columns) => {
        const text = line(facts, columns);
        expect(textWidth(text)).toBeLessThanOrEqual(columns);
        if (columns > 20) expect(text).toMatch(/^⠋ (?:\d+ min )?\d+ s · /);
      }),
    );
  });
});
