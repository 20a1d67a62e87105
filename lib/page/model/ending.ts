// How a turn ended, in words, and what can be done about it.
import type { ShownBlock } from './blocks.ts';

type End = Extract<ShownBlock, { kind: 'end' }>;

interface Ending {
  readonly tone: 'plain' | 'warn' | 'danger';
  readonly text: string;
}

/** Undefined: it ended by itself. */
export function endingOf({ data }: Pick<End, 'data'>): Ending | undefined {
  switch (data.status) {
    case 'completed':
      return undefined;
    case 'failed':
      return { tone: 'danger', text: `This turn failed: ${data.error?.message ?? 'no reason is known'}` };
    case 'budget':
      return { tone: 'warn', text: 'Stopped: the limit is reached.' };
    case 'loop':
      return { tone: 'warn', text: 'Stopped: the model repeated itself.' };
    case 'cancelled':
      return { tone: 'plain', text: 'Stopped.' };
    case 'interrupted':
      return {
        tone: 'warn',
        text:
          data.origin === undefined
            ? 'ollm stopped while this turn ran. What was written is here.'
            : 'This turn has no answer in what its program stored.',
      };
  }
}

/** The prompt that asks a model to continue. */
export const GO_ON = 'Go on where you stopped.';

/** Whether there is something to continue. */
export function canGoOn({ data, hasBegun }: Pick<End, 'data' | 'hasBegun'>): boolean {
  return data.status !== 'completed' && hasBegun;
}
