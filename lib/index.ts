// The public API, in the order of use: keep a session, lead it, read it back, follow it; then the parts of the program
// and the types of all of them. A module of types alone is exported whole, everything else by name. docs/library.md is
// the guide. Importing it loads rxjs, because turns and live journals are streams:
// docs/decisions/0008-the-program-is-bundled-the-library-is-not.md.

// Keep sessions: a store, sessions in it, turns with a provider.

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
  type StoreDirectoryOptions,
  type StoreOptions,
} from './library/open-stores.ts';
export { runTurn, type TurnSettings } from './library/run-turn.ts';
export {
  type ListedSession,
  openSessionStore,
  type SessionChoice,
  type SessionStore,
  type SessionStoreOptions,
} from './library/session-store.ts';
export { writeSnapshot } from './session/saved/snapshot.ts';
export type * from './session/session.ts';
export type { Steer, TurnInput, TurnOptions } from './turn/run-turn.ts';
export type * from './turn/signals.ts';

// The journal below them: for programs that append and read events themselves.

export { isSessionId } from './journal/format.ts';
export type * from './journal/types.ts';

// Events: their types, and validation.

export { EVENT_TYPES, isEventType } from './events/catalogue.ts';
export { type Decoded, decodeEvent } from './events/decode.ts';
export type * from './events/index.ts';
export { type EventProblem, validateEvent } from './events/validate.ts';
export type * from './messages/index.ts';

// States: folds over events, replayed to any event of the past or live.

export { type BudgetParts, type BudgetState, budgetFold } from './projections/budget.ts';
export { type BudgetReport, budgetReport, usedTokens } from './projections/budget-report.ts';
export { type ContextState, contextFold } from './projections/context.ts';
export { currentView, currentViewSummary } from './projections/current-view.ts';
export { events$, type LiveJournal, type LiveSource, liveJournal, project, watch$ } from './projections/live.ts';
export { createLoopFold, type LoopConfig, type LoopState, type LoopVerdict, loopFold } from './projections/loop.ts';
export type { Envelope, Fold, Seen } from './projections/projection.ts';
export { type ReplayOptions, type ReplayPoint, replay } from './projections/replay.ts';
export type { Folds, ReplayCounts, Replayed } from './projections/replayer.ts';
export { type SessionJson, type SessionState, sessionFold, sessionJson } from './projections/session.ts';
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

// Providers: the port, for one of your own, and an adapter.

export { createOllamaProvider, type OllamaOptions } from './providers/ollama/index.ts';
export type { OllamaProbe, OllamaProvider, ProbeOptions } from './providers/ollama/provider.ts';
export { costOf, type Price, type UserPrices } from './providers/prices.ts';
export type * from './providers/provider.ts';

// Tools: one of your own in a few lines, or the port; the policy that decides on calls; the approver that asks the
// user.

export type * from './hooks/hooks.ts';
export type * from './tools/action.ts';
export type * from './tools/decision.ts';
export { defineTool, type ToolDescription } from './tools/define-tool.ts';
export type { ToolMode } from './tools/modes.ts';
export type * from './tools/program.ts';
export * from './tools/tool.ts';
export type { RetrySettings } from './turn/request/retry.ts';

// The services: each by itself, with settings of its own.

