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

interface MarkdownSource {
  /** With control characters made visible. */
  readonly text: string;
  /** Undefined if the text is to be shown as it is. */
  readonly tokens: readonly Token[] | undefined;
}

/** `breaks`: a line break in the source is one in the result, as people who type expect. */
export function readMarkdown(source: string, { breaks = false }: { breaks?: boolean } = {}): MarkdownSource {
  const text = printable(source);
  if (!isProse(text)) return { text, tokens: undefined };
  try {
    return { text, tokens: (breaks ? readerWithBreaks : reader).lexer(text) };
  } catch {
    return { text, tokens: undefined };
  }
}

/**
 * Whether a text is surely too long to be read, however many of its line breaks become shorter when it is made
 * printable.
 */
export function isTooLong(source: string): boolean {
  return source.length > 2 * MAX_PROSE_LENGTH;
}

function isProse(text: string): boolean {
  if (text.length > MAX_PROSE_LENGTH || RUN_AWAY.test(text)) return false;
  return (text.match(/[*_~]/g)?.length ?? 0) <= MAX_EMPHASIS_MARKS;
}
