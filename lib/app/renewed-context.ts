// What is said of the repository, as it is before a turn. Only where the session has such an entry, which `--context`
// puts there; and only what differs becomes an event. Where the commit is the same, git is started once.
import { GIT_KEY } from '../context/entries.ts';
import { isSameEntry, newEntry } from '../context/new-entry.ts';
import type { NewOllmEvent } from '../events/index.ts';
import type { ContextEntry } from '../projections/context.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import type { App } from './app.ts';

/** The events that say what the entries no longer do. */
export async function renewedContext(
  app: App,
  entries: readonly ContextEntry[],
  signal: AbortSignal,
): Promise<readonly NewOllmEvent[]> {
  const known = entries.find(({ key, source }) => key === GIT_KEY && source === 'system');
  if (known === undefined) return [];
  const { gitContext } = await import('./project/git-context.ts');
  const content = await gitContext(app, { before: known.content, signal });
  if (signal.aborted) return [];
  if (content === undefined) return [{ type: 'context.removed', data: { key: GIT_KEY, reason: 'expired' } }];
  const redact = await app.redactor();
  const { event } = newEntry(
    { ...known, content },
    { redact: (text) => redact(text).text, count: estimatingCounter.count, now: app.clock.now() },
  );
  return event === undefined || isSameEntry(known, event.data) ? [] : [event];
}
