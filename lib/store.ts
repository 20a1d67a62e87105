// The session store, as `ollm/store` and as the package @ollm/journal: sessions, their journal, events and states. No
// module of it loads rxjs, a provider or a tool.

// Keep sessions: a store and sessions in it.

export type { AgentSession, NextOptions, SayOptions } from './library/agent-session.ts';
export {
  createSession,
  type NewSession,
  openSession,
  type SessionSettings,
} from './library/one-session.ts';
export {
  openFileStore,
  openMemoryStore,
  openStoreOver,
  type StoreDirectoryOptions,
  type StoreOptions,
} from './library/open-stores.ts';
export {
  type ListedSession,
  openSessionStore,
  type SessionChoice,
  type SessionStore,
  type SessionStoreOptions,
} from './library/session-store.ts';
export { writeSnapshot } from './session/saved/snapshot.ts';
export type * from './session/session.ts';

// The journal below them: for programs that append and read events themselves.

export { isSessionId } from './journal/format.ts';
export type * from './journal/types.ts';

// Events: their types, and validation.

export { EVENT_TYPES, isEventType } from './events/catalogue.ts';
export { type Decoded, decodeEvent } from './events/decode.ts';
export type * from './events/index.ts';
export { type EventProblem, validateEvent } from './events/validate.ts';
export type * from './messages/index.ts';

// States: folds over events, replayed to any event of the past.

export { type BudgetParts, type BudgetState, budgetFold } from './projections/budget.ts';
export { type BudgetReport, budgetReport, usedTokens } from './projections/budget-report.ts';
export { type ContextEntry, type ContextState, contextFold } from './projections/context.ts';
export { currentView, currentViewSummary } from './projections/current-view.ts';
export { createLoopFold, type LoopConfig, type LoopState, type LoopVerdict, loopFold } from './projections/loop.ts';
export type { Envelope, Fold, Seen } from './projections/projection.ts';
export { type ReplayOptions, type ReplayPoint, replay } from './projections/replay.ts';
export type { Folds, ReplayCounts, Replayed } from './projections/replayer.ts';
export {
  type SessionJson,
  type SessionMessage,
  type SessionMetadata,
  type SessionState,
  type SessionToolCall,
  sessionFold,
  sessionJson,
} from './projections/session.ts';
export { type SummaryState, summaryFold } from './projections/summary.ts';
export { tokenFactor } from './projections/token-factors.ts';
export {
  type ViewCall,
  type ViewItem,
  type ViewMessage,
  type ViewRetrieval,
  type ViewState,
  viewFold,
} from './projections/view.ts';

// Prices of models.

export { costOf, type Price, type UserPrices } from './providers/prices.ts';

// Arguments and errors of all of these.

export {
  createRedactor,
  type RedactedKind,
  type Redaction,
  type RedactionCount,
  type Redactor,
  type RedactorOptions,
} from './environment/redact.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorCodeEntry,
  isOllmError,
  OllmError,
  type OllmErrorOptions,
} from './errors/index.ts';
export { type Log, type LogFields, silentLog } from './platform/log.ts';
export { VERSION } from './version.ts';

// Types that the exports above name.

export type { KeyKind } from './environment/key-formats.ts';
export type { NamedKind } from './environment/named-secrets.ts';
export type { ShapeKind } from './environment/secret-shapes.ts';
export type { DecodeOptions } from './events/decode.ts';
export type { Upcastable, UpcastStep, UpcastTable } from './events/upcast/index.ts';
export type { Sketch } from './loop-detection/similarity.ts';
export type { Todo } from './messages/todos.ts';
export type * from './platform/files/file-system.ts';
export type { Branches } from './projections/branches.ts';
export type { BudgetEntry, BudgetPart, ForgottenTokens } from './projections/budget.ts';
export type { CompactionState } from './projections/compaction.ts';
export type { ContextEvent } from './projections/context.ts';
export type { ContextVersion, ContextVersions } from './projections/context-versions.ts';
export type { Heading as SessionHeading } from './projections/heading.ts';
export type { HeardOutput, RecentCall } from './projections/loop.ts';
export type { QueueState, WaitingPrompt } from './projections/queue.ts';
export type { ReplayerOptions, StatesOf } from './projections/replayer.ts';
export type { ReadingCounts, SessionItem } from './projections/session.ts';
export type { LastUsage, Spending, Spent } from './projections/spending.ts';
export type { StreamedAnswer } from './projections/streamed.ts';
export type { ForgottenMessages, SummaryEntry } from './projections/summary.ts';
export type {
  Checkpoint,
  OpaqueSummary,
  Timeline,
  TimelineEntry,
  TimelineSpan,
} from './projections/timeline.ts';
export type { TodoLists } from './projections/todos.ts';
export type { Counting as TokenCounting, TokenFactors } from './projections/token-factors.ts';
export type { ToolsState } from './projections/tools.ts';
export type { AdaptedForm, ForgottenItems, ViewResult } from './projections/view.ts';
export type * from './providers/forms/message-forms.ts';
export type { OpenCall, OpenEndsState, OpenTurn } from './session/open-ends.ts';

// Stores of your own, and around others.

export { type RedactText, redactingStore } from './stores/redacting-store.ts';
export { estimateTokens } from './tokens/estimate.ts';
