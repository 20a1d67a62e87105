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

/** The parts of a content that may be a text, or a list whose members `read` knows. */
export function partsOf(content: unknown, read: (part: unknown) => readonly GivenPart[]): readonly GivenPart[] {
  return Array.isArray(content) ? content.flatMap(read) : textPart(content);
}

/** The content of a result: its texts as one, and its files. */
export function contentOf(parts: readonly GivenPart[]): Pick<GivenResult, 'content' | 'files'> {
  return {
    content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    files: parts.filter((part) => part.type === 'file'),
  };
}

interface AnswerEnd {
  /** Undefined where the vendor does not say it. */
  readonly finish: (answer: GivenAnswer) => GivenFinish | undefined;
  readonly model: unknown;
  readonly usage: ReportedUsage | undefined;
}

/** The messages of one answer of an API: its end, its model and its usage stand in the last message of the model. */
export function ended(messages: readonly GivenMessage[], { finish, model, usage }: AnswerEnd): readonly GivenMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) => {
    if (index !== last || message.role !== 'assistant') return message;
    const why = finish(message);
    return { ...message, ...(why && { finish: why }), ...(typeof model === 'string' && { model }), usage };
  });
}

/** A file that only its vendor or another server has: its address is said, as nothing is fetched here. */
export function elsewhere(mediaType: unknown, address: string): TextPart {
  return { type: 'text', text: `[a file${typeof mediaType === 'string' ? ` (${mediaType})` : ''} at ${address}]` };
}

interface FileFacts {
  readonly mediaType?: unknown;
  readonly name?: unknown;
  /** The type if `mediaType` is none. */
  readonly usualType?: string | undefined;
}

/** A file of which the form gives the content as base64, as bytes, or as a data URL; else where it is. */
export function fileOf(data: unknown, { mediaType: given, name, usualType }: FileFacts): InlineFile | TextPart {
  const mediaType = typeof given === 'string' ? given : usualType;
  const named = typeof name === 'string' ? { name } : {};
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
