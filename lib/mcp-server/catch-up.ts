// Brings new texts of the sessions of every program into the catalogue before a question about them, as far as that
// takes a moment.

import type { App } from '../app/app.ts';
import { syncSessions } from '../app/import/sync-sessions.ts';

const MOMENT_MS = 5_000;

/** A sentence on missing sessions; undefined where all are indexed. */
export async function catchUp(app: App, signal: AbortSignal): Promise<string | undefined> {
  const synced = await syncSessions(app, { signal, budgetMs: MOMENT_MS });
  switch (synced.kind) {
    case 'done': {
      const { left } = synced.report;
      return left === 0 ? undefined : `${left} sessions are not indexed yet: ask again, or run "ollm sync".`;
    }
    case 'busy':
      return 'Another process brings the catalogue up to date: what is new may be missing.';
    default:
      return `The catalogue ${synced.reason}: what is new in it is missing here.`;
  }
}
