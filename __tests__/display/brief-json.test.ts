import fc from 'fast-check';
import { briefJson } from '../../lib/display/brief-json.ts';

describe('the beginning of a value as JSON', () => {
  it('is all of it if there is room, and otherwise its start', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 200 }), (value, room) => {
        const whole = JSON.stringify(value);
        expect(JSON.parse(briefJson(value, whole.length + 1))).toEqual(JSON.parse(whole));
        expect(briefJson(value, room).slice(0, Math.min(room, whole.length) / 2)).toBe(
          whole.slice(0, Math.min(room, whole.length) / 2),
        );
      }),
    );
  });

  it('is short, for a value of any width', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`member ${index}`, index]));
    expect(briefJson(wide, 80).length).toBeLessThan(120);
    expect(briefJson('x'.repeat(10_000), 80).length).toBeLessThan(120);
  });
});
