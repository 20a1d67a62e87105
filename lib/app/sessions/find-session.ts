// Which session the user means: an id, a unique prefix of one, a title, or @last. The one place in which what the user
// typed becomes a session; any other text never becomes a path.
import { nearest } from '../../config/nearest.ts';
import { OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import type { JournalReader } from '../../journal/types.ts';
import type { App } from '../app.ts';
import { listBareSessions } from '../list/bare-sessions.ts';
import { listSessions, type SessionRow } from '../list/list-sessions.ts';
import { openForReading } from './open-for-reading.ts';
import { readOlderForm } from './upgrade-session.ts';

export const LAST = '@last';
const MAX_CANDIDATES = 5;
const MAX_REFERENCE_LENGTH = 200;
/** What a title may hold and a path must not. */
const HOSTILE = /[\p{Cc}/\\]|^\.+$|%2e|%2f/iu;

/** A session that is there. */
export interface FoundSession {
  readonly id: string;
  /**
   * Opens it for reading; close the reader afterwards.
   * @throws OllmError JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE
   */
  open(): Promise<JournalReader>;
  /** What `work` makes of its journal, which is closed afterwards. @throws as `open` */
  read<Result>(work: (reader: JournalReader) => Promise<Result>): Promise<Result>;
}

/**
 * The session that `reference` names: an id, a unique prefix of one, a title, or `@last`. `current`: the session that
 * is open, which `@last` does not mean. A session of the older form can be read through `app.store` afterwards.
 *
 * @example
 * const { id, read } = await findSession(app, '550e84');
 * const { events } = await read((reader) => reader.verify());
 * @throws OllmError SESSION_ID_INVALID, SESSION_NOT_FOUND (with near matches), SESSION_AMBIGUOUS (with the candidates),
 * JOURNAL_DAMAGED (a session of the older form cannot be read)
 */
export async function findSession(
  app: App,
  reference: string,
  { current }: { readonly current?: string } = {},
): Promise<FoundSession> {
  const id = await find(app, reference, current);
  await readOlderForm(app, id);
  const open = () => openForReading(app, id);
  return {
    id,
    open,
    async read(work) {
      const reader = await open();
      try {
        return await work(reader);
      } finally {
        reader.close();
      }
    },
  };
}

/**
 * The id of the session that `reference` names, as `findSession`.
 *
 * @example
 * const id = await resolveId(app, '550e84');
 * @throws OllmError as `findSession`
 */
export async function resolveId(app: App, reference: string, options?: { readonly current?: string }): Promise<string> {
  return (await findSession(app, reference, options)).id;
}

async function find(app: App, reference: string, current: string | undefined): Promise<string> {
  const text = reference.trim();
  if (text === LAST) return lastId(app, current);
  const journals = await app.store.list();
  const ids = [...journals, ...listBareSessions(app, journals)].map(({ id }) => id).sort();
  const id = pickId(text, ids, 'sessions');
  if (id !== undefined) return id;
  if (text === '' || text.length > MAX_REFERENCE_LENGTH || HOSTILE.test(text)) throw invalid(text);
  const rows = await listSessions(app);
  const titled = rows.filter(({ summary }) => summary?.title?.toLowerCase() === text.toLowerCase());
  if (titled.length === 0) throw notFound(text, ids, rows);
  return onlyOne(
    text,
    titled.map((row) => row.id),
    'sessions are called',
  );
}

/**
 * The one of `ids` that `text` is, or is the beginning of. `what`: the word for them in the message.
 * @throws OllmError SESSION_AMBIGUOUS
 */
export function pickId(text: string, ids: readonly string[], what: string): string | undefined {
  const id = text.toLowerCase();
  if (ids.includes(id)) return id;
  const prefixed = isSessionId(id) ? ids.filter((candidate) => candidate.startsWith(id)) : [];
  return prefixed.length === 0 ? undefined : onlyOne(text, prefixed, `${what} begin with`);
}

async function lastId(app: App, current: string | undefined): Promise<string> {
  const others = (await app.store.list()).filter(({ id }) => id !== current);
  if (others.length > 0)
    return others.reduce((latest, info) => (info.modifiedMs > latest.modifiedMs ? info : latest)).id;
  throw new OllmError('SESSION_NOT_FOUND', `There is no ${current === undefined ? '' : 'other '}session yet.`, {
    hint: 'Start one with "ollm repl".',
  });
}

function onlyOne(text: string, ids: readonly string[], relation: string): string {
  const [first] = ids;
  if (ids.length === 1 && first !== undefined) return first;
  const shown = ids.slice(0, MAX_CANDIDATES).join(', ');
  const more = ids.length > MAX_CANDIDATES ? `, and ${ids.length - MAX_CANDIDATES} more` : '';
  throw new OllmError('SESSION_AMBIGUOUS', `${ids.length} ${relation} ${JSON.stringify(text)}: ${shown}${more}.`, {
    hint: 'Give more of the id.',
    data: { reference: text, candidates: ids },
  });
}

function invalid(text: string): OllmError {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return new OllmError('SESSION_ID_INVALID', `${JSON.stringify(shown)} is not an id, prefix or title of a session.`, {
    hint: '"ollm list" shows all sessions; @last is the one used last.',
    data: { reference: shown },
  });
}

function notFound(text: string, ids: readonly string[], rows: readonly SessionRow[]): OllmError {
  const titles = new Map(rows.flatMap(({ id, summary }) => (summary?.title ? [[summary.title, id]] : [])));
  const near = nearest(text, ids) ?? nearest(text, [...titles.keys()]);
  const meant = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  return new OllmError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(text)}.${meant}`, {
    hint: '"ollm list" shows all sessions; @last is the one used last.',
    data: { reference: text, near: near === undefined ? undefined : (titles.get(near) ?? near) },
  });
}
