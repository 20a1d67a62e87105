import fc from 'fast-check';
import { callSignature, fingerprint, outputFingerprint } from '../../lib/loop-detection/signature.ts';

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
};

describe('the signature of a call', () => {
  it('does not depend on the order of members, at any depth', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, args) => {
        expect(callSignature(name, reversed(args))).toBe(callSignature(name, args));
      }),
    );
  });

  it.each([
    ['a different tool', 'write', { a: [1, 2] }],
    ['a different value', 'read', { a: [1, 3] }],
    ['a different order in a list', 'read', { a: [2, 1] }],
    ['text in place of an object', 'read', '{"a":[1,2]}'],
    ['nothing', 'read', undefined],
  ])('differs for %s', (_, name, args) => {
    expect(callSignature(name, args)).not.toBe(callSignature('read', { a: [1, 2] }));
  });
});

describe('equal signatures of two calls', () => {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (_, member) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
        : member,
    ) ?? 'undefined';

  it('mean arguments that are equal JSON once their members are sorted', () => {
    // Few values, so that many are equal; JSON.parse makes members of any name, "__proto__" too.
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(1, -0, 'a', '', null, true, undefined, Number.NaN, new Date(0), new Date(1)),
        fc.array(tie('value'), { maxLength: 2 }),
        fc
          .array(fc.tuple(fc.constantFrom('a', 'b', '1', '__proto__'), tie('value')), { maxLength: 3 })
          .map((members) => Object.fromEntries(members)),
      ),
    })).value;
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(callSignature('t', one) === callSignature('t', other)).toBe(plain(one) === plain(other));
        expect(callSignature('t', one)).toBe(callSignature('t', JSON.parse(JSON.stringify(one) ?? 'null') ?? one));
      }),
      { numRuns: 500 },
    );
  });

  it('do not exist for a value that is not JSON', () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    expect(() => callSignature('t', circle)).toThrow();
    expect(() => callSignature('t', { big: 1n })).toThrow();
  });
});

describe('a fingerprint', () => {
  it('differs for each different text, short or long, wherever they differ', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.constantFrom(1, 300, 4000), (text, pick, times) => {
        const long = text.repeat(times);
        const at = pick % long.length;
        const changed = long.slice(0, at) + String.fromCharCode(long.charCodeAt(at) ^ 0x100) + long.slice(at + 1);
        expect(fingerprint(long)).toMatch(/^[0-9a-f]{16}$/);
        expect(fingerprint(changed)).not.toBe(fingerprint(long));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the fingerprint of an output', () => {
  it('ignores case, white space and figures, and nothing else', () => {
    expect(outputFingerprint('Step 12:\n  DONE ')).toBe(outputFingerprint('step 7: done'));
    expect(outputFingerprint('step 7: done')).not.toBe(outputFingerprint('step 7: gone'));
  });
});
