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

  it('marks an estimate, and says what is not known', () => {
    expect(formatStatus({ ...facts, used: { count: 1234, method: 'estimated' }, cost: undefined }, 80)).toContain(
      '~1.2k/8.2k tokens (~15%)',
    );
    expect(
      formatStatus({ ...facts, used: { count: 0, method: 'unknown' }, limit: undefined, cost: undefined }, 80),
    ).toMatch(/ \? tokens$/);
  });

  it('is tidy in 40 columns', () => {
    expect(formatStatus(facts, 39)).toBe('llama3.2:3b-instruct-q4_K_M · 15%');
  });

  it('shortens the model when nothing else is left', () => {
    expect(formatStatus(facts, 20)).toBe('llama3.2:3b-i… · 15%');
  });

  it('fits any width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.nat(),
        fc.option(fc.nat(), { nil: undefined }),
        fc.integer({ min: 1, max: 100 }),
        (model, count, limit, columns) => {
          const line = formatStatus({ ...facts, model, used: { count, method: 'estimated' }, limit }, columns);
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\x00-\x1f]/);
        },
      ),
      { numRuns: 300 },
    );
  });
});
