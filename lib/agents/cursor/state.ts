// What is remembered of a Cursor session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { nonEmpty, shortened } from '../members.ts';

export const PROVIDER = 'cursor';

export interface CursorState {
  /** The transcript of a subagent: its prompt is not the user's. */
  readonly isSubagent: boolean;
  cwd: string;
  title: string;
  model: string;
  /** The number of the last turn, 0 before the first. */
  turn: number;
  /** Whether that one has not ended. */
  isTurnOpen: boolean;
  /** Whether the last answer of it needs nothing more, as far as it says. */
  isAnswered: boolean;
  /** Answers in the open turn. */
  steps: number;
  /** Calls so far, where they have no ids. */
  calls: number;
}

export type CursorGiven = Given<CursorState>;

const MAX_TEXT = 1000;

export function initialState({ parent, facts }: Source): CursorState {
  return {
    isSubagent: parent !== undefined,
    cwd: shortText(facts?.cwd) ?? '',
    title: '',
    model: '',
    turn: 0,
    isTurnOpen: false,
    isAnswered: false,
    steps: 0,
    calls: 0,
  };
}

/** What is remembered is short, whatever a record holds. */
export function shortText(value: unknown): string | undefined {
  const text = nonEmpty(value);
  return text === undefined ? undefined : shortened(text, MAX_TEXT);
}
