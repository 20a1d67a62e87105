// Figures that the catalogue counted of sessions, for views that show more than a list: tokens, dollars,
// the shape, and how the last message begins.
import type { DatabaseSync } from 'node:sqlite';

export interface SessionFigures {
  readonly agent: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string | null;
  readonly model: string | null;
  /** Milliseconds since 1970. */
  readonly lastActivity: number | null;
  readonly tokens: number | null;
  /** US dollars; null where no price is known. */
  readonly cost: number | null;
  /** See session-shape.ts. */
  readonly shape: Uint8Array | null;
  /** How the last message begins, and whose it is. */
  readonly said: string | null;
  readonly saidBy: 'user' | 'assistant' | null;
}

const FIGURES = `
  SELECT agent, id, title, project, model, last_activity AS lastActivity, tokens, cost, shape, said,
    said_by AS saidBy FROM sessions`;

/** Figures of one session, in any directory in which its program keeps it. */
export function figuresOf(
  database: DatabaseSync,
  sessions: readonly { readonly agent: string; readonly id: string }[],
): Map<string, SessionFigures> {
  const query = database.prepare(`${FIGURES} WHERE agent = ? AND id = ? ORDER BY last_activity DESC LIMIT 1`);
  const found = new Map<string, SessionFigures>();
  for (const { agent, id } of sessions) {
    const row = query.get(agent, id) as unknown as SessionFigures | undefined;
    if (row !== undefined) found.set(`${agent}:${id}`, row);
  }
  return found;
}
