// Pieces that the forms of several programs share: pictures and files inside a text, and what a call was given.
import type { EventData } from '../../events/index.ts';
import type { FilePart, ImagePart, Part } from '../../messages/index.ts';
import { type Members, parseObject } from '../../platform/json.ts';
import { imageTypeOf } from '../../tools/image-type.ts';
import type { PutBlob } from '../kept/native.ts';

const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,([\s\S]*)$/;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/** Bytes that lie in an item itself: a data URL, Base64 of a known kind, or bytes. */
interface InlineBytes {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** Undefined for bytes that are somewhere else, such as at a URL. */
export function inlineBytes(value: unknown, mediaType?: unknown): InlineBytes | undefined {
  const named = typeof mediaType === 'string' && mediaType !== '' ? mediaType : undefined;
  if (value instanceof Uint8Array) return { bytes: value, mediaType: named ?? kindOf(value) };
  if (typeof value !== 'string') return undefined;
  const [, ofUrl = '', inUrl] = DATA_URL.exec(value) ?? [];
  const base64 = inUrl ?? (named !== undefined && BASE64.test(value) ? value : undefined);
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return { bytes, mediaType: ofUrl || named || kindOf(bytes) };
}

export async function imagePart({ bytes, mediaType }: InlineBytes, put: PutBlob): Promise<ImagePart> {
  return { type: 'image', mediaType, blob: await put(bytes) };
}

async function filePart({ bytes, mediaType }: InlineBytes, name: string, put: PutBlob): Promise<FilePart> {
  return { type: 'file', name, mediaType, blob: await put(bytes) };
}

/** A picture as such, anything else as a file. */
export function bytesPart(found: InlineBytes, name: string, put: PutBlob): Promise<Part> {
  return found.mediaType.startsWith('image/') ? imagePart(found, put) : filePart(found, name, put);
}

/** The arguments of a call: an object where the text is one. */
export function argumentsOf(text: unknown): EventData<'tool.requested'>['args'] {
  const args = typeof text === 'string' ? (parseObject(text) ?? text) : (text ?? {});
  return args as EventData<'tool.requested'>['args'];
}

export function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '{}');
}

export function textPart(text: string): Part {
  return { type: 'text', text };
}

/** The texts of the parts; each other part is named. */
export function partsInWords(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : inWords(part))).join('\n');
}

function inWords(part: Exclude<Part, { type: 'text' }>): string[] {
  if (part.type === 'reasoning') return [];
  return [part.type === 'file' ? `[the file ${part.name}, ${part.mediaType}]` : `[a picture, ${part.mediaType}]`];
}

export function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

export function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

function kindOf(bytes: Uint8Array): string {
  return imageTypeOf(bytes) ?? 'application/octet-stream';
}
