// Sessions of every program: lists, one row, history and messages, states, names, the trash.
import { formatAddress, parseAddress } from '../agents/address.ts';
import type { SESSION_ROUTES } from '../api/sessions.ts';
import { exactSession } from '../app/find/exact-session.ts';
import { hiddenSessions, hideSession } from '../app/list/foreign-notes.ts';
import { restoreWithAgents } from '../app/sessions/change/delete-session.ts';
import type { ListPage, PageOptions } from '../app/sessions/read/list-page.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { guestLinks, makeGuestLink, revokeGuestLink } from '../host/guest-links.ts';
import type { Host } from '../host/open-host.ts';
import type { SessionActivity } from '../host/port/snapshots.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { ApiFailure } from './failure.ts';
import { noteSync } from './first-sync.ts';
import { requireProvider, timeIn } from './query.ts';
import { readSession } from './read-session.ts';
import { streamed } from './stream.ts';

const DAY_MS = 86_400_000;

export const sessionHandlers: Handlers<NamesOf<typeof SESSION_ROUTES>> = {
  async listSessions({ query, context, signal }) {
    const { limit = 100, after, from, ofEach, withoutProject } = query;
    const options = { ...filtersIn(query), limit, after, from, ofEach, withoutProject };
    return listedSessions(context, options, signal);
  },

  async countSessions({ query, context, signal }) {
    return context.work.run('counts', { ...filtersIn(query), zone: query.zone }, { signal });
  },

  async getSession({ parameters, context, signal }) {
    const found = await exactSession(context.app, parameters.id);
    // A session that another program no longer keeps is read from its import; its row is that of the program.
    const { agent } = parseAddress(parameters.id) ?? parseAddress(found.id) ?? { agent: OWN_AGENT };
    const id = agent === OWN_AGENT ? formatAddress({ agent, id: found.id }) : parameters.id;
    const { rows } = await context.work.run('listPage', { agent, address: id, limit: 1 }, { signal });
    const [row] = rows;
    if (row === undefined) throw new ApiFailure('SESSION_NOT_FOUND', `There is no session ${parameters.id}.`);
    return context.host.locks.unlocked().has(row.id) ? { ...row, unlocked: true } : row;
  },

  async getHistory({ parameters: { id }, query, context, signal }) {
    const { from = 0, limit = 100, messages: withMessages = true } = query;
    const place = await placeOf(context, id);
    return context.work.run(place.history, { ...place.session, from, limit, withMessages }, { signal });
  },

  async getMessages({ parameters: { id }, query, context, signal }) {
    const { from = 0, limit = 100 } = query;
    const place = await placeOf(context, id);
    return context.work.run(place.messages, { ...place.session, from, limit }, { signal });
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
    return context.work.run(
      'requests',
      { reference: await referenceOf(context, parameters.id), prices: context.app.config.prices },
      { signal },
    );
  },

  async getAudit({ parameters, context, signal }) {
    const reference = await referenceOf(context, parameters.id);
    const { id, calls, damaged } = await context.work.run('audit', { reference }, { signal });
    return { id, calls, damaged };
  },

  async exportSession({ parameters, query, context, signal, request }) {
    const { format = 'md', from, to, redact, contents } = query;
    if (contents && format !== 'otel') throw new ApiFailure('INVALID_PARAMETER', 'contents goes with the format otel.');
    const reference = await referenceOf(context, parameters.id);
    const chunks = context.work.stream('export', { reference, format, from, to, redact, contents }, { signal });
    const { EXPORT_ENDINGS } = await import('../app/sessions/read/export-session.ts');
    const name = `${parameters.id.replace(/[^A-Za-z0-9._-]/g, '-')}${EXPORT_ENDINGS[format]}`;
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
    await restoreWithAgents(app.store, own);
    return outcomeOf(own, 'restored');
  },

  async unlockSession({ parameters, body, context: { host } }) {
    return lockOutcome(host, await host.locks.unlock(parameters.id, body.passphrase));
  },

  async lockSession({ parameters, context: { host } }) {
    return lockOutcome(host, await host.locks.lock(parameters.id));
  },

  async shareSession({ parameters, body: { days = 7 }, context: { app } }) {
    const { id: sessionId } = await exactSession(app, parameters.id);
    const { link, token } = await makeGuestLink(app, { sessionId, holdsMs: days * DAY_MS });
    const path = `/join#${token}/s/${encodeURIComponent(sessionId)}`;
    return { name: link.name, sessionId, expiresAt: link.expiresAt, path };
  },

  async unshareSession({ parameters: { id, linkName: name }, context: { app } }) {
    const link = guestLinks(app).find((each) => each.name === name);
    if (link !== undefined && link.sessionId !== id && link.sessionId !== (await exactSession(app, id)).id)
      throw new ApiFailure('SESSION_NOT_FOUND', `${name} is not a link of session ${id}.`);
    return { name, revoked: link !== undefined && (await revokeGuestLink(app, name)) !== undefined };
  },

  async syncSessions({ body, context, signal }) {
    const startedMs = performance.now();
    const { outcome, read: processedByProvider } = await context.work.run('sync', { path: body.path }, { signal });
    if (outcome.kind === 'busy') return { ...NOTHING_SYNCED, isBusy: true };
    if (outcome.kind === 'refused') {
      return { ...NOTHING_SYNCED, failures: [{ address: 'catalogue', reason: outcome.reason }] };
    }
    const { sessions, read, left, skipped, contradictions, damage } = outcome.report;
    const damaged = damage.map(({ address, places }) => ({ address, reason: `${places} places cannot be read` }));
    noteSync(context.catalog, { startedMs, sessions, left });
    return {
      processedByProvider,
      failures: [...[...skipped, ...contradictions].map(({ address, reason }) => ({ address, reason })), ...damaged],
      sessions,
      read,
      left,
      isBusy: false,
    };
  },
};

