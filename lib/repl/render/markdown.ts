// Renders one closed block of Markdown as styled lines for a terminal. Takes its text from marked's lexer and decides
// only how it looks. Code stays exactly as it is and is never wrapped, so that it can be copied; all else fits the
// width.
import type { MarkedToken, Token, Tokens } from 'marked';
import { type StyledLine, type StyledSpan, spanOf } from '../../display/paint.ts';
import { tableLines } from '../../display/table.ts';
import { textWidth } from '../../display/width.ts';
import { wrapSpans } from '../../display/wrap.ts';
import { inlineSpans } from './inline.ts';

interface MarkdownLook {
  /** Columns. */
  readonly width: number;
  /** Whether emphasis and inline code keep their marks, because styles cannot be shown. */
  readonly showMarks: boolean;
}

const TABLE_GAP: StyledSpan = spanOf(' │ ', 'dim');

export type Lex = (source: string) => Token[];

/** marked, loaded when the first answer needs it. */
export async function loadLexer(): Promise<Lex> {
  const { lexer } = await import('marked');
  return (source) => lexer(source);
}

/** The lines of a block whose text is sanitised. */
export function renderMarkdown(source: string, lex: Lex, look: MarkdownLook): StyledLine[] {
  return renderTokens(lex(source), look);
}

function renderTokens(tokens: readonly Token[], look: MarkdownLook): StyledLine[] {
  const lines = tokens.flatMap((token) => renderToken(token as MarkedToken, look));
  while (lines.length > 0 && lines.at(-1)!.length === 0) lines.pop();
  return lines;
}

function renderToken(token: MarkedToken, look: MarkdownLook): StyledLine[] {
  const wrapped = (spans: readonly StyledSpan[]) => wrapSpans(spans, look.width);
  switch (token.type) {
    case 'space':
      return [[]];
    case 'heading':
      return wrapped([
        spanOf(`${'#'.repeat(token.depth)} `, 'dim'),
        ...inlineSpans(token.tokens, look.showMarks, token.depth === 1 ? ['bold', 'underline'] : ['bold']),
      ]);
    case 'paragraph':
      return wrapped(inlineSpans(token.tokens, look.showMarks));
    case 'text':
      return wrapped(inlineSpans([token], look.showMarks));
    case 'code':
      return renderCode(token);
    case 'list':
      return renderList(token, look);
    case 'blockquote':
      return indented(renderTokens(token.tokens, narrower(look, 2)), {
        first: spanOf('│ ', 'dim'),
        rest: spanOf('│ ', 'dim'),
      });
    case 'table':
      return renderTable(token, look);
    case 'hr':
      return [[spanOf('─'.repeat(Math.min(look.width, 40)), 'dim')]];
    default:
      return wrapped([spanOf(token.raw.trimEnd())]);
  }
}

function renderTable({ header, rows, align }: Tokens.Table, { width, showMarks }: MarkdownLook): StyledLine[] {
  const cellOf = (cell: Tokens.TableCell | undefined) => inlineSpans(cell?.tokens ?? [], showMarks);
  const columns = header.map((title, at) => ({
    title: cellOf(title),
    cells: rows.map((row) => cellOf(row[at])),
    align: align[at] ?? null,
  }));
  return [...tableLines(columns, { width, header: 'bold', gap: TABLE_GAP, wraps: true })];
}

function renderCode(code: Tokens.Code): StyledLine[] {
  const body = code.text.split('\n').map((text): StyledLine => [spanOf(text, 'cyan')]);
  if (code.codeBlockStyle === 'indented') return indented(body, { first: spanOf('    '), rest: spanOf('    ') });
  const fence = (text: string): StyledLine => [spanOf(text, 'dim')];
  return [fence(`\`\`\`${code.lang ?? ''}`), ...(code.text === '' ? [] : body), fence('```')];
}

function renderList(list: Tokens.List, look: MarkdownLook): StyledLine[] {
  const markers = list.items.map((item) => (item.task && !list.ordered ? '' : markerOf(item, list.ordered)));
  const markerWidth = Math.max(...markers.map((marker) => textWidth(marker)));
  return list.items.flatMap((item, index) => {
    const checkbox = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    const margin = ' '.repeat(markerWidth + checkbox.length);
    const tokens = item.tokens.filter((token) => token.type !== 'checkbox');
    const body = renderTokens(tokens, narrower(look, margin.length));
    const lines = indented(body.length > 0 ? body : [[]], {
      first: { text: markers[index]!.padStart(markerWidth) + checkbox, styles: list.ordered ? [] : ['dim'] },
      rest: spanOf(margin),
    });
    return list.loose && index > 0 ? [[], ...lines] : lines;
  });
}

/** The numbers stay as they were written: an answer that refers to “step 10” must show a step 10. */
function markerOf(item: Tokens.ListItem, ordered: boolean): string {
  return ordered ? `${/^\s*(\d+[.)])/.exec(item.raw)?.[1] ?? ''} ` : '• ';
}

function indented(
  lines: readonly StyledLine[],
  margin: { readonly first: StyledSpan; readonly rest: StyledSpan },
): StyledLine[] {
  return lines.map((line, index) => {
    const prefix = index === 0 ? margin.first : margin.rest;
    return line.length === 0 && prefix.text.trim() === '' ? [] : [prefix, ...line];
  });
}

/** At least ten columns stay, so that deep nesting spills over the edge instead of becoming a column of letters. */
function narrower(look: MarkdownLook, columns: number): MarkdownLook {
  return { ...look, width: Math.max(10, look.width - columns) };
}
