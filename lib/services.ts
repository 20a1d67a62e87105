// The services by themselves, as `ollm/services`.

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

// Types that the exports above name.

export type { SourceKind } from './retrieval/passages.ts';
export type { FoundPassage, PassageRanks, RecallScope } from './retrieval/retrieve.ts';
