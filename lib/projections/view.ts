// Projection: what the model is sent next. System prompt, context entries, summary, and the messages, tool calls with
// their results, and retrieved texts that count now. context/assemble.ts makes a request of it.
import type { Part, Role } from '../messages/index.ts';
import type { ContextState } from './context.ts';
import type { Fold } from './projection.ts';
import { type Entry, emptyTimeline, type Span, type Timeline } from './timeline.ts';

export interface ViewMessage extends Entry {
  readonly kind: 'message';
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly trusted: boolean;
  readonly provider?: string;
  readonly finish?: string;
}

export interface ViewCall extends Entry {
  readonly kind: 'call';
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  result?: ViewResult;
}

export interface ViewResult {
  readonly seq: number;
  readonly status: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'unknown';
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64';
}

export interface ViewRetrieval extends Entry {
  readonly kind: 'retrieval';
  readonly query: string;
  readonly chunks: readonly { readonly source: string; readonly text: string }[];
}

export type ViewItem = ViewMessage | ViewCall | ViewRetrieval;

/** Items that were forgotten, and what they came to. */
export interface ForgottenItems extends Span {
  messages: number;
  tokens: number;
}

export interface ViewState {
  provider: string;
  model: string;
  /** Tokens that the model takes in, where known. */
  contextWindow?: number;
  context: ContextState;
  timeline: Timeline<ViewItem, ForgottenItems>;
  /** Calls without a result yet. */
  openCalls: { callId: string; seq: number }[];
}

const READS = ['session.created'] as const;

export const viewFold: Fold<ViewState, (typeof READS)[number]> = {
  name: 'view',
  version: 1,
  reads: READS,
  initial: () => ({ provider: '', model: '', context: { entries: [] }, timeline: emptyTimeline(), openCalls: [] }),
  apply: (state) => state,
};
