// The sessions that began as copies of others: those that the list of handovers of this home names, and those whose own
// files name their source, as they do where another home or another machine made them.
import type { DatabaseSync } from 'node:sqlite';
import { partsOf } from './address-parts.ts';
import { idBefore, lastIdBeside } from './message-id.ts';

/** The session that another one began as a copy of. */
export interface CopyOf {
  /** `agent:id` */
  readonly from: string;
  /** Milliseconds since 1970: older events are copies. */
  readonly untilMs: number;
}

/** A mark of a session. The column `copied` has them as JSON: that of its source, then that of the source of that. */
export interface StoredMark {
  /** `agent:id` */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly began: number | undefined;
  readonly until: number;
}

const MARKED = 'SELECT agent, id, copied FROM sessions WHERE copied IS NOT NULL';
/** The plus keeps SQLite from looking at each message of the session: those of one second are few. */
const SAID_THEN = `
  SELECT 1 FROM messages
  WHERE id > ? AND id <= ? AND at = ? AND +session IN (SELECT number FROM sessions WHERE agent = ? AND id = ?)`;

/**
 * By `agent:id`. `listed`: those of the list of handovers. A mark counts where the source that it names said something
 * at the time of the first or of the last copied item: in another home the same name may be that of another session.
 */
export function knownCopies<Copy extends CopyOf>(
  database: DatabaseSync,
  listed: ReadonlyMap<string, Copy> | undefined,
): ReadonlyMap<string, CopyOf | Copy> {
  const copies = new Map<string, CopyOf | Copy>(listed);
  const find = database.prepare(SAID_THEN);
  for (const { agent, id, copied } of database.prepare(MARKED).all()) {
    const address = `${String(agent)}:${String(id)}`;
    if (copies.has(address)) continue;
    const mark = (JSON.parse(String(copied)) as StoredMark[]).find(({ from, began, until }) =>
      [began, until].some((ms) => {
        if (ms === undefined) return false;
        const before = idBefore(ms);
        return find.get(before, lastIdBeside(before), ms, ...partsOf(from)) !== undefined;
      }),
    );
    if (mark !== undefined) copies.set(address, { from: mark.from, untilMs: mark.until });
  }
  return copies;
}
