// Projection: the content of the next request. System prompt, context entries, summary, and the messages, tool calls
// with their results, and retrieved texts that count now. context/assemble.ts makes a request of it.
import type { CompactionCompleted, EventData, OllmEventOf, ToolFinished } from '../events/index.ts';
import type { ImagePart, Part, ReplacingMessage, Role } from '../messages/index.ts';
import type { Todo } from '../messages/todos.ts';
import { estimateCall, estimateTokens, knownTokens, textTokens } from '../tokens/estimate.ts';
import {
  applyContext,
  CONTEXT_EVENTS,
  type ContextEvent,
  type ContextState,
  expireContext,
  noContext,
} from './context.ts';
import {
  type ContextChange,
  type ContextVersions,
  gatheredTo,
  keepVersions,
  noVersions,
  trimVersions,
} from './context-versions.ts';
import type { Fold } from './projection.ts';
import {
  answer,
  ask,
  type Checkpoint,
  compact,
  emptyTimeline,
  forget,
  messageEntry,
  messageWith,
  move,
  partOf,
  reach,
  say,
  TIMELINE_EVENTS,
  type Timeline,
  type TimelineEntry,
  type TimelineSpan,
  undoCompaction,
} from './timeline.ts';
import { lacksTodos, listNow, type TodoLists, trimTodos, writeTodos } from './todos.ts';

/** A message that the model is sent. */
export interface ViewMessage extends TimelineEntry {
  readonly kind: 'message';
  readonly role: Role;
  parts: readonly Part[];
  readonly trusted: boolean;
  /** A program put it there in the role of the user. */
  readonly synthetic?: true;
  /** The provider that made it: its reasoning goes back to no other. */
  readonly provider?: string;
}

/** A call and its result: one item, so that nothing can come between them. */
export interface ViewCall extends TimelineEntry {
  readonly kind: 'call';
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  /** Id of the answer that asked for it. */
  readonly answer?: string;
  result?: ViewResult;
}

export interface ViewResult {
  readonly seq: number;
  readonly status: ToolFinished['status'];
  readonly content: string;
  /** The content is base64 of bytes that are not text. */
  readonly binary?: true;
  /** Shown to models that see. */
  readonly images?: readonly ImagePart[];
}

/** Texts that were found for a question. */
export interface ViewRetrieval extends TimelineEntry {
  readonly kind: 'retrieval';
  readonly query: string;
  readonly chunks: readonly { readonly source: string; readonly text: string }[];
}

export type ViewItem = ViewMessage | ViewCall | ViewRetrieval;

/** Items that were forgotten, and their sums. */
export interface ForgottenItems extends TimelineSpan {
  readonly messages: number;
  readonly tokens: number;
}

/** How messages are written for a model that refused them as they were. */
export type AdaptedForm = Pick<EventData<'history.adapted'>, 'reasoning' | 'attachments' | 'callIds' | 'calls'>;

/** The content of the next request, and content that it could include again after an undo. */
export interface ViewState {
  provider: string;
  model: string;
  /** Tokens that the model takes in, where known. */
  contextWindow?: number;
  /** How much the model thinks, where that was chosen. */
  thinking?: NonNullable<EventData<'model.changed'>['thinking']>;
  /** The form in which the provider took the messages, after it had refused them as they were. */
  form?: AdaptedForm;
  context: ContextState;
  /** The context as requests state it, with its earlier versions. */
  shown: ContextVersions;
  /** seq of the first message to this model, without the system prompt. The context before it is at the beginning. */
  begunAt?: number;
  timeline: Timeline<ViewItem, ForgottenItems>;
  /** Absent until the model has written a list of tasks. */
  todos?: TodoLists;
}

const READS = [
  'session.created',
  'model.changed',
  'history.adapted',
  ...TIMELINE_EVENTS,
  'retrieval.added',
  'compaction.completed',
  'compaction.undone',
  ...CONTEXT_EVENTS,
] as const;

/** Keeps the view. The state is bounded by the window if the replay is given `capTokens`. */
export const viewFold: Fold<ViewState, (typeof READS)[number]> = {
  name: 'view',
  version: 8,
  reads: READS,
  initial: () => ({ provider: '', model: '', context: noContext(), shown: noVersions(), timeline: emptyTimeline() }),
  apply,
  see(state, event) {
    if (state.context.nextExpiryMs !== undefined) {
      changeContext(state, { seq: event.seq, takesOut: () => false }, () => expireContext(state.context, event));
    }
    return state;
  },
  trim: trimView,
};

