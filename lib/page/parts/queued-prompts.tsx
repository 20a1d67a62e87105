import { server } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import type { Attempt } from '../state/attempt.ts';
import { giveBack } from '../state/draft.ts';
import type { LiveState } from '../state/live.ts';
import { Icon } from './icon.tsx';
import './problem.css';

/** What is sent once the turn that runs has ended, or by its user: it can be taken out, to be changed or forgotten. */
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
