// How full the window is, as surely as the decision about a compaction needs it. The local count may be off; the
// provider is asked for its own count only if that could change the decision, so that a turn does not wait for it each
// time.
import { assemble, INSTRUCTION_TOKENS } from '../../context/assemble.ts';
import { dueAtTokens, type WindowUse } from '../../context/compaction/due.ts';
import { viewTokens } from '../../context/compaction/plan.ts';
import { untilAborted } from '../../platform/waiting.ts';
import { usedTokens } from '../../projections/budget-report.ts';
import { tokenFactor } from '../../projections/token-factors.ts';
import { providerError, type Turn } from '../turn.ts';
import { offeredTools } from './offered-tools.ts';
import { requestOf } from './request.ts';
import { reserveTokens } from './reserve.ts';

/** How far a count that was made here may be off: of a model that reported before, and of one that did not. */
const DOUBT = { corrected: 0.1, uncorrected: 0.35 };
const COUNT_TIMEOUT_MS = 5_000;

/** Undefined where the size of the window is not known. */
export async function windowUse(turn: Turn): Promise<WindowUse | undefined> {
  const { session, dependencies } = turn;
  const { compaction: settings, contextWindow, provider, model } = dependencies;
  if (settings === undefined || contextWindow === undefined) return undefined;
  const { budget, view } = session.states;
  const factor = tokenFactor(budget, { provider: provider.name, model });
  const fixedTokens = offeredTools(turn).tokens + INSTRUCTION_TOKENS;
  const use: WindowUse = {
    usedTokens: usedTokens(budget, fixedTokens).count,
    viewTokens: Math.ceil((viewTokens(view) + fixedTokens) * factor),
    contextWindow,
    reserveTokens: reserveTokens(dependencies),
  };
  const fullest = Math.max(use.usedTokens, use.viewTokens);
  const countedHere = budget.reported === undefined ? fullest : Math.max(0, budget.reported.addedSince * factor);
  const doubt = countedHere * (factor === 1 ? DOUBT.uncorrected : DOUBT.corrected);
  const mayDecide = Math.abs(fullest - dueAtTokens(settings, use)) <= doubt;
  const counted = settings.enabled && mayDecide ? await countedByProvider(turn) : undefined;
  return counted === undefined ? use : { ...use, usedTokens: counted, viewTokens: counted };
}

/** Undefined if the provider cannot count, or is not in time: then the local count must do. */
async function countedByProvider(turn: Turn): Promise<number | undefined> {
  const { session, dependencies, cancelled } = turn;
  const { provider, log } = dependencies;
  if (!provider.capabilities.tokenCounting || provider.countTokens === undefined) return undefined;
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(COUNT_TIMEOUT_MS)]);
  try {
    const { definitions } = offeredTools(turn);
    const whole = assemble(session.states.view, { reserveTokens: 0, contextWindow: Number.POSITIVE_INFINITY });
    const count = await untilAborted(provider.countTokens(requestOf(turn, whole, definitions), { signal }), signal);
    return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : undefined;
  } catch (error) {
    const failure = providerError(dependencies, error);
    const fields = { service: 'tokens', operation: 'count', sessionId: session.id, error: failure };
    log.warn({ ...fields, action: 'The count made here is used.' }, 'The provider could not count the tokens');
    return undefined;
  }
}