/** The tasks, by the newest list that was not undone. */
export function todosNow({ todos, timeline }: ViewState): readonly Todo[] {
  return listNow(todos, timeline.branches)?.todos ?? [];
}

/** Forgets the oldest turns that no window of `capTokens` can reach. */
function trimView(state: ViewState, capTokens: number): void {
  if (state.todos !== undefined) state.todos = trimTodos(state.todos, state.timeline);
  trimVersions(state.shown, capTokens);
  forget(state.timeline, capTokens, {
    of: ({ kind, tokens }) => ({ messages: kind === 'message' ? 1 : 0, tokens }),
    join: (older, newer) => ({ messages: older.messages + newer.messages, tokens: older.tokens + newer.tokens }),
  });
}

function apply(state: ViewState, event: OllmEventOf<(typeof READS)[number]>): ViewState {
  const after = applied(state, event);
  const newest = after.timeline.entries.at(-1);
  if (newest?.seq === event.seq && !newest.pinned) after.begunAt ??= event.seq;
  return after;
}

function applied(state: ViewState, event: OllmEventOf<(typeof READS)[number]>): ViewState {
  const { timeline } = state;
  switch (event.type) {
    case 'session.created':
    case 'model.changed':
      return changeModel(state, event.data);
    case 'history.adapted':
      return adapt(state, event.data);
    case 'message.added':
      addMessage(state, event);
      return state;
    case 'message.replaced':
      replaceMessage(state, event);
      return state;
    case 'tool.requested':
      ask(timeline, event.data.callId, callOf(event));
      return state;
    case 'tool.finished':
      finish(state, event);
      return state;
    case 'retrieval.added':
      say(timeline, retrievalOf(event));
      return state;
    case 'compaction.completed':
      compact(timeline, checkpointOf(event.seq, event.data));
      for (const message of event.data.messages ?? []) say(timeline, replacingMessage(event.seq, message));
      return state;
    case 'compaction.undone':
      undoCompaction(timeline, event.seq, event.data.seq);
      return requireVersions(state);
    case 'branch.moved':
      move(timeline, event.seq, event.data.head);
      return requireVersions(state);
    case 'context.added':
    case 'context.removed':
    case 'context.cleared': {
      const change = { seq: event.seq, takesOut: (key: string) => takesOut(event, key) };
      return changeContext(state, change, () => applyContext(state.context, event));
    }
  }
}

/** Whether the user takes the entry with this key out, by its name or with all others. */
function takesOut({ type, data }: ContextEvent, key: string): boolean {
  if (type === 'context.removed') return data.reason === 'user' && data.key === key;
  return type === 'context.cleared';
}

function changeContext(
  state: ViewState,
  { seq, takesOut }: Pick<ContextChange, 'seq' | 'takesOut'>,
  change: () => void,
): ViewState {
  const before = [...state.context.entries];
  change();
  keepVersions(state, before, { seq, takesOut, saidTo: saidTo(state) });
  return state;
}

/** seq of the newest event that a request shows. */
function saidTo({ timeline: { entries } }: ViewState): number {
  const calls = entries.slice(entries.findLastIndex(({ kind }) => kind !== 'call') + 1);
  const results = calls.map((item) => (item.kind === 'call' ? (item.result?.seq ?? 0) : 0));
  return Math.max(entries.at(-1)?.seq ?? 0, ...results);
}

/** A move may need dropped versions or lists. */
function requireVersions(state: ViewState): ViewState {
  if (lacksMore(state)) state.timeline.incomplete = true;
  return state;
}

/** Whether the view lacks something other than entries of its timeline. */
export function lacksMore(state: ViewState): boolean {
  const { timeline, shown, todos } = state;
  if (todos !== undefined && lacksTodos(todos, timeline.branches)) return true;
  return shown.completeFrom > 0 && gatheredTo(state) <= shown.completeFrom;
}

/**
 * What a compaction changes. Everything before the first event that it kept is covered, but nothing that came after it.
 */
