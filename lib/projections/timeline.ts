// The messages in order, and which of them count now: undone turns are on other branches (branches.ts), compacted ones
// are covered. Both stay in the timeline, so that an undo can be undone. Only `forget` drops entries, the oldest whole
// turns first, and keeps the sum of them. When a move needs dropped entries, `incomplete` is set: the owner replays the
// journal.
import type { OllmEventOf } from '../events/index.ts';
import { knownTokens } from '../tokens/estimate.ts';
import { type Branches, branchesAt, isOnActiveBranch, moveTo, noBranches } from './branches.ts';
import { isPrompt } from './message-pieces.ts';

/** What changes a timeline, in every fold that keeps one. */
export const TIMELINE_EVENTS = [
  'message.added',
  'message.replaced',
  'tool.requested',
  'tool.finished',
  'branch.moved',
] as const;

export interface TimelineEntry {
  readonly seq: number;
  tokens: number;
  /** A user message: whole turns are kept or forgotten. */
  readonly startsTurn?: true;
  /** The system prompt: neither covered, nor undone, nor forgotten. */
  readonly pinned?: true;
  /** Id of the message that it is, or is a part of. */
  readonly message?: string;
  /** Retrieved text: each later compaction covers it, whatever else that keeps. */
  readonly goesFirst?: true;
  /**
   * A compaction put it in place of the messages that it covers: it counts as long as the compaction at this seq does.
   */
  readonly replaces?: true;
}

/** Entries that were forgotten: all between two seq, both inclusive, with no branch between them. Newer are shorter. */
export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
  /** It begins with a message of the user: nothing after it is a part of an earlier message. */
  readonly startsTurn?: true;
}

/** A provider's own form of covered messages, which only its model can read. */
export interface OpaqueSummary {
  readonly provider: string;
  readonly model: string;
  readonly content: string;
  readonly tokens: number;
}

/** A compaction, as far as it changes what counts. */
export interface Checkpoint {
  readonly seq: number;
  /** Entries before this seq are covered. */
  readonly keptFrom: number;
  readonly summary?: string;
  /** Tokens of the summary. */
  readonly tokens: number;
  /** What one model is sent in place of the summary. */
  readonly opaque?: OpaqueSummary;
  /** Entries of the timeline replace the covered messages, and no summary does. */
  readonly hasMessages?: true;
  /** seq of each compaction.undone that took it back; it may be one on another branch. */
  undoneAt: number[];
}

export interface Timeline<Held extends TimelineEntry, Forgotten extends TimelineSpan> {
  branches: Branches;
  /** Oldest first, with those that do not count now. */
  entries: Held[];
  forgotten: Forgotten[];
  checkpoints: Checkpoint[];
  /** The oldest checkpoints were forgotten too. */
  checkpointsForgotten: boolean;
  /** Everything before is covered by a compaction. */
  keptFrom: number;
  /** seq of the newest compaction that was not taken back: entries that go first and came before it are covered. */
  goneBefore: number;
  /** Where entries that go first were forgotten. */
  goingForgotten?: TimelineSpan;
  /** Tokens that must be there if the journal has them. 0 until something was forgotten. */
  reachTokens: number;
  /** Something that counts was forgotten: what this holds is too little. */
  incomplete: boolean;
  /** The result of a call came after that was forgotten: the states did not take it in. */
  lacksResult?: true;
  /** Something was said or called that is not the system prompt. */
  begun: boolean;
  /** Calls without a result yet, oldest first. */
  openCalls: { callId: string; seq: number }[];
}

export function emptyTimeline<Held extends TimelineEntry, Forgotten extends TimelineSpan>(): Timeline<Held, Forgotten> {
  return {
    branches: noBranches(),
    entries: [],
    forgotten: [],
    checkpoints: [],
    checkpointsForgotten: false,
    keptFrom: 0,
    goneBefore: 0,
    reachTokens: 0,
    incomplete: false,
    begun: false,
    openCalls: [],
  };
}

type AnyTimeline = Timeline<TimelineEntry, TimelineSpan>;

