// Finds numbers in a JSON text that a double does not hold as they are written. Looks at the text, because a parsed
// number no longer says what it was; never goes down into values, so that depth costs nothing.

const QUOTE = '"';
const BACKSLASH = 0x5c;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** A number of fewer digits, and without an exponent, is exact. */
const MAY_BE_INEXACT = /\d{16}|-0|\d[eE]/;

/**
 * The first number of a valid JSON text that would be stored as another: a whole number beyond 2^53 that a double does
 * not hold, one beyond all doubles, or -0. A fraction becomes the nearest double, as JSON says.
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
  return String(value) === source || /[.eE]/.test(source);
}

/** Behind the quote that ends the text which begins at `quote`. */
function endOfText(json: string, quote: number): number {
  for (let end = json.indexOf(QUOTE, quote + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return json.length;
}
