// The public API: keep sessions, read them, follow them, lead them. Explicit named exports and nothing else.

export type { App, AppPaths, StorageMode } from './app/app.ts';
export { type AskOptions, ask } from './app/ask.ts';
export { chooseProvider, type ProviderWish } from './app/choose-provider.ts';
export { type AppOptions, type AppParts, createApp } from './app/compose.ts';
export type { Conversation, ProviderChoice } from './app/conversation.ts';
export { deleteSession, restoreSession } from './app/delete-session.ts';
export { type ExportFormat, type ExportRequest, exportSession, type SessionExport } from './app/export-session.ts';
export { type ForkRequest, forkSession } from './app/fork-session.ts';
export {
  createSession,
  type FileStoreOptions,
  type NewSession,
  openFileStore,
  openMemoryStore,
  openSession,
  runTurn,
  type SessionSettings,
  type StoreOptions,
  type TurnSettings,
} from './app/library.ts';
export { type ListOptions, listSessions, type SessionOrder, type SessionRow } from './app/list-sessions.ts';
export { type OpenRequest, openSession as openConversation } from './app/open-session.ts';
export { type PruneReport, type PruneRequest, pruneSessions } from './app/prune-sessions.ts';
export { type ResetRequest, rebuildSession, resetSession } from './app/reset-session.ts';
export { resolveId } from './app/resolve-id.ts';
export { saveSession } from './app/save-session.ts';
export { type SessionDetails, showSession } from './app/show-session.ts';
export { switchModel } from './app/switch-model.ts';
export { titleSession } from './app/title-session.ts';
export { retryTurn, undoTurn } from './app/undo-turn.ts';
export type { ResolvedConfig } from './config/types.ts';
export { type CompactionSettings, DEFAULT_COMPACTION } from './context/compaction/due.ts';
export type { AskModel } from './context/compaction/write-summary.ts';
export { createRedactor, type Redaction, type Redactor, type RedactorOptions } from './environment/redact.ts';
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorCodeEntry,
  isOllmError,
  OllmError,
  type OllmErrorOptions,
} from './errors/index.ts';
export { EVENT_TYPES, isEventType } from './events/catalogue.ts';
export { type Decoded, decodeEvent } from './events/decode.ts';
export type { EventData, EventType, NewOllmEvent, OllmEvent, OllmEventOf } from './events/index.ts';
export { type Problem, validateEvent } from './events/validate.ts';
export { isSessionId } from './journal/format.ts';
export type {
  Anchor,
  AppendOptions,
  Damage,
  DamageKind,
  DurabilityLevel,
  DurabilityPolicy,
  Holder,
  JournalFileInfo,
  JournalReader,
  JournalStore,
  JournalWriter,
  NewEvent,
  Outcome,
  Receipt,
  StoredEvent,
  TrashEntry,
} from './journal/types.ts';
export type {
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  TokenCount,
  ToolResult,
  Usage,
} from './messages/index.ts';
export { type Log, type LogFields, silentLog } from './platform/log.ts';
export { type BudgetReport, type BudgetState, budgetFold, budgetReport, usedTokens } from './projections/budget.ts';
export { type ContextState, contextFold } from './projections/context.ts';
export { events$, type LiveJournal, type LiveSource, liveJournal, project, watch$ } from './projections/live.ts';
export { createLoopFold, type LoopConfig, type LoopState, loopFold } from './projections/loop.ts';
export type { Envelope, Fold } from './projections/projection.ts';
export { type ReplayOptions, type ReplayPoint, replay, replayInSlices } from './projections/replay.ts';
export { type SessionJson, type SessionState, sessionFold, sessionJson } from './projections/session.ts';
export { type SummaryState, summaryFold } from './projections/summary.ts';
export { type ViewState, viewFold } from './projections/view.ts';
export { createOllamaProvider, type OllamaOptions } from './providers/ollama/index.ts';
export type {
  FinishReason,
  ModelInfo,
  ModelMessage,
  ModelRequest,
  ModelToolCall,
  Provider,
  ProviderCapabilities,
  ProviderSignal,
} from './providers/provider.ts';
export {
  type ChatCompressionService,
  type ChatCompressionSettings,
  type CompressionOptions,
  type CompressionResult,
  type CompressionStrategy,
  createChatCompressionService,
} from './services/chat-compression-service.ts';
export {
  type ChatRecordingService,
  type ChatRecordingSettings,
  createChatRecordingService,
  type MessagePart,
  type SessionMessage,
  type SessionMetadata,
  type SessionSummary,
  type SessionToolCall,
} from './services/chat-recording-service.ts';
export {
  type AddContextOptions,
  type ContextEntry,
  type ContextManager,
  type ContextManagerSettings,
  createContextManager,
} from './services/context-manager.ts';
export {
  createEnvironmentSanitizationService,
  type EnvironmentSanitizationService,
  type EnvironmentSanitizationSettings,
  type SanitizationConfig,
} from './services/environment-sanitization-service.ts';
export {
  createFileDiscoveryService,
  type DiscoveryOptions,
  type Disposable,
  type FileDiscoveryService,
  type FileDiscoverySettings,
  type FileEntry,
} from './services/file-discovery-service.ts';
export {
  createLoopDetectionService,
  type LoopDetectionConfig,
  type LoopDetectionService,
  type LoopPattern,
} from './services/loop-detection-service.ts';
export type { ResumeReport, Session, SessionStates } from './session/session.ts';
export { writeSnapshot } from './session/snapshot.ts';
export type { TokenCounter } from './tokens/counter.ts';
export type { TurnInput, TurnOptions } from './turn/run-turn.ts';
export type { TurnSignal, TurnStatus } from './turn/signals.ts';
export { VERSION } from './version.ts';
