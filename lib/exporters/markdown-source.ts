// Reads Markdown of a message into marked's tokens, within limits: a text that is too long for prose, or nests without
// end, is not read as Markdown and is shown unchanged.
import { Marked, type Token } from 'marked';
import { printable } from '../display/printable.ts';

/** A longer text is a paste, not prose. Characters. */
const MAX_PROSE_LENGTH = 100_000;
/** More brackets or emphasis marks than prose ever holds: the lexer would take long over them. */
const MAX_EMPHASIS_MARKS = 10_000;
const RUN_AWAY = /[[\]()*_~`<>!\\]{200}|(?:[[\]()*_~`<>!\\]\s?){400}/;

const reader = new Marked({ gfm: true });
const readerWithBreaks = new Marked({ gfm: true, breaks: true });

/** A form in which Markdown is written. */
interface WrittenForm {
  render(tokens: readonly Token[]): string;
  /** Shows a text as it is. Its control characters are visible already. */
  unchanged(text: string): string;
  /** Shows a text as it is that was not made printable yet, in pieces. */
  unchangedPieces(source: string): Iterable<string>;
}

/**
 * The text in a form, in pieces. `breaks`: a line break in the source is one in the result, as people who type expect.
 */
export function markdownPieces(
  source: string,
  { breaks = false }: { breaks?: boolean },
  { render, unchanged, unchangedPieces }: WrittenForm,
): Iterable<string> {
  // It stays too long, however many of its line breaks become shorter when it is made printable.
  if (source.length > 2 * MAX_PROSE_LENGTH) return unchangedPieces(source);
  const text = printable(source);
  if (!isProse(text)) return [unchanged(text)];
  const tokens = tokensOf(text, breaks ? readerWithBreaks : reader);
  if (tokens === undefined) return [unchanged(text)];
  try {
    return [render(tokens)];
  } catch (error) {
    // It nests too deep for the stack.
    if (error instanceof RangeError) return [unchanged(text)];
    throw error;
  }
}

function tokensOf(text: string, by: Marked): readonly Token[] | undefined {
  try {
    return by.lexer(text);
  } catch {
    return undefined;
  }
}

function isProse(text: string): boolean {
  if (text.length > MAX_PROSE_LENGTH || RUN_AWAY.test(text)) return false;
  return (text.match(/[*_~]/g)?.length ?? 0) <= MAX_EMPHASIS_MARKS;
}
