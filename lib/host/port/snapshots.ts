// What this host does with a session, and how the session is.
import type { FromSchema } from '../../api/from-schema.ts';
import type { SHAPES } from '../../api/shapes.ts';

/**
 * `not-held`: this host does not hold its writer. `free`: it holds it, and nothing runs or is about to: of the prompts
 * that wait, only those that await their user are left.
 */
export type SessionActivity =
  | { readonly kind: 'not-held' }
  | { readonly kind: 'free' }
  | {
      readonly kind: 'running' | 'waiting';
      readonly promptId: string;
      /** RFC 3339: when the turn began. */
      readonly since: string;
      readonly queued: number;
      /** Ids of the questions that it waits for. */
      readonly questions: readonly string[];
      /** The first of them in one line: the command, or the file. */
      readonly asks?: string | undefined;
    };

const ASKED_CHARACTERS = 200;

/** The part of an activity that open questions decide. */
export function waitingFor(questions: readonly { readonly id: string; readonly summary: string }[]) {
  const [first] = questions;
  return {
    kind: first === undefined ? ('running' as const) : ('waiting' as const),
    questions: questions.map(({ id }) => id),
    ...(first !== undefined && { asks: first.summary.slice(0, ASKED_CHARACTERS).toWellFormed() }),
  };
}

/**
 * How a session is: a fold over its journal. `ProviderSessionSnapshot` of the LLM module. Its status is that of the
 * newest turn: `starting` while its prompt is stored and waits, `waiting` for an answer of a user, and `failed`, with
 * the code INTERRUPTED, where no process leads the turn any more. The end of a process that was killed has the time of
 * the last event that it stored. `events`: the last 2,000 of the last turn.
 */
export type SessionSnapshot = Omit<FromSchema<typeof SHAPES.Snapshot>, 'messages'>;

/** The part of a snapshot that comes from the thread that leads the turns. */
export interface SnapshotOf {
  readonly id: string;
  readonly activity: SessionActivity;
  /** Prompts that wait, the next one first. Those that the newest turn stored are in the journal's fold anyway. */
  readonly waiting?: readonly { readonly promptId: string; readonly queuedAt: string }[] | undefined;
  /** Why the last prompt became no turn, as long as this host remembers. */
  readonly problem?: { readonly code: string; readonly message: string; readonly at: string } | undefined;
  /** Id of the server that holds it. */
  readonly instanceId?: string | undefined;
}
