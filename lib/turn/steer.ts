// Messages of the user while a turn runs: each is stored as a message of that turn, and the model reads it with the
// next request. A turn that makes no further request takes none.
import type { NewOllmEvent } from '../events/index.ts';
import { messageOf } from './begin-turn.ts';
import { createScrubber } from './redact-event.ts';
import type { Turn } from './turn.ts';

/** Requests are counted again from here on: the user has spoken. */
export async function takeSteering(turn: Turn): Promise<void> {
  const { session, dependencies, number, cancelled, show } = turn;
  if (cancelled.aborted) return;
  for (const input of (await dependencies.steer?.()) ?? []) {
    const scrub = createScrubber(dependencies.redactor);
    const { excerpt, parts, tokens } = await messageOf(turn, input, scrub);
    const events: NewOllmEvent[] = [
      ...scrub.findings('user message', number),
      {
        type: 'message.added',
        turn: number,
        data: { role: 'user', parts, tokens, trusted: true, promptId: input.promptId },
      },
    ];
    await session.append(events, { durability: 'disk' });
    turn.stepsAllowed = turn.steps;
    show({ type: 'steered', text: excerpt });
  }
}
