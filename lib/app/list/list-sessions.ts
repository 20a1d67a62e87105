// The rows of `ollm list`: from the catalogue where its row holds, else from the session's state file or journal. What
// was read is offered to the catalogue afterwards, and the answer is the same without one.
import { join } from 'node:path';
import { OWN_ROWS } from '../../catalog/catalog.ts';
import { type RowSource, stampOf } from '../../catalog/list-table.ts';
import { isClean } from '../../environment/redact-value.ts';
import { checkArguments } from '../../errors/arguments.ts';
import { isOllmError, unless } from '../../errors/index.ts';
import { journalFileInfo } from '../../journal/files/journal-file.ts';
import { FORMAT } from '../../journal/format.ts';
import { journalName } from '../../journal/paths.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import { isSettled } from '../../platform/files/settled.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import { subagentsIn } from '../../session/subagent-id.ts';
import { summarizeListed } from '../../session/summarize.ts';
import { isEncrypted } from '../../stores/sealing/session-keys.ts';
import type { App } from '../app.ts';
import { placeOf } from '../journals/place.ts';
import { type BareSession, listBareSessions } from './bare-sessions.ts';
import { ORDERS, type OwnSessionRow, type ReadRow, type SessionOrder, sessionRow } from './session-row.ts';

export type { OwnSessionRow as SessionRow, SessionOrder, SessionRow as AnySessionRow } from './session-row.ts';

/** How many sessions are listed, in which order. */
export interface ListOptions {
  readonly limit?: number | undefined;
  readonly sort?: SessionOrder | undefined;
  /** The ids of those that are left out, of all journals of the store. */
  readonly without?: ((journals: readonly JournalFileInfo[]) => Promise<ReadonlySet<string>>) | undefined;
}

/**
 * The sessions of the store, newest activity first by default. Never fails because of one session.
 *
 * @example
 * for (const { id, summary } of await listSessions(app, { limit: 10 })) console.log(id, summary?.title);
 */
export async function listSessions(app: App, options: ListOptions = {}): Promise<OwnSessionRow[]> {
  checkArguments('listSessions', { app: 'App', options: 'object' }, [app, options]);
  const { limit = Number.POSITIVE_INFINITY, sort = 'activity', without = async () => new Set() } = options;
  const journals = await app.store.list();
  const ids = journals.map(({ id }) => id);
  const subagents = subagentsIn(ids);
  const leftOut = await without(journals);
  const isWanted = ({ id }: { readonly id: string }) => !leftOut.has(id) && !subagents.has(id);
  const wanted = journals.filter(isWanted);
  // A session's file is written with each of its events, so the newest files are the newest sessions: the others need
  // no reading.
  const isPart = sort === 'activity' && limit < wanted.length;
  const needed = isPart ? wanted.sort(newestFirst).slice(0, limit) : journals;
  const listed = (await readRows(app, needed, { isAll: !isPart })).map(({ row }) => row);
  const rows = [...listed.filter(isWanted), ...listBareSessions(app, ids).map(bareRow)];
  return rows.sort(ORDERS[sort]).slice(0, limit);
}

function newestFirst(a: JournalFileInfo, b: JournalFileInfo): number {
  return b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1);
}

/**
 * The rows of these journals. `isAll`: whether these are all of the store, so that the catalogue can drop any other.
 * Never fails because of a single session.
 */
export async function readRows(
  app: App,
  infos: readonly JournalFileInfo[],
  { isAll }: { readonly isAll: boolean },
): Promise<ReadRow[]> {
  const { store, catalog, clock } = app;
  const startedMs = clock.now();
  const place = { ...OWN_ROWS, directory: placeOf(app) };
  const known = await catalog.find<SummaryRow>(place, infos);
  const found: ReadRow[] = [];
  const rows: ReadRow[] = [];
  for (const info of infos) {
    const isLasting = isUnchanging(info, startedMs);
    const summary = known.rows.get(info.id);
    if (summary !== undefined) {
      const isOpen = !summary.closed;
      const locked = isOpen && (await store.holder(info.id)) !== undefined;
      rows.push({ info, row: sessionRow(info, { summary, locked }), isOpen, isLasting });
      continue;
    }
    const { isWhole, wasRead, ...read } = await readRow(app, info);
    const one = { info, ...read, isLasting: isLasting && wasRead };
    rows.push(one);
    if (isWhole && read.row.summary?.id === info.id && isLasting) found.push(one);
  }
  const isStale = isAll && known.count > known.rows.size;
  if (found.length > 0 || isStale) {
    const all = isAll ? new Set(infos.map(({ id }) => id)) : undefined;
    const redact = await app.redactor();
    catalog.update(place, async () => {
      const { listedJournal } = await import('./listed-journal.ts');
      return {
        found: found.map((each) => listedJournal(each, place.directory)),
        mayStore: async ({ source: { key }, summary }) =>
          isClean(summary, (text) => redact(text).text) && !(await isPerhapsEncrypted(app, key)),
        all,
        isCurrent: (source) => isCurrent(app, source),
      };
    });
  }
  return rows;
}

interface Reading {
  readonly row: OwnSessionRow;
  readonly isOpen: boolean;
  /** All of it was read, and no writer has it open. */
  readonly isWhole: boolean;
  /** What could be read of it was. */
  readonly wasRead: boolean;
}

async function readRow({ store }: App, info: JournalFileInfo): Promise<Reading> {
  try {
    const { summary, format, events, damaged, atRest, sealed } = await summarizeListed(store, info);
    const locked = !atRest && (await store.holder(info.id)) !== undefined;
    if (events === 0) {
      const problem = 'The journal holds no event that can be read.';
      return { row: sessionRow(info, { locked, problem, damaged }), isOpen: true, isWhole: false, wasRead: true };
    }
    const isWhole = damaged === 0 && !locked && !sealed && format <= FORMAT;
    // The title of an encrypted session is sealed: the row says why there is none.
    const row = sessionRow(info, { locked, summary, problem: sealed && 'encrypted', damaged });
    return { row, isOpen: !atRest, isWhole, wasRead: true };
  } catch (error) {
    const problem = isOllmError(error) ? error.message : String(error);
    return { row: sessionRow(info, { problem }), isOpen: false, isWhole: false, wasRead: false };
  }
}

function isUnchanging({ isOrdinary, inode, changedNs }: JournalFileInfo, startedMs: number): boolean {
  return isOrdinary && inode !== undefined && changedNs !== undefined && isSettled({ changedNs }, startedMs);
}

/** An encrypted session must not be in the catalogue. */
async function isPerhapsEncrypted({ store }: App, id: string): Promise<boolean> {
  return (await unless(isOllmError, () => isEncrypted(store, id))) ?? true;
}

function isCurrent({ fileSystem, paths, servers }: App, { key: id, stamp }: RowSource): boolean {
  // On servers, the row names the last message of the journal, so it cannot fit a longer one.
  if (servers) return true;
  const stat = fileSystem.stat(join(paths.sessions, journalName(id)));
  const now = stat && journalFileInfo(id, stat);
  return now !== undefined && stampOf({ ...now, size: now.bytes }) === stamp;
}

export function bareRow(session: BareSession): OwnSessionRow {
  return sessionRow(session, { problem: 'A session of an older form: it gets a journal when it is opened.' });
}
