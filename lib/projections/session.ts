// Projection: the session as one JSON document. The whole current conversation: a compaction takes nothing out of it;
// undone turns are counted. `sessionJson` makes the document of the state, `sessionJsonText` its text piece by piece.
import { checkArguments } from '../errors/arguments.ts';
import type { OllmEventOf } from '../events/index.ts';
import { timeOf } from '../events/time-of.ts';
import type { Position } from '../journal/types.ts';
import type { Part, Role, ToolResult } from '../messages/index.ts';
import { knownTokens, textTokens } from '../tokens/estimate.ts';
import { applyHeading, HEADING_EVENTS, type Heading, laterOf, noHeading } from './heading.ts';
import type { Fold } from './projection.ts';
import {
  answer,
  ask,
  countedEntries,
  emptyTimeline,
  messageEntry,
  messageWith,
  move,
  partOf,
  say,
  TIMELINE_EVENTS,
  type Timeline,
  type TimelineEntry,
  type TimelineSpan,
} from './timeline.ts';

export interface SessionMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** RFC 3339. */
  readonly timestamp?: string | undefined;
}

export interface SessionToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Empty while the call has no result. */
  readonly result: ToolResult;
  /** RFC 3339: when the model asked. */
  readonly timestamp?: string | undefined;
}

export interface SessionMetadata {
  /** Tokens of the messages and of the results of tools. */
  readonly tokenCount: number;
  /** Compactions that there were, also those that were undone. */
  readonly compressionCount: number;
  /** Messages that were taken back. They are in the journal. */
  readonly undone?: number;
  /** Places of the journal that could not be read. */
  readonly damaged?: number;
  /** Events of types that this version does not know. */
  readonly unknownEvents?: number;
}

export interface SessionJson {
  /** A UUID, or the name that the user gave. */
  readonly sessionId: string;
  readonly startTime?: string | undefined;
  readonly lastActivity?: string | undefined;
  readonly model: string;
  readonly provider: string;
  readonly messages: readonly SessionMessage[];
  readonly toolCalls: readonly SessionToolCall[];
  readonly metadata: SessionMetadata;
  readonly title?: string;
}

export type SessionItem =
  | (TimelineEntry & { readonly kind: 'message'; content: SessionMessage })
  | (TimelineEntry & { readonly kind: 'call'; call: SessionToolCall });

export interface SessionState extends Heading {
  sessionId: string;
  compressionCount: number;
  timeline: Timeline<SessionItem, TimelineSpan>;
}

/** Counts that the reader of the journal knows, and no event contains. */
export interface ReadingCounts {
  readonly damaged?: number | undefined;
  readonly unknownEvents?: number | undefined;
}

const READS = [...HEADING_EVENTS, ...TIMELINE_EVENTS, 'compaction.completed'] as const;

/** Replaces the name of a call whose request cannot be read any more. */
const LOST_NAME = 'unknown';

export const sessionFold: Fold<SessionState, (typeof READS)[number]> = {
  name: 'session',
  version: 2,
  reads: READS,
  initial: () => ({
    sessionId: '',
    ...noHeading(),
    compressionCount: 0,
    timeline: emptyTimeline(),
  }),
  apply,
};

/** The document. Members that are not in it say that there is nothing to say. */
export function sessionJson(state: SessionState, counts: ReadingCounts = {}): SessionJson {
  checkArguments('sessionJson', { state: 'SessionState', counts: 'object' }, [state, counts]);
  const items = countedEntries(state.timeline);
  return {
    ...head(state),
    messages: items.flatMap((item) => (item.kind === 'message' ? [item.content] : [])),
    toolCalls: items.flatMap((item) => (item.kind === 'call' ? [item.call] : [])),
    ...tail(state, items, counts),
  };
}

/**
 * The text of the document, in pieces: a long session is never one string. `journal`, the place that it was made from,
 * is a member on a line of its own before all others.
 */
export function* sessionJsonText(
  state: SessionState,
  counts: ReadingCounts = {},
  journal?: Position,
): Generator<string, void, void> {
  const items = countedEntries(state.timeline);
  yield journal === undefined ? '{' : `{"journal":${JSON.stringify(journal)},\n`;
  yield `${JSON.stringify(head(state)).slice(1, -1)},"messages":[`;
  yield* listed(items, (item) => (item.kind === 'message' ? item.content : undefined));
  yield '],"toolCalls":[';
  yield* listed(items, (item) => (item.kind === 'call' ? item.call : undefined));
  yield `],${JSON.stringify(tail(state, items, counts)).slice(1)}\n`;
}

