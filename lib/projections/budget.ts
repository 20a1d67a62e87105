// Projection: tokens. The parts of the view, the last report of the provider, and the total spent. Cached tokens are
// part of the input and never added to it. A number has its source, and a sum is only as good as its worst number. A
// report is void once a compaction, an undo or another model changes the request.
import type { ContextAdded, MessageReplaced, OllmEventOf, UsageReported } from '../events/index.ts';
import type { TokenCount, TokenMethod } from '../messages/index.ts';
import { estimateCall, knownTokens, textTokens } from '../tokens/estimate.ts';
import { applyContext, CONTEXT_EVENTS, type ContextState, expireContext, noContext } from './context.ts';
import type { Fold } from './projection.ts';
import { addUsage, noneSpent, type Spending } from './spending.ts';
import {
  answer,
  ask,
  type Checkpoint,
  compact,
  countedEntries,
  countedSpans,
  counts,
  emptyTimeline,
  forget,
  messageEntry,
  messageWith,
  move,
  partOf,
  say,
  standingFor,
  TIMELINE_EVENTS,
  type Timeline,
  type TimelineEntry,
  type TimelineSpan,
  undoCompaction,
} from './timeline.ts';
import { learnFactor, type TokenFactors } from './token-factors.ts';
import { NOTHING, plus, weaker } from './token-sums.ts';
import { checkpointOf } from './view.ts';

export type BudgetPart = 'system' | 'context' | 'history' | 'tools' | 'retrieval';
export type BudgetParts = Record<BudgetPart, TokenCount>;

export interface BudgetEntry extends TimelineEntry {
  readonly part: BudgetPart;
  method: TokenMethod;
}

export interface ForgottenTokens extends TimelineSpan {
  readonly parts: BudgetParts;
}

/** The tokens of a session: in the window now, and spent in all. */
export interface BudgetState extends Spending {
  provider: string;
  model: string;
  /** Tokens that the model takes in, where known. */
  limit?: number;
  /** Tokens of the view by part. */
  parts: BudgetParts;
  /**
   * Tokens in the window at the last report, and those that came since. `replyPending`: the answer is in it already.
   */
  reported?: { tokens: number; addedSince: number; method: TokenMethod; replyPending: boolean };
  factors: TokenFactors;
  context: ContextState;
  timeline: Timeline<BudgetEntry, ForgottenTokens>;
  /** Whether the model spoke last. */
  replied: boolean;
}

const READS = [
  'session.created',
  'model.changed',
  ...TIMELINE_EVENTS,
  'retrieval.added',
  'usage.reported',
  'compaction.completed',
  'compaction.undone',
  ...CONTEXT_EVENTS,
] as const;

/** Counts tokens. `budgetReport` and `usedTokens` (budget-report.ts) read its state. */
export const budgetFold: Fold<BudgetState, (typeof READS)[number]> = {
  name: 'budget',
  version: 5,
  reads: READS,
  initial: () => ({
    provider: '',
    model: '',
    parts: noParts(),
    factors: {},
    spent: noneSpent(),
    context: noContext(),
    timeline: emptyTimeline(),
    replied: false,
  }),
  apply,
  see(state, event) {
    if (state.context.nextExpiryMs !== undefined) changeContext(state, () => expireContext(state.context, event));
    return state;
  },
  trim: trimBudget,
};

/** Forgets the single entries of old turns and keeps their sums. */
function trimBudget(state: BudgetState, capTokens: number): void {
  forget(state.timeline, capTokens, {
    of: ({ part, tokens, method }) => ({ parts: { ...noParts(), [part]: { count: tokens, method } } }),
    join: (older, newer) => ({ parts: plusParts(older.parts, newer.parts) }),
  });
}

function apply(state: BudgetState, event: OllmEventOf<(typeof READS)[number]>): BudgetState {
  const { timeline } = state;
  switch (event.type) {
    case 'session.created':
    case 'model.changed':
      changeModel(state, event.data);
      break;
    case 'message.added':
      addMessage(state, event);
      break;
    case 'message.replaced':
      replaceMessage(state, event.data);
      break;
    case 'tool.requested':
      addCall(state, event);
      break;
    case 'tool.finished':
      finishCall(state, event);
      break;
    case 'retrieval.added': {
      const tokens = event.data.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
      add(state, { seq: event.seq, part: 'retrieval', goesFirst: true, tokens, method: 'estimated' });
      state.replied = false;
      break;
    }
    case 'usage.reported':
      report(state, event.data);
      break;
    case 'compaction.completed':
      compact(timeline, withoutText(checkpointOf(event.seq, event.data)));
      for (const { parts, tokens } of event.data.messages ?? []) {
        const { count, method } = knownTokens(tokens, parts);
        say(timeline, { seq: event.seq, replaces: true, part: 'history', tokens: count, method });
      }
      recount(state);
      break;
    case 'compaction.undone':
      undoCompaction(timeline, event.seq, event.data.seq);
      recount(state);
      break;
    case 'branch.moved':
      move(timeline, event.seq, event.data.head);
      recount(state);
      break;
    case 'context.added':
      changeContext(state, () => applyContext(state.context, { ...event, data: withoutContent(event.data) }));
      break;
    case 'context.removed':
    case 'context.cleared':
      changeContext(state, () => applyContext(state.context, event));
      break;
  }
  return state;
}

/** Only its tokens matter here. */
function withoutContent(data: ContextAdded): ContextAdded {
  return { ...data, tokens: textTokens(data.tokens, data.content), content: '' };
}

