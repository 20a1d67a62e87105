// Older messages make room: before a request when the window is nearly full, and once in a turn where the provider
// refuses the conversation as too long, because its window is smaller than was known. Notices tell the user.
import { type CompactionSettings, isDue } from '../../context/compaction/due.ts';
import { isOllmError } from '../../errors/index.ts';
import { requestInForms } from '../request/in-another-form.ts';
import { offeredTools } from '../request/offered-tools.ts';
import type { RequestStep } from '../request/record-reply.ts';
import { windowUse } from '../request/window-use.ts';
import type { Turn } from '../turn.ts';
import { type CompactionResult, compact } from './compact.ts';
import type { UsedStrategy } from './try-to-compact.ts';

export async function compactWhenDue(turn: Turn): Promise<void> {
  const { session, dependencies, cancelled, show } = turn;
  const { compaction: settings } = dependencies;
  const { compaction: state } = session.states;
  const use = cancelled.aborted ? undefined : await windowUse(turn);
  if (use === undefined || settings === undefined || cancelled.aborted || !isDue(settings, state, use)) return;
  const percent = Math.round((Math.max(use.usedTokens, use.viewTokens) / use.contextWindow) * 100);
  const onSummary = () =>
    show({ type: 'notice', text: `The window is ${percent}% full: older messages are being summarized.` });
  await makeRoom(turn, settings, { onSummary });
}

/** The request of this step, and a second one after a compaction where that may help. */
export async function requestWithRoom(turn: Turn, step: RequestStep): Promise<void> {
  try {
    await requestInForms(turn, step);
  } catch (refusal) {
    const { compaction: settings, contextWindow = Number.POSITIVE_INFINITY } = turn.dependencies;
    const { pieces, calls } = step.reply;
    const isRefused = step.isSent && isOllmError(refusal, 'CONTEXT_TOO_SMALL') && pieces.length + calls.length === 0;
    if (!isRefused || turn.madeRoom || !settings?.enabled) throw refusal;
    turn.madeRoom = true;
    // The request was larger than the window, whatever its known size.
    const result = await makeRoom(turn, settings, { contextWindow: Math.min(contextWindow, step.requestTokens) });
    if (result.kind !== 'compacted') throw refusal;
    await requestInForms(turn, step);
  }
}

async function makeRoom(
  turn: Turn,
  settings: CompactionSettings,
  {
    contextWindow = turn.dependencies.contextWindow,
    onSummary,
  }: { readonly contextWindow?: number | undefined; readonly onSummary?: () => void },
): Promise<CompactionResult> {
  const { session, dependencies, number, cancelled, show } = turn;
  const toolTokens = offeredTools(turn).tokens;
  const asked = { settings, by: 'auto', signal: cancelled, turn: number, toolTokens, onSummary } as const;
  const result = await compact(session, { ...dependencies, contextWindow }, asked);
  for (const text of sentencesOf(result)) show({ type: 'notice', text });
  return result;
}

const FATES: Readonly<Partial<Record<UsedStrategy, string>>> = {
  truncate: 'set aside',
  provider: 'compacted by the provider',
};

/** The result as sentences for a person. */
export function sentencesOf(result: CompactionResult): string[] {
  switch (result.kind) {
    case 'nothing-to-do':
      return [];
    case 'failed':
      return [`Older messages could not make room: ${result.error.message}`];
    case 'compacted': {
      const { strategy, messages, tokensBefore, tokensAfter, failure } = result;
      const what = messages === 1 ? 'One older message' : `${messages} older messages`;
      const fate = FATES[strategy] ?? 'summarized';
      const done = `${what} ${messages === 1 ? 'was' : 'were'} ${fate}: ${tokensBefore} tokens became ${tokensAfter}. The journal keeps them; /compact --undo brings them back.`;
      return failure ? [`No summary: ${failure.message}`, done] : [done];
    }
  }
}