function* listed(items: readonly SessionItem[], pick: (item: SessionItem) => object | undefined): Generator<string> {
  let separator = '';
  for (const item of items) {
    const value = pick(item);
    if (value === undefined) continue;
    yield separator + JSON.stringify(value);
    separator = ',';
  }
}

function head({ sessionId, startTime, lastActivity, model, provider }: SessionState) {
  const times = { startTime: startTime || undefined, lastActivity: lastActivity || undefined };
  return { sessionId, ...times, model, provider };
}

function tail(
  { title, compressionCount, timeline }: SessionState,
  items: readonly SessionItem[],
  { damaged = 0, unknownEvents = 0 }: ReadingCounts,
): Pick<SessionJson, 'metadata' | 'title'> {
  const messagesIn = (list: readonly SessionItem[]) => list.filter(({ kind }) => kind === 'message').length;
  const undone = messagesIn(timeline.entries) - messagesIn(items);
  return {
    metadata: {
      tokenCount: items.reduce((sum, { tokens }) => sum + tokens, 0),
      compressionCount,
      ...(undone > 0 ? { undone } : {}),
      ...(damaged > 0 ? { damaged } : {}),
      ...(unknownEvents > 0 ? { unknownEvents } : {}),
    },
    ...(title === undefined ? {} : { title }),
  };
}

function apply(state: SessionState, event: OllmEventOf<(typeof READS)[number]>): SessionState {
  switch (event.type) {
    case 'session.created':
      state.sessionId = event.data.sessionId;
      applyHeading(state, event);
      break;
    case 'session.titled':
    case 'model.changed':
      applyHeading(state, event);
      break;
    case 'message.added':
      state.lastActivity = laterOf(state.lastActivity, event);
      addMessage(state, event);
      break;
    case 'message.replaced':
      replaceMessage(state, event);
      break;
    case 'tool.requested':
      state.lastActivity = laterOf(state.lastActivity, event);
      ask(state.timeline, event.data.callId, callOf(event));
      break;
    case 'tool.finished':
      state.lastActivity = laterOf(state.lastActivity, event);
      finish(state, event);
      break;
    case 'compaction.completed':
      state.compressionCount += 1;
      break;
    case 'branch.moved':
      move(state.timeline, event.seq, event.data.head);
      break;
  }
  return state;
}

function addMessage(state: SessionState, event: OllmEventOf<'message.added'>): void {
  const { role, parts, tokens, message } = event.data;
  const begun = partOf(state.timeline, message);
  if (begun?.kind !== 'message' || begun.content.role !== role) {
    say(state.timeline, messageOf(state, event));
    return;
  }
  begun.content = { ...begun.content, parts: [...begun.content.parts, ...parts] };
  begun.tokens += knownTokens(tokens, parts).count;
}

function replaceMessage({ timeline }: SessionState, { data }: OllmEventOf<'message.replaced'>): void {
  const there = messageWith(timeline, data.message);
  if (there?.kind !== 'message') return;
  there.content = { ...there.content, parts: data.parts };
  there.tokens = knownTokens(data.tokens, data.parts).count;
}

function messageOf({ timeline }: SessionState, event: OllmEventOf<'message.added'>): SessionItem {
  const { role, parts } = event.data;
  return { kind: 'message', ...messageEntry(event, timeline), content: { role, parts, timestamp: timeOf(event) } };
}

function callOf(event: OllmEventOf<'tool.requested'>): SessionItem {
  const { callId, name, args } = event.data;
  const call = { id: callId, name, args, result: { llmContent: '' }, timestamp: timeOf(event) };
  return { kind: 'call', seq: event.seq, tokens: 0, call };
}

/** A result whose call is lost is kept all the same. */
function finish({ timeline }: SessionState, event: OllmEventOf<'tool.finished'>): void {
  const { callId, result } = event.data;
  const tokens = textTokens(event.data.tokens, result.llmContent);
  const item = answer(timeline, callId);
  if (item?.kind === 'call') {
    item.call = { ...item.call, result };
    item.tokens += tokens.count;
    return;
  }
  const call: SessionToolCall = { id: callId, name: LOST_NAME, args: {}, result, timestamp: timeOf(event) };
  timeline.entries.push({ kind: 'call', seq: event.seq, tokens: tokens.count, call });
}
