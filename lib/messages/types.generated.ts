// Generated from schemas/ by "npm run generate". Change the schema, not this file.
/** Who speaks. What a tool brought back is no message: see tool.finished. */
export type Role = 'system' | 'user' | 'assistant';
/**
 * Where a token count comes from: the provider's own report, an exact tokenizer of the model's family, an estimate, or
 * nowhere.
 */
export type TokenMethod = 'reported' | 'counted' | 'estimated' | 'unknown';
/** A piece of a message. */
export type Part = TextPart | ReasoningPart | ImagePart | FilePart;
/** Who contributed a context entry. */
export type ContextSource = 'hook' | 'extension' | 'user' | 'system';

/** What a conversation is made of. */
/** A number of tokens and where it comes from. */
export interface TokenCount {
  /** tokens */
  count: number;
  method: TokenMethod;
}
export interface TextPart {
  type: 'text';
  text: string;
}
export interface ReasoningPart {
  type: 'reasoning';
  /** What the provider shows of it. */
  text?: string;
  /** Goes back unchanged to the provider that made it, and to no other. */
  opaque?: string;
  /** The provider that made it. */
  provider?: string;
}
export interface ImagePart {
  type: 'image';
  mediaType: string;
  /** sha256 of the content, 64 hex digits: a file under blobs/. */
  blob: string;
  /** Pixels, as the header of the image says. */
  width?: number;
  height?: number;
}
export interface FilePart {
  type: 'file';
  name: string;
  mediaType: string;
  /** sha256 of the content, 64 hex digits: a file under blobs/. */
  blob: string;
}
/** What a tool brought back. */
export interface ToolResult {
  /** What the model is given. */
  llmContent: string;
  /** What a person is shown, where that differs. */
  returnDisplay?: string;
  /** Further parts of the result: sent to models that accept images, described to the others in words. */
  images?: ImagePart[];
}
/** What one model call used. */
export interface Usage {
  /** Tokens of the request, those from a cache included. */
  inputTokens: number;
  /** Tokens of the answer. */
  outputTokens: number;
  /** Of the input, those that the provider took from its cache. */
  cachedTokens?: number;
  /** Of the input, those that the provider put into its cache. */
  cacheWriteTokens?: number;
  /** Of the output, those of reasoning. */
  reasoningTokens?: number;
  /** US dollars. */
  totalCost?: number;
}
/** Where in its source an imported event comes from. */
export interface Origin {
  /** The id that the source gives the record. */
  record?: string;
  /** Byte at which the record begins. */
  position: number;
  /** Bytes of the record. */
  length: number;
}
/** A message that the model is sent in place of earlier ones. */
export interface ReplacingMessage {
  role: Role;
  parts: Part[];
  tokens?: TokenCount;
}
/** An item of a list that another program keeps here, as that program has it: it is given back exactly. */
export interface Native {
  /** Whose item it is, such as openai-agents. */
  form: string;
  /** The item, without what left names. */
  item: {
    [k: string]: unknown;
  };
  /** Number of events of the item: this one and those after it. Missing: only this one. */
  events?: number;
  /** What is not in the item, and where it is. */
  left?: LeftText[];
}
/** A value of an item that is somewhere else. */
export interface LeftText {
  /** Its place in the item, as a JSON pointer. */
  at: string;
  /** The place in the data of this event that has the same text, as a JSON pointer. */
  same?: string;
  /** sha256 of the file under blobs/ that holds it. */
  blob?: string;
  /** The text before the Base64, such as data:image/png;base64, */
  before?: string;
  /**
   * What the value is made as: a text, Base64 of the bytes, the bytes; or, of the text in the item, a URL or a date.
   */
  as?: 'text' | 'base64' | 'bytes' | 'url' | 'date';
}