/**
 * The timeline as it was before the event at `seq`, made of copies, so that the events from there on can be applied
 * again. No span may begin before `seq` and end after it.
 */
export function timelineAt<Held extends TimelineEntry, Forgotten extends TimelineSpan>(
  timeline: Timeline<Held, Forgotten>,
  seq: number,
): Timeline<Held, Forgotten> {
  const isEarlier = (one: { readonly seq: number }) => one.seq < seq;
  const { branches, checkpoints, goingForgotten: going } = timeline;
  const entries = timeline.entries.filter(isEarlier).map((entry) => ({ ...entry }));
  const forgotten = timeline.forgotten.filter(({ to }) => to < seq);
  const at: Timeline<Held, Forgotten> = {
    ...timeline,
    branches: branchesAt(branches, seq),
    entries,
    forgotten,
    checkpoints: checkpoints
      .filter(isEarlier)
      .map((one) => ({ ...one, undoneAt: one.undoneAt.filter((undone) => undone < seq) })),
    keptFrom: 0,
    goneBefore: 0,
    begun: forgotten.length > 0 || entries.some(({ pinned }) => !pinned),
    openCalls: timeline.openCalls.filter(isEarlier),
  };
  delete at.goingForgotten;
  if (going !== undefined && going.from < seq)
    at.goingForgotten = { from: going.from, to: Math.min(going.to, seq - 1) };
  const active = activeCheckpoints(at);
  at.keptFrom = active.reduce((from, { keptFrom }) => Math.max(from, keptFrom), 0);
  at.goneBefore = active.at(-1)?.seq ?? 0;
  at.incomplete = false;
  return at;
}

/**
 * seq of the newest event before `seq` that the timeline can be read again from: a turn begins there. 0 where all must
 * be read.
 */
export function rereadFrom({ forgotten }: AnyTimeline, seq = Number.POSITIVE_INFINITY): number {
  return forgotten.findLast(({ startsTurn, from }) => startsTurn && from < seq)?.from ?? 0;
}

/** Whether something that counts was forgotten, also where no event said so yet. */
export function lacksEntries(timeline: AnyTimeline): boolean {
  const { forgotten, incomplete } = timeline;
  return incomplete || lacksTokens(timeline) || forgotten.some((span) => isCutThrough(timeline, span));
}

/** What counts now, oldest first. */
export function countedEntries<Held extends TimelineEntry>(timeline: Timeline<Held, TimelineSpan>): Held[] {
  return timeline.entries.filter((entry) => counts(timeline, entry));
}

/** What counts now of the events that were forgotten. */
export function countedSpans<Forgotten extends TimelineSpan>(
  timeline: Timeline<TimelineEntry, Forgotten>,
): Forgotten[] {
  return timeline.forgotten.filter((span) => counts(timeline, { seq: span.to }));
}

export function counts(
  timeline: AnyTimeline,
  { seq, pinned, replaces, goesFirst }: Pick<TimelineEntry, 'seq' | 'pinned' | 'replaces' | 'goesFirst'>,
): boolean {
  if (goesFirst && seq < timeline.goneBefore) return false;
  if (replaces && !activeCheckpoints(timeline).some((checkpoint) => checkpoint.seq === seq)) return false;
  return pinned === true || (seq >= timeline.keptFrom && isOnActiveBranch(timeline.branches, seq));
}

/** The newest summary that replaces covered messages. */
export function currentSummary(timeline: AnyTimeline): Checkpoint | undefined {
  const standing = activeCheckpoints(timeline).findLast(
    ({ summary, hasMessages }) => hasMessages || summary !== undefined,
  );
  return standing?.hasMessages ? undefined : standing;
}

/** The replacement of covered messages for this model: its provider's own form of them, or else the summary. */
export function standingFor(
  timeline: AnyTimeline,
  { provider, model }: { readonly provider: string; readonly model: string },
): { readonly opaque?: OpaqueSummary; readonly summary?: string; readonly tokens: number } | undefined {
  const checkpoint = currentSummary(timeline);
  if (checkpoint === undefined) return undefined;
  const { opaque, summary, tokens } = checkpoint;
  if (opaque?.provider === provider && opaque.model === model) return { opaque, tokens: opaque.tokens };
  return { ...(summary === undefined ? {} : { summary }), tokens };
}

