// Messages, calls and results that a program hands in, read from the form of a vendor, in order, with the content of
// files at hand. The session stores it as events.
import { OllmError } from '../../errors/index.ts';
import type { ReasoningPart, TextPart } from '../../messages/index.ts';
import type { Opaque } from '../ai-sdk/opaque.ts';
import type { ModelToolCall, ReportedUsage } from '../provider.ts';

/** A file or an image with its content. */
interface InlineFile {
  readonly type: 'file';
  readonly mediaType: string;
  readonly name?: string | undefined;
  readonly content: Uint8Array;
}

/** Reasoning, with what its vendor wants back unchanged. */
interface GivenReasoning extends Pick<ReasoningPart, 'type' | 'text'> {
  readonly opaque?: Opaque | undefined;
}

export type GivenPart = TextPart | GivenReasoning | InlineFile;

export interface GivenResult {
  /** Absent where the vendor names only the tool of a call. */
  readonly callId?: string | undefined;
  readonly name?: string | undefined;
  readonly status: 'ok' | 'error' | 'denied';
  readonly content: string;
  readonly files: readonly InlineFile[];
}

/** Why the model stopped, in the words of the journal. */
export type GivenFinish = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

export interface GivenAnswer {
  readonly role: 'assistant';
  readonly parts: readonly GivenPart[];
  readonly calls: readonly ModelToolCall[];
  readonly finish?: GivenFinish | undefined;
  /** The model that answered, as the vendor names it. */
  readonly model?: string | undefined;
  readonly usage?: ReportedUsage | undefined;
}

export type GivenMessage =
  | { readonly role: 'system' | 'user'; readonly parts: readonly GivenPart[] }
  | GivenAnswer
  | { readonly role: 'tool'; readonly results: readonly GivenResult[] };

/** A message that cannot be read is refused as a whole: no later reader would miss a part of it. */
export function notOfForm(form: string, what: string): OllmError {
  return new OllmError('EVENT_INVALID', `This is not a message in the form ${form}: ${what}`, {
    hint: 'Nothing was stored. Name the form that it has as the second argument of append, or hand in its text.',
    data: { form },
  });
}

/** Text as a part; none for an empty one. */
export function textPart(text: unknown): readonly TextPart[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}

/** A file that only its vendor or another server has: its address is said, as nothing is fetched here. */
export function elsewhere(mediaType: string | undefined, address: string): TextPart {
  return { type: 'text', text: `[a file${mediaType === undefined ? '' : ` (${mediaType})`} at ${address}]` };
}

/** A file of which the form gives the content as base64, as bytes, or as a data URL; else where it is. */
export function fileOf(
  data: unknown,
  { mediaType, name }: { readonly mediaType?: string | undefined; readonly name?: string | undefined },
): InlineFile | TextPart {
  const named = name === undefined ? {} : { name };
  if (data instanceof Uint8Array || data instanceof ArrayBuffer)
    return { type: 'file', mediaType: mediaType ?? UNKNOWN_TYPE, ...named, content: new Uint8Array(data) };
  const text = data instanceof URL ? data.href : String(data);
  const [, type, base64] = /^data:([^;,]*)(?:;[^;,]*)*;base64,([\s\S]*)$/.exec(text) ?? [];
  if (base64 !== undefined)
    return { type: 'file', mediaType: type || mediaType || UNKNOWN_TYPE, ...named, content: bytesOf(base64) };
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return elsewhere(mediaType, text);
  return { type: 'file', mediaType: mediaType ?? UNKNOWN_TYPE, ...named, content: bytesOf(text) };
}

/** A part of a kind that is not known here, kept as it is. */
export function unknownPart(kind: string, part: unknown): InlineFile {
  const content = new TextEncoder().encode(JSON.stringify(part));
  return { type: 'file', mediaType: 'application/json', name: `${kind}.json`, content };
}

/** Counts as a vendor reports them; undefined where it reports neither input nor output. */
export function givenUsage(counts: { readonly [Name in keyof ReportedUsage]?: unknown }): ReportedUsage | undefined {
  const known = Object.entries(counts).flatMap(([name, count]) =>
    typeof count === 'number' && Number.isFinite(count) && count >= 0 ? [[name, Math.round(count)]] : [],
  );
  const usage: ReportedUsage = Object.fromEntries(known);
  return usage.inputTokens === undefined && usage.outputTokens === undefined ? undefined : usage;
}

const UNKNOWN_TYPE = 'application/octet-stream';

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
