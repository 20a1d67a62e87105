// A new session: a prompt, a model, a directory.
import { useRef, useState } from 'preact/hooks';
import { ask, RequestFailed } from '../api/request.ts';
import type { ModelChoice } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { Icon } from '../parts/icon.tsx';
import { go, sessionLink } from '../router.ts';
import { changeDraft, draftOf, takeSent, useDraft } from '../state/draft.ts';
import { useIsComposer } from '../state/presence.ts';
import { useTitle } from '../state/title.ts';

export function NewView() {
  useIsComposer();
  const { text } = useDraft('new');
  const [workspace, setWorkspace] = useState('');
  const [model, setModel] = useState('');
  const [problem, setProblem] = useState<string>();
  const isSending = useRef(false);
  const models = useResource('models', (signal) =>
    ask<{ models: readonly ModelChoice[] }>('/providers/ollm/models', { signal }),
  );
  const workspaces = useResource('workspaces', (signal) =>
    ask<{ workspaces: readonly { path: string }[] }>('/workspaces', { signal }),
  );
  useTitle('New session');
  const send = async (): Promise<void> => {
    const sent = draftOf('new');
    if (sent.text.trim() === '' || isSending.current) return;
    isSending.current = true;
    try {
      const [answerer, ...name] = model.split(' ');
      const body = {
        prompt: sent.text,
        ...(workspace === '' ? {} : { workspacePath: workspace }),
        ...(model === '' ? {} : { answerer, model: name.join(' ') }),
      };
      const made = await ask<{ sessionId: string }>('/sessions', { method: 'POST', body });
      takeSent('new', sent);
      go(sessionLink(made.sessionId));
    } catch (error) {
      setProblem(error instanceof RequestFailed ? error.message : String(error));
    }
    isSending.current = false;
  };
  return (
    <div class="view-body" tabIndex={0}>
      <form
        class="new-form"
        aria-label="New session"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h1>New session</h1>
        <div class="composer">
          <textarea
            id="composer"
            rows={4}
            value={text}
            aria-label="Message"
            placeholder="What is it about?"
            onInput={(event) => changeDraft('new', () => ({ text: event.currentTarget.value }))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
                event.preventDefault();
                void send();
              }
            }}
          />
          <div class="composer-bar">
            <select
              aria-label="Model"
              class="button plain"
              value={model}
              onChange={(event) => setModel(event.currentTarget.value)}
            >
              <option value="">As configured</option>
              {models.value?.models.map((each) => (
                <option key={`${each.answerer} ${each.value}`} value={`${each.answerer} ${each.value}`}>
                  {each.displayName ?? each.value} ({each.answerer})
                </option>
              ))}
            </select>
            <select
              aria-label="Directory"
              class="button plain"
              value={workspace}
              onChange={(event) => setWorkspace(event.currentTarget.value)}
            >
              <option value="">Where ollm was started</option>
              {workspaces.value?.workspaces.map(({ path }) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
            </select>
            <span class="meter" />
            <button type="submit" class="button main round" disabled={text.trim() === ''} aria-label="Send">
              <Icon name="send" />
            </button>
          </div>
        </div>
        {problem === undefined ? null : (
          <p class="queued" role="alert">
            <Icon name="alert" />
            {problem}
          </p>
        )}
        <p class="meta">Enter sends, Shift Enter makes a new line. Tools ask before they change anything.</p>
      </form>
    </div>
  );
}
