// The memory of an opencode session between two of its records. Plain JSON, bounded.
import type { Source } from '../agent.ts';
import type { Given } from '../given.ts';
import { shortened } from '../members.ts';
import { newSession, type SessionMemory } from '../session-state.ts';

/** The id of a message or part, and its first event. */
type EventPlace = [id: string, first: number];

export interface OpencodeState extends SessionMemory {
  readonly agent: string;
  /** The answer whose parts come: its id, and whether it is the summary of a compaction. */
  answer: string;
  isSummary: boolean;
  /** What an exported session says was undone: from this message, or this part of one, on. */
  undone: string;
  /** The place to which an undo returns. */
  before: number | undefined;
  /** A compaction whose summary comes next. */
  compaction: { readonly by: 'auto' | 'user'; readonly keptFrom: number | undefined } | undefined;
  /** The first event that no compaction covers. */
  keptFrom: number;
  /** Where the newest messages and parts begin. */
  messages: EventPlace[];
  parts: EventPlace[];
}

export type OpencodeGiven = Given<OpencodeState>;

const MAX_ID = 30;
const MAX_PLACES = 250;

export function initialState(source: Source): OpencodeState {
  return {
    ...newSession(source),
    agent: source.agent,
    answer: '',
    isSummary: false,
    undone: '',
    before: undefined,
    compaction: undefined,
    keptFrom: 1,
    messages: [],
    parts: [],
  };
}

export function remember(places: EventPlace[], id: string | undefined, first: number): void {
  if (id === undefined) return;
  places.push([shortened(id, MAX_ID), first]);
  if (places.length > MAX_PLACES) places.shift();
}

/** The first event of a message or part; undefined if it is not remembered. */
export function firstOf({ messages, parts }: OpencodeState, id: string): number | undefined {
  return (messages.findLast(([known]) => known === id) ?? parts.findLast(([known]) => known === id))?.[1];
}
