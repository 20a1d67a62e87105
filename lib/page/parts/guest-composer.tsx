// Where a guest types who may take part: a text and nothing else.
import { useState } from 'preact/hooks';
import { ApiError, server } from '../api/server.ts';
import { Icon } from './icon.tsx';
import { Problem } from './problem.tsx';
import './composer.css';

export function GuestComposer({ address }: { address: string }) {
  const [text, setText] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    if (text.trim() === '' || isSending) return;
    setIsSending(true);
    setProblem(undefined);
    try {
      await server.takeTurn({ parameters: { id: address }, body: { prompt: text } });
      setText('');
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'It could not be sent. It is still here.');
    } finally {
      setIsSending(false);
    }
  };
  return (
    <>
      <Problem text={problem} />
      <form
        class="composer"
        id="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <textarea
          rows={2}
          value={text}
          maxLength={32_000}
          aria-label="Your message"
          placeholder="Ask in this session. Its owner decides about every tool."
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
        <div class="composer-bar">
          <span class="meter" />
          <button type="submit" class="button main round" disabled={text.trim() === '' || isSending} aria-label="Send">
            <Icon name="send" />
          </button>
        </div>
      </form>
    </>
  );
}
