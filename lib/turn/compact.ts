// Makes room in the window: older messages leave the view, and a summary takes their place. What is stored is a checkpoint;
// nothing leaves the journal, and compaction.undone brings everything back. A summary that fails or does not help is recorded
// as such, and `truncate` runs in its place.
import { automaticStrategy, type CompactionSettings, compactionSizes } from '../context/compaction/due.ts';
import { extractSummary } from '../context/compaction/extract.ts';
import { STRATEGIES } from '../context/compaction/index.ts';
import { type CompactionPlan, checkpointText, planCompaction, tokensAfter } from '../context/compaction/plan.ts';
import type { CompactionStrategy } from '../context/compaction/strategy.ts';
import { questionTokens, writeSummary } from '../context/compaction/write-summary.ts';
import { OllmError } from '../errors/index.ts';
import type { EventData, NewOllmEvent } from '../events/index.ts';
import { usedTokens } from '../projections/budget-report.ts';
import { replay } from '../projections/replay.ts';
import { countedSpans, type OpaqueSummary } from '../projections/timeline.ts';
import { tokenFactor } from '../projections/token-factors.ts';
import { type ViewState, viewFold } from '../projections/view.ts';
import type { Session } from '../session/session.ts';
import { type AskingDependencies, askOnce } from './ask-once.ts';
import { compactByProvider, hasOwnCompaction } from './compact-by-provider.ts';
import { createScrubber } from './redact-event.ts';
import { providerError, type TurnDependencies } from './turn.ts';

export type CompactionDependencies = AskingDependencies & Pick<TurnDependencies, 'redactor' | 'log' | 'summarizer'>;

export interface CompactionRequest {
  readonly settings: CompactionSettings;
  readonly by: 'auto' | 'user';
  readonly signal: AbortSignal;
  /** The turn that it belongs to, where there is one. */
  readonly turn?: number | undefined;
  /** What the definitions of tools take of the window. */
  readonly toolTokens?: number | undefined;
}

/** As it is set, or the provider's own where it has one. */
export type UsedStrategy = CompactionStrategy | 'provider';

export type CompactionResult =
  | {
      readonly kind: 'compacted';
      readonly strategy: UsedStrategy;
      /** seq of the checkpoint. */
      readonly seq: number;
      /** How many messages it covers. */
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** Why the strategy that was asked for was not the one. */
      readonly failure: OllmError | undefined;
    }
  /** Everything there is must stay. */
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'failed'; readonly error: OllmError };

/** What a model may be given of a conversation at once, where its window is not known. */
const UNKNOWN_WINDOW = 8_192;
const MIN_PART_TOKENS = 256;
/** Our estimate may be wrong: a part leaves that share of the window free. */
const PART_SHARE = 0.8;

type Checkpoint = EventData<'compaction.completed'>;

/**
 * Not to be run beside a turn: see `Session.exclusively`.
 * @throws OllmError INTERRUPTED (nothing was stored), and what `append` throws
 */
