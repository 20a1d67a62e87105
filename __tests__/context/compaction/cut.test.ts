import fc from 'fast-check';
import { chooseCut } from '../../../lib/context/compaction/cut.ts';
import { cutText, isCut } from '../../../lib/context/compaction/cut-text.ts';
import { estimateTokens } from '../../../lib/tokens/estimate.ts';
import { anyCharacter } from '../../support/any-character.ts';

const step = fc.record({ tokens: fc.nat({ max: 500 }), startsTurn: fc.boolean() });
const extent = fc.constantFrom('needed' as const, 'allowed' as const);
const tokensOf = (steps: readonly { tokens: number }[]) => steps.reduce((sum, { tokens }) => sum + tokens, 0);
const turn = (tokens: number) => ({ tokens, startsTurn: true });
const answer = (tokens: number) => ({ tokens, startsTurn: false });

describe('a cut', () => {
  it('keeps the newest step and the recent tokens, or an excerpt if one step is too large', () => {
    fc.assert(
      fc.property(
        fc.array(step),
        fc.nat({ max: 2000 }),
        fc.nat({ max: 3000 }),
        extent,
        (steps, preserve, room, how) => {
          const cut = chooseCut(steps, { preserveRecentTokens: preserve, roomTokens: room, extent: how });
          if (cut === undefined) return;
          expect(cut.at).toBeGreaterThan(0);
          expect(cut.at).toBeLessThan(steps.length);
          const kept = tokensOf(steps.slice(cut.at));
          if (cut.oversized === undefined) expect(kept).toBeGreaterThanOrEqual(preserve);
          else expect(cut.oversized).toMatchObject({ index: cut.at - 1 });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('meets the target if any cut with the recent tokens could', () => {
    fc.assert(
      fc.property(
        fc.array(step),
        fc.nat({ max: 1000 }),
        fc.nat({ max: 3000 }),
        extent,
        (steps, preserve, room, how) => {
          const cut = chooseCut(steps, { preserveRecentTokens: preserve, roomTokens: room, extent: how });
          const possible = steps.some((_, index) => {
            const kept = tokensOf(steps.slice(index));
            return index > 0 && kept >= preserve && kept <= room;
          });
          if (possible) expect(tokensOf(steps.slice(cut?.at ?? 0))).toBeLessThanOrEqual(room);
        },
      ),
      { numRuns: 500 },
    );
  });

  const talk = [turn(10), answer(10), turn(10), answer(10), turn(10), answer(10)];
  it.each([
    ['no more than needed', { preserveRecentTokens: 0, roomTokens: 45, extent: 'needed' }, { at: 2 }],
    ['all that may go', { preserveRecentTokens: 15, roomTokens: 45, extent: 'allowed' }, { at: 4 }],
    ['nothing if all must stay', { preserveRecentTokens: 100, roomTokens: 45, extent: 'allowed' }, undefined],
    [
      'as much as possible if the room is not enough',
      { preserveRecentTokens: 20, roomTokens: 20, extent: 'needed' },
      { at: 4 },
    ],
    [
      'inside a turn only if no other cut fits',
      { preserveRecentTokens: 0, roomTokens: 15, extent: 'needed' },
      { at: 5 },
    ],
  ] as const)('removes %s', (_, limits, expected) => {
    expect(chooseCut(talk, limits)).toEqual(expected);
  });

  it('keeps an excerpt of a recent step that is too large', () => {
    const steps = [turn(10), answer(5000), turn(10), answer(10)];
    expect(chooseCut(steps, { preserveRecentTokens: 100, roomTokens: 500, extent: 'allowed' })).toEqual({
      at: 2,
      oversized: { index: 1, tokens: 80 },
    });
  });
});

describe('a shortened text', () => {
  it('has at most its limit of tokens, keeps both ends, and is never longer than the original', () => {
    const text = fc.oneof(fc.string({ maxLength: 2000 }), fc.string({ unit: anyCharacter, maxLength: 500 }));
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 400 }), (whole, most) => {
        const cut = cutText(whole.toWellFormed(), most);
        expect(estimateTokens(cut)).toBeLessThanOrEqual(most);
        expect(cut.length).toBeLessThanOrEqual(whole.length);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut === whole.toWellFormed() || isCut(cut)).toBe(true);
      }),
      { numRuns: 300 },
    );
    const long = `BEGIN ${'word '.repeat(5000)} END`;
    expect(cutText(long, 100)).toMatch(/^BEGIN [\s\S]+\[… \d+ characters left out …\][\s\S]+ END$/);
  });
});
