// Projection: the session as one JSON document. The conversation as it runs now, whole: compactions take nothing out of it;
// what was undone is counted. `sessionJson` makes the document of the state.
import type { Part, Role, ToolResult } from '../messages/index.ts';
import type { Fold } from './projection.ts';
import { type Entry, emptyTimeline, type Span, type Timeline } from './timeline.ts';

export interface SessionMessage {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** RFC 3339. */
  readonly timestamp: string;
}

export interface SessionToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Empty while the call has no result. */
  readonly result: ToolResult;
  /** RFC 3339: when the model asked. */
  readonly timestamp: string;
}

export interface SessionJson {
  readonly sessionId: string;
  readonly startTime: string;
  readonly lastActivity: string;
  readonly model: string;
  readonly provider: string;
  readonly messages: readonly SessionMessage[];
  readonly toolCalls: readonly SessionToolCall[];
  readonly metadata: {
    readonly tokenCount: number;
    readonly compressionCount: number;
    /** Messages that were taken back. They stand in the journal. */
    readonly undone?: number;
    /** Places of the journal that could not be read. */
    readonly damaged?: number;
    /** Events of types that this version does not know. */
    readonly unknownEvents?: number;
  };
  readonly title?: string;
}

export type SessionItem =
  | (Entry & { readonly kind: 'message'; readonly message: SessionMessage })
  | (Entry & { readonly kind: 'call'; call: SessionToolCall });

export interface SessionState {
  sessionId: string;
  startTime: string;
  lastActivity: string;
  model: string;
  provider: string;
  title?: string;
  compressionCount: number;
  timeline: Timeline<SessionItem, Span>;
  openCalls: { callId: string; seq: number }[];
}

const READS = ['session.created'] as const;

export const sessionFold: Fold<SessionState, (typeof READS)[number]> = {
  name: 'session',
  version: 1,
  reads: READS,
  initial: () => ({
    sessionId: '',
    startTime: '',
    lastActivity: '',
    model: '',
    provider: '',
    compressionCount: 0,
    timeline: emptyTimeline(),
    openCalls: [],
  }),
  apply: (state) => state,
};
