// Places in a text as a reader sees them: characters, words and lines, as indices. Pure. A place is never inside a
// character, whatever that is made of.

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The index after the character at `index`. */
export function after(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const code = text.charCodeAt(index);
  // Most characters are one unit, and nothing that could combine follows them.
  if (code < 0x300 && !(text.charCodeAt(index + 1) >= 0x300)) return index + 1;
  return index + (graphemes.segment(text).containing(index)?.segment.length ?? 1);
}

/** The index of the character that ends at `index`. */
export function before(text: string, index: number): number {
  if (index <= 0) return 0;
  const code = text.charCodeAt(index - 1);
  if (code < 0x300) return index - 1;
  return graphemes.segment(text).containing(index - 1)?.index ?? index - 1;
}

/** The nearest place at or before `index` that is not inside a character. */
export function placeAt(text: string, index: number): number {
  const at = Math.max(0, Math.min(index, text.length));
  return at === text.length ? at : (graphemes.segment(text).containing(at)?.index ?? at);
}

/** The nearest place at or after `index` that is not inside a character. */
export function placeFrom(text: string, index: number): number {
  const at = placeAt(text, index);
  return at < Math.min(index, text.length) ? after(text, at) : at;
}

export function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1;
}

/** The index of the line break, or of the end of the text. */
export function lineEnd(text: string, index: number): number {
  const end = text.indexOf('\n', index);
  return end === -1 ? text.length : end;
}

/** Blank, part of a word, or a sign; with `isWide` a sign is part of a word. */
export function kindAt(text: string, index: number, isWide = false): 'blank' | 'word' | 'sign' {
  const character = text.slice(index, after(text, index));
  if (/^\s*$/.test(character)) return 'blank';
  return isWide || /^[\p{L}\p{N}_]/u.test(character) ? 'word' : 'sign';
}

/** The beginning of the word that `from` is in or after. */
export function wordBefore(text: string, from: number, isWide = false): number {
  let at = before(text, from);
  while (at > 0 && kindAt(text, at, isWide) === 'blank') at = before(text, at);
  const kind = kindAt(text, at, isWide);
  while (at > 0 && kindAt(text, before(text, at), isWide) === kind) at = before(text, at);
  return at;
}

/** The beginning of the next word. */
export function nextWord(text: string, from: number, isWide = false): number {
  const kind = kindAt(text, from, isWide);
  let at = from;
  while (at < text.length && kind !== 'blank' && kindAt(text, at, isWide) === kind) at = after(text, at);
  while (at < text.length && kindAt(text, at, isWide) === 'blank') at = after(text, at);
  return at;
}
