import type { OllmEvent } from '../../lib/events/index.ts';
import { outlineFold } from '../../lib/projections/outline.ts';
import { promptVersions } from '../../lib/projections/prompt-versions.ts';

/** `p`: a prompt, `a`: an answer, a number: continues after it. */
const versionsOf = (...steps: readonly ('p' | 'a' | number)[]) => {
  const state = outlineFold.initial();
  for (const [seq, step] of steps.entries()) {
    const event = (typeof step === 'number'
      ? { seq, type: 'branch.moved', data: { head: step } }
      : {
          seq,
          type: 'message.added',
          data: { role: step === 'p' ? 'user' : 'assistant', parts: [], trusted: true },
        }) as unknown as OllmEvent;
    outlineFold.see?.(state, event);
    outlineFold.apply(state, event as never);
  }
  return promptVersions(state);
};

describe('the versions of prompts', () => {
  it('do not exist in a conversation without branches', () => {
    expect(versionsOf('a', 'p', 'a', 'p', 'a')).toEqual([]);
  });

  it('follow the same prompt, each with the end of its branch', () => {
    expect(versionsOf('a', 'p', 'a', 'p', 'a', 2, 'p', 'a')).toEqual([
      [
        { seq: 3, last: 4 },
        { seq: 6, last: 7 },
      ],
    ]);
  });

  it('include the first prompts', () => {
    expect(versionsOf('a', 'p', 'a', 0, 'p', 'a', 0, 'p')).toEqual([
      [
        { seq: 1, last: 2 },
        { seq: 4, last: 5 },
        { seq: 7, last: 7 },
      ],
    ]);
  });

  it('end at the last continuation of their branch', () => {
    // Back to the first version, and one more prompt there.
    expect(versionsOf('a', 'p', 'a', 0, 'p', 'a', 2, 'p', 'a')).toEqual([
      [
        { seq: 1, last: 8 },
        { seq: 4, last: 5 },
      ],
    ]);
  });
});
