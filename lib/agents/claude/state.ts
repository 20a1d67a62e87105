// The memory of a Claude Code session between two of its records. Plain JSON, bounded: of the records that a later one
// may continue from, it has the targets of a rewind and the newest ones.
import type { Usage } from '../../messages/index.ts';
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { keyOf } from '../record-key.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

export const PROVIDER = 'anthropic';

/**
 * A record, as far as a later one may refer to it: its key, the event that the conversation has come
 * to with it, and the first event that it gave or would have given.
 */
type RecordPlace = [key: string, head: number, first: number];

export interface ClaudeState extends Omit<SessionMemory, 'isSubagent'> {
  /** The file of a subagent: all its records are marked as aside. Undefined until one says so, or that it is not. */
  isSubagent: boolean | undefined;
  /** The subagent inside of the file that is read; '' for the session itself. */
  readonly inside: string;
  /** Id of the session, and its subagents inside of the file. */
  readonly session: string;
  insides: string[];
  /** The newest calls that start subagents, each with its prompt and its subagent. */
  tasks: [callId: string, prompt: string, key: string][];
  /** The user gave the title: one that the program makes does not replace it. */
  isTitled: boolean;
  /** Id of the last answer, and the usage that was last reported of it. */
  answer: string;
  usage: Usage | undefined;
  /** US dollars: the last stated total of the session, and the part of it that was reported with the last answer. */
  cost: number;
  answerCost: number;
  /** A compaction whose summary comes next. */
  boundary: CompactBoundary | undefined;
  /** Where the open turn began: seq of its first event. */
  promptSeq: number;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** The places before each prompt. */
  prompts: RecordPlace[];
  newest: RecordPlace[];
  /** Whether any record said which one it follows. */
  isChained: boolean;
}

interface CompactBoundary {
  readonly by: 'auto' | 'user';
  readonly tokensBefore: number | undefined;
  readonly tokensAfter: number | undefined;
  /** uuid of the first record that stays. */
  readonly keptFrom: string | undefined;
}

const MAX_PROMPTS = 500;
const MAX_NEWEST = 250;

export type ClaudeGiven = Given<ClaudeState>;

export function initialState(source: Source): ClaudeState {
  const { parent, id, inside = '' } = source;
  return {
    ...newSession(source, PROVIDER),
    isSubagent: parent !== undefined || id.startsWith('agent-') || undefined,
    inside,
    session: id,
    insides: [],
    tasks: [],
    isTitled: false,
    answer: '',
    usage: undefined,
    cost: 0,
    answerCost: 0,
    boundary: undefined,
    promptSeq: 0,
    keptFrom: 1,
    prompts: [],
    newest: [],
    isChained: false,
  };
}

/** Remembers a record: its successor continues from `head`. */
export function rememberRecord({ newest }: ClaudeState, uuid: string, head: number, first: number): void {
  if (!isPlain(uuid)) return;
  newest.push([keyOf(uuid), head, first]);
  if (newest.length > 2 * MAX_NEWEST) newest.splice(0, MAX_NEWEST);
}

/** Remembers what a prompt continued from: a rewind leads to such a place. */
export function rememberPrompt({ prompts }: ClaudeState, parent: string, head: number): void {
  if (!isPlain(parent)) return;
  prompts.push([keyOf(parent), head, 0]);
  if (prompts.length > 2 * MAX_PROMPTS) prompts.splice(0, MAX_PROMPTS);
}

/** The event that the conversation had come to with a record; undefined if that is not remembered. */
export function headOf({ newest, prompts }: ClaudeState, uuid: string): number | undefined {
  const key = keyOf(uuid);
  return (newest.findLast((place) => place[0] === key) ?? prompts.findLast((place) => place[0] === key))?.[1];
}

/** The first event of one of the newest records; undefined if it is not remembered. */
export function firstOf({ newest }: ClaudeState, uuid: string): number | undefined {
  return newest.findLast(([key]) => key === keyOf(uuid))?.[2];
}

/** Anything else is not an id, and could take more room than one. */
function isPlain(uuid: string): boolean {
  return /^[\w-]+$/.test(uuid);
}
