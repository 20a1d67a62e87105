import fc from 'fast-check';
import { endsOf } from '../../../lib/page/model/ends-of-text.ts';

describe('both ends of a text', () => {
  it('are its beginning and its end, are short, and are used only for a long text', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 50 }),
      fc.array(fc.string(), { maxLength: 60 }).map((all) => all.join('\n')),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 600 }), (part, times) => {
        const whole = part.repeat(times).toWellFormed();
        const ends = endsOf(whole);
        const isLong = whole.length > 8192 || whole.split('\n').length > 12;
        expect(ends !== undefined).toBe(isLong);
        if (ends === undefined) return;
        expect(ends.first.length + ends.last.length).toBeLessThanOrEqual(8192);
        expect(ends.first.split('\n').length + ends.last.split('\n').length).toBeLessThanOrEqual(12 + 2);
        expect(whole.startsWith(ends.first.slice(0, -1))).toBe(true);
        expect(whole.endsWith(ends.last.slice(1))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
