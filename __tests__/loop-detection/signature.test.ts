import fc from 'fast-check';
import { callSignature, outputFingerprint } from '../../lib/loop-detection/signature.ts';

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
    ['another tool', 'write', { a: [1, 2] }],
    ['another value', 'read', { a: [1, 3] }],
    ['another order in a list', 'read', { a: [2, 1] }],
    ['text in place of an object', 'read', '{"a":[1,2]}'],
    ['nothing', 'read', undefined],
  ])('differs for %s', (_, name, args) => {
    expect(callSignature(name, args)).not.toBe(callSignature('read', { a: [1, 2] }));
  });
});

describe('the fingerprint of an output', () => {
  it('looks through case, white space and figures, and at nothing else', () => {
    expect(outputFingerprint('Step 12:\n  DONE ')).toBe(outputFingerprint('step 7: done'));
    expect(outputFingerprint('step 7: done')).not.toBe(outputFingerprint('step 7: gone'));
  });
});
