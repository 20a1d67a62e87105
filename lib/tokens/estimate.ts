// Tokens of a text without a tokenizer: one pass, no vocabulary, for any model. Right within about a third for prose
// and source code in most scripts; errs on the high side for what tokenizers split badly. Adding text never lowers it.
import { wrongArgument } from '../errors/arguments.ts';
import type { Part, TokenCount } from '../messages/index.ts';
import type { TokenCounter } from './counter.ts';

/** Tokens of an image whose size is not known: about a tile of 768 by 768 pixels. */
const IMAGE_TOKENS = 800;

/** Characters per token, by their kind. Measured on prose and code with the encodings in use today. */
const CHARACTERS_PER_TOKEN = { letter: 4.6, digit: 3, blank: 6, mark: 1.8, alphabet: 3.2, ideograph: 1.25, other: 1.1 };

/** What a number adds where it begins: hashes, times and lists of figures are split at each. */
const TOKENS_PER_NUMBER = 0.4;

type Kind = keyof typeof CHARACTERS_PER_TOKEN;
const KINDS = Object.keys(CHARACTERS_PER_TOKEN) as Kind[];
const DIGIT = KINDS.indexOf('digit');

/** UTF-16 code units of each kind, first and last; a later row wins. */
const RANGES: readonly (readonly [kind: Kind, first: number, last: number])[] = [
  ['other', 0x0000, 0xffff],
  ['blank', 0x0000, 0x0020],
  ['mark', 0x0021, 0x007f],
  ['digit', 0x0030, 0x0039],
  ['letter', 0x0041, 0x005a],
  ['letter', 0x0061, 0x007a],
  ['alphabet', 0x0080, 0x1fff],
  ['ideograph', 0x3040, 0x9fff],
  ['ideograph', 0xac00, 0xd7a3],
];
const KIND_BY_CODE = new Uint8Array(0x10000);
for (const [kind, first, last] of RANGES) KIND_BY_CODE.fill(KINDS.indexOf(kind), first, last + 1);

const CHARACTERS_BY_KIND = KINDS.map((kind) => CHARACTERS_PER_TOKEN[kind]);
/** Reused for each text: nearly all texts are short, and a new array takes longer than they do. */
const counts = new Uint32Array(KINDS.length);
/** Several folds ask for the same text, one after the other. */
let last = { text: '', tokens: 0 };
const LEAST_REMEMBERED = 256;
const MOST_REMEMBERED = 1024 * 1024;

export function estimateTokens(text: string): number {
  if (typeof text !== 'string') throw wrongArgument('estimateTokens', 'text', 'a text', text);
  if (text.length >= LEAST_REMEMBERED && text === last.text) return last.tokens;
  counts.fill(0);
  let numbers = 0;
  let previous = -1;
  for (let index = 0; index < text.length; index++) {
    const kind = KIND_BY_CODE[text.charCodeAt(index)]!;
    counts[kind]! += 1;
    if (kind === DIGIT && previous !== DIGIT) numbers += 1;
    previous = kind;
  }
  let tokens = 0;
  for (let kind = 0; kind < counts.length; kind++) tokens += counts[kind]! / CHARACTERS_BY_KIND[kind]!;
  const count = Math.ceil(tokens + numbers * TOKENS_PER_NUMBER);
  if (text.length >= LEAST_REMEMBERED && text.length <= MOST_REMEMBERED) last = { text, tokens: count };
  return count;
}

export const estimatingCounter: TokenCounter = {
  count: (text) => ({ count: estimateTokens(text), method: 'estimated' }),
};

/** Tokens of the parts of a message. */
export function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

/** The tokens of a counted text and of its attached parts. */
export function withParts(text: TokenCount, parts: readonly Part[]): TokenCount {
  return parts.length === 0 ? text : { count: text.count + estimateParts(parts), method: 'estimated' };
}

/** The count that came with a message, or an estimate where there is none. */
export function knownTokens(tokens: TokenCount | undefined, parts: readonly Part[]): TokenCount {
  if (tokens !== undefined && tokens.method !== 'unknown') return tokens;
  return { count: estimateParts(parts), method: 'estimated' };
}

/** The count that came with a text, or an estimate where none came with it. */
export function textTokens(tokens: TokenCount | undefined, text: string): TokenCount {
  return tokens ?? { count: estimateTokens(text), method: 'estimated' };
}

/** Tokens of a call: its name, and its arguments as JSON or as they are. */
export function estimateCall({ name, args }: { readonly name: string; readonly args: unknown }): TokenCount {
  const json = typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
  return { count: estimateTokens(name) + estimateTokens(json), method: 'estimated' };
}

function estimatePart(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'reasoning':
      return estimateTokens(part.text ?? '') + estimateTokens(part.opaque ?? '');
    case 'image':
    case 'file':
      return IMAGE_TOKENS;
  }
}
