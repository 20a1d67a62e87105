// The memory of a session between two of its records, as far as the modules share it: its turns, and the facts that its
// beginning says. Plain JSON, bounded.
import type { Source } from './agent.ts';
import type { Given } from './given.ts';
import { absolutePathIn, shortText } from './members.ts';
import { NO_TURN, type TurnState } from './turns.ts';

/** Each text is '' where it is not known. */
export interface SessionMemory extends TurnState {
  /** A call of another session began it: its prompt is not the user's. */
  isSubagent: boolean;
  cwd: string;
  title: string;
  branch: string;
  commit: string;
  /** See gitRemote. */
  remote: string;
  /** Id of the session that it was forked from. */
  forkedFrom: string;
  provider: string;
  model: string;
}

export type SessionGiven = Given<SessionMemory>;

/** The memory before the first record, with the facts that the discovery found. */
export function newSession({ parent, facts }: Source, provider = ''): SessionMemory {
  return {
    ...NO_TURN,
    isSubagent: parent !== undefined,
    cwd: absolutePathIn(facts?.cwd) ?? '',
    title: shortText(facts?.title) ?? '',
    branch: shortText(facts?.branch) ?? '',
    commit: shortText(facts?.commit) ?? '',
    remote: '',
    forkedFrom: '',
    provider,
    model: '',
  };
}