export {
  type ChatCompressionService,
  type ChatCompressionSettings,
  type CompressionOptions,
  type CompressionResult,
  type CompressionStrategy,
  createChatCompressionService,
} from './library/chat-compression-service.ts';
export {
  type ChatRecordingService,
  type ChatRecordingSettings,
  createChatRecordingService,
  type MessagePart,
  type RecordedSummary,
  type SessionMessage,
  type SessionMetadata,
  type SessionToolCall,
} from './library/chat-recording-service.ts';
export {
  type AddContextOptions,
  type ContextEntry,
  type ContextManager,
  type ContextManagerSettings,
  createContextManager,
} from './library/context-manager.ts';
export {
  type ConversationRAG,
  type ConversationRAGSettings,
  createConversationRAG,
  type RagItem,
  type RagQuestion,
} from './library/conversation-rag.ts';
export {
  createEnvironmentSanitizationService,
  type EnvironmentSanitizationService,
  type EnvironmentSanitizationSettings,
  type SanitizationConfig,
} from './library/environment-sanitization-service.ts';
export {
  createFileDiscoveryService,
  type Disposable,
  type FileDiscoveryOptions,
  type FileDiscoveryService,
  type FileDiscoverySettings,
  type FileEntry,
} from './library/file-discovery-service.ts';
export {
  createLoopDetectionService,
  type LoopDetectionConfig,
  type LoopDetectionService,
  type LoopPattern,
} from './library/loop-detection-service.ts';
export { createPromptCache, type PromptCache } from './library/prompt-cache.ts';
export { createSummaryBufferMemory, type SummaryBufferMemory } from './library/summary-buffer-memory.ts';
export {
  createTurnOrchestrator,
  type ToolCallResult,
  type TurnOrchestrator,
  type TurnResult,
} from './library/turn-orchestrator.ts';

// The program without its command line: settings, stores and providers as `ollm` has them, its commands as functions.

export type { FidelityReport } from './agents/fidelity.ts';
export type { App, AppPaths, StorageMode, TextDecision } from './app/app.ts';
export { type AppOptions, type AppParts, createApp } from './app/compose.ts';
export type { Conversation, ProviderChoice } from './app/conversation.ts';
export type { HandoverCopies } from './app/list/handover-copies.ts';
export {
  type ListOptions,
  listSessions,
  type SessionOrder,
  type SessionRow,
} from './app/list/list-sessions.ts';
export { chooseProvider, type ProviderWish } from './app/providers/choose-provider.ts';
export { type DeletedSession, deleteSession, restoreSession } from './app/sessions/change/delete-session.ts';
export { type ForkSessionRequest, forkSession } from './app/sessions/change/fork-session.ts';
export { type PruneReport, type PruneRequest, pruneSessions } from './app/sessions/change/prune-sessions.ts';
export { titleSession } from './app/sessions/change/title-session.ts';
export { retryTurn, type UndoneTurn, undoTurn } from './app/sessions/change/undo-turn.ts';
export { type ReadingOptions, resolveId } from './app/sessions/find/find-session.ts';
export { type OpenRequest, openSession as openConversation } from './app/sessions/open/open-session.ts';
export { type ResetSessionRequest, rebuildSession, resetSession } from './app/sessions/open/reset-session.ts';
export { saveSession } from './app/sessions/open/save-session.ts';
export { switchModel } from './app/sessions/open/switch-model.ts';
export {
  type ExportFormat,
  type ExportRequest,
  exportSession,
  type SessionExport,
} from './app/sessions/read/export-session.ts';
export { type ConversationDetails, type SessionDetails, showSession } from './app/sessions/read/show-session.ts';
export { switchMode } from './app/tools/tool-mode.ts';
export { listTools, switchTool, type ToolboxTool } from './app/tools/toolbox.ts';
export type { ResolvedConfig } from './config/types.ts';
export { type AskOptions, ask } from './lead/ask.ts';
export type { StoreCare, StoreReport, StreamReport } from './nats/care.ts';
export type { StoreOnServers } from './nats/nats-store.ts';

// Arguments and errors of all of these.

export { type CompactionSettings, DEFAULT_COMPACTION } from './context/compaction/due.ts';
export type { AskModel } from './context/compaction/write-summary.ts';
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
export type { TokenCounter } from './tokens/counter.ts';
export { VERSION } from './version.ts';

// Types that the exports above name.

