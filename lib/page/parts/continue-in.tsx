// Asks in which program the session is to continue, has it written there, and shows the command that does so. The page
// starts no program.
import { useState } from 'preact/hooks';
import { server, wordsOfError } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import { onSubmit } from '../router.ts';
import { useForm } from '../state/form.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { agentName, Icon } from './icon.tsx';
import './continue-in.css';

interface Written {
  readonly command: string;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

const PROGRAMS = ['claude', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'pi', 'qwen'] as const;
type Program = (typeof PROGRAMS)[number];

export function ContinueIn({ address, onClose }: { address: string; onClose: () => void }) {
  const [to, setTo] = useState<Program>('claude');
  const [written, setWritten] = useState<Written>();
  const { isSending, problem, send } = useForm(
    async () => setWritten(await server.continueIn({ parameters: { id: address }, body: { to } })),
    wordsOfError,
  );
  return (
    <Dialog title="Continue in…" onClose={onClose}>
      {(close) =>
        written === undefined ? (
          <form onSubmit={onSubmit(send)}>
            <p>
              <label for="continue-in-program">Program</label>{' '}
              <select
                id="continue-in-program"
                value={to}
                onChange={(event) => setTo(event.currentTarget.value as Program)}
              >
                {PROGRAMS.map((name) => (
                  <option key={name} value={name}>
                    {name === 'cursor' ? 'Cursor, as a document' : agentName(name)}
                  </option>
                ))}
              </select>
            </p>
            <p>
              The conversation is written as a new session of this program, in its directory on the machine of ollm,
              without secrets. This session stays as it is, and no program is started.
            </p>
            {problem === undefined ? null : (
              <p class="continue-in-problem" role="alert">
                <Icon name="alert" /> {oneLine(problem)}
              </p>
            )}
            <p>
              <button type="submit" class="button main" disabled={isSending}>
                {isSending ? 'Writing…' : 'Write'}
              </button>{' '}
              <button type="button" class="button" onClick={close}>
                Cancel
              </button>
            </p>
          </form>
        ) : (
          <>
            <div role="status">
              {[...written.lines, ...written.notes].map((line) => (
                <p key={line}>{oneLine(line)}</p>
              ))}
              <p>Continue with:</p>
            </div>
            <p class="continue-in-command">
              <code>{written.command}</code> <CopyButton text={written.command} />
            </p>
            <p>
              <button type="button" class="button" onClick={close}>
                Close
              </button>
            </p>
          </>
        )
      }
    </Dialog>
  );
}
