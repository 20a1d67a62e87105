// The program without its command line, as `ollm/app`: settings, stores and providers as `ollm` has them, and its
// commands as functions.

export type { FidelityReport } from './agents/fidelity.ts';
export type { App } from './app/app.ts';
export { type AppOptions, type AppParts, createApp } from './app/compose.ts';
export type { Conversation, ProviderChoice } from './app/conversation.ts';
export { type ReadingOptions, resolveId } from './app/find/find-session.ts';
export type { HandoverCopies } from './app/list/handover-copies.ts';
export {
  type AnySessionRow,
  type ListOptions,
  listSessions,
  type SessionOrder,
  type SessionRow,
} from './app/list/list-sessions.ts';
export { switchMode } from './app/policy/tool-mode.ts';
export { chooseProvider, type ProviderWish } from './app/providers/choose-provider.ts';
export { type DeletedSession, deleteSession, restoreSession } from './app/sessions/change/delete-session.ts';
export { type ForkSessionRequest, forkSession } from './app/sessions/change/fork-session.ts';
export { type PruneReport, type PruneRequest, pruneSessions } from './app/sessions/change/prune-sessions.ts';
export { titleSession } from './app/sessions/change/title-session.ts';
export { retryTurn, type UndoneTurn, undoTurn } from './app/sessions/change/undo-turn.ts';
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
export { listTools, switchTool, type ToolboxTool } from './app/tools/toolbox.ts';
export type { ResolvedConfig } from './config/types.ts';
export { ask } from './lead/ask.ts';
export type { AskOptions } from './lead/types.ts';

// Types that the exports above name.

export type { Environment as AppEnvironment } from './app/app.ts';
export type { AnswererWish, Interruptible } from './app/providers/choose-provider.ts';
export type { Later, OpenOptions } from './app/sessions/open/open-session.ts';
export type { SettingsOptions } from './app/start/settings.ts';
export type { ResolvedConfig as MutableConfig } from './config/types.generated.ts';
export type { ConfigFlags, DeepReadonly } from './config/types.ts';
export type { AskPassphrase, PassphraseCost } from './stores/sealing/unlock.ts';
