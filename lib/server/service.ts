// The routes of the server itself.
import { openApiOf } from '../api/openapi.ts';
import { ROUTES } from '../api/routes.ts';
import type { SERVER_ROUTES } from '../api/server.ts';
import { OWN_AGENT } from '../catalog/catalog.ts';
import { VERSION } from '../version.ts';
import type { Handlers, NamesOf, ServerContext } from './context.ts';
import { linkTo } from './credentials.ts';
import { ApiFailure } from './failure.ts';
import { type Metric, metricsText } from './metrics.ts';

export const serviceHandlers: Handlers<NamesOf<typeof SERVER_ROUTES>> = {
  async enter({ body, context, headers }) {
    const link = context.guests.find(body.code);
    if (link !== undefined) {
      const { sessionId, expiresAt } = link;
      const holdsMs = Date.parse(expiresAt) - context.app.clock.now();
      headers.set('set-cookie', context.credentials.guestCookie(body.code, holdsMs));
      const takesPart = link.mayWrite === true && context.app.config.server.guestsMayWrite;
      return { entered: true, guestOf: sessionId, ...(takesPart && { takesPart }) };
    }
    const cookie = context.credentials.exchange(body.code);
    if (cookie === undefined) {
      throw new ApiFailure('CODE_INVALID', 'The link was already used, or is too old: "ollm open" makes a new one.');
    }
    headers.set('set-cookie', cookie);
    return { entered: true };
  },

  async makeCode({ context, hasToken }) {
    // A cookie that could make codes could make cookies, and would never end.
    if (!hasToken) throw new ApiFailure('TOKEN_REQUIRED', 'Only a program with the token makes links.');
    return linkTo(context);
  },

  async health({ context: { instance, startedAt, stopping, catalog } }) {
    const status = stopping.aborted ? 'stopping' : 'ok';
    const { isSyncing, sessions, left } = catalog;
    return { status, version: VERSION, instance, startedAt, catalog: { isSyncing, sessions, left } };
  },

  async metrics({ context }) {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
    return new Response(metricsText(figuresOf(context)), { headers });
  },

  async openapi() {
    return openApiOf(ROUTES, { version: VERSION });
  },
};

function figuresOf(context: ServerContext): readonly Metric[] {
  const { clients, answered, startedAt, app, host } = context;
  const { tookMs, sessions, left, wholeAtMs } = context.catalog;
  const { held, turns, runs, ended, appends, synced, followers, subscribers, evictions, workspaces, work } =
    host.figures();
  const gauge = (name: string, help: string, values: Metric['values'] | number): Metric => ({
    name: `ollm_${name}`,
    help,
    type: 'gauge',
    values: typeof values === 'number' ? [{ value: values }] : values,
  });
  const counter = (...figure: Parameters<typeof gauge>): Metric => ({ ...gauge(...figure), type: 'counter' });
  const by = (label: string, counts: Iterable<readonly [unknown, number]>) =>
    [...counts].map(([name, value]) => ({ labels: { [label]: String(name) }, value }));
  return [
    gauge('up_seconds', 'Seconds since the start.', (app.clock.now() - Date.parse(startedAt)) / 1000),
    gauge(
      'event_loop_delay_seconds',
      'How late the thread that serves was, since the last look at this figure.',
      delays(context),
    ),
    counter('processor_seconds_total', 'Processor time that the process and its threads took.', processorSeconds()),
    gauge('resident_bytes', 'Memory of the process.', process.memoryUsage.rss()),
    gauge('active_sessions', 'Sessions in which a turn runs or waits, by provider.', [
      { labels: { provider: OWN_AGENT }, value: turns.running + turns.waiting },
      ...by('provider', Object.entries(runs)),
    ]),
    gauge('held_sessions', 'Sessions whose writer the server holds.', held),
    gauge('turns', 'Turns, by state.', by('state', Object.entries(turns))),
    counter('turns_ended_total', 'Turns that ended, by status.', by('status', Object.entries(ended))),
    counter('appends_total', 'Events that were stored.', appends),
    counter('syncs_total', 'Prompts that were brought to the disk before they were accepted.', synced.prompts),
    counter('sync_seconds_total', 'Seconds that this took.', synced.ms / MS_PER_SECOND),
    gauge('catalog_sync_seconds', 'Seconds that the last sync of the catalogue took.', tookMs / MS_PER_SECOND),
    gauge('catalog_sessions', 'Sessions that it found.', sessions),
    gauge('catalog_left_sessions', 'Sessions that it left for another time.', left),
    gauge(
      'catalog_lag_seconds',
      'Seconds since a sync by this server left nothing, or since its start.',
      (performance.now() - wholeAtMs) / MS_PER_SECOND,
    ),
    gauge('followed_sessions', 'Sessions that are followed for clients.', followers),
    gauge('subscriptions', 'Sessions on all streams of events together.', subscribers),
    gauge('clients', 'Streams of events.', clients.open),
    counter('evictions_total', 'Streams that ended because the client was too slow.', evictions + clients.evicted),
    gauge('workspaces', 'Directories in use.', workspaces),
    gauge(
      'work',
      'Work in other threads, by state.',
      by('state', [
        ['running', work.running],
        ['waiting', work.waiting],
      ]),
    ),
    counter('work_refused_total', 'Work that was refused because too much waited.', work.refused),
    counter('requests_total', 'Requests answered, by status.', by('status', answered)),
  ];
}

const NS_PER_SECOND = 1e9;
const MS_PER_SECOND = 1e3;

/** Each look begins another measurement. */
function delays({ delay }: ServerContext): Metric['values'] {
  const values = [0.5, 0.99, 1].map((quantile) => ({
    labels: { quantile: String(quantile) },
    value: quantile === 1 ? delay.max / NS_PER_SECOND : delay.percentile(quantile * 100) / NS_PER_SECOND,
  }));
  delay.reset();
  return values;
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
