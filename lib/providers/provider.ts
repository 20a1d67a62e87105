// The port to language models. A provider turns one request into a stream of signals; it never sees the journal.
// The contract, run against each provider by __tests__/providers/provider.contract.ts:
// - the stream ends with exactly one `finish`, after which nothing comes; or it throws
// - `usage` comes at most once, before `finish`; `input-usage` at most once, before `usage`
// - an abort ends the stream within a second, with an error of code INTERRUPTED; the connection is closed
// - every other failure is an OllmError PROVIDER_*, MODEL_NOT_FOUND or CONTEXT_TOO_SMALL whose message a person
//   understands; where asking again may help, its data is a `RetryAdvice`. Nothing is asked twice by a provider itself:
//   the turn does that.
import type { FilePart, ImagePart, Part, TextPart, Usage } from '../messages/index.ts';
import type { Sampling, SamplingName } from './sampling.ts';
import type { ThinkingMode } from './thinking.ts';

/** What a provider can do. */
export interface ProviderCapabilities {
  readonly streaming: boolean;
  readonly toolCalling: boolean;
  readonly tokenCounting: boolean;
  readonly compaction: boolean;
  /** Whether its models can be shown images. Default: no. */
  readonly images?: boolean | undefined;
  /** Tokens; undefined where that depends on the model. */
  readonly maxContextWindow: number | undefined;
}

/** A model, as its provider lists it. */
export interface ModelInfo {
  readonly name: string;
  /** Tokens that it takes in, where known. */
  readonly contextWindow?: number | undefined;
  /** Bytes on disk, for local models. */
  readonly sizeBytes?: number | undefined;
}

/** A tool, as it is described to a model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
}

/** A call that a model asks for. `args` is not checked yet. */
export interface ModelToolCall {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
}

/** What a tool answered. */
export interface ModelToolResult {
  readonly callId: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
  /** Images of the result. A model that cannot see them gets a note for each. */
  readonly images?: readonly ImagePart[] | undefined;
}

/** A file that is data: its text is put between delimiters. One without the mark is what its author said, at length. */
export interface QuotedFile extends FilePart {
  readonly isQuoted: true;
}

/** Text that was found for a question. The user did not write it. */
export interface QuotedText extends TextPart {
  readonly isQuoted: true;
}

/** A message as it is put before a model. The canonical form is ours; a provider translates. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly (Part | QuotedFile | QuotedText)[] }
  /**
   * Changes of the context since the messages before it, not a question. `instructs`: with the authority of the system
   * prompt, as a system message if the vendor accepts one between others; otherwise it is data, with text from outside
   * between delimiters. If the vendor accepts none, both have the role of the user.
   */
  | { readonly role: 'context'; readonly text: string; readonly instructs: boolean }
  | { readonly role: 'assistant'; readonly parts: readonly Part[]; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly results: readonly ModelToolResult[] };

/** How much of a request later ones begin with, whatever happens. */
export interface StableBeginning {
  /** Characters at the beginning of `system` that are the same in each request of a session: the instructions. */
  readonly system: number;
}

/** A request: everything that the model sees. */
export interface ModelRequest {
  readonly model: string;
  /** System prompt with context and summary; empty if there is none. */
  readonly system: string;
  /**
   * A place up to which a provider may cache, in addition to the end of the request. Default: the whole system prompt.
   */
  readonly stable?: StableBeginning | undefined;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Tokens that the whole request may take; a local server reserves that much. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** How much the model thinks: one of its `thinkingModes`. Default: as the provider has it. */
  readonly thinking?: ThinkingMode | undefined;
  /** How the model picks its words. Members that the wire does not have are left out. */
  readonly sampling?: Sampling | undefined;
  /** A key that all requests of a session share: helps a provider to find cached input. */
  readonly cacheKey?: string | undefined;
  /** Reads the content of an image or file part. */
  readonly readBlob: (sha256: string) => Promise<Uint8Array | undefined>;
}

/** Why the model stopped. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** The usage of the input, as far as it is known before the answer ends. */
export type InputUsage = Pick<Usage, 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens'>;

/** The provider's report of usage. A count that it left out is unknown, and so is 0 for the input. */
export type ReportedUsage = Omit<Usage, 'inputTokens' | 'outputTokens'> &
  Partial<Pick<Usage, 'inputTokens' | 'outputTokens'>>;

export type ProviderSignal =
  | { readonly type: 'text'; readonly text: string }
  /**
   * With neither of the two it says only that the answer continues: a long call may take minutes to be written.
   */
  | { readonly type: 'reasoning'; readonly text?: string | undefined; readonly opaque?: string | undefined }
  /** More of the arguments of a call, only for the screen: `tool-call` has all of it. `key` tells calls apart. */
  | { readonly type: 'tool-input'; readonly key: string; readonly name: string; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  /** Kept where the answer breaks off before its `usage`. */
  | { readonly type: 'input-usage'; readonly usage: InputUsage }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  /** `word`: the vendor's own, where the end is not an ordinary one. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly word?: string | undefined };

/** A conversation made smaller by its provider: one item, which only the same provider and model understand. */
export interface Compacted {
  /**
   * To be put before that model again as the `opaque` of a reasoning part, in an assistant message, in place of the
   * rest.
   */
  readonly opaque: string;
  readonly usage?: Usage | undefined;
}

/**
 * In `OllmError.data` of a failure that may pass: too many requests, an overloaded or broken server, a lost connection.
 */
export interface RetryAdvice {
  readonly retryable: true;
  /** The wait that the provider asks for. */
  readonly retryAfterMs?: number | undefined;
}

/** Texts to be turned into vectors, which are near each other where the texts mean something alike. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;
  /** The models that it can run now. */
  models(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly ModelInfo[]>;
  /** Loads the packages that a first request to this model needs. Contacts no server. */
  load?(model: string): Promise<void>;
  /** Answers one request. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ProviderSignal>;
  /** Tokens that the request has by the provider's own count. Only where `capabilities.tokenCounting`. */
  countTokens?(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<number>;
  /** Makes the conversation of the request smaller. Only where `capabilities.compaction`. */
  compact?(request: ModelRequest, options: { readonly signal: AbortSignal }): Promise<Compacted>;
  /** A vector for each text, in their order, all of one length. Only where the provider has models for that. */
  embed?(request: EmbeddingRequest, options: { readonly signal: AbortSignal }): Promise<readonly Float32Array[]>;
  /** US dollars, where a price is known. */
  costOf?(usage: Usage, model: string): number | undefined;
  /** The modes of thinking that a model can be set to. None: it thinks as it does, or not at all. */
  thinkingModes?(
    model: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<readonly ThinkingMode[]>;
  /** What of `sampling` is not sent to this model. Absent: all of it is sent. @throws OllmError PROVIDER_KEY */
  unsent?(request: Pick<ModelRequest, 'model' | 'thinking' | 'sampling'>): Promise<readonly SamplingName[]>;
  /** Tokens that the model takes in, where the provider knows it. */
  contextWindow?(model: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<number | undefined>;
}
