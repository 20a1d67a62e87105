// Any character of Unicode for texts of fast-check: `fc.string({ unit: anyCharacter })`. The same as its unit 'binary',
// which puts all 1,112,064 of them into a table when it is first used: most of a second, in each test file.
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - SURROGATES.count)
  .map(characterAt, (character) => indexOf(String(character)));

function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count);
}

/** fast-check asks for it to shrink, and to mix in texts such as "__proto__". */
function indexOf(character: string): number {
  const code = character.codePointAt(0) ?? -1;
  const index = code < SURROGATES.first ? code : code - SURROGATES.count;
  if (index < 0 || characterAt(index) !== character) throw new Error('This is not one character.');
  return index;
}
