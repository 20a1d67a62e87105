import fc from 'fast-check';
import { isEqual, readUnits, units, unitTable } from '../../lib/loop-detection/code-units.ts';

it('a text of any length is read as its code units, piece by piece', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20_000), (string, before) => {
      const text = 'ab🙂'.repeat(20_000).slice(0, before) + string;
      let read = '';
      for (let start = 0; start < text.length; ) {
        const count = readUnits(text, start);
        read += Buffer.from(units.buffer, units.byteOffset, 2 * count).toString('utf16le');
        start += count;
      }
      expect(read === text).toBe(true);
    }),
    { numRuns: 100 },
  );
});

it('each unit counts as its lower case where that is one unit, but for what is changed', () => {
  const table = unitTable((changed) => changed.fill(1, 0x41, 0x42))();
  for (let unit = 0; unit < 0x10000; unit++) {
    const lower = String.fromCharCode(unit).toLowerCase();
    const expected = lower.length === 1 ? lower.charCodeAt(0) : unit;
    if (table[unit] !== (unit === 0x41 ? 1 : expected))
      throw new Error(`U+${unit.toString(16)} counts as ${table[unit]}`);
  }
  expect(unitTable(() => {})()[0x41]).toBe(0x61);
});

it('two codes are equal where they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0xffff }), (one, other) => {
      expect([isEqual(one, other), isEqual(one, one)]).toEqual([one === other ? 1 : 0, 1]);
    }),
  );
});
