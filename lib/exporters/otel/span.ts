// An operation of a conversation, as the semantic conventions of OpenTelemetry for generative AI name it: a turn
// (`invoke_agent`), a request to a model (`chat`) or a call of a tool (`execute_tool`).

type SpanOperation = 'invoke_agent' | 'chat' | 'execute_tool';

/** Values that a span may carry. */
type AttributeValue = string | number | boolean | readonly string[];

/** Absent members are not written. */
export type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>;

export interface OperationSpan {
  readonly operation: SpanOperation;
  /** seq of the event that it began with: with the operation, it tells the spans of a session apart. */
  readonly seq: number;
  /** seq of the `turn.started` that it belongs to. */
  readonly turnSeq: number;
  /** The model or the tool: the second part of the span's name. */
  readonly subject?: string | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** `type`: a word for the kind of failure. Absent: it did not fail. */
  readonly error?: { readonly type: string; readonly message?: string | undefined } | undefined;
}
