import fc from 'fast-check';
import { fitSteps } from '../../lib/context/fit.ts';
import type { ViewStep } from '../../lib/context/steps.ts';

/** `U5 a3`: a user message of five tokens, an answer of three. */
const stepsOf = (text: string): ViewStep[] =>
  text.split(' ').map((word) => ({ items: [], startsTurn: word.startsWith('U'), tokens: Number(word.slice(1)) }));
const show = (steps: readonly ViewStep[] | undefined) =>
  steps?.map(({ startsTurn, tokens }) => `${startsTurn ? 'U' : 'a'}${tokens}`).join(' ');

describe('the steps that fit', () => {
  it.each([
    ['U1 a1 U1 a1', 4, 'U1 a1 U1 a1'],
    ['U1 a1 U1 a1', 3, 'U1 a1'],
    ['U1 a9 U1 a1 U1 a1', 4, 'U1 a1 U1 a1'],
    ['U9 a9 U2 a2', 4, 'U2 a2'],
    ['U1 a5 a5 a5', 11, 'U1 a5 a5'],
    ['U9 a9 U1 a5 a5 a5', 11, 'U1 a5 a5'],
    ['U1 a5 a5', 5, undefined],
    ['U5', 5, 'U5'],
    ['U5', 4, undefined],
    ['a3 a3', 3, 'a3'],
    ['a2 U1', 1, 'U1'],
  ])('of %s in %i tokens are %s', (steps, room, fitting) => {
    expect(show(fitSteps(stepsOf(steps), room))).toBe(fitting);
  });

  it('never exceed the room, include the newest, and leave no gap between turns', () => {
    const step = fc.record({ items: fc.constant([]), startsTurn: fc.boolean(), tokens: fc.nat({ max: 20 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), fc.nat({ max: 150 }), (steps, room) => {
        const kept = fitSteps(steps, room);
        if (kept === undefined) return;
        expect(kept.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(room);
        expect(kept.at(-1)).toBe(steps.at(-1));
        const question = steps.findLast(({ startsTurn }) => startsTurn);
        const others = kept.filter((one) => one !== question);
        const run = steps.filter((one) => one !== question).slice(-others.length || steps.length);
        expect(others).toEqual(run);
      }),
    );
  });
});
