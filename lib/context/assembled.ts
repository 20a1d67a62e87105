// The result of assembling: the parts of a request that come from the session, and their sources. All text in it has a
// type that says where it came from (messages/untrusted.ts).
import type { Part, TextPart } from '../messages/index.ts';
import type { RequestText } from '../messages/untrusted.ts';
import type { ViewItem } from '../projections/view.ts';
import type { ModelRequest, ModelToolCall, ModelToolResult, QuotedFile, QuotedText } from '../providers/provider.ts';

type RequestTextPart = TextPart & { readonly text: RequestText };
export type RequestPart = RequestTextPart | (RequestTextPart & QuotedText) | Exclude<Part, TextPart> | QuotedFile;
export type RequestResult = ModelToolResult & { readonly content: RequestText };

/** A `ModelMessage` whose text may go to a model. */
export type RequestMessage =
  | { readonly role: 'user'; readonly parts: readonly RequestPart[] }
  | { readonly role: 'context'; readonly text: RequestText; readonly instructs: boolean }
  | {
      readonly role: 'assistant';
      readonly parts: readonly Exclude<RequestPart, QuotedFile>[];
      readonly toolCalls: readonly ModelToolCall[];
    }
  | { readonly role: 'tool'; readonly results: readonly RequestResult[] };

/** A `ModelRequest` whose text may go to a model. */
export interface SafeRequest extends ModelRequest {
  readonly system: RequestText;
  readonly messages: readonly RequestMessage[];
}

export interface Assembled extends Pick<SafeRequest, 'system' | 'messages' | 'stable'> {
  /** The items of the view that the messages were made of. */
  readonly items: readonly ViewItem[];
  /** What did not fit, the oldest. */
  readonly leftOut: {
    readonly messages: number;
    readonly tokens: number;
  };
  /** About how many tokens the request has, tool definitions included. */
  readonly tokens: number;
}
