// The public API, in the order of use: keep a session, lead it, follow it; then the parts of the program and the types
// of all of them. A module with only types is exported whole, everything else by name. docs/library.md is the guide.
// Importing it loads rxjs, because turns and live journals are streams; `ollm/store` does not:
// docs/decisions/0008-one-build.md.

// Keep sessions, lead turns in them with a provider.

export { runTurn, type TurnSettings } from './library/run-turn.ts';
export * from './store.ts';
export type { Steer, TurnInput, TurnOptions } from './turn/run-turn.ts';
export type * from './turn/signals.ts';

// States while events are appended.

export { events$, type LiveJournal, type LiveSource, liveJournal, project, watch$ } from './projections/live.ts';

// Providers: the port, for one of your own, and an adapter.

export { createOllamaProvider, type OllamaOptions } from './providers/ollama/index.ts';
export type { OllamaProbe, OllamaProvider, ProbeOptions } from './providers/ollama/provider.ts';
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
  createTurnOrchestrator,
  type ToolCallResult,
  type TurnOrchestrator,
  type TurnResult,
} from './library/turn-orchestrator.ts';
export * from './services.ts';

// The program without its command line.

export * from './app.ts';

// Arguments and errors of all of these.

export { type CompactionSettings, DEFAULT_COMPACTION } from './context/compaction/due.ts';
export type { AskModel } from './context/compaction/write-summary.ts';

// Types that the exports above name.

export type { CompactionStrategy } from './context/compaction/strategy.ts';
export type {
  ChangeCallback,
  ChangeType,
  DiscoveryOptions as DiscoverySettings,
  FoundName,
} from './discovery/types.ts';
export type { Watch } from './discovery/watch.ts';
export type { OwnText, Quoted, RequestText } from './messages/untrusted.ts';
export type { Clock } from './platform/clock.ts';
export type { Ids } from './platform/ids.ts';
export type { LogLevel } from './platform/log.ts';
export type { ProcessInfo } from './platform/processes/process-info.ts';
export type { SummaryRow } from './projections/summary.ts';
export type { ProviderLoader } from './providers/registry.ts';
export type { Sampling, SamplingName } from './providers/sampling.ts';
export type { ThinkingMode } from './providers/thinking.ts';
export type { Overview } from './ranking/intent.ts';
export type { Quote } from './ranking/quote.ts';
export type { PruneOptions } from './session/prune.ts';
export type { RetentionRules } from './session/retention.ts';
export type { TokenCounter } from './tokens/counter.ts';
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
