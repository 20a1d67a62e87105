// Shortens a text to a number of tokens: its beginning and its end stay, with a marker for the characters between them.
// The result is never longer than the text.
import { isHighSurrogate, isLowSurrogate } from '../../messages/surrogates.ts';
import { estimateTokens } from '../../tokens/estimate.ts';

/** The share of the beginning in the text that stays. */
const HEAD_SHARE = 0.6;
const SHRINK = 0.8;

export function cutText(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text);
  if (tokens <= maxTokens) return text;
  for (let kept = Math.floor((text.length * maxTokens) / tokens); kept >= 8; kept = Math.floor(kept * SHRINK)) {
    const cut = cutTo(text, kept);
    if (cut.length < text.length && estimateTokens(cut) <= maxTokens) return cut;
  }
  const marker = markerFor(text.length);
  return marker.length < text.length ? marker : text;
}

/** Whether a text was cut here. */
export function isCut(text: string): boolean {
  return /\[… \d+ characters left out …\]/u.test(text);
}

function cutTo(text: string, characters: number): string {
  const head = Math.ceil(characters * HEAD_SHARE);
  const tail = characters - head;
  const beginning = text.slice(0, isHighSurrogate(text.charCodeAt(head - 1)) ? head - 1 : head);
  const end = text.slice(
    isLowSurrogate(text.charCodeAt(text.length - tail)) ? text.length - tail + 1 : text.length - tail,
  );
  return `${beginning}\n${markerFor(text.length - beginning.length - end.length)}\n${end}`;
}

function markerFor(characters: number): string {
  return `[… ${characters} characters left out …]`;
}
