import fc from 'fast-check';
import { textWidth } from '../../../lib/display/width.ts';
import { formatStatus, type StatusFacts } from '../../../lib/repl/render/status-line.ts';

const facts: StatusFacts = {
  model: 'llama3.2:3b-instruct-q4_K_M',
  used: { count: 1234, method: 'reported' },
  limit: 8192,
  cost: 0.0123,
  ephemeral: false,
};

describe('the status line', () => {
  it('shows model, tokens, share and cost', () => {
    expect(formatStatus(facts, 80)).toBe('llama3.2:3b-instruct-q4_K_M · 1.2k/8.2k tokens (15%) · $0.0123');
  });

  it('marks an estimate', () => {
    expect(formatStatus({ ...facts, used: { count: 1234, method: 'estimated' }, cost: undefined }, 80)).toContain(
      '~1.2k/8.2k tokens (~15%)',
    );
  });

  it('shows the size of the window, or only the model, if numbers are unknown', () => {
    const begun = { ...facts, used: { count: 0, method: 'unknown' }, cost: undefined } as const;
    expect(formatStatus(begun, 80)).toBe('llama3.2:3b-instruct-q4_K_M · 8.2k window');
    expect(formatStatus({ ...begun, limit: undefined }, 80)).toBe('llama3.2:3b-instruct-q4_K_M');
  });

  it('fits 40 columns', () => {
    expect(formatStatus(facts, 39)).toBe('llama3.2:3b-instruct-q4_K_M · 15%');
  });

  it('shortens the model last', () => {
    expect(formatStatus(facts, 20)).toBe('llama3.2:3b-i… · 15%');
  });

  it('fits any width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(),
        fc.constantFrom('estimated', 'unknown'),
        fc.option(fc.nat(), { nil: undefined }),
        fc.integer({ min: 1, max: 100 }),
        (text, count, method, limit, columns) => {
          const model = text.replaceAll('?', '');
          const line = formatStatus({ ...facts, model, used: { count, method }, limit }, columns);
          expect(line).not.toContain('?');
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\x00-\x1f]/);
        },
      ),
      { numRuns: 300 },
    );
  });
});
