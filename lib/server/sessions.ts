// Sessions of every program: lists, one row, history and messages.

import { AGENT_NAMES } from '../agents/registry.ts';
import type { SESSION_ROUTES } from '../api/sessions.ts';
import type { App } from '../app/app.ts';
import type { AnyRow } from '../app/list/list-all.ts';
import { listAll } from '../app/list/list-all.ts';
import { exactSession } from '../app/sessions/exact-session.ts';
import type { FoundConversation } from '../app/sessions/found.ts';
import { type EventPage, readPage } from '../app/sessions/read-page.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import type { SessionEvent } from '../journal/types.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ApiFailure } from './failure.ts';
import { messagesOf } from './unify.ts';

const SEPARATOR = '/';

export const sessionHandlers: Handlers<NamesOf<typeof SESSION_ROUTES>> = {
  async listSessions({ query, context, signal }) {
    const { provider, project, since, limit = 100, after } = query;
    requireProvider(provider);
    const sinceMs = since === undefined ? undefined : timeIn(since);
    const { rows, unreadable } = await listAll(context.app, { agent: provider, project, sinceMs, signal });
    const begin = after === undefined ? 0 : behind(rows, after);
    const sessions = rows.slice(begin, begin + limit);
    const last = sessions.at(-1);
    const isMore = begin + limit < rows.length && last !== undefined;
    return { sessions, total: rows.length, ...(isMore && { next: placeOf(last) }), unreadable };
  },

  async getSession({ parameters, context, signal }) {
    const { app } = context;
    const { id, kind } = await exactSession(app, parameters.id);
    const { rows } = await listAll(app, { agent: kind === 'own' ? OWN_AGENT : id.split(':')[0], signal });
    const row = rows.find((each) => (kind === 'own' ? each.id : each.address) === id);
    if (row === undefined) throw new ApiFailure('SESSION_NOT_FOUND', `There is no session ${parameters.id}.`);
    return row;
  },

  async getHistory({ parameters, query, context, signal }) {
    const found = await exactSession(context.app, parameters.id);
    const page = await pageOf(found, query, signal);
    const whose = whoseOf(found);
    const path = pathOf(context.app, found);
    return {
      ...whose,
      ...(page.workspacePath && { workspacePath: page.workspacePath }),
      filePath: path,
      fileType: fileTypeOf(path),
      ...placeIn(page),
      entries: page.events.map(entryOf),
      messages: query.messages === false ? [] : messagesOf(page.events, whose),
      damage: page.damage,
    };
  },

  async getMessages({ parameters, query, context, signal }) {
    const found = await exactSession(context.app, parameters.id);
    const page = await pageOf(found, query, signal);
    const whose = whoseOf(found);
    return { ...whose, ...placeIn(page), messages: messagesOf(page.events, whose), damage: page.damage };
  },
};

function requireProvider(name: string | undefined): void {
  const names: readonly string[] = [OWN_AGENT, ...AGENT_NAMES];
  if (name === undefined || names.includes(name)) return;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `“${name}” is not a provider.`, { providers: names });
}

function timeIn(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms))
    throw new ApiFailure('INVALID_QUERY', '“since” is not a time: write it like 2026-11-21T20:49:00Z.');
  return ms;
}

/** A row that moves up meanwhile is not seen twice. */
function placeOf({ lastActivity, address }: AnyRow): string {
  return `${lastActivity}${SEPARATOR}${address}`;
}

/** How many rows come before those behind the place. */
function behind(rows: readonly AnyRow[], place: string): number {
  const cut = place.indexOf(SEPARATOR);
  const [activity, address] = [place.slice(0, cut), place.slice(cut + 1)];
  if (cut < 0 || Number.isNaN(Date.parse(activity)))
    throw new ApiFailure('INVALID_QUERY', '“after” is not the `next` of a page.');
  const index = rows.findIndex(
    (row) => row.lastActivity < activity || (row.lastActivity === activity && row.address > address),
  );
  return index < 0 ? rows.length : index;
}

async function pageOf(
  { read }: FoundConversation,
  { from = 0, limit = 100 }: { readonly from?: number | undefined; readonly limit?: number | undefined },
  signal: AbortSignal,
): Promise<EventPage & { readonly workspacePath: string | undefined }> {
  return read(async (reader) => {
    const page = await readPage(reader, { from, limit, signal });
    const { cwd } = (await reader.first())?.data ?? {};
    return { ...page, workspacePath: typeof cwd === 'string' ? cwd : undefined };
  });
}

function whoseOf({ kind, id }: FoundConversation): { readonly sessionId: string; readonly provider: string } {
  return { sessionId: id, provider: kind === 'own' ? OWN_AGENT : (id.split(':')[0] ?? OWN_AGENT) };
}

function placeIn({ head, next }: EventPage): { readonly head?: number; readonly next?: number } {
  return { ...(head !== undefined && { head }), ...(next !== undefined && { next }) };
}

function pathOf({ paths }: App, found: FoundConversation): string {
  return found.kind === 'foreign' ? found.source.path : `${paths.sessions}/${found.id}.jsonl`;
}

function fileTypeOf(path: string): 'jsonl' | 'json' | 'sqlite' | 'other' {
  if (/\.jsonl(?:\.zst)?$/.test(path)) return 'jsonl';
  if (path.endsWith('.json')) return 'json';
  return /\.(?:db|sqlite|vscdb)$/.test(path) ? 'sqlite' : 'other';
}

function entryOf({ seq, ts, type, turn, id, data }: SessionEvent) {
  return { seq, ts, type, ...(turn !== undefined && { turn }), ...(id !== undefined && { id }), data };
}
