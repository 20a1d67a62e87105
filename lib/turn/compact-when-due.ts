// What happens before a request when the window is nearly full: older messages make room, and the user is told.
import { concat, defer, EMPTY, from, mergeMap, type Observable, of } from 'rxjs';
import { automaticStrategy, isDue } from '../context/compaction/due.ts';
import { STRATEGIES } from '../context/compaction/index.ts';
import { viewTokens } from '../context/compaction/plan.ts';
import { usedTokens } from '../projections/budget.ts';
import { type CompactionResult, compact } from './compact.ts';
import { offeredTools } from './offered-tools.ts';
import { reserveTokens } from './reserve.ts';
import type { TurnSignal } from './signals.ts';
import type { Turn } from './turn.ts';

export function compactWhenDue$(turn: Turn): Observable<TurnSignal> {
  return defer(() => {
    const { session, dependencies, number, cancelled } = turn;
    const { compaction: settings, contextWindow } = dependencies;
    if (settings === undefined || contextWindow === undefined) return EMPTY;
    const { budget, view, compaction: state } = session.states;
    const use = {
      usedTokens: usedTokens(budget, offeredTools(turn).tokens).count,
      viewTokens: viewTokens(view),
      contextWindow,
      reserveTokens: reserveTokens(dependencies),
    };
    if (!isDue(settings, state, use)) return EMPTY;
    const writes = STRATEGIES[automaticStrategy(settings, state)].summarizes && settings.summaries === 'model';
    const percent = Math.round((Math.max(use.usedTokens, use.viewTokens) / contextWindow) * 100);
    const before = writes ? [`The window is ${percent}% full: older messages are being summarized.`] : [];
    const request = { settings, by: 'auto', signal: cancelled, turn: number } as const;
    return concat(
      from(before),
      defer(() => compact(session, dependencies, request)).pipe(mergeMap((result) => of(...sentencesOf(result)))),
    ).pipe(mergeMap((text) => of({ type: 'notice', text } as const)));
  });
}

/** What a person is told of it. */
export function sentencesOf(result: CompactionResult): string[] {
  switch (result.kind) {
    case 'nothing-to-do':
      return [];
    case 'failed':
      return [`Older messages could not make room: ${result.error.message}`];
    case 'compacted': {
      const { strategy, messages, tokensBefore, tokensAfter, failure } = result;
      const what = messages === 1 ? 'One older message' : `${messages} older messages`;
      const fate = strategy === 'truncate' ? 'set aside' : 'summarized';
      const done = `${what} ${messages === 1 ? 'was' : 'were'} ${fate}: ${tokensBefore} tokens became ${tokensAfter}. The journal keeps them; /compact --undo brings them back.`;
      return failure ? [`No summary: ${failure.message}`, done] : [done];
    }
  }
}
