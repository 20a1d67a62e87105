// What base64 makes of a known value, wherever the value begins: three texts, for a byte begins at one of three places
// in the groups of base64. The characters at both ends depend on the neighbours of the value and are left out.

/** Fewer would be found in other base64. */
const LEAST_CHARACTERS = 8;

/** A single expression for all values; undefined if there is nothing to look for. */
export function base64Needles(values: readonly string[]): RegExp | undefined {
  const needles = new Set(
    values.flatMap((value) =>
      [0, 1, 2].flatMap((offset) => ['base64', 'base64url'].map((form) => needle(value, offset, form))),
    ),
  );
  const words = [...needles].filter((text) => text.length >= LEAST_CHARACTERS);
  if (words.length === 0) return undefined;
  const sorted = words.toSorted((a, b) => b.length - a.length);
  return new RegExp(sorted.map((text) => text.replace(/[+/]/g, '\\$&')).join('|'), 'g');
}

function needle(value: string, offset: number, form: string): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const text = bytes.toString(form as 'base64' | 'base64url').replace(/=+$/, '');
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return text.slice(start, end);
}
