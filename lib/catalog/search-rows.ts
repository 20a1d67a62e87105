// A message of the catalogue as a search reads it, and as a hit.
import type { DatabaseSync } from 'node:sqlite';
import type { Excerpt } from './hit-excerpt.ts';
import { livesIn } from './live-rows.ts';
import { unpacked } from './packed-text.ts';
import type { SearchHit } from './search-request.ts';
import type { TextKind, TextRole } from './session-texts.ts';

export type SearchRow = Readonly<Record<string, unknown>>;

export const MESSAGE = `
  SELECT m.id, m.session, m.seq, m.key, m.role, m.at, m.kind, m.size, m.tool, s.agent, s.id AS name, s.title, s.project,
    s.state, s.branches, s.parent, s.program_id AS programId
  FROM messages m JOIN sessions s ON s.number = m.session`;

/** `agent:id#KEY` */
export function addressOf({ agent, name, key, seq }: SearchRow): string {
  return `${agent}:${name}#${key ?? seq}`;
}

export function hitOf(
  row: SearchRow,
  { score, excerpt }: { readonly score: number; readonly excerpt: Excerpt },
): SearchHit {
  const [agent, id, key] = [String(row.agent), String(row.name), String(row.key ?? row.seq)];
  return {
    address: addressOf(row),
    agent,
    id,
    programId: row.programId === null ? undefined : String(row.programId),
    key,
    seq: Number(row.seq),
    title: textOf(row.title),
    project: textOf(row.project),
    role: row.role as TextRole,
    kind: row.kind as TextKind,
    why: 'text',
    at: timeOf(row.at),
    score,
    isNear: false,
    live: livesIn(row.branches)(Number(row.seq)),
    gone: row.state === 'gone',
    excerpt,
  };
}

export function textOf(column: unknown): string | undefined {
  return column === null ? undefined : String(column);
}

/** Milliseconds since 1970 as RFC 3339. 0 is stored where the source has no time. */
export function timeOf(column: unknown): string | undefined {
  return Number(column) === 0 ? undefined : new Date(Number(column)).toISOString();
}

/** Reads the texts of messages. */
export function textsIn(database: DatabaseSync): (row: SearchRow) => string {
  const read = database.prepare('SELECT text FROM messages WHERE id = ?');
  return ({ id }) => unpacked(read.get(Number(id))?.text ?? '');
}
