// The catalogue's facts about sessions for a list, with the file that they come from.
import type { DatabaseSync } from 'node:sqlite';
import type { SourceFile } from './text-source.ts';

export interface CataloguedSession {
  readonly id: string;
  readonly path: string | null;
  /** The title, else the first prompt on one line. */
  readonly title: string | null;
  readonly project: string | null;
  readonly model: string | null;
  readonly branch: string | null;
  readonly remote: string | null;
  readonly parent: string | null;
  /** Id of the session of which it began as a copy. */
  readonly forkedFrom: string | null;
  readonly programId: string | null;
  /** Milliseconds since 1970. */
  readonly started: number | null;
  readonly lastActivity: number | null;
  readonly messages: number | null;
  readonly state: 'here' | 'gone';
  /** The file as it was when it was read; null where it may have changed meanwhile. */
  readonly inode: number | null;
  readonly size: number | null;
  readonly changed: number | null;
}

const LISTED = `
  SELECT id, path, title, project, model, branch, remote, parent, forked_from AS forkedFrom, program_id AS programId, started, last_activity AS lastActivity, messages, state,
    inode, size, changed
  FROM sessions LEFT JOIN sources ON session = number WHERE agent = ? AND directory = ?`;

/** By id. */
export function cataloguedSessions(
  database: DatabaseSync,
  { agent, directory }: { readonly agent: string; readonly directory: string },
): Map<string, CataloguedSession> {
  const rows = database.prepare(LISTED).all(agent, directory) as unknown as CataloguedSession[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the file is the one that the row was read from. */
export function isOfFile({ inode, size, changed }: CataloguedSession, file: SourceFile | undefined): boolean {
  return file !== undefined && inode === Number(file.inode) && size === file.size && changed === Number(file.changedNs);
}

/** The number of each agent grows with every change of a row of its sessions. */
export function revisionsIn(database: DatabaseSync): Map<string, number> {
  const rows = database.prepare('SELECT agent, number FROM revisions').all();
  return new Map(rows.map(({ agent, number }) => [String(agent), Number(number)]));
}
