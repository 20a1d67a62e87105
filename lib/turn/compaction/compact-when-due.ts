// Before a request, when the window is nearly full: older messages make room, and a notice tells the user.
import { concat, concatMap, defer, EMPTY, from, map, type Observable } from 'rxjs';
import { automaticStrategy, isDue, type WindowUse } from '../../context/compaction/due.ts';
import { STRATEGIES } from '../../context/compaction/strategy.ts';
import { offeredTools } from '../request/offered-tools.ts';
import { windowUse } from '../request/window-use.ts';
import type { TurnSignal } from '../signals.ts';
import type { Turn } from '../turn.ts';
import { type CompactionResult, compact } from './compact.ts';
import type { UsedStrategy } from './try-to-compact.ts';

export function compactWhenDue$(turn: Turn): Observable<TurnSignal> {
  return defer(() => windowUse(turn)).pipe(
    concatMap((use) => (use === undefined ? EMPTY : compactIfDue$(turn, use))),
    map((text) => ({ type: 'notice', text }) as const),
  );
}

function compactIfDue$(turn: Turn, use: WindowUse): Observable<string> {
  const { session, dependencies, number, cancelled } = turn;
  const { compaction: settings } = dependencies;
  const { compaction: state } = session.states;
  if (settings === undefined || !isDue(settings, state, use)) return EMPTY;
  const writes = STRATEGIES[automaticStrategy(settings, state)].summarizes && settings.summaries === 'model';
  const percent = Math.round((Math.max(use.usedTokens, use.viewTokens) / use.contextWindow) * 100);
  const before = writes ? [`The window is ${percent}% full: older messages are being summarized.`] : [];
  const toolTokens = offeredTools(turn).tokens;
  const request = { settings, by: 'auto', signal: cancelled, turn: number, toolTokens } as const;
  return concat(
    from(before),
    defer(() => compact(session, dependencies, request)).pipe(concatMap((result) => from(sentencesOf(result)))),
  );
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
