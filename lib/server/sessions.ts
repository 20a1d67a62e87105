// Sessions of every program: lists, one row, history and messages, states, names, the trash.

import { formatAddress, parseAddress } from '../agents/address.ts';
import type { SESSION_ROUTES } from '../api/sessions.ts';
import type { App } from '../app/app.ts';
import { hiddenSessions, hideSession } from '../app/list/foreign-notes.ts';
import { exactSession } from '../app/sessions/find/exact-session.ts';
import type { FoundConversation } from '../app/sessions/find/found.ts';
import { type EventPage, readPage } from '../app/sessions/read/read-page.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import type { Host } from '../host/types.ts';
import { journalName } from '../journal/paths.ts';
import type { SessionEvent } from '../journal/types.ts';
import type { Call, Handlers, NamesOf, ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';
import { requireProvider, timeIn } from './query.ts';
import { streamed } from './stream.ts';
import { messagesOf } from './unify.ts';

export const sessionHandlers: Handlers<NamesOf<typeof SESSION_ROUTES>> = {
  async listSessions({ query, context, signal }) {
    const { provider, project, since, limit = 100, after, hidden } = query;
    requireProvider(provider);
    const sinceMs = since === undefined ? undefined : timeIn('since', since);
    const options = { agent: provider, project, sinceMs, limit, after, withHidden: hidden };
    const { rows, total, next, unreadable } = await context.work.run('listPage', options, { signal });
    const { sessions, locks } = context.host;
    const unlocked = locks.unlocked();
    const shown = rows.map((row) =>
      row.agent === OWN_AGENT
        ? { ...row, activity: sessions.activity(row.id), ...(unlocked.has(row.id) && { unlocked: true }) }
        : row,
    );
    return { sessions: shown, total, ...(next !== undefined && { next }), unreadable };
  },

  async getSession({ parameters, context, signal }) {
    const found = await exactSession(context.app, parameters.id);
    // What another program no longer keeps is read from its import; its row is that of the program.
    const { agent } = parseAddress(parameters.id) ?? parseAddress(found.id) ?? { agent: OWN_AGENT };
    const id = agent === OWN_AGENT ? formatAddress({ agent, id: found.id }) : parameters.id;
    const { rows } = await context.work.run('listPage', { agent, address: id, limit: 1 }, { signal });
    const [row] = rows;
    if (row === undefined) throw new ApiFailure('SESSION_NOT_FOUND', `There is no session ${parameters.id}.`);
    return context.host.locks.unlocked().has(row.id) ? { ...row, unlocked: true } : row;
  },

  async getHistory({ parameters, query, context, signal }) {
    const { found, page, workspacePath } = await pageOf(context, parameters.id, query, signal);
    const whose = whoseOf(found);
    const path = pathOf(context.app, found);
    return {
      ...whose,
      ...(workspacePath && { workspacePath }),
      filePath: path,
      fileType: fileTypeOf(path),
      ...placeIn(page),
      entries: page.events.map(entryOf),
      messages: query.messages === false ? [] : messagesOf(page.events, whose),
      damage: page.damage,
    };
  },

  async getMessages({ parameters, query, context, signal }) {
    const { found, page } = await pageOf(context, parameters.id, query, signal);
    const whose = whoseOf(found);
    return { ...whose, ...placeIn(page), messages: messagesOf(page.events, whose), damage: page.damage };
  },

  async getDetails({ parameters, context, signal }) {
    const reference = await referenceOf(context, parameters.id);
    const { summary, ...details } = await context.work.run('show', { reference }, { signal });
    const { timeline: _, ...shown } = summary;
    return { ...details, summary: shown };
  },

  async getState({ parameters, query, context, signal }) {
    const { state = 'view', at } = query;
    const reference = await referenceOf(context, parameters.id);
    const point = at === undefined ? undefined : { seq: at };
    const input = { reference, states: [state], at: point } as const;
    const { id, counts, states, damage } = await context.work.run('replay', input, { signal });
    return { id, counts, states, damage };
  },

  async getRequests({ parameters, context, signal }) {
    return context.work.run('requests', { reference: await referenceOf(context, parameters.id) }, { signal });
  },

  async getAudit({ parameters, context, signal }) {
    const reference = await referenceOf(context, parameters.id);
    const { id, calls, damaged } = await context.work.run('audit', { reference }, { signal });
    return { id, calls, damaged };
  },

  async exportSession({ parameters, query, context, signal, request }) {
    const { format = 'md', from, to, redact } = query;
    const reference = await referenceOf(context, parameters.id);
    const chunks = context.work.stream('export', { reference, format, from, to, redact }, { signal });
    const name = `${parameters.id.replace(/[^A-Za-z0-9._-]/g, '-')}.${format}`;
    return streamed(chunks, { type: EXPORT_TYPES[format], name, isHead: request.method === 'HEAD' });
  },

  async deleteSession({ parameters, context }) {
    const { app } = context;
    const found = await exactSession(app, parameters.id);
    if (found.kind === 'foreign') {
      await hideSession(app, found.id, true);
      return outcomeOf(found.id, 'hidden');
    }
    await context.host.sessions.remove(found.id);
    return outcomeOf(found.id, 'trashed');
  },

  async restoreSession({ parameters, context: { app } }) {
    const { id } = parameters;
    if (hiddenSessions(app).has(id)) {
      await hideSession(app, id, false);
      return outcomeOf(id, 'shown');
    }
    const own = id.startsWith(`${OWN_AGENT}:`) ? id.slice(OWN_AGENT.length + 1) : id;
    const trashed = await app.store.listTrash();
    if (!trashed.some((entry) => entry.id === own)) {
      throw new ApiFailure('SESSION_NOT_FOUND', `Neither the trash holds ${id}, nor is it hidden.`);
    }
    await app.store.restore(own);
    return outcomeOf(own, 'restored');
  },

  async unlockSession({ parameters, body, context: { host } }) {
    return lockOutcome(host, await host.locks.unlock(parameters.id, body.passphrase));
  },

  async lockSession({ parameters, context: { host } }) {
    return lockOutcome(host, await host.locks.lock(parameters.id));
  },

  async syncSessions({ body, context, signal }) {
    const startedMs = performance.now();
    const { outcome, read: processedByProvider } = await context.work.run('sync', { path: body.path }, { signal });
    if (outcome.kind === 'busy') return { ...NOTHING_SYNCED, isBusy: true };
    if (outcome.kind === 'refused') {
      return { ...NOTHING_SYNCED, failures: [{ address: 'catalogue', reason: outcome.reason }] };
    }
    const { sessions, read, left, skipped, damage } = outcome.report;
    const damaged = damage.map(({ address, places }) => ({ address, reason: `${places} places cannot be read` }));
    const endedMs = performance.now();
    Object.assign(context.catalog, { tookMs: endedMs - startedMs, left, ...(left === 0 && { wholeAtMs: endedMs }) });
    return {
      processedByProvider,
      failures: [...skipped.map(({ address, reason }) => ({ address, reason })), ...damaged],
      sessions,
      read,
      left,
      isBusy: false,
    };
  },
};

const NOTHING_SYNCED = { processedByProvider: {}, failures: [], sessions: 0, read: 0, left: 0, isBusy: false };

const EXPORT_TYPES = {
  md: 'text/markdown; charset=utf-8',
  // Not to be shown as a page of this server's: it holds what a model said.
  html: 'application/octet-stream',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
} as const;

async function referenceOf({ app }: ServerContext, id: string): Promise<string> {
  return (await exactSession(app, id)).id;
}

interface Page {
  readonly found: FoundConversation;
  readonly page: EventPage;
  readonly workspacePath: string | undefined;
}

/** A page of a journal is quick to read; the file of another program may be long, and is read elsewhere. */
async function pageOf(
  { app, work }: ServerContext,
  id: string,
  { from = 0, limit = 100 }: Pick<Call<'getMessages'>['query'], 'from' | 'limit'>,
  signal: AbortSignal,
): Promise<Page> {
  const found = await exactSession(app, id);
  const inPlace = found.kind === 'own';
  const elsewhere = inPlace ? undefined : await work.run('events', { reference: found.id, from, limit }, { signal });
  return found.read(async (reader) => {
    const page = elsewhere ?? (await readPage(reader, { from, limit, signal }));
    const { cwd } = (await reader.first())?.data ?? {};
    return { found, page, workspacePath: typeof cwd === 'string' ? cwd : undefined };
  });
}

function whoseOf({ kind, id }: FoundConversation): { readonly sessionId: string; readonly provider: string } {
  return { sessionId: id, provider: kind === 'own' ? OWN_AGENT : (id.split(':')[0] ?? OWN_AGENT) };
}

function placeIn({ head, next }: EventPage): { readonly head?: number; readonly next?: number } {
  return { ...(head !== undefined && { head }), ...(next !== undefined && { next }) };
}

function pathOf({ paths }: App, found: FoundConversation): string {
  return found.kind === 'foreign' ? found.source.path : `${paths.sessions}/${journalName(found.id)}`;
}

function fileTypeOf(path: string): 'jsonl' | 'json' | 'sqlite' | 'other' {
  if (/\.jsonl(?:\.zst)?$/.test(path)) return 'jsonl';
  if (path.endsWith('.json')) return 'json';
  return /\.(?:db|sqlite|vscdb)$/.test(path) ? 'sqlite' : 'other';
}

function entryOf({ seq, ts, type, turn, id, data }: SessionEvent) {
  return { seq, ts, type, ...(turn !== undefined && { turn }), ...(id !== undefined && { id }), data };
}

function lockOutcome({ locks }: Host, sessionId: string) {
  return { sessionId, unlocked: locks.unlocked().has(sessionId) };
}

function outcomeOf(sessionId: string, outcome: 'trashed' | 'hidden' | 'restored' | 'shown') {
  const isGone = outcome === 'trashed' || outcome === 'hidden';
  return { sessionId, outcome, deletedFromDisk: false, deletedFromDatabase: isGone };
}
