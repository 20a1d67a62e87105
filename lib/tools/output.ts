// Turns the output of a tool into the text for the model: never more tokens than allowed, head and tail kept, cut
// between lines if there are some and never inside a character, with a marker for the missing part and its place. Bytes
// that are not text become a note. Control characters stay: the screen that draws them cleans them. Nothing here takes
// long at a time: of a large output only its ends are decoded and counted, in slices.
import { isUtf8 } from 'node:buffer';
import { setImmediate as breathe } from 'node:timers/promises';
import { countOf, formatCount } from '../display/quantities.ts';
import type { TokenCount } from '../messages/index.ts';
import { isHighSurrogate, isLowSurrogate } from '../messages/surrogates.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { decodeText, isText, kindOfBytes } from './kind-of-bytes.ts';

export interface OutputCutOptions {
  /** Tokens that the result may have by `counter`. */
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  /** Where the whole can be found: “blobs/3f2a…”. Left out of the marker where it is kept nowhere. */
  readonly restLocation?: string | undefined;
  /** Bytes that were printed and are not in the content. */
  readonly omittedBytes?: number | undefined;
}

interface CutOutput {
  readonly llmContent: string;
  readonly tokens: TokenCount;
  /** Bytes; undefined if the model is given all of it. */
  readonly truncated?: { readonly originalBytes: number; readonly keptBytes: number } | undefined;
  /** `base64` if the content was bytes that are not UTF-8: `llmContent` is then made from it and not the same. */
  readonly encoding: 'utf8' | 'base64';
}

/**
 * Characters per token, at most, on the average: text further from both ends is never read. The estimate finds at least
 * twice as many tokens, so the kept text never reaches the far edge of the read part, where a character may be cut.
 */
const MAX_CHARACTERS_PER_TOKEN = 16;
/** Characters that are counted, and those that are searched for line ends, before others get their turn. */
const COUNTED_CHARACTERS = 8 * 1024;
const SEARCHED_AT_ONCE = 256 * 1024;
const LINE_END = 0x0a;
const SHOWN_BINARY_BYTES = 48;
const MAX_ROUNDS = 12;

/**
 * Cuts an output to what a model may be given.
 *
 * @example
 * const { llmContent, truncated } = await cutOutput(log, { maxTokens: 8192, counter, restLocation: `blobs/${sha256}`
 * });
 */
export async function cutOutput(content: string | Uint8Array, options: OutputCutOptions): Promise<CutOutput> {
  if (typeof content === 'string') return cutText(textSource(content), 'utf8', options);
  if (!isText(content)) return noteOf(content, options);
  return cutText(byteSource(content), isUtf8(content) ? 'utf8' : 'base64', options);
}

/** A text of which only the ends are taken out. The outermost character of an end may be broken. */
interface Source {
  readonly bytes: number;
  /** All of it; undefined if it is longer than `maxCharacters`. */
  whole(maxCharacters: number): string | undefined;
  head(maxCharacters: number): string;
  tail(maxCharacters: number): string;
  /** Line ends in all of it. */
  countLines(): Promise<number>;
}

