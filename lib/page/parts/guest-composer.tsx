// Where a guest types who may take part: a text and nothing else.
import { useState } from 'preact/hooks';
import { ApiError, server } from '../api/server.ts';
import { onSubmit } from '../router.ts';
import { useForm } from '../state/form.ts';
import { Icon } from './icon.tsx';
import { Problem } from './problem.tsx';
import './composer.css';

export function GuestComposer({ address }: { address: string }) {
  const [text, setText] = useState('');
  const form = useForm(
    async () => {
      await server.takeTurn({ parameters: { id: address }, body: { prompt: text } });
      setText('');
    },
    (error) => (error instanceof ApiError ? error.message : 'It could not be sent. It is still here.'),
  );
  const isEmpty = text.trim() === '';
  const send = () => isEmpty || form.send();
  return (
    <>
      <Problem text={form.problem} />
      <form class="composer" id="composer" onSubmit={onSubmit(send)}>
        <textarea
          rows={2}
          value={text}
          maxLength={32_000}
          aria-label="Your message"
          placeholder="Ask in this session. Its owner decides about every tool."
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            onSubmit(send)(event);
          }}
        />
        <div class="composer-bar">
          <span class="meter" />
          <button type="submit" class="button main round" disabled={isEmpty || form.isSending} aria-label="Send">
            <Icon name="send" />
          </button>
        </div>
      </form>
    </>
  );
}