/** The newest compaction that was not taken back. */
export function currentCheckpoint(timeline: AnyTimeline): Checkpoint | undefined {
  return activeCheckpoints(timeline).at(-1);
}

/** What every timeline keeps of a message. `begun`: something was said before it. */
export function messageEntry(
  { seq, data }: OllmEventOf<'message.added'>,
  { begun }: { readonly begun: boolean },
): TimelineEntry {
  const { role, parts, tokens, message } = data;
  return {
    seq,
    tokens: knownTokens(tokens, parts).count,
    ...(isPrompt(data) ? { startsTurn: true } : {}),
    ...(role === 'system' && !begun ? { pinned: true } : {}),
    ...(message === undefined ? {} : { message }),
  };
}

/** Adds a message. A system message before everything else should be pinned: see `begun`. */
export function say<Held extends TimelineEntry>(timeline: Timeline<Held, TimelineSpan>, entry: Held): void {
  timeline.entries.push(entry);
  if (!entry.pinned) timeline.begun = true;
}

/**
 * The entry of the message with this id that a further part of it belongs to: one that counts, and is not followed by a
 * message of the user. Undefined if there is none.
 */
export function partOf<Held extends TimelineEntry>(
  timeline: Timeline<Held, TimelineSpan>,
  message: string | undefined,
): Held | undefined {
  if (message === undefined) return undefined;
  const entry = timeline.entries.findLast((one) => one.message === message || one.startsTurn);
  return entry?.message === message && counts(timeline, entry) ? entry : undefined;
}

/** The entry of the message with this id, wherever it is. Undefined if there is none, or it was forgotten. */
export function messageWith<Held extends TimelineEntry>(
  timeline: Timeline<Held, TimelineSpan>,
  message: string,
): Held | undefined {
  return timeline.entries.findLast((entry) => entry.message === message);
}

/** Adds a call, which `answer` finds again. */
export function ask<Held extends TimelineEntry>(
  timeline: Timeline<Held, TimelineSpan>,
  callId: string,
  entry: Held,
): void {
  say(timeline, entry);
  timeline.openCalls.push({ callId, seq: entry.seq });
}

/**
 * The call that a result belongs to: the newest with this id that has none. Undefined if there is none, or it was
 * forgotten.
 */
export function answer<Held extends TimelineEntry>(
  timeline: Timeline<Held, TimelineSpan>,
  callId: string,
): Held | undefined {
  const index = timeline.openCalls.findLastIndex((open) => open.callId === callId);
  if (index < 0) return undefined;
  const [open] = timeline.openCalls.splice(index, 1);
  const entry = timeline.entries.findLast(({ seq }) => seq === open?.seq);
  if (entry === undefined) {
    timeline.incomplete = true;
    timeline.lacksResult = true;
  }
  return entry;
}

/** branch.moved: events after `at` continue from `head`. */
export function move(timeline: AnyTimeline, at: number, head: number): void {
  if (!moveTo(timeline.branches, at, head)) return;
  settle(timeline);
}

/** compaction.completed. */
export function compact(timeline: AnyTimeline, checkpoint: Omit<Checkpoint, 'undoneAt'>): void {
  timeline.checkpoints.push({ ...checkpoint, undoneAt: [] });
  settle(timeline);
}

/** compaction.undone: the one at `seq` was taken back at `at`. */
export function undoCompaction(timeline: AnyTimeline, at: number, seq: number): void {
  const checkpoint = timeline.checkpoints.find((candidate) => candidate.seq === seq);
  checkpoint?.undoneAt.push(at);
  if (checkpoint === undefined && timeline.checkpointsForgotten) timeline.incomplete = true;
  settle(timeline);
}

/** Asks for `tokens` tokens from now on: more than were kept before if the model's window grew. */
export function reach(timeline: AnyTimeline, tokens: number): void {
  if (tokens <= timeline.reachTokens || timeline.reachTokens === 0) return;
  timeline.reachTokens = tokens;
  settle(timeline);
}

