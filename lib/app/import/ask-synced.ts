// A question to the catalogue about the sessions as they are now: changed ones are read first, for a moment, and
// sentences name the missing ones.
import type { DatabaseSync } from 'node:sqlite';
import { countOf } from '../../display/quantities.ts';
import type { SyncOutcome } from '../../hub/sync.ts';
import type { App } from '../app.ts';
import { syncSessions, unusableCatalog } from './sync-sessions.ts';

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
  if (outcome.kind === 'refused') throw unusableCatalog(app, outcome.reason);
  if (outcome.kind === 'absent') throw unusableCatalog(app, synced.kind === 'refused' ? synced.reason : 'is not there');
  return { value: outcome.value, leftOut: missingAfter(synced) };
}

function missingAfter(synced: SyncOutcome): readonly string[] {
  if (synced.kind === 'refused') return [`The catalogue ${synced.reason}: what is new in it is missing here.`];
  if (synced.kind === 'busy') return ['Another process brings the catalogue up to date: what is new may be missing.'];
  const { left } = synced.report;
  return left === 0 ? [] : [`${countOf(left, 'session')} changed and are not indexed yet: run "ollm sync".`];
}
