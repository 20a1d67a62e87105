// Projection: one row of `ollm list`. Counts what `session` would list: the conversation as it runs now, undone
// messages left out, compacted ones not.
import type { OllmEventOf, SessionCreated } from '../events/index.ts';
import type { Part, Role } from '../messages/index.ts';
import { isHighSurrogate } from '../messages/surrogates.ts';
import { knownTokens, textTokens } from '../tokens/estimate.ts';
import { applyHeading, HEADING_EVENTS, type Heading, laterOf, noHeading } from './heading.ts';
import { isPrompt } from './message-pieces.ts';
import type { Fold } from './projection.ts';
import {
  answer,
  ask,
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
  TIMELINE_EVENTS,
  type Timeline,
  type TimelineEntry,
  type TimelineSpan,
} from './timeline.ts';

export interface SummaryEntry extends TimelineEntry {
  /** Absent for a tool call. */
  readonly role?: Role;
  excerpt?: string;
}

export interface ForgottenMessages extends TimelineSpan {
  readonly messages: number;
  readonly turns: number;
  readonly tokens: number;
  /** The last message of them. Absent where there is none, and in what earlier versions saved. */
  readonly last?: { readonly role: Role; readonly excerpt: string } | undefined;
}

/** What a list says of a session. */
export interface SummaryState extends Heading {
  id: string;
  messageCount: number;
  /** Messages of the user. */
  turnCount: number;
  /** Tokens of the messages and of the results of tools. */
  tokenCount: number;
  /** The beginning of the first thing that the user said, on one line, and the id of that message. */
  firstPrompt?: { excerpt: string; message?: string } | undefined;
  /** The beginning of the last message, on one line. */
  lastMessage?: { role: Role; excerpt: string } | undefined;
  cwd?: string;
  parent?: SessionCreated['parent'];
  origin?: SessionCreated['origin'];
  /** The number of a turn that began and has not ended. */
  openTurn?: number | undefined;
  /** Whether the last writer closed in order. */
  closed: boolean;
  timeline: Timeline<SummaryEntry, ForgottenMessages>;
}

/** What a list says of a session. */
export type SummaryRow = Readonly<Omit<SummaryState, 'timeline'>>;

/**
 * What names a session in a list: its title, else how it began. Never a system prompt, nor a text that a program put
 * into the role of the user: a prompt of the user is the first prompt. Undefined where nothing else was said.
 */
export function nameOf({ title, firstPrompt, lastMessage }: Partial<SummaryRow> = {}): string | undefined {
  return title ?? firstPrompt?.excerpt ?? (lastMessage?.role === 'assistant' ? lastMessage.excerpt : undefined);
}

export function rowOfSummary({ timeline: _, ...row }: SummaryState): SummaryRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as SummaryRow;
}

const READS = [...HEADING_EVENTS, ...TIMELINE_EVENTS] as const;

const EXCERPT_CHARACTERS = 80;

/** Counts and dates a session for a list. */
export const summaryFold: Fold<SummaryState, (typeof READS)[number]> = {
  name: 'summary',
  version: 3,
  reads: READS,
  initial: () => ({
    id: '',
    ...noHeading(),
    firstPrompt: undefined,
    lastMessage: undefined,
    openTurn: undefined,
    messageCount: 0,
    turnCount: 0,
    tokenCount: 0,
    closed: false,
    timeline: emptyTimeline(),
  }),
  apply,
  see(state, { type, turn }) {
    state.closed = type === 'session.closed';
    if (type === 'turn.started' && turn !== undefined) state.openTurn = turn;
    if (type === 'turn.ended') state.openTurn = undefined;
    return state;
  },
  trim: trimSummary,
};

/** Forgets the single entries of old turns and keeps their sums. */
function trimSummary(state: SummaryState, capTokens: number): void {
  forget(state.timeline, capTokens, {
    of: ({ role, startsTurn, tokens, excerpt = '' }) => ({
      messages: role === undefined ? 0 : 1,
      turns: startsTurn ? 1 : 0,
      tokens,
      last: role === undefined ? undefined : { role, excerpt },
    }),
    join: (older, newer) => ({
      messages: older.messages + newer.messages,
      turns: older.turns + newer.turns,
      tokens: older.tokens + newer.tokens,
      last: newer.last ?? older.last,
    }),
  });
}

