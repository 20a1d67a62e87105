// Projection: one row of `ollm list`.
import type { SessionCreated } from '../events/index.ts';
import type { Role } from '../messages/index.ts';
import type { Fold } from './projection.ts';
import { type Entry, emptyTimeline, type Span, type Timeline } from './timeline.ts';

export interface SummaryEntry extends Entry {
  /** Absent for a tool call. */
  readonly role?: Role;
  readonly excerpt?: string;
}

export interface ForgottenMessages extends Span {
  messages: number;
  turns: number;
  tokens: number;
}

export interface SummaryState {
  id: string;
  title?: string;
  startTime: string;
  lastActivity: string;
  model: string;
  provider: string;
  messageCount: number;
  turnCount: number;
  tokenCount: number;
  /** The beginning of the last message, on one line. */
  lastMessage?: { role: Role; excerpt: string };
  cwd?: string;
  parent?: SessionCreated['parent'];
  origin?: SessionCreated['origin'];
  /** The number of a turn that began and has not ended. */
  openTurn?: number;
  /** Whether the last writer closed in order. */
  closed: boolean;
  timeline: Timeline<SummaryEntry, ForgottenMessages>;
  openCalls: { callId: string; seq: number }[];
}

const READS = ['session.created'] as const;

export const summaryFold: Fold<SummaryState, (typeof READS)[number]> = {
  name: 'summary',
  version: 1,
  reads: READS,
  initial: () => ({
    id: '',
    startTime: '',
    lastActivity: '',
    model: '',
    provider: '',
    messageCount: 0,
    turnCount: 0,
    tokenCount: 0,
    closed: false,
    timeline: emptyTimeline(),
    openCalls: [],
  }),
  apply: (state) => state,
};
