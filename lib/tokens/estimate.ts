// Tokens of a text without a tokenizer: one pass, no table, for any model. Right within about a third for prose and
// source code in most scripts; errs on the high side for what tokenizers split badly. Adding text never lowers it.
import type { Part, TokenCount } from '../messages/index.ts';
import type { TokenCounter } from './counter.ts';

/** What an image costs when nobody says: about a tile of 768 by 768 pixels. */
const IMAGE_TOKENS = 800;

/** Characters that make one token, by what they are. Measured on prose and code with the encodings in use today. */
const CHARACTERS_PER_TOKEN = { letter: 4.6, digit: 3, blank: 6, mark: 1.8, alphabet: 3.2, ideograph: 1.25, other: 1.1 };

/** What a number adds where it begins: hashes, times and lists of figures are split at each. */
const TOKENS_PER_NUMBER = 0.4;

export function estimateTokens(text: string): number {
  let tokens = 0;
  let previous: keyof typeof CHARACTERS_PER_TOKEN = 'blank';
  for (let index = 0; index < text.length; index++) {
    const kind = kindOf(text.charCodeAt(index));
    tokens += 1 / CHARACTERS_PER_TOKEN[kind];
    if (kind === 'digit' && previous !== 'digit') tokens += TOKENS_PER_NUMBER;
    previous = kind;
  }
  return Math.ceil(tokens);
}

export const estimatingCounter: TokenCounter = {
  count: (text) => ({ count: estimateTokens(text), method: 'estimated' }),
};

/** Tokens of the parts of a message. */
export function estimateParts(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimatePart(part), 0);
}

/** The count that came with a message, or an estimate where nobody counted. */
export function knownTokens(tokens: TokenCount, parts: readonly Part[]): TokenCount {
  return tokens.method === 'unknown' ? { count: estimateParts(parts), method: 'estimated' } : tokens;
}

/** Tokens of any JSON value, such as the arguments of a call. */
export function estimateJson(value: unknown): number {
  return estimateTokens(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
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

function kindOf(code: number): keyof typeof CHARACTERS_PER_TOKEN {
  if (code < 0x80) {
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return 'letter';
    if (code >= 0x30 && code <= 0x39) return 'digit';
    return code <= 0x20 ? 'blank' : 'mark';
  }
  if (code < 0x2000) return 'alphabet';
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return 'ideograph';
  return 'other';
}
