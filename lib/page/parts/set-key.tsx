// Where a key is missing or refused: a field for it. It goes to the server, which stores it and never sends it back.
import { useState } from 'preact/hooks';
import { server } from '../api/server.ts';
import { oneLine } from '../model/visible.ts';
import { onSubmit } from '../router.ts';
import { announce } from '../state/announce.ts';
import { useAttempt } from '../state/attempt.ts';
import { CopyButton } from './copy-button.tsx';
import { Problem } from './problem.tsx';
import './dialog.css';
import './set-key.css';

/** `provider`: the one that failed. Journals of before do not say which. */
export function SetKey({ provider }: { provider: string | undefined }) {
  return (
    <details class="set-key">
      <summary>Set the key</summary>
      {provider === undefined ? <Places /> : <KeyForm provider={provider} />}
    </details>
  );
}

function KeyForm({ provider }: { provider: string }) {
  const [key, setKey] = useState('');
  const [stored, setStored] = useState<string>();
  const { attempt, problem } = useAttempt();
  const send = () =>
    attempt(async () => {
      const { file, overruledBy } = await server.setKey({ body: { answerer: provider, key: key.trim() } });
      setKey('');
      const said = `Stored in ${oneLine(file)}.`;
      setStored(
        overruledBy === undefined
          ? `${said} Try again has it.`
          : `${said} The variable ${overruledBy} has a key too, and goes before it: take that out and start ollm again.`,
      );
      announce(said);
    });
  return (
    <form onSubmit={onSubmit(send)}>
      <label class="field grow">
        <span class="meta">Key for {oneLine(provider)}</span>
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          pattern="\s*[\x21-\x7e]+\s*"
          title="A key has letters, digits and signs of ASCII, and no space in it."
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={key.trim() === ''}>
        Store
      </button>
      <p class="meta" role="status">
        {stored ?? 'It is stored in a file of yours on the machine where ollm runs, and is not shown again.'}
      </p>
      <Problem text={problem} />
    </form>
  );
}

function Places() {
  return (
    <>
      <p class="meta">This says which variable or which file it is read from, on the machine where ollm runs:</p>
      <div class="command">
        <code>ollm providers</code>
        <CopyButton text="ollm providers" />
      </div>
    </>
  );
}
