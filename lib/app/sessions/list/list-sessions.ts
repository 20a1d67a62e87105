// The rows of `ollm list`: from the index where it holds, else from the state files where they do, else from the journals
// themselves.
import { join } from 'node:path';
import { isOllmError } from '../../../errors/index.ts';
import { journalFileInfo } from '../../../journal/files/file-info.ts';
import { journalName } from '../../../journal/paths.ts';
import type { JournalFileInfo } from '../../../journal/types.ts';
import { summarizeListed } from '../../../session/summarize.ts';
import type { App } from '../../app.ts';
import type { Unanswered } from './ask-index.ts';
import { type BareSession, listBareSessions } from './bare-sessions.ts';
import { type ListIndex, openListIndex } from './list-index.ts';
import { ORDERS, orderlyRow, type SessionOrder, type SessionRow, sessionRow } from './session-row.ts';

export type { SessionOrder, SessionRow } from './session-row.ts';

/** How many sessions are listed, in which order. */
export interface ListOptions {
  readonly limit?: number | undefined;
  readonly sort?: SessionOrder | undefined;
}

/**
 * The sessions that there are, newest activity first unless told otherwise. Never fails for the sake of one session.
 *
 * @example
 * for (const { id, summary } of listSessions(app, { limit: 10 })) console.log(id, summary?.title);
 */
export function listSessions(
  app: App,
  { limit = Number.POSITIVE_INFINITY, sort = 'activity' }: ListOptions = {},
): SessionRow[] {
  const { journals, otherNames } = app.store.listing();
  const newestFirst = [...journals].sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1));
  // A file is written whenever something happens, so the newest files are the newest sessions: the others need no reading.
  const needed = sort === 'activity' ? newestFirst.slice(0, limit) : newestFirst;
  const index = openListIndex(app);
  const listed = needed.map((info) => rowOf(app, info, index));
  index.save(() => journals);
  const rows = [...listed, ...listBareSessions(app, journals, otherNames).map(bareRow)];
  return rows.sort(ORDERS[sort]).slice(0, limit);
}

/** The rows of what the index of the list does not answer, in the order of a list. Remembers them for the next one. */
export function listUnanswered(app: App, { journals, perhapsOpen, documents }: Unanswered): SessionRow[] {
  const { fileSystem, paths, store } = app;
  const index = openListIndex(app);
  const asked: Pick<ListIndex, 'find' | 'remember'> = {
    ...index,
    find: (info) => (perhapsOpen.has(info.id) ? index.find(info) : undefined),
  };
  const rows = journals.flatMap((id) => {
    const stat = fileSystem.stat(join(paths.sessions, journalName(id)));
    return stat === undefined ? [] : [rowOf(app, journalFileInfo(id, stat), asked)];
  });
  index.save(() => store.list());
  return [...rows, ...listBareSessions(app, [], documents).map(bareRow)].sort(ORDERS.activity);
}

function rowOf(
  { store }: Pick<App, 'store'>,
  info: JournalFileInfo,
  index: Pick<ListIndex, 'find' | 'remember'>,
): SessionRow {
  const { id } = info;
  try {
    const known = index.find(info);
    if (known !== undefined) return orderlyRow(info, known, !known.closed && store.holder(id) !== undefined);
    const { summary, events, damaged, atRest, sealed } = summarizeListed(store, info);
    const locked = !atRest && store.holder(id) !== undefined;
    if (events > 0 && damaged === 0 && !locked && !sealed) index.remember(info, summary);
    // Its title is sealed: what stands in its place says why there is none.
    if (events > 0) return sessionRow(info, { locked, summary, problem: sealed && 'encrypted', damaged });
    const problem = 'The journal holds no event that can be read.';
    return sessionRow(info, { locked, summary: undefined, problem, damaged });
  } catch (error) {
    const problem = isOllmError(error) ? error.message : String(error);
    return sessionRow(info, { locked: false, summary: undefined, problem, damaged: 0 });
  }
}

function bareRow(session: BareSession): SessionRow {
  const problem = 'A session of an older form: it gets a journal when it is opened.';
  return sessionRow(session, { locked: false, summary: undefined, problem, damaged: 0 });
}
