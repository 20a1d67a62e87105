// Whether one of many sessions in a database has changed. The file changes with each of them, and no column of a
// program can be trusted to change with each edit: a clock may be set back, and other tools edit rows too. So all
// values that a session is read from are hashed, in less than a tenth of the time of indexing it.
import { createHash } from 'node:crypto';
import { isOllmError } from '../errors/index.ts';
import type { Agent, Source, SourceForm } from './agent.ts';
import type { SourceFiles } from './open-source.ts';
import { type OpenedDatabase, openDatabase } from './sqlite.ts';

/** All that a session is read from, at one moment. */
export interface SessionContent {
  /** This stays the same as long as the session gives the same events and the same head. */
  readonly hash: string;
  /** Whether that is so in any case. Otherwise only if the file had not changed within the two seconds before. */
  readonly isCertain: boolean;
}

/**
 * The content of now.
 *
 * @example
 * contentOf(opencode, source, files)?.hash === before.hash; // true as long as only other sessions change
 * @returns undefined for a session outside of a database for many, and for one that cannot be read now
 */
export function contentOf(agent: Agent, source: Source, files: SourceFiles): SessionContent | undefined {
  using opened = openContent(agent, source, files);
  return opened?.now();
}

/** The database of a session, open for as long as something else reads it. */
interface OpenContent extends Disposable {
  /** The content of now, if no other process has written into the database since this was opened. */
  now(): SessionContent | undefined;
}

/** Undefined as in `contentOf`. */
export function openContent(agent: Agent, source: Source, files: SourceFiles): OpenContent | undefined {
  const stored = agent.stored(source);
  if (stored.kind !== 'rows' || stored.own === undefined) return undefined;
  try {
    const database = openDatabase(files, source.path, stored.columns);
    return { now: () => contentIn(database, stored, source), [Symbol.dispose]: () => database.close() };
  } catch (error) {
    if (isOllmError(error)) return undefined;
    throw error;
  }
}

/** Undefined if another process has written into the database since it was opened. */
export function contentIn(database: OpenedDatabase, stored: SourceForm, source: Source): SessionContent | undefined {
  if (stored.kind !== 'rows' || stored.own === undefined) return undefined;
  try {
    const hash = createHash('sha256').update(`${JSON.stringify(source)}\n`);
    for (const rows of stored.own(source)) database.hashRows(rows, hash);
    if (!database.isUnwritten()) return undefined;
    return { hash: hash.digest('base64url'), isCertain: database.seesEachWrite };
  } catch (error) {
    // Such as a version of the program without one of the columns.
    if (isOllmError(error)) return undefined;
    throw error;
  }
}
