// Turns the inline tokens of Markdown into styled text. Where styles cannot be shown, the marks that mean them stay.
import type { MarkedToken, Token, Tokens } from 'marked';
import { type Style, type StyledSpan, spanOf } from '../../display/paint.ts';

export function inlineSpans(tokens: readonly Token[], showMarks: boolean, styles: readonly Style[] = []): StyledSpan[] {
  return tokens.flatMap((token) => spansOf(token as MarkedToken, showMarks, styles));
}

function spansOf(token: MarkedToken, showMarks: boolean, styles: readonly Style[]): StyledSpan[] {
  const plain = (text: string): StyledSpan[] => [spanOf(text, ...styles)];
  const styled = (children: readonly Token[], style: Style, mark: string): StyledSpan[] => {
    const inner = inlineSpans(children, showMarks, [...styles, style]);
    return showMarks ? [...plain(mark), ...inner, ...plain(mark)] : inner;
  };
  switch (token.type) {
    case 'strong':
      return styled(token.tokens, 'bold', '**');
    case 'em':
      return styled(token.tokens, 'italic', '*');
    case 'del':
      return styled(token.tokens, 'strikethrough', '~~');
    case 'codespan':
      return showMarks ? plain(token.raw) : [spanOf(token.text, ...styles, 'cyan')];
    case 'text':
      return 'tokens' in token && token.tokens ? inlineSpans(token.tokens, showMarks, styles) : plain(token.text);
    case 'escape':
      return plain(token.text);
    case 'br':
      return plain('\n');
    case 'checkbox':
      return []; // The list shows it beside its marker.
    case 'link':
      return linkSpans(token, showMarks, styles);
    case 'image':
      return [...plain(token.text || 'image'), spanOf(` (${token.href})`, ...styles, 'dim')];
    default:
      return plain(token.raw);
  }
}

/** The address is always shown: a link whose text says one thing and whose address another must not deceive. */
function linkSpans(link: Tokens.Link, showMarks: boolean, styles: readonly Style[]): StyledSpan[] {
  const label = inlineSpans(link.tokens, showMarks, [...styles, 'underline']);
  const saysWhereItGoes = link.href === link.text || link.href === `mailto:${link.text}`;
  return saysWhereItGoes ? label : [...label, spanOf(` (${link.href})`, ...styles, 'dim')];
}