export type { Environment as AppEnvironment, Redact } from './app/app.ts';
export type { ConversationState, ToolSetup } from './app/conversation.ts';
export type { AnswererWish, Interruptible } from './app/providers/choose-provider.ts';
export type { Later, OpenOptions } from './app/sessions/open/open-session.ts';
export type { Settings as AppSettings, SettingsOptions } from './app/settings.ts';
export type { Catalog, CatalogChanges, CatalogRow, CataloguedName } from './catalog/catalog.ts';
export type { CatalogEdit, EditStep } from './catalog/catalog-edit.ts';
export type { CatalogOutcome, CatalogPorts } from './catalog/derived-file.ts';
export type { ResolvedConfig as MutableConfig } from './config/types.generated.ts';
export type { ConfigFlags, ConfigRow, DeepReadonly, LayerName, LoadedConfig } from './config/types.ts';
export type { CompactionStrategy } from './context/compaction/strategy.ts';
export type {
  ChangeCallback,
  ChangeType,
  DiscoveryOptions as DiscoverySettings,
  FoundName,
  ProjectDocument,
  ProjectFiles,
  ProjectListing,
  SkipReason,
} from './discovery/types.ts';
export type { Watch } from './discovery/watch.ts';
export type { KeyKind } from './environment/key-formats.ts';
export type { NamedKind } from './environment/named-secrets.ts';
export type { ShapeKind } from './environment/secret-shapes.ts';
export type { DecodeOptions } from './events/decode.ts';
export type { Upcastable, UpcastStep, UpcastTable } from './events/upcast/index.ts';
export type { Sketch } from './loop-detection/similarity.ts';
export type { ApprovedTool } from './mcp/approvals.ts';
export type { McpToolDefinition } from './mcp/definition.ts';
export type { ServerStatus } from './mcp/server.ts';
export type { McpServers, PendingTool, ServerReport } from './mcp/servers.ts';
export type { Todo } from './messages/todos.ts';
export type { OwnText, Quoted, RequestText } from './messages/untrusted.ts';
export type { Clock } from './platform/clock.ts';
export type * from './platform/files/file-system.ts';
export type { Ids } from './platform/ids.ts';
export type { LogLevel } from './platform/log.ts';
export type { ProcessInfo } from './platform/processes/process-info.ts';
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
export type { ForgottenMessages, SummaryEntry, SummaryRow } from './projections/summary.ts';
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
export type { ProviderLoader, ProviderRegistry } from './providers/registry.ts';
export type { Sampling, SamplingName } from './providers/sampling.ts';
export type { ThinkingMode } from './providers/thinking.ts';
export type { Overview } from './ranking/intent.ts';
export type { Quote } from './ranking/quote.ts';
export type { QuestionVector } from './retrieval/by-meaning.ts';
export type { EmbeddingPorts, Embeddings, VectorWait } from './retrieval/embeddings.ts';
export type { CountedWords } from './retrieval/find-by-words.ts';
export type { IndexedSources, IndexingOptions } from './retrieval/index-files.ts';
export type { SessionIndexing } from './retrieval/index-sessions.ts';
export type { Embedder, MadeVectors, VectorUpdate } from './retrieval/make-vectors.ts';
export type { PassageStore, PassageUpdate, Retrieved, UpdateOutcome } from './retrieval/passage-store.ts';
export type { PassageSource, SourceKind } from './retrieval/passages.ts';
export type { FoundPassage, PassageRanks, RecallScope, RetrieveRequest } from './retrieval/retrieve.ts';
export type { OpenCall, OpenEndsState, OpenTurn } from './session/open-ends.ts';
export type { PruneOptions } from './session/prune.ts';
export type { RetentionRules } from './session/retention.ts';
export type { OlderForms } from './stores/older-forms.ts';
export type { Encryption } from './stores/sealing/encryption.ts';
export type {
  AskPassphrase,
  EncryptionCopies,
  OpenedKey,
  OpenedKeys,
  PassphraseCost,
} from './stores/sealing/unlock.ts';
export type { AgentPort, AgentTask } from './tools/builtin/agent.ts';
export type { Grant, GrantStore } from './tools/policy/grants.ts';
export type { Toolbox } from './tools/toolbox.ts';
export type {
  AskToGoOn,
  RetrievalOptions,
  RetrievedChunk,
  RetrievedPassages,
  Summarizer,
  TurnDependencies,
  TurnRetrieval,
} from './turn/turn.ts';
export type { ToolBoundary, TurnTools } from './turn/turn-tools.ts';
