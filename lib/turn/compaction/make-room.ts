// A request that the provider refuses because the conversation is too long: its window is smaller than was known. Older
// messages make room once, and the request is made again.
import { catchError, concat, concatMap, defer, from, type Observable, throwError } from 'rxjs';
import { isOllmError } from '../../errors/index.ts';
import { offeredTools } from '../request/offered-tools.ts';
import type { Step } from '../request/record-reply.ts';
import { request$ } from '../request/request.ts';
import type { TurnSignal } from '../signals.ts';
import type { Turn } from '../turn.ts';
import { compact } from './compact.ts';
import { sentencesOf } from './compact-when-due.ts';

/** The request of this step, and a second one after a compaction where that may help. */
export function withRoom$(turn: Turn, step: Step): Observable<TurnSignal> {
  return request$(turn, step).pipe(
    catchError((refusal: unknown) => {
      const { pieces, calls } = step.reply;
      const isRefused = step.isSent && isOllmError(refusal, 'CONTEXT_TOO_SMALL') && pieces.length + calls.length === 0;
      if (!isRefused || turn.madeRoom || !turn.dependencies.compaction?.enabled) return throwError(() => refusal);
      turn.madeRoom = true;
      return makeRoom$(turn, step, refusal);
    }),
  );
}

function makeRoom$(turn: Turn, step: Step, refusal: unknown): Observable<TurnSignal> {
  const { session, dependencies, number, cancelled } = turn;
  const settings = dependencies.compaction!;
  // What was sent is more than the window takes, whatever is known of it.
  const contextWindow = Math.min(dependencies.contextWindow ?? Number.POSITIVE_INFINITY, step.requestTokens);
  const toolTokens = offeredTools(turn).tokens;
  const request = { settings, by: 'auto', signal: cancelled, turn: number, toolTokens } as const;
  return defer(() => compact(session, { ...dependencies, contextWindow }, request)).pipe(
    concatMap((result) => {
      const notices = from(sentencesOf(result).map((text): TurnSignal => ({ type: 'notice', text })));
      const next$ = result.kind === 'compacted' ? request$(turn, step) : throwError(() => refusal);
      return concat(notices, next$);
    }),
  );
}
