// What each request of a session to a model used, and what explains it: compactions, failures, loops, changes of the
// model. For a curve over a session.
import type { OllmEvent, OllmEventOf } from '../../../events/index.ts';
import { knownEvents } from '../../../events/known-events.ts';
import { timeOf } from '../../../events/time-of.ts';
import type { EventReader } from '../../../journal/types.ts';
import { costOf, type UserPrices } from '../../../providers/prices.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../../find/find-session.ts';
import { OFFLINE } from '../../providers/choose-provider.ts';

interface RequestUsage {
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string | undefined;
  readonly turn?: number | undefined;
  readonly model: string;
  readonly provider?: string | undefined;
  readonly purpose: 'answer' | 'summary';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  /** US dollars. Undefined where no price is known. */
  readonly cost?: number | undefined;
}

interface RequestMark {
  readonly seq: number;
  /** RFC 3339. */
  readonly at: string | undefined;
  readonly kind: 'compaction' | 'failed-call' | 'failed-turn' | 'stopped' | 'loop' | 'model';
  readonly text?: string | undefined;
  readonly tokensBefore?: number | undefined;
  readonly tokensAfter?: number | undefined;
}

export interface SessionRequests {
  readonly sessionId: string;
  readonly requests: readonly RequestUsage[];
  readonly marks: readonly RequestMark[];
  /** Tokens that the model takes in, where known. */
  readonly window: number | undefined;
  readonly total: {
    readonly requests: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
    /** Undefined where no request has a price. */
    readonly cost: number | undefined;
    readonly withoutPrice: number;
  };
}

export interface RequestsOptions {
  readonly signal?: AbortSignal | undefined;
  /** The user's own, for requests that have none. Default: those of the settings. */
  readonly prices?: UserPrices | undefined;
}

/** @throws OllmError SESSION_* */
export async function sessionRequests(
  app: App,
  reference: string,
  { signal, prices = app.config.prices ?? {} }: RequestsOptions = {},
): Promise<SessionRequests> {
  const { id, read } = await findConversation(app, reference);
  return read(async (reader) => ({ ...(await requestsIn(reader, { signal, prices })), sessionId: id }));
}

/** The requests of any conversation. */
async function requestsIn(reader: EventReader, { signal, prices = {} }: RequestsOptions): Promise<SessionRequests> {
  const requests: RequestUsage[] = [];
  const marks: RequestMark[] = [];
  let window: number | undefined;
  let lastMessage: string | undefined;
  for await (const event of knownEvents(reader.outcomes({ signal }), READS)) {
    if (event.type === 'usage.reported') {
      const { message } = event.data;
      // A call may be reported again with each part of its answer: then its last report counts.
      if (message !== undefined && message === lastMessage) requests.pop();
      lastMessage = message;
      requests.push(usageOf(event, prices));
      continue;
    }
    if (event.type === 'session.created' || event.type === 'model.changed') window = event.data.contextWindow ?? window;
    const mark = markOf(event);
    if (mark !== undefined) marks.push({ seq: event.seq, at: timeOf(event), ...mark });
  }
  return { sessionId: reader.id, requests, marks, window, total: totalOf(requests) };
}

const READS = [
  'session.created',
  'model.changed',
  'usage.reported',
  'compaction.completed',
  'tool.finished',
  'turn.ended',
  'loop.detected',
] as const;

function usageOf(event: OllmEventOf<'usage.reported'>, prices: UserPrices): RequestUsage {
  const { seq, turn, data } = event;
  const { model, provider, purpose = 'answer', inputTokens, outputTokens } = data;
  const { cachedTokens, cacheWriteTokens, reasoningTokens } = data;
  const cost = data.totalCost ?? costOf(data, '', model, prices);
  return {
    seq,
    at: timeOf(event),
    turn,
    model,
    provider,
    purpose,
    inputTokens,
    outputTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens,
    cost,
  };
}

function markOf(event: OllmEvent): Omit<RequestMark, 'seq' | 'at'> | undefined {
  switch (event.type) {
    case 'compaction.completed': {
      const { tokensBefore, tokensAfter } = event.data;
      return { kind: 'compaction', tokensBefore, tokensAfter };
    }
    case 'model.changed':
      return { kind: 'model', text: event.data.model };
    case 'loop.detected':
      return { kind: 'loop' };
    case 'tool.finished':
      return event.data.status === 'error' || event.data.status === 'timeout' ? { kind: 'failed-call' } : undefined;
    case 'turn.ended': {
      const { status, error } = event.data;
      if (status === 'failed') return { kind: 'failed-turn', text: error?.message };
      return status === 'cancelled' || status === 'interrupted' ? { kind: 'stopped' } : undefined;
    }
    default:
      return undefined;
  }
}

function totalOf(requests: readonly RequestUsage[]): SessionRequests['total'] {
  const sum = (of: (request: RequestUsage) => number) => requests.reduce((total, request) => total + of(request), 0);
  const priced = requests.filter(({ cost }) => cost !== undefined);
  return {
    requests: requests.length,
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedTokens: sum(({ cachedTokens = 0 }) => cachedTokens),
    cost: priced.length === 0 ? undefined : priced.reduce((total, { cost = 0 }) => total + cost, 0),
    withoutPrice: requests.filter(({ cost, provider }) => cost === undefined && provider !== OFFLINE).length,
  };
}
