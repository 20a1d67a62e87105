// Spans as OTLP/JSON: one object of the message TracesData, on one line. The file exporter of OpenTelemetry writes such
// lines, its collector reads them, and each of them is the body of a request of OTLP/HTTP.
// Source: opentelemetry-proto 1.x, "JSON Protobuf Encoding": ids in hexadecimal, 64-bit numbers as text.
import { createHash } from 'node:crypto';
import { VERSION } from '../../version.ts';
import type { OperationSpan, SpanAttributes } from './span.ts';

/** Release of the semantic conventions that the names come from. */
const SEMANTIC_CONVENTIONS = '1.45.0';

const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
const KIND_INTERNAL = 1;
const KIND_CLIENT = 3;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

/**
 * A line of OTLP/JSON, with its line feed. A trace is one turn. The ids follow from the session and the events: the
 * same session gives the same spans each time.
 *
 * @example
 * otlpLine('notes', spans.end()); // '{"resourceSpans":[…]}\n'
 */
export function otlpLine(sessionId: string, spans: readonly OperationSpan[]): string {
  const schemaUrl = `https://opentelemetry.io/schemas/${SEMANTIC_CONVENTIONS}`;
  const resource = { attributes: keyValues({ 'service.name': 'ollm', 'service.version': VERSION }) };
  const scope = { name: 'ollm', version: VERSION };
  const scopeSpans = [{ scope, spans: spans.map((span) => spanObject(sessionId, span)), schemaUrl }];
  return `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans, schemaUrl }] })}\n`;
}

function spanObject(sessionId: string, span: OperationSpan): object {
  const { operation, seq, turnSeq, subject, startMs, endMs, attributes, error } = span;
  const isTurn = operation === 'invoke_agent';
  const name = isTurn ? attributes['gen_ai.agent.name'] : subject;
  return {
    traceId: hexId(TRACE_ID_BYTES, sessionId, turnSeq, 'trace'),
    spanId: hexId(SPAN_ID_BYTES, sessionId, seq, operation),
    ...(isTurn ? {} : { parentSpanId: hexId(SPAN_ID_BYTES, sessionId, turnSeq, 'invoke_agent') }),
    name: name === undefined ? operation : `${operation} ${String(name)}`,
    kind: operation === 'chat' ? KIND_CLIENT : KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues({ ...attributes, 'error.type': error?.type }),
    // Empty lists may be left out, but receivers of others expect them.
    events: [],
    links: [],
    status: error === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: error.message },
  };
}

function hexId(bytes: number, ...parts: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(parts.join('\n'))
    .digest('hex')
    .slice(0, bytes * 2);
}

function nanoseconds(ms: number): string {
  return `${BigInt(Math.trunc(ms)) * 1_000_000n}`;
}

function keyValues(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: any(value) }],
  );
}

/** AnyValue of the protocol. */
function any(value: NonNullable<SpanAttributes[string]>): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}
