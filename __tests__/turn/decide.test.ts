import fc from 'fast-check';
import { OllmError } from '../../lib/errors/index.ts';
import { decide, type StepOutcome } from '../../lib/turn/decide.ts';

const progress = { steps: 1, maxSteps: 3, canAsk: false, loop: undefined };
const loop = { pattern: 'repeated-tool', details: 'It asked twice.', count: 2, threshold: 2 } as const;
const error = new OllmError('PROVIDER_FAILED', 'No.');

describe('the next step of a turn', () => {
  it('is its completed end when the model has answered', () => {
    expect(decide({ kind: 'answered' }, progress)).toEqual({ kind: 'end', status: 'completed' });
  });

  it('is a request when the model asked for tools and has their results', () => {
    expect(decide({ kind: 'asked-for-tools', calls: 1 }, progress)).toEqual({ kind: 'go-on' });
  });

  it('is a question to the user at the limit of requests, and a stop if the user cannot be asked', () => {
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

  it('is its end in a loop once one was detected, with the repeated part', () => {
    const next = decide({ kind: 'asked-for-tools', calls: 1 }, { ...progress, loop });
    expect(next).toMatchObject({ status: 'loop', error: { message: 'The turn was stopped: It asked twice.' } });
  });

  it('is its cancelled or failed end, in any other state', () => {
    expect(decide({ kind: 'cancelled' }, { ...progress, loop })).toEqual({ kind: 'end', status: 'cancelled' });
    expect(decide({ kind: 'failed', error }, { ...progress, loop })).toEqual({ kind: 'end', status: 'failed', error });
  });

  it('is an end after a finite number of requests', () => {
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
