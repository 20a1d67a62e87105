// Projection: the active context entries, in priority order; equal ones in the order of arrival. An entry leaves with
// context.removed or context.cleared, or with the first event of the conversation whose time is not before its expiry:
// no clock is read. Branches do not affect it: context is a setting of the session, not a part of the conversation.
import type { OllmEventOf } from '../events/index.ts';
import { isOfFile } from '../events/of-file.ts';
import { timeOf } from '../events/time-of.ts';
import type { ContextSource, TokenCount } from '../messages/index.ts';
import { textTokens } from '../tokens/estimate.ts';
import type { Fold, Seen } from './projection.ts';

/** A text that goes before the model with every request until it is removed or expires. */
export interface ContextEntry {
  readonly key: string;
  readonly content: string;
  readonly priority: number;
  readonly source: ContextSource;
  /** RFC 3339: when it was added. */
  readonly timestamp: string;
  readonly expiresAt?: string;
  readonly tokens: TokenCount;
  readonly trusted: boolean;
}

/** The context entries that there are, the most important first. */
export interface ContextState {
  entries: ContextEntry[];
  /** Milliseconds since 1970: when the next entry expires. Absent if none does. */
  nextExpiryMs?: number;
}

export const CONTEXT_EVENTS = ['context.added', 'context.removed', 'context.cleared'] as const;
export type ContextEvent = OllmEventOf<(typeof CONTEXT_EVENTS)[number]>;

/** Keeps the context entries. */
export const contextFold: Fold<ContextState, ContextEvent['type']> = {
  name: 'context',
  version: 2,
  reads: CONTEXT_EVENTS,
  initial: noContext,
  apply: applyContext,
  see: expireContext,
};

export function noContext(): ContextState {
  return { entries: [] };
}

/** Moves the state on by one event. Other folds that keep context entries use it too. */
export function applyContext(state: ContextState, event: ContextEvent): ContextState {
  switch (event.type) {
    case 'context.added':
      put(state.entries, entryOf(event));
      break;
    case 'context.removed':
      state.entries = state.entries.filter(({ key }) => key !== event.data.key);
      break;
    case 'context.cleared':
      state.entries = [];
      break;
  }
  return schedule(state);
}

/**
 * Removes entries that had expired when an event of the conversation happened, which is never after it was stored. A
 * title does not count as such an event: a fork gets a title of its own.
 */
export function expireContext(state: ContextState, event: Seen): ContextState {
  // Nearly every session has nothing that expires: then the time is not even read.
  if (state.nextExpiryMs === undefined || isOfFile(event.type) || event.type === 'session.titled') return state;
  const nowMs = Math.min(Date.parse(event.ts), Date.parse(timeOf(event) ?? ''));
  // Where the source has no time, nothing has come to its end.
  if (!(nowMs >= state.nextExpiryMs)) return state;
  state.entries = state.entries.filter((entry) => !(expiryMs(entry) <= nowMs));
  return schedule(state);
}

function entryOf(event: OllmEventOf<'context.added'>): ContextEntry {
  const { ts, data } = event;
  const { key, content, priority, source, expiresAt, tokens, trusted } = data;
  return {
    key,
    content,
    priority,
    source,
    timestamp: timeOf(event) ?? ts,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    tokens: textTokens(tokens, content),
    trusted,
  };
}

/** Replaces the entry of the same key in its place, if its priority allows. */
function put(entries: ContextEntry[], entry: ContextEntry): void {
  const old = entries.findIndex(({ key }) => key === entry.key);
  if (old >= 0 && entries[old]?.priority === entry.priority) {
    entries[old] = entry;
    return;
  }
  if (old >= 0) entries.splice(old, 1);
  const below = entries.findIndex(({ priority }) => priority < entry.priority);
  entries.splice(below < 0 ? entries.length : below, 0, entry);
}

function schedule(state: ContextState): ContextState {
  const next = Math.min(...state.entries.map(expiryMs));
  if (Number.isFinite(next)) state.nextExpiryMs = next;
  else delete state.nextExpiryMs;
  return state;
}

/** An expiry that is not a time does not count. */
function expiryMs({ expiresAt }: ContextEntry): number {
  const ms = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt);
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}
