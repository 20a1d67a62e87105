// Plans a compaction: the items that go, those that stay, and their tokens. Changes nothing, so `/context` can show the
// plan.
import { gatheredTo } from '../../projections/context-versions.ts';
import {
  type Checkpoint,
  countedEntries,
  countedSpans,
  currentSummary,
  standingFor,
} from '../../projections/timeline.ts';
import type { ForgottenItems, ViewItem, ViewState } from '../../projections/view.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import { eventSteps, stepTokens, type ViewStep } from '../steps.ts';
import type { Cut } from './cut.ts';
import { cutText } from './cut-text.ts';
import { itemText } from './item-text.ts';
import { EXCERPT, headingOf, QUESTION, withoutCarried } from './sections.ts';
import { type CompactionSizes, cutBy, type Strategy } from './strategy.ts';

interface PlanOptions extends CompactionSizes {
  /** Chooses where to cut by something else than tokens. */
  readonly cut?: ((steps: readonly ViewStep[]) => Cut | undefined) | undefined;
}

export interface CompactionPlan {
  /** The items that go, oldest first. */
  readonly covered: readonly ViewItem[];
  /** Messages among them, with those that are no longer in memory. */
  readonly coveredMessages: number;
  /** seq of the first and the last event of them. */
  readonly covers: { readonly from: number; readonly to: number };
  /** seq of the first event that stays. */
  readonly keptFrom: number;
  /** The earlier summary. */
  readonly previous: string | undefined;
  /** Text that is carried over word for word: the question under work, an excerpt of a message that is too large. */
  readonly carried: string;
  readonly tokensBefore: number;
  /** Tokens of the items that stay, without a new summary. */
  readonly tokensKept: number;
}

const MAX_QUESTION_TOKENS = 500;

/** Undefined if nothing may go. */
export function planCompaction(view: ViewState, strategy: Strategy, options: PlanOptions): CompactionPlan | undefined {
  const { preserveRecentTokens, targetTokens, summaryTokens, cut: chooseCut } = options;
  const measures = measured(view);
  const { said, fixedTokens, forgotten, summary } = measures;
  const steps = eventSteps(said);
  const limits = { preserveRecentTokens, targetTokens: targetTokens - fixedTokens, summaryTokens };
  const cut = chooseCut === undefined ? cutBy(strategy, steps, limits) : chooseCut(steps);
  const first = cut === undefined ? undefined : steps[cut.at]?.items[0];
  if (cut === undefined || first === undefined) return undefined;

  const { covered, messages, lastSeq } = coveredBy(steps, cut.at);
  const { oversized } = cut;
  const excerpt = oversized && excerptOf(steps[oversized.index], oversized.tokens);
  return {
    covered,
    coveredMessages: forgotten.reduce((total, span) => total + span.messages, messages),
    covers: { from: forgotten[0]?.from ?? covered[0]?.seq ?? first.seq, to: Math.min(lastSeq, first.seq - 1) },
    keptFrom: first.seq,
    previous: summary?.summary,
    carried: [questionUnderWork(steps, cut.at), excerpt ?? ''].filter((text) => text !== '').join('\n\n'),
    tokensBefore: tokensOf(view, measures),
    tokensKept: fixedTokens + sum(steps, cut.at),
  };
}

/** The tokens of a request with this view, as counted here. */
export function viewTokens(view: ViewState): number {
  return tokensOf(view, measured(view));
}

function tokensOf(view: ViewState, { said, goingFirst, fixedTokens, forgotten }: Measures): number {
  return (
    fixedTokens +
    replacedTokens(view) +
    stepTokens(said) +
    stepTokens(goingFirst) +
    sum(forgotten) +
    (standingFor(view.timeline, view)?.tokens ?? 0)
  );
}

/** Tokens of context entries that a newer version replaced: they stay where they were sent until a compaction. */
function replacedTokens(view: ViewState): number {
  const from = gatheredTo(view);
  const replaced = view.shown.versions.filter(({ until = 0 }) => until > from);
  return sum(replaced.map(({ entry }) => ({ tokens: entry?.tokens.count ?? 0 })));
}

/** The text of the checkpoint; undefined if there is none, and the earlier summary stays. */
export function checkpointText(plan: CompactionPlan, summary: string | undefined): string | undefined {
  if (plan.carried === '') return summary;
  // Text that was carried over the last time is dropped: otherwise it would pile up.
  const standing = plan.previous && withoutCarried(plan.previous);
  return [summary ?? standing, plan.carried].filter(Boolean).join('\n\n');
}

export function tokensAfter(plan: CompactionPlan, text: string | undefined): number {
  return plan.tokensKept + estimateTokens(text ?? plan.previous ?? '');
}

interface Measures {
  /** Items that count and can be covered. */
  readonly said: readonly ViewItem[];
  /** Retrieved texts: they leave with any compaction, and no summary tells of them. */
  readonly goingFirst: readonly ViewItem[];
  /** System prompt and context entries. */
  readonly fixedTokens: number;
  readonly forgotten: readonly ForgottenItems[];
  readonly summary: Checkpoint | undefined;
}

function measured({ timeline, context }: ViewState): Measures {
  const pinned: ViewItem[] = [];
  const said: ViewItem[] = [];
  const goingFirst: ViewItem[] = [];
  for (const item of countedEntries(timeline)) (item.pinned ? pinned : item.goesFirst ? goingFirst : said).push(item);
  return {
    said,
    goingFirst,
    fixedTokens: sum(pinned) + sum(context.entries.map(({ tokens }) => ({ tokens: tokens.count }))),
    forgotten: countedSpans(timeline),
    summary: currentSummary(timeline),
  };
}

/** The items of the steps before one. */
function coveredBy(steps: readonly ViewStep[], at: number) {
  const covered: ViewItem[] = [];
  let messages = 0;
  let lastSeq = -1;
  for (let step = 0; step < at; step++) {
    for (const item of steps[step]!.items) {
      covered.push(item);
      if (item.kind === 'message') messages += 1;
      // A result may have come after messages that follow its call.
      lastSeq = Math.max(lastSeq, item.kind === 'call' ? (item.result?.seq ?? item.seq) : item.seq);
    }
  }
  return { covered, messages, lastSeq };
}

/** If the cut is inside a turn, the steps that stay need the question that they answer. */
function questionUnderWork(steps: readonly ViewStep[], at: number): string {
  if (steps[at]?.startsTurn) return '';
  const question = steps.slice(0, at).findLast(({ startsTurn }) => startsTurn)?.items[0];
  if (question === undefined) return '';
  return `${headingOf(QUESTION)}\n${cutText(itemText(question), MAX_QUESTION_TOKENS)}`;
}

function excerptOf(step: ViewStep | undefined, tokens: number): string {
  const text = step?.items.map(itemText).join('\n') ?? '';
  return text === '' ? '' : `${headingOf(EXCERPT)}\n${cutText(text, tokens)}`;
}

function sum(list: readonly { readonly tokens: number }[], from = 0): number {
  let total = 0;
  for (let index = from; index < list.length; index++) total += list[index]?.tokens ?? 0;
  return total;
}
