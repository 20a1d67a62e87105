// Asks in which program the session is to continue, has it written there, and shows the command that does so. The page
// starts no program.
import { useEffect, useRef, useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import './continue-in.css';

interface Written {
  readonly command: string;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

const PROGRAMS = {
  claude: 'Claude Code',
  codex: 'Codex',
  copilot: 'Copilot CLI',
  cursor: 'Cursor, as a document',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  pi: 'pi',
  qwen: 'Qwen Code',
} as const;

export function ContinueIn({ address, onClose }: { address: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [to, setTo] = useState<keyof typeof PROGRAMS>('claude');
  const [isWriting, setIsWriting] = useState(false);
  const [written, setWritten] = useState<Written>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => dialog.current?.showModal(), []);
  const write = async (): Promise<void> => {
    if (isWriting) return;
    setIsWriting(true);
    setProblem(undefined);
    try {
      setWritten(await server.continueIn({ parameters: { id: address }, body: { to } }));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setIsWriting(false);
  };
  return (
    <dialog ref={dialog} class="continue-in" aria-labelledby="continue-in-title" onClose={onClose}>
      <h2 id="continue-in-title" class="section-title">
        Continue in…
      </h2>
      {written === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void write();
          }}
        >
          <p>
            <label for="continue-in-program">Program</label>{' '}
            <select
              id="continue-in-program"
              value={to}
              onChange={(event) => setTo(event.currentTarget.value as keyof typeof PROGRAMS)}
            >
              {Object.entries(PROGRAMS).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
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
            <button type="submit" class="button main" disabled={isWriting}>
              {isWriting ? 'Writing…' : 'Write'}
            </button>{' '}
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
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
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </p>
        </>
      )}
    </dialog>
  );
}