async function cutText(source: Source, encoding: CutOutput['encoding'], options: OutputCutOptions): Promise<CutOutput> {
  const { maxTokens, counter, omittedBytes = 0 } = options;
  const windowCharacters = Math.max(2, maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const originalBytes = source.bytes + omittedBytes;
  const suffix =
    omittedBytes > 0 ? `\n[… ${formatCount(omittedBytes)} more bytes were printed, and are kept nowhere …]` : '';
  const text = source.whole(windowCharacters);
  const tokensOfAll = text === undefined ? undefined : await tokensWithin(text + suffix, options);
  if (text !== undefined && tokensOfAll !== undefined) {
    const truncated = omittedBytes > 0 ? { originalBytes, keptBytes: source.bytes } : undefined;
    return { llmContent: text + suffix, tokens: tokensOfAll, truncated, encoding };
  }

  const lines = await source.countLines();
  const [headWindow, tailWindow] = text === undefined ? endsOf(source, windowCharacters) : halvesOf(text);
  let room = maxTokens;
  for (let round = 0; round < MAX_ROUNDS && room >= 1; round += 1) {
    const head = takeHead(headWindow, room / 2);
    const tail = takeTail(tailWindow, room - estimateTokens(head));
    const keptBytes = Math.min(source.bytes, Buffer.byteLength(head) + Buffer.byteLength(tail));
    const missing = { bytes: source.bytes - keptBytes, lines: lines - linesOf(head) - linesOf(tail) };
    const llmContent = `${head}${marker(missing, head, tail, options)}${tail}${suffix}`;
    const count = await countInSlices(llmContent, options);
    const tokens = count <= maxTokens ? counter.count(llmContent) : undefined;
    if (tokens && tokens.count <= maxTokens)
      return { llmContent, tokens, truncated: { originalBytes, keptBytes }, encoding };
    room = Math.floor(room * Math.min(0.9, (maxTokens / Math.max(1, count)) * 0.97));
    await breathe();
  }
  return markerAlone(originalBytes, encoding, options);
}

/** Where not even a marker and a few characters fit. */
function markerAlone(originalBytes: number, encoding: CutOutput['encoding'], options: OutputCutOptions): CutOutput {
  const { maxTokens, counter } = options;
  const texts = [marker({ bytes: originalBytes, lines: 0 }, '', '', options), '[cut]', ''];
  const llmContent = texts.find((text) => counter.count(text).count <= maxTokens) ?? '';
  return { llmContent, tokens: counter.count(llmContent), truncated: { originalBytes, keptBytes: 0 }, encoding };
}

/** Undefined if they are too many. */
async function tokensWithin(text: string, options: OutputCutOptions): Promise<TokenCount | undefined> {
  const { maxTokens, counter } = options;
  // A text whose estimate is twice the room is cut without an exact count.
  if (estimateTokens(text) > maxTokens * 2) return undefined;
  if (text.length > COUNTED_CHARACTERS && (await countInSlices(text, options)) > maxTokens) return undefined;
  const tokens = counter.count(text);
  return tokens.count <= maxTokens ? tokens : undefined;
}

/** About as many as the counter finds in one go; each slice is counted by itself, and others get their turn between. */
async function countInSlices(text: string, { counter, maxTokens }: OutputCutOptions): Promise<number> {
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const end = characterBorder(text, Math.min(text.length, start + COUNTED_CHARACTERS));
    count += counter.count(text.slice(start, end)).count;
    if (count > maxTokens * 4) break;
    start = end;
    if (start < text.length) await breathe();
  }
  return count;
}

function endsOf(source: Source, characters: number): readonly [string, string] {
  const half = Math.floor(characters / 2);
  return [source.head(half), source.tail(half)];
}

function halvesOf(text: string): readonly [string, string] {
  const middle = characterBorder(text, text.length >> 1);
  return [text.slice(0, middle), text.slice(middle)];
}

/** A beginning that is estimated at `tokens`; it ends after a line if that costs less than half. */
function takeHead(text: string, tokens: number): string {
  const end = characterBorder(
    text,
    fitting(text.length, tokens, (from, to) => text.slice(from, to)),
  );
  if (end === text.length) return text;
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return text.slice(0, line * 2 > end ? line : end);
}

function takeTail(text: string, tokens: number): string {
  const { length } = text;
  const start = characterAt(
    text,
    length - fitting(length, tokens, (from, to) => text.slice(length - to, length - from)),
  );
  if (start === 0) return text;
  const line = text.indexOf('\n', start - 1) + 1;
  return text.slice(line > 0 && (length - line) * 2 > length - start ? line : start);
}

/**
 * The number of characters that are estimated at `tokens`. Advances in steps, so that only the last step is counted
 * closely.
 */
