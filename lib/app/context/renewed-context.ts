// The state of the project, as it is before a turn: the repository and the newest errors. Only in a session that was
// opened with `--context`, and only what differs becomes an event. Where the commit is the same, git is started once.
import { GIT_KEY, PROJECT_KEY, RECENT_ERRORS_KEY } from '../../context/entries.ts';
import { isSameEntry, newEntry } from '../../context/new-entry.ts';
import type { NewOllmEvent } from '../../events/index.ts';
import type { ContextEntry } from '../../projections/context.ts';
import { estimatingCounter } from '../../tokens/estimate.ts';
import type { App } from '../app.ts';

/** The events that bring the entries up to date. */
export async function renewedContext(
  app: App,
  entries: readonly ContextEntry[],
  signal: AbortSignal,
): Promise<readonly NewOllmEvent[]> {
  const ofSystem = (wanted: string) => entries.find(({ key, source }) => key === wanted && source === 'system');
  const git = ofSystem(GIT_KEY);
  const errors = ofSystem(RECENT_ERRORS_KEY);
  const renewed: NewOllmEvent[] = [];
  if (git !== undefined) {
    const { gitContext } = await import('./git-context.ts');
    const content = await gitContext(app, { before: git.content, signal });
    if (signal.aborted) return [];
    renewed.push(...(await change(app, GIT_KEY, git, content)));
  }
  // The errors of a session come after its beginning, mostly: there need not be an entry yet.
  if (errors !== undefined || ofSystem(PROJECT_KEY) !== undefined) {
    const { renewedErrors } = await import('./recent-errors.ts');
    renewed.push(...(await change(app, RECENT_ERRORS_KEY, errors, renewedErrors(app, errors?.content))));
  }
  return renewed;
}

async function change(
  app: App,
  key: string,
  known: ContextEntry | undefined,
  content: string | undefined,
): Promise<NewOllmEvent[]> {
  if (content === undefined) return known ? [{ type: 'context.removed', data: { key, reason: 'expired' } }] : [];
  const redact = await app.redactor();
  const { event } = newEntry(
    { source: 'system', ...known, key, content },
    { redact: (text) => redact(text).text, count: estimatingCounter.count, now: app.clock.now() },
  );
  return event === undefined || (known && isSameEntry(known, event.data)) ? [] : [event];
}
