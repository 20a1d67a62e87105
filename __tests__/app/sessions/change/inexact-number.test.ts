import fc from 'fast-check';
import { inexactNumber } from '../../../../lib/app/sessions/change/inexact-number.ts';

/** The number as a whole number of units of 10^-scale. */
function scaled(source: string, scale: number): bigint {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(source) ?? [];
  const shift = scale + Number(power) - fraction.length;
  if (shift < 0) throw new RangeError(source);
  return BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(shift);
}

/** Enough for the exact value of each double that is not below 2^-200. */
const SCALE = 400;

describe('a number of JSON', () => {
  it('is exact if it is a double, with any number of digits', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
    fc.assert(
      fc.property(double, fc.integer({ min: 16, max: 99 }), (value, digits) => {
        expect(inexactNumber(`[${JSON.stringify(value)}]`)).toBeUndefined();
        expect(inexactNumber(`{"a":${value.toExponential(digits)}}`)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('is exact if its double is within half a unit of its last digit, and otherwise refused', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,40}$/);
    const fraction = fc.stringMatching(/^\d{0,30}[1-9]$/);
    fc.assert(
      fc.property(digits, fraction, fc.integer({ min: -30, max: 30 }), (whole, part, power) => {
        const source = `${whole}.${part}e${power}`;
        const exactDouble = Number(source)
          .toExponential(99)
          .replace(/(\.\d*?)0+e/, '$1e')
          .replace('.e', 'e');
        const difference = scaled(exactDouble, SCALE) - scaled(source, SCALE);
        const unit = 10n ** BigInt(SCALE + power - part.length);
        const doubled = (difference < 0n ? -difference : difference) * 2n;
        // Half between two decimals, both are the double.
        fc.pre(doubled !== unit);
        expect(inexactNumber(source)).toBe(doubled < unit ? undefined : source);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['below all doubles', '1e-400'],
    ['below all doubles, negative', '-1e-400'],
    ['beyond all doubles', '1e400'],
    ['a number with more digits than the smallest doubles have', '1.234567e-322'],
    ['of 31 digits with a fraction', '123456789012345678901234567890.5'],
    ['a time in nanoseconds', '1763941234.123456789'],
    ['a whole number with a fraction of zero', '9007199254740993.0'],
  ])('is refused if it is %s: %s', (_, source) => {
    expect(inexactNumber(`{"text":"1e-400","n":[${source}]}`)).toBe(source);
  });

  it.each([
    '-174383369421375.12',
    '-174383369421375.13',
    '0',
    '0.0',
    '0e9',
    '5e-324',
    '1.7976931348623157e308',
    '1E5',
    '10000000000000000000000',
    '-0.5',
  ])('is exact: %s', (source) => expect(inexactNumber(`[${source}]`)).toBeUndefined());
});