function fitting(length: number, tokens: number, slice: (from: number, to: number) => string): number {
  let left = tokens;
  for (let from = 0; from < length; from += COUNTED_CHARACTERS) {
    const to = Math.min(length, from + COUNTED_CHARACTERS);
    const step = estimateTokens(slice(from, to));
    if (step > left) return from + longest(to - from, (most) => estimateTokens(slice(from, from + most)) <= left);
    left -= step;
  }
  return length;
}

/** The largest number up to `most` that holds; what holds for a number holds for all below. */
function longest(most: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function marker(
  missing: { readonly bytes: number; readonly lines: number },
  head: string,
  tail: string,
  { restLocation }: OutputCutOptions,
): string {
  const lines = missing.lines > 0 ? ` (${countOf(missing.lines, 'line')})` : '';
  const where = restLocation ? `; the whole is in ${restLocation}` : '';
  const before = head === '' || head.endsWith('\n') ? '' : '\n';
  return `${before}[… ${formatCount(missing.bytes)} bytes${lines} are left out here${where} …]${tail === '' ? '' : '\n'}`;
}

function noteOf(bytes: Uint8Array, options: OutputCutOptions): CutOutput {
  const { maxTokens, counter, restLocation, omittedBytes = 0 } = options;
  const originalBytes = bytes.length + omittedBytes;
  const kind = `[Binary output, no text: ${formatCount(originalBytes)} bytes${signatureOf(bytes)}.`;
  const where = restLocation ? ` The whole is in ${restLocation}.` : '';
  const kept = bytes.subarray(0, SHOWN_BINARY_BYTES);
  const candidates = [
    {
      llmContent: `${kind}${where} It begins, in base64: ${Buffer.from(kept).toString('base64')}]`,
      keptBytes: kept.length,
    },
    { llmContent: `${kind}${where}]`, keptBytes: 0 },
    { llmContent: '[binary]', keptBytes: 0 },
    { llmContent: '', keptBytes: 0 },
  ];
  const { llmContent, keptBytes } = candidates.find((note) => counter.count(note.llmContent).count <= maxTokens)!;
  return {
    llmContent,
    tokens: counter.count(llmContent),
    truncated: { originalBytes, keptBytes },
    encoding: 'base64',
  };
}

function signatureOf(bytes: Uint8Array): string {
  const kind = kindOfBytes(bytes);
  return kind === undefined ? '' : `, ${kind}`;
}

function textSource(text: string): Source {
  return {
    bytes: Buffer.byteLength(text),
    whole: (maxCharacters) => (text.length <= maxCharacters ? text : undefined),
    head: (maxCharacters) => text.slice(0, maxCharacters),
    tail: (maxCharacters) => text.slice(-maxCharacters),
    countLines: () => countLineEnds(text.length, (index) => text.charCodeAt(index)),
  };
}

function byteSource(bytes: Uint8Array): Source {
  return {
    bytes: bytes.length,
    whole: (maxCharacters) => (bytes.length <= maxCharacters ? decodeText(bytes) : undefined),
    head: (maxCharacters) => decodeText(bytes.subarray(0, maxCharacters)),
    tail: (maxCharacters) => decodeText(bytes.subarray(-maxCharacters)),
    countLines: () => countLineEnds(bytes.length, (index) => bytes[index]!),
  };
}

async function countLineEnds(length: number, codeAt: (index: number) => number): Promise<number> {
  let lines = 0;
  for (let start = 0; start < length; start += SEARCHED_AT_ONCE) {
    if (start > 0) await breathe();
    const end = Math.min(length, start + SEARCHED_AT_ONCE);
    for (let index = start; index < end; index += 1) if (codeAt(index) === LINE_END) lines += 1;
  }
  return lines;
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

/** `at`, or one less where that is between the halves of a surrogate pair. */
function characterBorder(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(0, at), text.length);
  const isInside = isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at));
  return isInside ? at - 1 : at;
}

/** The text including that step. */
function characterAt(text: string, at: number): number {
  const border = characterBorder(text, at);
  return border < at ? at + 1 : border;
}
