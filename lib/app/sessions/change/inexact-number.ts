// Finds numbers in a JSON text that a double cannot hold exactly. Reads the text, because a parsed number has lost the
// original; never descends into values, so depth costs nothing.

const QUOTE = '"';
const BACKSLASH = 0x5c;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A number of fewer digits, and without an exponent, is exact. */
const MAY_BE_INEXACT = /[\d.]{16}|-0|\d[eE]/;
/** What `toPrecision` can write. A double has no more than 17 digits of its own. */
const MAX_DIGITS = 100;

/**
 * The first number of a valid JSON text that would be stored as another: a whole number beyond 2^53 that a double does
 * not hold, a number beyond or below all doubles, one with more digits than its double has, or -0. A double may be
 * written with any count of its digits: `0.1` and `0.10000000000000001` are the same one.
 *
 * @example
 * inexactNumber('{"a":[18446744073709551616]}'); // '18446744073709551616'
 */
export function inexactNumber(json: string): string | undefined {
  if (!MAY_BE_INEXACT.test(json)) return undefined;
  for (let start = 0; start < json.length; ) {
    const quote = json.indexOf(QUOTE, start);
    const end = quote < 0 ? json.length : quote;
    for (const [number] of json.slice(start, end).matchAll(NUMBER)) if (!isExact(number)) return number;
    start = quote < 0 ? end : endOfText(json, quote);
  }
  return undefined;
}

function isExact(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  const written = decimalOf(source);
  const { length } = written.digits;
  if (length === 0) return true;
  if (length > MAX_DIGITS) return false;
  const isWhole = !/[.eE]/.test(source);
  // Half between two decimals, the shortest form may be one of them and the rounded form the other.
  const forms = [String(value), ...(isWhole ? [] : [value.toPrecision(length)])].map(decimalOf);
  return forms.some(({ digits, exponent }) => digits === written.digits && exponent === written.exponent);
}

/** The digits without zeros at both ends, and the power of ten of the first one. */
function decimalOf(source: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = source
    .toLowerCase()
    .replace('-', (sign, at) => (at === 0 ? '' : sign))
    .split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  const digits = first < 0 ? '' : all.slice(first).replace(/0+$/, '');
  return { digits, exponent: Number(power) + whole.length - 1 - first };
}

/** The offset after the quote that ends the text which begins at `quote`. */
function endOfText(json: string, quote: number): number {
  for (let end = json.indexOf(QUOTE, quote + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}
