// Before there is a session, and before those of other programs were read.
import { useState } from 'preact/hooks';
import { ask, RequestFailed } from '../api/request.ts';
import type { ModelChoice, SentSessionRow } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { plural } from '../model/numbers.ts';
import { announce } from '../state/announce.ts';
import { Notice } from './notice.tsx';
import { State } from './state.tsx';

/** Nothing was found: what ollm is for, and what can be done. */
export function FirstStart({ project }: { project: string | undefined }) {
  const models = useResource('models', (signal) =>
    ask<{ models: readonly ModelChoice[] }>('/providers/ollm/models', { signal }),
  );
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

/** Offers to read what was found and never read: until then search and costs lack it. */
export function NotReadIn({
  rows,
  isWhole,
  onRead,
}: {
  rows: readonly SentSessionRow[];
  /** No session is missing among the rows: their number is known. */
  isWhole: boolean;
  onRead: () => void;
}) {
  const [isReading, setIsReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const unread = rows.filter(
    ({ agent, messageCount, problem: why }) => agent !== 'ollm' && messageCount === undefined && !why,
  );
  if (unread.length === 0 && !isReading) return null;
  const read = async (): Promise<void> => {
    setIsReading(true);
    try {
      const { read: done, left } = await ask<{ read: number; left: number }>('/sessions/sync', {
        method: 'POST',
        body: {},
      });
      announce(`${plural(done, 'session')} read${left > 0 ? `, ${left} left` : ''}`);
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof RequestFailed ? error.message : String(error));
    }
    setIsReading(false);
    onRead();
  };
  return isReading ? (
    <Notice tone="info" title={isWhole ? `Reading ${plural(unread.length, 'session')}.` : 'Reading sessions.'}>
      You can use what is there.
    </Notice>
  ) : (
    <Notice
      tone="info"
      title={
        isWhole
          ? `${plural(unread.length, 'session')} of other programs ${unread.length === 1 ? 'was' : 'were'} not read yet.`
          : 'Sessions of other programs were not read yet.'
      }
      action="Read them"
      onAction={() => void read()}
    >
      {problem ?? 'Search and costs lack them until then. Their files are never changed.'}
    </Notice>
  );
}
