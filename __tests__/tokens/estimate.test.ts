import fc from 'fast-check';
import { estimateCall, estimateParts, estimateTokens, knownTokens } from '../../lib/tokens/estimate.ts';
import { anyCharacter } from '../support/any-character.ts';

const anyText = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: anyCharacter, maxLength: 200 }));

describe('the estimate of tokens', () => {
  it('is a whole number, the same each time, and never decreases when text is added', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, more) => {
        const tokens = estimateTokens(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(estimateTokens(text)).toBe(tokens);
        expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(tokens);
      }),
    );
  });

  // Counted with o200k_base.
  it.each([
    ['The quick brown fox jumps over the lazy dog, and nobody minds.', 14],
    ['export function add(left: number, right: number): number {\n  return left + right;\n}\n', 20],
    ['人人生而自由，在尊严和权利上一律平等。', 15],
    ['Alle Menschen sind frei und gleich an Würde und Rechten geboren.', 14],
  ])('of %p is near %i', (text, counted) => {
    expect(estimateTokens(text)).toBeGreaterThan(counted * 0.6);
    expect(estimateTokens(text)).toBeLessThan(counted * 1.6);
  });

  it('of an empty text is 0', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateParts([])).toBe(0);
  });

  it('of parts includes reasoning and images', () => {
    const text = { type: 'text', text: 'some words' } as const;
    const image = { type: 'image', mediaType: 'image/png', blob: '0'.repeat(64) } as const;
    const reasoning = { type: 'reasoning', text: 'some words', opaque: 'abcdefgh' } as const;
    expect(estimateParts([text, image])).toBeGreaterThan(estimateParts([text]) + 100);
    expect(estimateParts([reasoning])).toBeGreaterThan(estimateParts([text]));
  });

  it('of arguments is that of their JSON', () => {
    const named = estimateTokens('read');
    expect(estimateCall({ name: 'read', args: { path: 'a' } }).count).toBe(named + estimateTokens('{"path":"a"}'));
    expect(estimateCall({ name: 'read', args: 'raw text' }).count).toBe(named + estimateTokens('raw text'));
    expect(estimateCall({ name: 'read', args: undefined }).count).toBe(named);
  });

  it('is used only if there is no count', () => {
    const parts = [{ type: 'text', text: 'hello there' }] as const;
    expect(knownTokens({ count: 7, method: 'reported' }, parts)).toEqual({ count: 7, method: 'reported' });
    expect(knownTokens({ count: 0, method: 'unknown' }, parts)).toEqual({ count: 3, method: 'estimated' });
  });
});
