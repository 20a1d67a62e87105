// A session: one journal open for writing, with the states that a turn needs kept up to date event by event. Everything
// that happens to it goes through `append`: only events in the journal have happened.
import type { NewOllmEvent, NewOwnEvent, NoOwnEvents, OwnEvents } from '../events/index.ts';
import type { AppendOptions, Damage, JournalWriter, Receipt } from '../journal/types.ts';
import type { BudgetState } from '../projections/budget.ts';
import type { CompactionState } from '../projections/compaction.ts';
import type { ContextState } from '../projections/context.ts';
import type { LoopState } from '../projections/loop.ts';
import type { QueueState } from '../projections/queue.ts';
import type { SummaryState } from '../projections/summary.ts';
import type { ToolsState } from '../projections/tools.ts';
import type { ViewState } from '../projections/view.ts';
import type { OpenEndsState } from './open-ends.ts';

/**
 * The states that stay in memory while a session is open. Each is bounded by the window, not by the session's length.
 */
export interface SessionStates {
  readonly view: ViewState;
  readonly budget: BudgetState;
  readonly loop: LoopState;
  readonly context: ContextState;
  readonly summary: SummaryState;
  readonly compaction: CompactionState;
  readonly tools: ToolsState;
  readonly queue: QueueState;
  readonly openEnds: OpenEndsState;
}

/** What opening found and did, for the user to read first. */
export interface ResumeReport {
  readonly created: boolean;
  /** All damage found while reading. */
  readonly damage: readonly Damage[];
  /** Sentences for the user: recovered, skipped, closed after a crash, set aside. */
  readonly notices: readonly string[];
}

/** Names of tools that the user answered for, as long as the session is open. A policy may hold more than names. */
export interface ToolAnswers {
  readonly granted: Set<string>;
  readonly denied: Set<string>;
}

/** A session that is open for writing in this process. `await using` closes it with the reason `exit`. */
export interface Session extends AsyncDisposable {
  readonly id: string;
  readonly report: ResumeReport;
  readonly writer: JournalWriter;
  readonly states: SessionStates;
  /** Kept here for a turn that is given no policy: the answers are those of a session, not of one turn. */
  readonly answers: ToolAnswers;
  /**
   * Appends to the journal and moves the states on. Rejects with the writer's errors, with EVENT_INVALID if the data
   * does not fit its type, and with EVENT_DANGLING if an event names an event, a call, a turn or an attachment that the
   * session does not have. Then nothing was written.
   */
  append<Own extends OwnEvents<Own> = NoOwnEvents>(
    events: NewOllmEvent | NewOwnEvent<Own> | readonly (NewOllmEvent | NewOwnEvent<Own>)[],
    options?: AppendOptions,
  ): Promise<readonly Receipt[]>;
  /**
   * Announces requests of up to `tokens` tokens, if that is more than the model's window in the journal: from now on
   * the states hold enough for them.
   */
  reach(tokens: number): Promise<void>;
  /** The view extended by older messages, back to `tokens` tokens. The states stay unchanged. */
  viewBackTo(tokens: number): Promise<SessionStates['view']>;
  /** Runs work after all such work before it: turns of one session never overlap. `close` waits for it. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Writes `<id>.state.json` and the snapshot `<id>.json` once nothing was appended for two seconds; closing the
   * session writes them too. With `snapshot: 'now'`, resolves when both are written and all events are on the device.
   * The snapshot of a journal of more than 16 MiB is written only with `now`.
   */
  save(options?: { readonly snapshot?: 'now' | 'when-due' }): Promise<void>;
  /**
   * Waits for the work under way (the caller cancels a running turn), appends session.closed, saves and
   * closes the journal. Harmless when done twice. Rejects if the end could not be written; the journal is closed all
   * the same.
   */
  close(reason: 'exit' | 'eof' | 'signal', signal?: string): Promise<void>;
}