/** The sums of a forgotten entry, in addition to its place, and of two neighbours. */
interface SpanSums<Held, Forgotten extends TimelineSpan> {
  of(entry: Held): Omit<Forgotten, keyof TimelineSpan>;
  join(older: Forgotten, newer: Forgotten): Omit<Forgotten, keyof TimelineSpan>;
}

/**
 * Drops the oldest turns that a window of `capTokens` cannot reach. Twice that size stays of entries that count, so
 * that an undo can go back one window before the journal must be read; once that size of those that do not.
 */
export function forget<Held extends TimelineEntry, Forgotten extends TimelineSpan>(
  timeline: Timeline<Held, Forgotten>,
  capTokens: number,
  { of, join }: SpanSums<Held, Forgotten>,
): void {
  timeline.reachTokens = Math.max(timeline.reachTokens, capTokens);
  forgetCheckpoints(timeline, capTokens);
  const kept = new Set(entriesToKeep(timeline, capTokens));
  if (kept.size === timeline.entries.length) return;
  const dropped = timeline.entries.filter((entry) => !kept.has(entry));
  timeline.entries = timeline.entries.filter((entry) => kept.has(entry));
  const going = dropped.filter(({ goesFirst }) => goesFirst);
  if (going.length > 0) timeline.goingForgotten = spanOf([timeline.goingForgotten, ...going.map(spanAt)]);
  // Dropped entries are in no sum: it would count them with their neighbours.
  const summed = dropped.filter(({ goesFirst, seq }) => !goesFirst || seq >= timeline.goneBefore);
  const newer = summed.map((entry) => ({ ...of(entry), ...spanAt(entry) }) as Forgotten);
  const spans = [...timeline.forgotten, ...newer].sort((left, right) => left.from - right.from);
  timeline.forgotten = joinNeighbours(timeline, spans, join);
}

function entriesToKeep<Held extends TimelineEntry>(timeline: Timeline<Held, TimelineSpan>, capTokens: number): Held[] {
  const counted = { left: 2 * capTokens, closed: false };
  const uncounted = { left: capTokens, closed: false };
  const question = timeline.entries.findLast((entry) => entry.startsTurn && counts(timeline, entry));
  const kept: Held[] = [];
  for (const entry of timeline.entries.toReversed()) {
    const room = counts(timeline, entry) ? counted : uncounted;
    if (entry.pinned || !room.closed || entry === question) kept.push(entry);
    if (entry.pinned || room.closed) continue;
    room.left -= weight(entry);
    // A single turn of more than twice the room is cut inside: nothing could hold it.
    room.closed = room.left < 0 && (entry.startsTurn === true || room.left < -2 * capTokens);
  }
  return kept;
}

/** Keeps the newest, back to the one whose summary is sent now, and to the one that covers most. */
function forgetCheckpoints(timeline: AnyTimeline, capTokens: number): void {
  const { checkpoints, keptFrom } = timeline;
  const coversMost = activeCheckpoints(timeline).findLast((checkpoint) => checkpoint.keptFrom === keptFrom);
  const needed = Math.min(...[currentSummary(timeline), coversMost].map((one) => one?.seq ?? Number.POSITIVE_INFINITY));
  let left = capTokens;
  const first = checkpoints.findLastIndex((checkpoint) => {
    left -= weight(checkpoint);
    return left < 0 && checkpoint.seq < needed;
  });
  if (first < 0) return;
  timeline.checkpoints = checkpoints.slice(first + 1);
  timeline.checkpointsForgotten = true;
}

/**
 * A span of more events than this is at most as long as all that follow it: going back rereads about as much as it goes
 * back. There are few such spans, so the state does not grow.
 */
const SHORTEST_SPAN = 16;

function spanAt({ seq, startsTurn }: TimelineEntry): TimelineSpan {
  return { from: seq, to: seq, ...(startsTurn && { startsTurn }) };
}

