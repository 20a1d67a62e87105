import fc from 'fast-check';
import { OllmError } from '../../lib/errors/index.ts';
import { decide, type StepOutcome } from '../../lib/turn/decide.ts';

const progress = { steps: 1, maxSteps: 3, canAsk: false, loop: undefined };
const loop = { pattern: 'repeated-tool', details: 'It asked twice.', count: 2, threshold: 2 } as const;
const error = new OllmError('PROVIDER_FAILED', 'No.');

describe('what a turn does next', () => {
  it('ends completed when the model has answered', () => {
    expect(decide({ kind: 'answered' }, progress)).toEqual({ kind: 'end', status: 'completed' });
  });

  it('continues when the model asked for tools and has their answers', () => {
    expect(decide({ kind: 'asked-for-tools', calls: 1 }, progress)).toEqual({ kind: 'go-on' });
  });

  it('asks the user when the model wants more than it may ask, and stops where that cannot be', () => {
    const limit = { pattern: 'turn-limit', count: 3, threshold: 3 };
    const asking = { ...progress, steps: 3, canAsk: true };
    expect(decide({ kind: 'asked-for-tools', calls: 1 }, asking)).toMatchObject({ kind: 'ask', limit });
    expect(decide({ kind: 'answered' }, asking)).toEqual({ kind: 'end', status: 'completed' });
    expect(decide({ kind: 'asked-for-tools', calls: 1 }, { ...asking, loop })).toMatchObject({ kind: 'end', loop });

    const next = decide({ kind: 'asked-for-tools', calls: 1 }, { ...progress, steps: 3 });
    expect(next).toMatchObject({
      kind: 'end',
      status: 'loop',
      loop: { pattern: 'turn-limit', count: 3, threshold: 3 },
    });
    expect(next).toMatchObject({ error: { code: 'LOOP_DETECTED' } });
  });

  it('ends in a loop when one was detected, and says what repeated', () => {
    const next = decide({ kind: 'asked-for-tools', calls: 1 }, { ...progress, loop });
    expect(next).toMatchObject({ status: 'loop', error: { message: 'The turn was stopped: It asked twice.' } });
  });

  it('ends cancelled or failed whatever else is true', () => {
    expect(decide({ kind: 'cancelled' }, { ...progress, loop })).toEqual({ kind: 'end', status: 'cancelled' });
    expect(decide({ kind: 'failed', error }, { ...progress, loop })).toEqual({ kind: 'end', status: 'failed', error });
  });

  it('never continues without end', () => {
    const outcomes = fc.array(
      fc.constantFrom<StepOutcome>({ kind: 'asked-for-tools', calls: 1 }, { kind: 'answered' }, { kind: 'cancelled' }),
      { minLength: 20 },
    );
    fc.assert(
      fc.property(outcomes, fc.integer({ min: 1, max: 10 }), (list, maxSteps) => {
        const end = list.findIndex(
          (outcome, index) =>
            decide(outcome, { steps: index + 1, maxSteps, canAsk: false, loop: undefined }).kind === 'end',
        );
        expect(end).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThan(maxSteps);
      }),
    );
  });
});