export async function compact(
  session: Session,
  dependencies: CompactionDependencies,
  request: CompactionRequest,
): Promise<CompactionResult> {
  const { settings, by, signal, toolTokens = 0 } = request;
  const view = wholeView(session, dependencies);
  const wanted = by === 'auto' ? automaticStrategy(settings, session.states.compaction) : settings.strategy;
  const factor = tokenFactor(session.states.budget, {
    provider: dependencies.provider.name,
    model: dependencies.model,
  });
  const used: NewOllmEvent[] = [];
  const first = await attempt(wanted);
  requireGoingOn(signal);
  if (first === undefined) return { kind: 'nothing-to-do' };
  if (!(first instanceof OllmError)) return store(first, []);

  dependencies.log.warn(
    { service: 'compaction', operation: wanted, sessionId: session.id, error: first, action: first.hint },
    'A compaction failed; truncate takes its place',
  );
  const second = wanted === 'truncate' ? first : ((await attempt('truncate')) ?? first);
  const failed: NewOllmEvent = {
    type: 'compaction.failed',
    data: {
      strategy: wanted,
      error: { code: first.code, message: first.message },
      fallback: second instanceof OllmError ? 'none' : 'truncate',
    },
  };
  if (!(second instanceof OllmError)) return store(second, [failed], first);
  await append([...used, failed]);
  return { kind: 'failed', error: first };

  /** Undefined: nothing may go. */
  async function attempt(name: CompactionStrategy): Promise<Planned | OllmError | undefined> {
    const strategy = STRATEGIES[name];
    const { contextWindow } = dependencies;
    const sizes = compactionSizes(settings, {
      by,
      contextWindow: contextWindow === undefined ? undefined : Math.floor(contextWindow / factor) - toolTokens,
      usedTokens: Math.floor(usedTokens(session.states.budget).count / factor),
    });
    const plan = planCompaction(view, strategy, sizes);
    if (plan === undefined) return undefined;
    const byProvider = strategy.summarizes ? await attemptByProvider(plan, sizes.summaryTokens) : undefined;
    if (byProvider !== undefined) return byProvider;
    try {
      const summary = strategy.summarizes ? await summaryOf(plan, sizes.summaryTokens) : undefined;
      return checked(name, plan, checkpointText(plan, summary));
    } catch (error) {
      requireGoingOn(signal);
      return providerError(dependencies, error);
    }
  }

  /** Undefined where the provider has none, or where it did not help: then a summary is written. */
  async function attemptByProvider(plan: CompactionPlan, maxTokens: number): Promise<Planned | undefined> {
    if (settings.summaries !== 'model' || !hasOwnCompaction(dependencies)) return undefined;
    try {
      const { opaque, usage } = await compactByProvider({ session, dependencies }, plan, signal);
      if (usage !== undefined) used.push({ type: 'usage.reported', data: usage });
      const { covered, previous } = plan;
      // For people, and for every other model.
      const summary = extractSummary(covered, { maxTokens, previous });
      return checked('provider', plan, checkpointText(plan, summary), opaque);
    } catch (error) {
      requireGoingOn(signal);
      const failure = providerError(dependencies, error);
      const fields = { service: 'compaction', operation: 'provider', sessionId: session.id, error: failure };
      dependencies.log.warn({ ...fields, action: 'A summary takes its place.' }, 'The provider could not compact');
      return undefined;
    }
  }

  async function summaryOf(plan: CompactionPlan, maxTokens: number): Promise<string> {
    const { covered, previous } = plan;
    if (settings.summaries === 'extraction') return extractSummary(covered, { maxTokens, previous });
    const writer = { ...dependencies, ...(await dependencies.summarizer?.()) };
    const known = tokenFactor(session.states.budget, { provider: writer.provider.name, model: writer.model });
    const window = ((writer.contextWindow ?? UNKNOWN_WINDOW) / known) * PART_SHARE;
    const partTokens = Math.max(MIN_PART_TOKENS, Math.floor(window - maxTokens - questionTokens(maxTokens)));
    return writeSummary(covered, {
      maxTokens,
      partTokens,
      previous,
      ask: async ({ system, text }) => {
        const answer = await askOnce(writer, { system, text, maxOutputTokens: maxTokens }, signal);
        used.push({ type: 'usage.reported', data: answer.usage });
        return answer.text;
      },
    });
  }

  function checked(
    strategy: UsedStrategy,
    plan: CompactionPlan,
    text: string | undefined,
    opaque?: OpaqueSummary,
  ): Planned {
    const summary = text === undefined ? undefined : createScrubber(dependencies.redactor).text(text);
    const after = opaque === undefined ? tokensAfter(plan, summary) : plan.tokensKept + opaque.tokens;
    if (after >= plan.tokensBefore) throw notSmaller(plan.tokensBefore, after);
    const { covers, keptFrom, tokensBefore } = plan;
    const sizes = { tokensBefore, tokensAfter: after };
    return {
      plan,
      data: {
        strategy,
        covers,
        keptFrom,
        ...(summary === undefined ? {} : { summary }),
        ...(opaque === undefined ? {} : { opaque }),
        ...sizes,
        by,
      },
    };
  }

  async function store(
    { plan, data }: Planned,
    before: readonly NewOllmEvent[],
    failure?: OllmError,
  ): Promise<CompactionResult> {
    const receipts = await append([...used, ...before, { type: 'compaction.completed', data }]);
    const { strategy, tokensBefore, tokensAfter } = data as Checkpoint & { strategy: UsedStrategy };
    const seq = receipts.at(-1)?.seq ?? session.writer.head.seq;
    const fields = { service: 'compaction', operation: strategy, sessionId: session.id, seq, by };
    dependencies.log.info({ ...fields, tokensBefore, tokensAfter }, 'Older messages were set aside');
    return { kind: 'compacted', strategy, seq, messages: plan.coveredMessages, tokensBefore, tokensAfter, failure };
  }

  function append(events: readonly NewOllmEvent[]) {
    const { turn } = request;
    return session.append(turn === undefined ? events : events.map((event) => ({ ...event, turn })));
  }
}

interface Planned {
  readonly plan: CompactionPlan;
  readonly data: Checkpoint;
}

/** With what memory let go of: a summary must not pass over it in silence. */
function wholeView(session: Session, { store }: Pick<CompactionDependencies, 'store'>): ViewState {
  const { view } = session.states;
  if (countedSpans(view.timeline).length === 0 || store.openReader === undefined) return view;
  const reader = store.openReader(session.id);
  try {
    return replay(reader, { view: viewFold }).states.view;
  } finally {
    reader.close();
  }
}

function requireGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped. Nothing was compacted.');
}

function notSmaller(before: number, after: number): OllmError {
  return new OllmError('COMPACTION_FAILED', `It would not be smaller: ${before} tokens before, ${after} after.`, {
    hint: 'Use a model with a larger window, or lower services.compression.preserveRecent.',
    data: { before, after },
  });
}
