// The passphrase of an encrypted session is typed here, sent once, and kept nowhere in the page.
import { useRef } from 'preact/hooks';
import { ApiError, server } from '../api/server.ts';
import { onSubmit } from '../router.ts';
import { useForm } from '../state/form.ts';
import { Icon } from './icon.tsx';
import './unlock.css';

interface Props {
  address: string;
  /** Called once the session is open. */
  onOpen: () => void;
}

export function Unlock({ address, onOpen }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const { isSending, problem, send } = useForm(async () => {
    const { current } = field;
    if (!current) return;
    try {
      await server.unlockSession({ parameters: { id: address }, body: { passphrase: current.value } });
    } catch (error) {
      current.select();
      throw error;
    }
    current.value = '';
    onOpen();
  }, problemOf);
  return (
    <form class="unlock" aria-label="Open this session" onSubmit={onSubmit(() => field.current?.value && send())}>
      <label for="passphrase">Passphrase</label>
      <span class="unlock-line">
        <input
          ref={field}
          id="passphrase"
          type="password"
          autocomplete="off"
          spellcheck={false}
          maxLength={1000}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'passphrase-problem'}
        />
        <button type="submit" class="button main" disabled={isSending}>
          {isSending ? 'Opening…' : 'Open'}
        </button>
      </span>
      {problem === undefined ? null : (
        <span class="unlock-problem" id="passphrase-problem" role="alert">
          <Icon name="alert" /> {problem}
        </span>
      )}
    </form>
  );
}

function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.code === 'KEY_WRONG') return 'This passphrase does not open it.';
  const { retryAfterMs } = (error.details ?? {}) as { retryAfterMs?: number };
  const pause = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  return error.message + pause;
}