function joinNeighbours<Forgotten extends TimelineSpan>(
  { entries, branches, checkpoints, keptFrom }: Timeline<TimelineEntry, Forgotten>,
  spans: readonly Forgotten[],
  join: SpanSums<never, Forgotten>['join'],
): Forgotten[] {
  // The end of a branch or a compaction is a border too: entries on only one side of it may count.
  const turns = branches.jumps.flatMap(({ at, head }) => [head, at]);
  const covered = [keptFrom, ...checkpoints.map((checkpoint) => checkpoint.keptFrom)].map((from) => from - 1);
  const borders = [...entries.map(({ seq }) => seq), ...turns, ...covered].sort((a, b) => a - b);
  const newest = Math.max(entries.at(-1)?.seq ?? 0, spans.at(-1)?.to ?? 0);
  const joined: Forgotten[] = [];
  let border = 0;
  for (const span of spans) {
    const last = joined.at(-1);
    while (border < borders.length && borders[border]! < (last?.to ?? span.from)) border++;
    const isBordered = border < borders.length && borders[border]! < span.from;
    const isLong = last !== undefined && span.to - last.from > Math.max(SHORTEST_SPAN, newest - span.to);
    if (last === undefined || isBordered || (isLong && span.startsTurn)) joined.push(span);
    else joined[joined.length - 1] = { ...last, ...join(last, span), to: span.to };
  }
  return joined;
}

function activeCheckpoints({ checkpoints, branches }: AnyTimeline): Checkpoint[] {
  return checkpoints.filter(
    ({ seq, undoneAt }) => isOnActiveBranch(branches, seq) && !undoneAt.some((at) => isOnActiveBranch(branches, at)),
  );
}

function spanOf(spans: readonly (TimelineSpan | undefined)[]): TimelineSpan {
  const known = spans.filter((span) => span !== undefined);
  return { from: Math.min(...known.map(({ from }) => from)), to: Math.max(...known.map(({ to }) => to)) };
}

/** After each change of what counts. */
function settle(timeline: AnyTimeline): void {
  const active = activeCheckpoints(timeline);
  const before = timeline.keptFrom;
  timeline.keptFrom = active.reduce((from, { keptFrom }) => Math.max(from, keptFrom), 0);
  const gone = timeline.goneBefore;
  timeline.goneBefore = active.reduce((latest, { seq }) => Math.max(latest, seq), 0);
  if (timeline.checkpointsForgotten && timeline.goneBefore < gone) timeline.incomplete = true;
  if (timeline.goingForgotten !== undefined && changesBetween(timeline, gone)) timeline.incomplete = true;
  // A forgotten compaction may have covered more than the remaining ones, and may have had a summary.
  const isLess = timeline.keptFrom < before || currentSummary(timeline) === undefined;
  if (timeline.checkpointsForgotten && isLess) timeline.incomplete = true;
  if (lacksEntries(timeline)) timeline.incomplete = true;
}

/** Whether forgotten entries that go first count now, or do no more, and nothing else covers them. */
function changesBetween({ goingForgotten, goneBefore, keptFrom }: AnyTimeline, before: number): boolean {
  const { from, to } = goingForgotten!;
  const isBetween = from < Math.max(before, goneBefore) && to >= Math.min(before, goneBefore);
  return before !== goneBefore && isBetween && to >= keptFrom;
}

/** The way, or a compaction, ends inside a span: which of its entries count is not known. */
function isCutThrough({ branches, keptFrom }: AnyTimeline, { from, to }: TimelineSpan): boolean {
  if (branches.stretches.some((stretch) => from <= stretch.to && stretch.to < to)) return true;
  return from < keptFrom && keptFrom <= to && isOnActiveBranch(branches, to);
}

/** After the newest span that counts, there is less than a window. */
function lacksTokens(timeline: AnyTimeline): boolean {
  const hole = countedSpans(timeline).at(-1);
  if (hole === undefined) return false;
  const newer = countedEntries(timeline).filter(({ seq }) => seq > hole.to);
  return newer.reduce((sum, entry) => sum + weight(entry), 0) < timeline.reachTokens;
}

/** An entry without tokens takes room as well. */
const TOKENS_PER_ENTRY = 4;

function weight({ tokens }: { readonly tokens: number }): number {
  return tokens + TOKENS_PER_ENTRY;
}
