// The differences between the vendors, as a value: how its package is loaded, the address of its API, its lists and
// counts. The provider around it (provider.ts) is the same for all.
import type { LanguageModelV4, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Usage } from '../../messages/index.ts';
import type { BodyCheck } from '../http/body-check.ts';
import type { HttpConnection } from '../http/exchanges.ts';
import type { Failures } from '../http/failures.ts';
import type { ProviderServer } from '../http/server.ts';
import type { KeyPlaces } from '../key.ts';
import type { EmbeddingRequest, InputUsage, ModelInfo, ModelRequest } from '../provider.ts';
import type { ThinkingMode } from '../thinking.ts';
import type { CompactedItem } from './opaque.ts';
import type { PromptRules } from './prompt.ts';

/** A plain request, such as for a list or a count. */
export interface PlainRequest {
  readonly url: string;
  /** Sent as JSON; without one it is a GET. */
  readonly body?: unknown;
}

/** What a cloud vendor is made of. */
export interface VendorOptions {
  /** Where its API is, if not where the vendor has it. */
  readonly baseUrl?: string | undefined;
  readonly key: KeyPlaces;
}

export interface Vendor extends ProviderServer {
  /** Proves who asks, in requests that are not made by the vendor's package. */
  readonly authorize: (request: PlainRequest, key: string) => Promise<Readonly<Record<string, string>>>;
  /** Loads the vendor's package and makes a model of it for one exchange. */
  readonly languageModel: (model: string, connection: HttpConnection) => Promise<LanguageModelV4>;
  readonly rules: (model: string) => PromptRules;
  /** Settings of the vendor's own for one request, which became this prompt. */
  readonly options?:
    | ((request: ModelRequest, prompt: LanguageModelV4Prompt) => SharedV4ProviderOptions | undefined)
    | undefined;
  /** The modes of thinking of a model, where the package does not know them. */
  readonly thinkingModes?: ((model: string) => readonly ThinkingMode[] | undefined) | undefined;
  /** The package's own word for the mode `max`, where it has no effort of that name. */
  readonly mostReasoning?: 'xhigh' | undefined;
  /** Whether a model may think in a request with this prompt. Default: in each. */
  readonly mayThink?: ((prompt: LanguageModelV4Prompt) => boolean) | undefined;
  /** The media type of its streams. */
  readonly streamType: 'text/event-stream' | 'application/vnd.amazon.eventstream';
  /** Reads one of its streams before its package does. */
  readonly check: (failures: Failures) => BodyCheck;
  /** Whether its models can be shown images. */
  readonly images: boolean;
  /** Pieces of reasoning in a chunk of its stream, which go back with their message. */
  readonly detailsOf?: ((chunk: unknown) => ReasoningDetails | undefined) | undefined;
  /** The input tokens that a chunk of its stream reports before the end of the answer. */
  readonly inputOf?: ((chunk: unknown) => InputUsage | undefined) | undefined;
  readonly models: VendorModels;
  /** Tokens that a model takes in, where that is known without asking. */
  readonly windowOf: (model: string) => number | undefined;
  /** Asks for the tokens of a request. `body`: what would be sent for an answer. */
  readonly count?: VendorCount | undefined;
  /** Makes a conversation smaller. `body`: what would be sent for an answer. */
  readonly compaction?: VendorCompaction | undefined;
  /** Turns texts into vectors. */
  readonly embedding?: VendorEmbedding | undefined;
}

export interface ReasoningDetails {
  readonly pieces: readonly unknown[];
  /** Whether the chunk has the texts of the pieces as plain reasoning too. */
  readonly areShown: boolean;
}

interface VendorModels {
  readonly requests: readonly PlainRequest[];
  /** The models that can hold a conversation, of all answers together. */
  readonly read: (answers: readonly unknown[]) => readonly ModelInfo[];
}

export interface VendorCompaction {
  readonly request: (body: Readonly<Record<string, unknown>>) => PlainRequest;
  /** Undefined if the answer is not a compaction. */
  readonly read: (answer: unknown) => { readonly items: readonly CompactedItem[]; readonly usage?: Usage } | undefined;
}

export interface VendorEmbedding {
  readonly request: (request: EmbeddingRequest) => PlainRequest;
  /** A list of numbers for each text, in their order. Checked by the caller. */
  readonly read: (answer: unknown) => readonly unknown[];
}

export interface VendorCount {
  readonly request: (model: string, body: Readonly<Record<string, unknown>>) => PlainRequest;
  readonly read: (answer: unknown) => number | undefined;
}
