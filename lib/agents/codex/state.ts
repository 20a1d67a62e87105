// The memory of a Codex session between two of its records. Plain JSON, bounded.
import { gitRemote } from '../../platform/git-remote.ts';
import type { JsonObject, Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { objectIn, pathIn, shortText, textIn } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export interface CodexState extends SessionMemory {
  /** RFC 3339: in the oldest files no item has a time of its own. */
  began: string;
  /**
   * The first record about the session was read: later ones are of its continuations, or of the session it was forked
   * from.
   */
  isBegun: boolean;
  /** When a fork was made, in ms since 1970, as long as its records are copies; 0 otherwise. */
  forkedAt: number;
  /** The running task, as the program calls its work on one prompt; '' if none was announced. */
  task: string;
  /** The task that the open turn belongs to. */
  turnTask: string;
  /** The number of the last answer of the model, 0 before the first. */
  answer: number;
  /** Whether the model's next output belongs to it. */
  isAnswerOpen: boolean;
  /** The last answer whose usage is known. */
  measured: number;
  /** The session's total usage, as last stated. */
  total: number;
  /** Tokens of the last request. */
  inputTokens: number;
  /** Usage comes with each answer, so the stated total of the session is not needed. */
  hasUsageOfAnswers: boolean;
  /** The last event before each of the newest turns. */
  turns: number[];
}

export type CodexGiven = Given<CodexState>;

const MAX_TURNS = 2000;

export function initialState(source: Source): CodexState {
  return {
    ...newSession(source, 'openai'),
    began: '',
    isBegun: false,
    forkedAt: 0,
    task: '',
    turnTask: '',
    answer: 0,
    isAnswerOpen: false,
    measured: 0,
    total: 0,
    inputTokens: 0,
    hasUsageOfAnswers: false,
    turns: [],
  };
}

/** Remembers the first record's facts about the session. */
export function rememberSession(state: CodexState, meta: JsonObject): void {
  if (state.isBegun) return;
  state.isBegun = true;
  const git = objectIn(meta.git);
  state.provider = shortText(meta.model_provider) ?? state.provider;
  state.cwd = pathIn(meta.cwd) ?? '';
  state.branch = shortText(git?.branch) ?? '';
  state.commit = shortText(git?.commit_hash) ?? '';
  state.remote = gitRemote(textIn(git?.repository_url) ?? '') ?? '';
  state.forkedFrom = shortText(meta.forked_from_id) ?? '';
  state.isSubagent = meta.thread_source === 'subagent' || objectIn(meta.source)?.subagent !== undefined;
  state.began = shortText(meta.timestamp) ?? '';
  const began = Date.parse(state.began);
  if (state.forkedFrom !== '' && began > 0) state.forkedAt = began;
}

/** A task that began after the fork is the first that is not a copy. */
export function rememberTask(state: CodexState, { turn_id, started_at }: JsonObject): void {
  state.task = shortText(turn_id) ?? '';
  const began = timeOfId(state.task) ?? (typeof started_at === 'number' ? started_at * 1000 : undefined);
  if (began === undefined || began >= state.forkedAt) state.forkedAt = 0;
}

export function rememberTurn({ turns }: CodexState, before: number): void {
  turns.push(before);
  if (turns.length > 2 * MAX_TURNS) turns.splice(0, MAX_TURNS);
}

/** The last event before the newest `count` turns, which are forgotten; undefined if fewer are remembered. */
export function takeBackTurns({ turns }: CodexState, count: number): number | undefined {
  if (count < 1 || turns.length === 0) return undefined;
  return turns.splice(Math.max(0, turns.length - count))[0];
}

/** Version 7 of a uuid begins with its time: RFC 9562, section 5.7. */
function timeOfId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}
