// Before there is a session.
import { server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { State } from './state.tsx';

/** Nothing was found: what ollm is for, and what can be done. */
export function FirstStart({ project }: { project: string | undefined }) {
  const models = useResource('models', (signal) => server.listModels({ parameters: { provider: 'ollm' }, signal }));
  // What answers without a model only searches the files here.
  const hasModel = models.value?.models.some(({ answerer }) => answerer !== 'offline') !== false;
  return (
    <div class="view-body" tabIndex={0}>
      <State
        icon="sessions"
        title={project === undefined ? 'No sessions yet' : 'No sessions in this project'}
        actions={
          <a class="button main" href="/new">
            New session
          </a>
        }
      >
        {project === undefined
          ? 'Sessions of Claude Code, Codex, Gemini CLI, Cursor, Copilot CLI, Qwen Code, opencode and pi appear here by themselves: ollm reads their files and never changes them. Or start one here.'
          : 'Start one here, or use an agent there: it appears by itself.'}
      </State>
      {hasModel ? null : (
        <State icon="tool" title="No model answers yet" command="ollm providers">
          Start Ollama on this machine, or set up another provider; <code>ollm providers</code> says what each needs.
          Until then a new session can search the files of its directory.
        </State>
      )}
    </div>
  );
}