export function checkpointOf(seq: number, data: CompactionCompleted): Omit<Checkpoint, 'undoneAt'> {
  const { covers, keptFrom, summary, opaque, messages } = data;
  return {
    seq,
    keptFrom: messages === undefined ? Math.min(seq, Math.max(keptFrom, covers.to + 1)) : seq,
    ...(messages === undefined ? {} : { hasMessages: true }),
    ...(summary === undefined ? {} : { summary }),
    tokens: summary === undefined ? 0 : estimateTokens(summary),
    ...(opaque === undefined ? {} : { opaque }),
  };
}

function changeModel(
  state: ViewState,
  { provider, model, contextWindow, thinking }: Omit<EventData<'model.changed'>, 'origin'>,
): ViewState {
  // The new model has read nothing yet.
  if (provider !== state.provider || model !== state.model) {
    delete state.begunAt;
    delete state.form;
  }
  state.provider = provider;
  state.model = model;
  if (thinking === undefined) delete state.thinking;
  else state.thinking = thinking;
  if (contextWindow === undefined) delete state.contextWindow;
  else {
    state.contextWindow = contextWindow;
    reach(state.timeline, contextWindow);
  }
  return state;
}

/** An answer of a model that was switched away from meanwhile changes nothing. */
function adapt(
  state: ViewState,
  { provider, model, reasoning, attachments, callIds, calls }: EventData<'history.adapted'>,
): ViewState {
  if (provider === state.provider && model === state.model) state.form = { reasoning, attachments, callIds, calls };
  return state;
}

/** Parts of one message that came in several events are one item, where the first of them came. */
function addMessage(state: ViewState, event: OllmEventOf<'message.added'>): void {
  const { timeline } = state;
  const { role, parts, tokens, message } = event.data;
  const begun = partOf(timeline, message);
  if (begun?.kind !== 'message' || begun.role !== role) {
    say(timeline, messageOf(state, event));
    return;
  }
  begun.parts = [...begun.parts, ...parts];
  begun.tokens += knownTokens(tokens, parts).count;
}

function replaceMessage({ timeline }: ViewState, { data }: OllmEventOf<'message.replaced'>): void {
  const { message, parts, tokens } = data;
  const there = messageWith(timeline, message);
  if (there?.kind !== 'message') return;
  there.parts = parts;
  there.tokens = knownTokens(tokens, parts).count;
}

/** The replacement of covered messages is another program's account of them: it instructs nothing. */
function replacingMessage(seq: number, { role, parts, tokens }: ReplacingMessage): ViewMessage {
  const count = knownTokens(tokens, parts).count;
  return { kind: 'message', seq, replaces: true, tokens: count, role, parts, trusted: false };
}

function messageOf({ timeline }: ViewState, event: OllmEventOf<'message.added'>): ViewMessage {
  const { role, parts, trusted, provider, synthetic } = event.data;
  return {
    kind: 'message',
    ...messageEntry(event, timeline),
    ...(synthetic ? { synthetic } : {}),
    role,
    parts,
    trusted,
    ...(provider === undefined ? {} : { provider }),
  };
}

function callOf({ seq, data }: OllmEventOf<'tool.requested'>): ViewCall {
  const { callId, name, args, message, tokens = estimateCall(data) } = data;
  const asked = message === undefined ? {} : { answer: message };
  return { kind: 'call', seq, tokens: tokens.count, callId, name, args, ...asked };
}

function finish(state: ViewState, { seq, data }: OllmEventOf<'tool.finished'>): void {
  const call = answer(state.timeline, data.callId);
  if (call?.kind !== 'call') return;
  const { status, result, encoding } = data;
  if (status === 'ok') {
    const todos = writeTodos(state.todos, call);
    if (todos !== undefined) state.todos = todos;
  }
  const { llmContent, images } = result;
  call.result = {
    seq,
    status,
    content: llmContent,
    ...(encoding === 'base64' ? { binary: true } : {}),
    ...(images === undefined ? {} : { images }),
  };
  call.tokens += textTokens(data.tokens, llmContent).count;
}

function retrievalOf({ seq, data }: OllmEventOf<'retrieval.added'>): ViewRetrieval {
  const tokens = data.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const chunks = data.chunks.map(({ source, text }) => ({ source, text }));
  return { kind: 'retrieval', seq, goesFirst: true, tokens, query: data.query, chunks };
}
