// Projection: tokens. What the view holds by part, what the provider last reported, and what was spent in all.
// Cached tokens are part of the input and never added to it. A number says where it comes from, and a sum is no better than
// its worst number. What was reported is void once a compaction, an undo or another model changed what is sent.
import type { OllmEventOf, UsageReported } from '../events/index.ts';
import type { TokenCount, TokenMethod, Usage } from '../messages/index.ts';
import { estimateCall, knownTokens } from '../tokens/estimate.ts';
import { applyContext, CONTEXT_EVENTS, type ContextState, expireContext, noContext } from './context.ts';
import type { Fold } from './projection.ts';
import {
  answer,
  ask,
  type Checkpoint,
  compact,
  countedEntries,
  countedSpans,
  counts,
  type Entry,
  emptyTimeline,
  forget,
  move,
  type Span,
  say,
  standingFor,
  type Timeline,
  undoCompaction,
} from './timeline.ts';
import { learnFactor, type TokenFactors } from './token-factors.ts';
import { NOTHING, plus, weaker } from './token-sums.ts';
import { checkpointOf } from './view.ts';

export type BudgetPart = 'system' | 'context' | 'history' | 'tools' | 'retrieval';
export type BudgetParts = Record<BudgetPart, TokenCount>;

export interface BudgetEntry extends Entry {
  readonly part: BudgetPart;
  method: TokenMethod;
}

export interface ForgottenTokens extends Span {
  readonly parts: BudgetParts;
}

/** Everything that was ever used, also on branches that were left since. */
export interface Spent {
  /** Model calls that reported. */
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Of the input. */
  cachedTokens: number;
  /** US dollars, of the calls that had a price. Absent if none had. */
  totalCost?: number;
  callsWithoutCost: number;
}

/** The tokens of a session: in the window now, and spent in all. */
export interface BudgetState {
  provider: string;
  model: string;
  /** Tokens that the model takes in, where known. */
  limit?: number;
  /** What the view holds now. */
  parts: BudgetParts;
  /** Tokens in the window at the last report, and those that came since. `replyPending`: the answer is in it already. */
  reported?: { tokens: number; addedSince: number; method: TokenMethod; replyPending: boolean };
  factors: TokenFactors;
  spent: Spent;
  context: ContextState;
  timeline: Timeline<BudgetEntry, ForgottenTokens>;
  /** Whether the model spoke last. */
  replied: boolean;
}

const READS = [
  'session.created',
  'model.changed',
  'message.added',
  'tool.requested',
  'tool.finished',
  'retrieval.added',
  'usage.reported',
  'compaction.completed',
  'compaction.undone',
  'branch.moved',
  ...CONTEXT_EVENTS,
] as const;

/** Counts tokens. `budgetReport` and `usedTokens` (budget-report.ts) read its state. */
export const budgetFold: Fold<BudgetState, (typeof READS)[number]> = {
  name: 'budget',
  version: 2,
  reads: READS,
  initial: () => ({
    provider: '',
    model: '',
    parts: noParts(),
    factors: {},
    spent: { calls: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, callsWithoutCost: 0 },
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
    of: ({ seq, part, tokens, method }) => ({
      from: seq,
      to: seq,
      parts: { ...noParts(), [part]: { count: tokens, method } },
    }),
    join: (older, newer) => ({ from: older.from, to: newer.to, parts: plusParts(older.parts, newer.parts) }),
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
    case 'tool.requested':
      addCall(state, event);
      break;
    case 'tool.finished':
      finishCall(state, event);
      break;
    case 'retrieval.added': {
      const tokens = event.data.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
      add(state, { seq: event.seq, part: 'retrieval', tokens, method: 'estimated' });
      state.replied = false;
      break;
    }
    case 'usage.reported':
      report(state, event.data);
      break;
    case 'compaction.completed':
      compact(timeline, withoutText(checkpointOf(event.seq, event.data)));
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
      changeContext(state, () => applyContext(state.context, { ...event, data: { ...event.data, content: '' } }));
      break;
    case 'context.removed':
    case 'context.cleared':
      changeContext(state, () => applyContext(state.context, event));
      break;
  }
  return state;
}

function changeModel(
  state: BudgetState,
  { provider, model, contextWindow }: { provider: string; model: string; contextWindow?: number },
): void {
  const isAnother = provider !== state.provider || model !== state.model;
  state.provider = provider;
  state.model = model;
  // What stands for what is covered may be another thing before it.
  if (isAnother) recount(state);
  if (contextWindow === undefined) delete state.limit;
  else state.limit = contextWindow;
}

function addMessage(state: BudgetState, { seq, data }: OllmEventOf<'message.added'>): void {
  const { count, method } = knownTokens(data.tokens, data.parts);
  const isPrompt = data.role === 'system' && !state.timeline.begun;
  const isReply = data.role === 'assistant';
  add(
    state,
    {
      seq,
      part: isPrompt ? 'system' : 'history',
      tokens: count,
      method,
      ...(isPrompt ? { pinned: true } : {}),
      ...(data.role === 'user' ? { startsTurn: true } : {}),
    },
    { isReply },
  );
  state.replied = isReply;
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
  entry.tokens += data.tokens.count;
  entry.method = weaker(entry.method, data.tokens.method);
  grow(state, entry, { tokens: data.tokens.count, method: data.tokens.method }, { isReply: false });
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
  const { spent } = state;
  spent.calls += 1;
  spent.inputTokens += usage.inputTokens;
  spent.outputTokens += usage.outputTokens;
  spent.cachedTokens += usage.cachedTokens ?? 0;
  if (usage.totalCost === undefined) spent.callsWithoutCost += 1;
  else spent.totalCost = (spent.totalCost ?? 0) + usage.totalCost;
  learnFactor(state, usage);
  if (usage.purpose === 'summary') return;
  const { reasoningTokens = 0 } = usage as Partial<Usage>;
  state.reported = {
    // Reasoning is no part of the messages that follow.
    tokens: usage.inputTokens + Math.max(0, usage.outputTokens - reasoningTokens),
    addedSince: 0,
    method: usage.source === 'provider' ? 'reported' : 'estimated',
    replyPending: !state.replied,
  };
}

function changeContext(state: BudgetState, change: () => void): void {
  const before = state.parts.context.count;
  change();
  state.parts.context = state.context.entries.map(({ tokens }) => tokens).reduce(plus, NOTHING);
  if (state.reported !== undefined) state.reported.addedSince += state.parts.context.count - before;
}

/** Sums up anew what counts after a compaction, an undo or a move, which also make the last report void. */
function recount(state: BudgetState): void {
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
  delete state.reported;
}

/** Whether there is a summary matters here; what it says does not. */
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
