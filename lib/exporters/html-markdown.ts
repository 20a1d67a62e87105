// Renders the Markdown of a message as HTML that cannot do anything: every text is escaped, raw HTML is shown as text,
// links go to the web only, images become links. Built on marked's lexer; its own renderer is not used.
import type { Token, Tokens } from 'marked';
import { printablePieces } from '../display/printable.ts';
import { escapeHtml } from './html-text.ts';
import { isSafeLink } from './links.ts';
import { markdownPieces } from './markdown-source.ts';

/** The headings of the document itself are levels 1 to 3. */
const HEADING_OFFSET = 3;

/** The HTML in pieces. */
export function htmlPieces(source: string, options: { breaks?: boolean } = {}): Iterable<string> {
  return markdownPieces(source, options, {
    render: renderBlocks,
    unchanged: preformatted,
    unchangedPieces: preformattedPieces,
  });
}

/** A text that was not made printable yet, as it is. */
export function* preformattedPieces(source: string): Generator<string, void, void> {
  yield '<pre><code>';
  for (const piece of printablePieces(source)) yield escapeHtml(piece);
  yield '</code></pre>';
}

function preformatted(text: string, language = ''): string {
  const label = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  return `<pre${label}><code>${escapeHtml(text)}</code></pre>`;
}

function renderBlocks(tokens: readonly Token[]): string {
  return tokens.map(renderBlock).join('\n');
}

function renderBlock(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return '';
    case 'heading': {
      const level = Math.min(6, (token as Tokens.Heading).depth + HEADING_OFFSET);
      return `<h${level}>${renderInline(token.tokens ?? [])}</h${level}>`;
    }
    case 'code':
      return preformatted((token as Tokens.Code).text, (token as Tokens.Code).lang?.split(/\s/)[0]);
    case 'hr':
      return '<hr>';
    case 'blockquote':
      return `<blockquote>${renderBlocks(token.tokens ?? [])}</blockquote>`;
    case 'list':
      return renderList(token as Tokens.List);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'paragraph':
      return `<p>${renderInline(token.tokens ?? [])}</p>`;
    case 'text':
      return token.tokens ? renderInline(token.tokens) : renderText(token.raw);
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'html':
      return preformatted(token.raw.replace(/\n+$/, ''), 'html');
    default:
      return `<p>${escapeHtml(token.raw)}</p>`;
  }
}

function renderList({ ordered, start, items }: Tokens.List): string {
  const open = ordered ? (start === 1 || start === '' ? '<ol>' : `<ol start="${Number(start)}">`) : '<ul>';
  const content = items.map((item) => `<li>${renderBlocks(item.tokens)}</li>`).join('\n');
  return `${open}\n${content}\n${ordered ? '</ol>' : '</ul>'}`;
}

function renderTable({ header, align, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell, column) => `<${tag}${sideClass(align[column])}>${renderInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
  return `<table>\n<thead>${row(header, 'th')}</thead>\n<tbody>${rows.map((cells) => row(cells, 'td')).join('\n')}</tbody>\n</table>`;
}

function sideClass(side: 'left' | 'center' | 'right' | null | undefined): string {
  return side === 'center' || side === 'right' ? ` class="${side}"` : '';
}

function renderInline(tokens: readonly Token[]): string {
  return tokens.map(renderSpan).join('');
}

function renderSpan(token: Token): string {
  switch (token.type) {
    case 'strong':
      return `<strong>${renderInline(token.tokens ?? [])}</strong>`;
    case 'em':
      return `<em>${renderInline(token.tokens ?? [])}</em>`;
    case 'del':
      return `<del>${renderInline(token.tokens ?? [])}</del>`;
    case 'codespan':
      return `<code>${escapeHtml((token as Tokens.Codespan).text)}</code>`;
    case 'br':
      return '<br>\n';
    case 'link':
      return linkTo((token as Tokens.Link).href, renderInline(token.tokens ?? []));
    case 'image':
      return linkTo((token as Tokens.Image).href, `image: ${escapeHtml((token as Tokens.Image).text)}`);
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '☑ ' : '☐ ';
    case 'escape':
      return escapeHtml((token as Tokens.Escape).text);
    case 'text':
      return token.tokens ? renderInline(token.tokens) : renderText(token.raw);
    default:
      return escapeHtml(token.raw);
  }
}

function linkTo(address: string, label: string): string {
  if (!isSafeLink(address)) return `${label} (${escapeHtml(address)})`;
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">${label}</a>`;
}

const ENTITY = /&amp;(#\d{1,7}|#[Xx][\dA-Fa-f]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/g;

/** Entities of the source are shown as the characters that they mean. */
function renderText(raw: string): string {
  return escapeHtml(raw).replace(ENTITY, '&$1;');
}