function changeModel(
  state: BudgetState,
  { provider, model, contextWindow }: { provider: string; model: string; contextWindow?: number },
): void {
  const isAnother = provider !== state.provider || model !== state.model;
  state.provider = provider;
  state.model = model;
  // A different model may get other text for covered messages.
  if (isAnother) recount(state);
  if (contextWindow === undefined) delete state.limit;
  else state.limit = contextWindow;
}

function addMessage(state: BudgetState, event: OllmEventOf<'message.added'>): void {
  const { data } = event;
  const { count, method } = knownTokens(data.tokens, data.parts);
  const isReply = data.role === 'assistant';
  const begun = partOf(state.timeline, data.message);
  if (begun !== undefined) {
    begun.tokens += count;
    begun.method = weaker(begun.method, method);
    grow(state, begun, { tokens: count, method }, { isReply });
    return;
  }
  const entry = messageEntry(event, state.timeline);
  add(state, { ...entry, part: entry.pinned ? 'system' : 'history', method }, { isReply });
  state.replied = isReply;
}

/** The report is void, since the content of the window changed. */
function replaceMessage(state: BudgetState, { message, parts, tokens }: MessageReplaced): void {
  const there = messageWith(state.timeline, message);
  if (there === undefined) return;
  const { count, method } = knownTokens(tokens, parts);
  there.tokens = count;
  there.method = method;
  recount(state);
}

function addCall(state: BudgetState, { seq, data }: OllmEventOf<'tool.requested'>): void {
  const { count, method } = data.tokens ?? estimateCall(data);
  const entry: BudgetEntry = { seq, part: 'tools', tokens: count, method };
  ask(state.timeline, data.callId, entry);
  grow(state, entry, entry, { isReply: true });
  state.replied = true;
}

/** The result counts where its call counts. */
function finishCall(state: BudgetState, { data }: OllmEventOf<'tool.finished'>): void {
  const entry = answer(state.timeline, data.callId);
  state.replied = false;
  if (entry === undefined) return;
  const { count, method } = textTokens(data.tokens, data.result.llmContent);
  entry.tokens += count;
  entry.method = weaker(entry.method, method);
  grow(state, entry, { tokens: count, method }, { isReply: false });
}

function add(state: BudgetState, entry: BudgetEntry, { isReply } = { isReply: false }): void {
  say(state.timeline, entry);
  grow(state, entry, entry, { isReply });
}

function grow(
  state: BudgetState,
  entry: BudgetEntry,
  { tokens, method }: { readonly tokens: number; readonly method: TokenMethod },
  { isReply }: { readonly isReply: boolean },
): void {
  if (!counts(state.timeline, entry)) return;
  state.parts[entry.part] = plus(state.parts[entry.part], { count: tokens, method });
  const { reported } = state;
  if (reported === undefined) return;
  if (!isReply) reported.replyPending = false;
  if (!reported.replyPending) reported.addedSince += tokens;
}

function report(state: BudgetState, usage: UsageReported): void {
  addUsage(state, usage);
  learnFactor(state, usage);
  if (usage.purpose === 'summary') return;
  const { reasoningTokens = 0 } = usage;
  state.reported = {
    // Reasoning is not part of the messages that follow.
    tokens: usage.inputTokens + Math.max(0, usage.outputTokens - reasoningTokens),
    addedSince: 0,
    method: usage.source === 'provider' ? 'reported' : 'estimated',
    replyPending: !state.replied,
  };
}

/**
 * Text of an entry that was sent stays in the window: a new or changed entry adds to it, a removed one subtracts
 * nothing.
 */
function changeContext(state: BudgetState, change: () => void): void {
  const before = new Set(state.context.entries);
  change();
  const { entries } = state.context;
  state.parts.context = entries.map(({ tokens }) => tokens).reduce(plus, NOTHING);
  if (state.reported === undefined) return;
  for (const entry of entries) if (!before.has(entry)) state.reported.addedSince += entry.tokens.count;
}

/** Sums up again what counts after a compaction, an undo or a move, which also make the last report void. */
function recount(state: BudgetState): void {
  sumBudget(state);
  delete state.reported;
}

/** Sums up again what counts. */
export function sumBudget(state: BudgetState): void {
  const { timeline } = state;
  const parts = countedSpans(timeline)
    .map((span) => span.parts)
    .reduce(plusParts, { ...noParts(), context: state.parts.context });
  for (const { part, tokens, method } of countedEntries(timeline)) {
    parts[part] = plus(parts[part], { count: tokens, method });
  }
  const standing = standingFor(timeline, state);
  if (standing !== undefined) parts.history = plus(parts.history, { count: standing.tokens, method: 'estimated' });
  state.parts = parts;
}

/** Only the existence of a summary matters here, not its text. */
function withoutText<Subject extends Pick<Checkpoint, 'summary' | 'opaque'>>(subject: Subject): Subject {
  const { summary, opaque } = subject;
  if (summary === undefined) return subject;
  return { ...subject, summary: '', ...(opaque === undefined ? {} : { opaque: { ...opaque, content: '' } }) };
}

function noParts(): BudgetParts {
  return { system: NOTHING, context: NOTHING, history: NOTHING, tools: NOTHING, retrieval: NOTHING };
}

function plusParts(left: BudgetParts, right: BudgetParts): BudgetParts {
  return {
    system: plus(left.system, right.system),
    context: plus(left.context, right.context),
    history: plus(left.history, right.history),
    tools: plus(left.tools, right.tools),
    retrieval: plus(left.retrieval, right.retrieval),
  };
}
