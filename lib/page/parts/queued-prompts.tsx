import { server } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import type { Attempt } from '../state/attempt.ts';
import { giveBack } from '../state/draft.ts';
import type { LiveState } from '../state/live.ts';
import { Icon } from './icon.tsx';
import './problem.css';

/** Prompts for the time after the running turn. The user can send one now, or take it out to change or drop it. */
export function QueuedPrompts(props: {
  address: string;
  queue: LiveState['queue'];
  attempt: Attempt;
  onEdit: () => void;
}) {
  const { address, queue, attempt, onEdit } = props;
  const takeOut = (promptId: string) => server.removePrompt({ parameters: { id: address, promptId } });
  return (
    <>
      {queue.map(({ promptId, text, awaits }) => (
        <p key={promptId} class="queued">
          <Icon name="clock" />
          <span>{awaits === undefined ? 'After this turn:' : 'Waits at a terminal:'}</span>
          <span class="cut grow">{oneLine(text)}</span>
          <button
            type="button"
            class="copy"
            onClick={() =>
              void attempt(async () => {
                await takeOut(promptId);
                giveBack(address, text);
                onEdit();
              })
            }
          >
            Edit
          </button>
          <button
            type="button"
            class="copy"
            onClick={() =>
              void attempt(async () => {
                await takeOut(promptId);
              })
            }
          >
            Remove
          </button>
        </p>
      ))}
    </>
  );
}
