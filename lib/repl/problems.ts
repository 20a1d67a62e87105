// Reports each failure in a sentence, and remembers it for the exit code: a conversation continues after a failure, and
// a script that started it through a pipe sees it at the end.
import type { App } from '../app/app.ts';
import { ERROR_CODES, isOllmError, OllmError } from '../errors/index.ts';
import type { Session } from '../session/session.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { Front } from './front.ts';

export interface Problems {
  /** The result of `work`; undefined where it failed, which has been reported then. */
  readonly guarded: <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;
  /** Remembers a failure that a turn shows by itself. */
  readonly note: (signal: TurnSignal) => void;
  /** The failure was reported where it happened; this says, once for each session, what follows from it. */
  readonly reportIfJournalFailed: (session: Session) => void;
  /** 9 once a journal could not be written; without a terminal that of the last failure; 0. */
  readonly exitCode: () => number;
}

const NOT_WRITTEN = ERROR_CODES.JOURNAL_POISONED.exit;

/** `exitCode`: of what failed before. */
export function createProblems(app: App, front: Front, exitCode: number): Problems {
  let failure = exitCode;
  let hasReportedUnasked = false;
  let failedSession: Session | undefined;

  /** That something was not stored outweighs every later failure. */
  const remember = (code: number) => {
    if (failure !== NOT_WRITTEN) failure = code;
  };

  /** Said once: the model continues, and may try again. */
  const reportUnasked = () => {
    remember(ERROR_CODES.POLICY_DENIED.exit);
    if (hasReportedUnasked) return;
    hasReportedUnasked = true;
    front.problem(
      'A tool did not run, because it needs an answer at a terminal.',
      'Allow it by a rule in tools.allow, or ask at a terminal.',
    );
  };

  return {
    async guarded(work) {
      try {
        return await work();
      } catch (error) {
        const known = isOllmError(error) ? error : unexpected(app, error);
        remember(known.exitCode);
        const redact = await app.redactor();
        front.problem(redact(known.message).text, known.hint && redact(known.hint).text);
        return undefined;
      }
    },
    note(signal) {
      if (signal.type === 'error') remember(signal.error.exitCode);
      if (signal.type === 'tool_result' && signal.unasked) reportUnasked();
    },
    reportIfJournalFailed(session) {
      const { failure: reason } = session.writer;
      if (!reason || failedSession === session) return;
      failedSession = session;
      front.problem(
        'Nothing more is stored in this session: its journal can no longer be written.',
        `${reason.hint ?? 'Check the disk.'} Everything stored before is kept.`,
      );
    },
    exitCode() {
      if (failedSession || failure === NOT_WRITTEN) return NOT_WRITTEN;
      return front.kind === 'pipe' ? failure : 0;
    },
  };
}

function unexpected(app: App, error: unknown): OllmError {
  const message = error instanceof Error ? error.message : String(error);
  app.log.error({ service: 'repl', operation: 'guarded', error }, message);
  return new OllmError('INTERNAL', `Something went wrong in ollm itself: ${message}`, {
    hint: `See ${app.paths.log}.`,
    cause: error,
  });
}