/** The first words of a message, on one line. */
export function excerptOf(parts: readonly Part[]): string {
  const texts = parts.map((part) => (part.type === 'text' ? part.text.slice(0, 4 * EXCERPT_CHARACTERS) : ''));
  const line = texts.join(' ').trim().replace(/\s+/g, ' ');
  if (line.length <= EXCERPT_CHARACTERS) return copyOf(line);
  const cut = line.slice(0, EXCERPT_CHARACTERS - 1);
  return copyOf(`${isHighSurrogate(cut.charCodeAt(cut.length - 1)) ? cut.slice(0, -1) : cut}…`);
}

/** A slice of a text keeps the whole text in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function apply(state: SummaryState, event: OllmEventOf<(typeof READS)[number]>): SummaryState {
  switch (event.type) {
    case 'session.created':
      begin(state, event);
      break;
    case 'session.titled':
    case 'model.changed':
      applyHeading(state, event);
      break;
    case 'message.added':
      addMessage(state, event);
      break;
    case 'message.replaced':
      replaceMessage(state, event);
      break;
    case 'tool.requested':
      state.lastActivity = laterOf(state.lastActivity, event);
      ask(state.timeline, event.data.callId, { seq: event.seq, tokens: 0 });
      break;
    case 'tool.finished':
      state.lastActivity = laterOf(state.lastActivity, event);
      addResult(state, event);
      break;
    case 'branch.moved':
      move(state.timeline, event.seq, event.data.head);
      sumSummary(state);
      break;
  }
  return state;
}

function begin(state: SummaryState, event: OllmEventOf<'session.created'>): void {
  const { data } = event;
  applyHeading(state, event);
  state.id = data.sessionId;
  if (data.cwd !== undefined) state.cwd = data.cwd;
  if (data.parent !== undefined) state.parent = data.parent;
  if (data.origin !== undefined) state.origin = data.origin;
}

function addMessage(state: SummaryState, event: OllmEventOf<'message.added'>): void {
  const { data } = event;
  const { role, parts, message } = data;
  const { count: tokens } = knownTokens(data.tokens, parts);
  const excerpt = excerptOf(parts);
  state.lastActivity = laterOf(state.lastActivity, event);
  const begun = partOf(state.timeline, message);
  if (begun !== undefined && begun.role === role) {
    begun.tokens += tokens;
    state.tokenCount += tokens;
    const isLast = state.timeline.entries.findLast((entry) => entry.role !== undefined) === begun;
    if (begun.excerpt === '') begun.excerpt = excerpt;
    if (isLast) state.lastMessage = { role, excerpt: begun.excerpt ?? '' };
    return;
  }
  const startsTurn = isPrompt(data);
  if (startsTurn && excerpt !== '') state.firstPrompt ??= { excerpt, ...(message === undefined ? {} : { message }) };
  say(state.timeline, { ...messageEntry(event, state.timeline), role, excerpt });
  state.messageCount += 1;
  state.turnCount += startsTurn ? 1 : 0;
  state.tokenCount += tokens;
  state.lastMessage = { role, excerpt };
}

function replaceMessage(state: SummaryState, { data }: OllmEventOf<'message.replaced'>): void {
  if (state.firstPrompt?.message === data.message) state.firstPrompt.excerpt = excerptOf(data.parts);
  const there = messageWith(state.timeline, data.message);
  if (there === undefined) return;
  there.tokens = knownTokens(data.tokens, data.parts).count;
  there.excerpt = excerptOf(data.parts);
  sumSummary(state);
}

function addResult(state: SummaryState, { data }: OllmEventOf<'tool.finished'>): void {
  const call = answer(state.timeline, data.callId);
  if (call === undefined) return;
  const { count } = textTokens(data.tokens, data.result.llmContent);
  call.tokens += count;
  if (counts(state.timeline, call)) state.tokenCount += count;
}

/** Sums up again what counts after a move. */
export function sumSummary(state: SummaryState): void {
  const spans = countedSpans(state.timeline);
  const entries = countedEntries(state.timeline);
  const messages = entries.filter(({ role }) => role !== undefined);
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  state.messageCount = messages.length + sum(spans.map((span) => span.messages));
  state.turnCount = messages.filter(({ startsTurn }) => startsTurn).length + sum(spans.map((span) => span.turns));
  state.tokenCount = sum(entries.map(({ tokens }) => tokens)) + sum(spans.map((span) => span.tokens));
  const last = messages.at(-1);
  // If an undo leads back to forgotten content, only pinned entries may remain.
  const forgotten = spans.findLast((span) => span.last !== undefined && span.to > (last?.seq ?? -1))?.last;
  if (forgotten !== undefined) state.lastMessage = { ...forgotten };
  else if (last?.role === undefined) state.lastMessage = undefined;
  else state.lastMessage = { role: last.role, excerpt: last.excerpt ?? '' };
}
