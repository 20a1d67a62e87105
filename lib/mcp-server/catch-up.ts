// Brings new texts of the sessions of every program into the catalogue before a question about them, as far as that
// takes a moment.
import type { App } from '../app/app.ts';
import { missingAfter, syncSessions } from '../app/import/sync-sessions.ts';

const MOMENT_MS = 5_000;

/** A sentence on missing sessions; undefined where all are indexed. */
export async function catchUp(app: App, signal: AbortSignal): Promise<string | undefined> {
  return missingAfter(await syncSessions(app, { signal, budgetMs: MOMENT_MS })).at(0);
}