interface SessionFilters {
  readonly provider?: string | undefined;
  readonly project?: string | undefined;
  readonly since?: string | undefined;
  readonly hidden?: boolean | undefined;
}

type ListedRow = ListPage['rows'][number] & {
  readonly activity?: SessionActivity;
  readonly unlocked?: true;
};

interface ListedSessions extends Pick<ListPage, 'total' | 'unreadable'> {
  readonly sessions: readonly ListedRow[];
  readonly next?: string;
}

/** A page of the list, with what this server does with each of its own. */
export async function listedSessions(
  { work, host }: Pick<ServerContext, 'work' | 'host'>,
  options: Omit<PageOptions, 'memory' | 'signal'>,
  signal: AbortSignal,
): Promise<ListedSessions> {
  const { rows, total, next, unreadable } = await work.run('listPage', options, { signal });
  const unlocked = host.locks.unlocked();
  const sessions = rows.map((row): ListedRow => {
    if (row.agent === OWN_AGENT)
      return { ...row, activity: host.sessions.activity(row.id), ...(unlocked.has(row.id) && { unlocked: true }) };
    const led = host.runs.journalOf(row.address);
    const activity = led === undefined ? undefined : host.runs.activity(led);
    return activity === undefined ? row : { ...row, activity };
  });
  return { sessions, total, ...(next !== undefined && { next }), unreadable };
}

/** @throws ApiFailure UNSUPPORTED_PROVIDER, INVALID_QUERY */
function filtersIn({ provider, project, since, hidden }: SessionFilters) {
  requireProvider(provider);
  const sinceMs = since === undefined ? undefined : timeIn('since', since);
  return { agent: provider, project, sinceMs, withHidden: hidden };
}

const NOTHING_SYNCED = { processedByProvider: {}, failures: [], sessions: 0, read: 0, left: 0, isBusy: false };

const EXPORT_TYPES = {
  md: 'text/markdown; charset=utf-8',
  // Not to be shown as a page of this server's: it holds what a model said.
  html: 'application/octet-stream',
  json: 'application/json; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
  otel: 'application/x-ndjson; charset=utf-8',
  atif: 'application/json; charset=utf-8',
  asf: 'application/x-ndjson; charset=utf-8',
} as const;

async function referenceOf(context: ServerContext, id: string): Promise<string> {
  return (await readSession(context, id)).id;
}

/** A page of a journal is quick to read; the file of another program may be long, and is read through. */
async function placeOf(context: ServerContext, id: string) {
  const { kind, id: reference } = await readSession(context, id);
  const isLed = context.host.runs.journalOf(id) !== undefined;
  const session = { reference, ...(isLed && { address: id }) };
  return kind === 'own'
    ? ({ session, history: 'history', messages: 'messages' } as const)
    : ({ session, history: 'foreignHistory', messages: 'foreignMessages' } as const);
}

function lockOutcome({ locks }: Host, sessionId: string) {
  return { sessionId, unlocked: locks.unlocked().has(sessionId) };
}

function outcomeOf(sessionId: string, outcome: 'trashed' | 'hidden' | 'restored' | 'shown') {
  const isGone = outcome === 'trashed' || outcome === 'hidden';
  return { sessionId, outcome, deletedFromDisk: false, deletedFromDatabase: isGone };
}
