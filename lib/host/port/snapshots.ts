// What this host does with a session, and how the session is.
import type { JsonObject } from '../../journal/types.ts';
import type { ThinkingMode } from '../../providers/thinking.ts';

/** `not-held`: this host does not hold its writer. `free`: it holds it, and nothing runs. */
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

/** How a session is: a fold over its journal. `ProviderSessionSnapshot` of the LLM module, for the provider `ollm`. */
export interface SessionSnapshot {
  readonly sessionId: string;
  readonly provider: 'ollm';
  readonly family: 'sdk';
  /**
   * Status of the newest turn. `starting`: its prompt is stored and waits. `waiting`: for an answer of a user. A turn
   * that no process leads any more is `failed`, with the code INTERRUPTED.
   */
  readonly status: 'starting' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  /** RFC 3339: when the turn began, or its prompt was stored; of the session, where it has no turn. */
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  /** Which provider of ollm answers. */
  readonly answerer: string;
  readonly model?: string | undefined;
  readonly thinkingMode?: ThinkingMode | undefined;
  readonly workspacePath?: string | undefined;
  readonly title?: string | undefined;
  /** The server that holds it, and the only one that can stop it; absent if none does. */
  readonly instanceId?: string | undefined;
  /**
   * Each change of the status in the newest turn, with its time; the last one leads to `status`. The end of a process
   * that was killed has the time of the last event that it stored.
   */
  readonly transitions: readonly { readonly status: SessionSnapshot['status']; readonly at: string }[];
  /** The last 2,000 of the last turn. */
  readonly events: readonly SnapshotEvent[];
  readonly error?: string | undefined;
  /** The last event of the journal that this says. */
  readonly seq: number;
}

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

/** `ProviderSessionEvent` of the LLM module. */
export interface SnapshotEvent {
  readonly timestamp: string;
  readonly channel: 'sdk' | 'system' | 'error';
  readonly message?: string | undefined;
  /** The stored event: seq, ts, type, turn, data. */
  readonly data?: JsonObject | undefined;
}
