// The parts that are carried from one program to another: messages and calls with their results, in order, and nothing
// that belonged to a request, such as reasoning, usage or system prompts.

/** The first text of a session that was handed over begins so. */
export const INTRODUCTION = 'This conversation was carried over from ';

export interface Picture {
  readonly mediaType: string;
  readonly base64: string;
}

export type MessagePiece =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'picture' } & Picture)
  /** A picture whose bytes are not at hand, or a file with this name. */
  | { readonly kind: 'missing'; readonly file: string | undefined; readonly mediaType: string };

export interface HandedMessage {
  readonly kind: 'message';
  readonly role: 'user' | 'assistant';
  readonly pieces: readonly MessagePiece[];
  /** RFC 3339. */
  readonly at?: string | undefined;
}

/** How a call ended. `none`: no result is known. */
export type CallEnd = 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'unknown' | 'none';

export interface HandedCall {
  readonly kind: 'call';
  /** Number of the step: calls that one answer of the model asked for together have the same. */
  readonly step: number;
  readonly name: string;
  readonly args: { readonly [member: string]: unknown };
  readonly end: CallEnd;
  readonly result: string;
  readonly pictures: readonly Picture[];
  /** The part after `#` in the address of the result, where there is one. */
  readonly key?: string | undefined;
  /** RFC 3339: when it was asked for. */
  readonly at?: string | undefined;
}

export type HandedItem = HandedMessage | HandedCall;

/** Parts that are not carried, counted by kind: `reasoning`, 13 times. */
export type Left = Readonly<Record<LeftKind, number>>;

export const LEFT_KINDS = {
  reasoning: 'reasoning',
  system: 'system prompt',
  injected: 'text that a program put there',
  retrieved: 'retrieved text',
  undone: 'item that was undone',
  compacted: 'item before a compaction',
  picture: 'picture',
  damaged: 'damaged place',
} as const;

export type LeftKind = keyof typeof LEFT_KINDS;

/** A conversation as it is to be carried. */
export interface CarriedConversation {
  readonly items: readonly HandedItem[];
  readonly left: Left;
  /** Which reading of a source that may be rewritten; 0 of a session of ollm. */
  readonly generation: number;
  /** seq of its last event. */
  readonly lastSeq: number;
  readonly title?: string | undefined;
  /** Where it took place. */
  readonly cwd?: string | undefined;
  /** RFC 3339: of the first and the last item that has a time. */
  readonly startedAt?: string | undefined;
  readonly lastActivity?: string | undefined;
}
