// Writes the Markdown of a message so that it stays inside its place in a larger document: headings go down, raw HTML
// becomes text, fences are closed and long enough, nothing in it can look like a part of the document around it.
// Links go to the web only and images become links, so that opening the document fetches nothing.
import type { Token, Tokens } from 'marked';
import { printableLine, printablePieces } from '../display/printable.ts';
import { isSafeLink } from './links.ts';
import { markdownPieces } from './markdown-source.ts';

/** The headings of the document itself are levels 1 to 3. */
const HEADING_OFFSET = 3;
const BACKTICK = '`';

/** The prose in pieces. */
export function containedPieces(source: string, options: { breaks?: boolean } = {}): Iterable<string> {
  return markdownPieces(source, options, {
    render: (tokens) => renderBlocks(tokens, '\n\n'),
    unchanged: fenced,
    unchangedPieces: fencedPieces,
  });
}

/** A code block whose fence is longer than any in the content. */
export function fenced(content: string, language = ''): string {
  return [...fence(content, [content], language)].join('');
}

/** Fences a text that was not made printable yet, piece by piece. */
export function fencedPieces(source: string, language = ''): Generator<string, void, void> {
  return fence(source, printablePieces(source), language);
}

/** `source` has the backticks of the content, which comes in pieces. */
function* fence(source: string, content: Iterable<string>, language: string): Generator<string, void, void> {
  const mark = '`'.repeat(Math.max(3, longestRun(source, BACKTICK) + 1));
  yield `${mark}${language.replace(/[^\w.+#-]/g, '')}\n`;
  let end = '';
  for (const piece of content) {
    yield piece;
    end = piece.endsWith('\n') || piece === '' ? '' : '\n';
  }
  yield end + mark;
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  for (let start = text.indexOf(character); start >= 0; ) {
    let stop = start + 1;
    while (text[stop] === character) stop += 1;
    longest = Math.max(longest, stop - start);
    start = text.indexOf(character, stop);
  }
  return longest;
}

/** Text on one line in which nothing is Markdown. */
export function plainInMarkdown(text: string): string {
  return printableLine(text).replace(/[\\`*_{}[\]<>#|~!&$]/g, '\\$&');
}

function renderBlocks(tokens: readonly Token[], separator: string): string {
  return tokens
    .map(renderBlock)
    .filter((block) => block !== '')
    .join(separator);
}

function renderBlock(token: Token): string {
  switch (token.type) {
    case 'space':
      return '';
    case 'heading': {
      const level = Math.min(6, (token as Tokens.Heading).depth + HEADING_OFFSET);
      return `${'#'.repeat(level)} ${onOneLine(renderInline(token.tokens ?? []))}`;
    }
    case 'code':
      return fenced((token as Tokens.Code).text, (token as Tokens.Code).lang?.split(/\s/)[0]);
    case 'hr':
      return '* * *';
    case 'blockquote':
      return prefixLines(renderBlocks(token.tokens ?? [], '\n\n'), '> ', '> ');
    case 'list':
      return renderList(token as Tokens.List);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'paragraph':
    case 'text':
      return guardLines(token.tokens ? renderInline(token.tokens) : renderInline([token]));
    case 'checkbox':
      return (token as Tokens.Checkbox).checked ? '[x]' : '[ ]';
    case 'html':
      return fenced(token.raw.replace(/\n+$/, ''), 'html');
    default:
      return guardLines(escapeTags(token.raw.trim()));
  }
}

function renderList(list: Tokens.List): string {
  const bullet = /^[-+*]/.exec(list.raw.trimStart())?.[0] ?? '-';
  const first = list.start === '' ? 1 : list.start;
  return list.items
    .map((item, index) => {
      const marker = list.ordered ? `${first + index}.` : bullet;
      const content = renderItem(item, list.loose);
      return content === '' ? marker : prefixLines(content, `${marker} `, ' '.repeat(marker.length + 1));
    })
    .join(list.loose ? '\n\n' : '\n');
}

function renderItem(item: Tokens.ListItem, loose: boolean): string {
  const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : '';
  const tokens = item.tokens.filter((token) => token.type !== 'checkbox');
  return box + renderBlocks(tokens, loose ? '\n\n' : '\n');
}

function renderTable({ header, align, rows }: Tokens.Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cells = (row: readonly Tokens.TableCell[]) =>
    row.map((cell) => onOneLine(renderInline(cell.tokens)).replace(/\\?\|/g, '\\|'));
  const rules = align.map((side) =>
    side === 'center' ? ':---:' : side === 'right' ? '---:' : side === 'left' ? ':---' : '---',
  );
  return [line(cells(header)), line(rules), ...rows.map((row) => line(cells(row)))].join('\n');
}

function renderInline(tokens: readonly Token[]): string {
  return tokens.map(renderSpan).join('');
}

function renderSpan(token: Token): string {
  switch (token.type) {
    case 'strong':
      return `**${renderInline(token.tokens ?? [])}**`;
    case 'em': {
      const mark = token.raw.startsWith('_') ? '_' : '*';
      return `${mark}${renderInline(token.tokens ?? [])}${mark}`;
    }
    case 'del':
      return `~~${renderInline(token.tokens ?? [])}~~`;
    case 'codespan':
      return onOneLine(token.raw);
    case 'br':
      return '  \n';
    case 'link':
      return renderLink(token as Tokens.Link);
    case 'image':
      return linkTo((token as Tokens.Image).href, `image: ${plainInMarkdown((token as Tokens.Image).text)}`);
    case 'escape':
      return token.raw;
    default:
      return escapeTags(token.raw);
  }
}

function renderLink(link: Tokens.Link): string {
  const isAutomatic = link.text === link.href && /^[^<>\\\s]+$/.test(link.href);
  if (isAutomatic && isSafeLink(link.href)) return `<${link.href}>`;
  return linkTo(link.href, onOneLine(renderInline(link.tokens)));
}

function linkTo(address: string, label: string): string {
  if (!isSafeLink(address)) return `${label} (${plainInMarkdown(address)})`;
  return `[${label}](<${address.replace(/[<>\\]/g, encodeURIComponent)}>)`;
}

/** Keeps `<` from beginning a tag, a comment or an instruction. */
function escapeTags(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;');
}

/** Keeps the lines of a paragraph from beginning a block of their own. */
function guardLines(text: string): string {
  return text.split('\n').map(guardLine).join('\n');
}

/** The name of a link definition may go on over several lines: the text of a link is written on one. */
const BLOCK_START =
  /^(?:#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|=+\s*$|-{2,}\s*$|([-_*])(?:\s*\1){2,}\s*$|~{3}|`{3,}[^`]*$|\||\[(?:\\.|[^\]\\])*(?:\]:|\\?$))/;

function guardLine(line: string): string {
  const text = line.trimStart();
  if (BLOCK_START.test(text)) return `\\${text}`;
  return text.replace(/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\');
}

function onOneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function prefixLines(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : line === '' ? others.trimEnd() : others) + line)
    .join('\n');
}
