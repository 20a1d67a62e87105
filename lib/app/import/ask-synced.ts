// A question to the catalogue about the sessions as they are now: changed ones are read first, for a moment, and
// sentences name the missing ones.
import type { DatabaseSync } from 'node:sqlite';
import type { App } from '../app.ts';
import { missingAfter, requireAnswer, syncSessions } from './sync-sessions.ts';

interface AskSyncedOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long changed sessions are read. */
  readonly syncMs: number;
}

/** @throws OllmError IO_FAILED (the catalogue cannot be used) */
export async function askSynced<Result>(
  app: App,
  query: (database: DatabaseSync) => Result,
  { signal, syncMs }: AskSyncedOptions,
): Promise<{ readonly value: Result; readonly leftOut: readonly string[] }> {
  let synced = await syncSessions(app, { signal, budgetMs: syncMs });
  let outcome = await app.catalog.ask(query);
  if (outcome.kind === 'refused') {
    // Damage shows where it is read: the next write makes the catalogue again.
    synced = await syncSessions(app, { signal, budgetMs: syncMs });
    outcome = await app.catalog.ask(query);
  }
  return { value: requireAnswer(app, outcome, synced), leftOut: missingAfter(synced) };
}
