// What Markdown says, without its marks: for a letter or a form that knows none.
import type { Token, Tokens } from 'marked';
import { decoded } from './decoded.ts';
import { lexed } from './growing-markdown.ts';

/** @example plainText('A **bold** [word](https://example.com)') // 'A bold word (https://example.com)' */
export function plainText(markdown: string): string {
  return blocks(lexed(markdown)).join('\n\n');
}

function blocks(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    const text = block(token);
    return text === '' ? [] : [text];
  });
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return '';
    case 'code':
      return (token as Tokens.Code).text;
    case 'blockquote':
      return blocks(token.tokens ?? []).join('\n\n');
    case 'list':
      return list(token as Tokens.List);
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens)).join('\t')).join('\n');
    }
    case 'html':
      return (token as Tokens.HTML).text.trimEnd();
    default:
      return 'tokens' in token && token.tokens ? inline(token.tokens) : decoded(token.raw).trimEnd();
  }
}

function list({ items, ordered, start }: Tokens.List): string {
  return items
    .map((item, at) => {
      const mark = ordered ? `${(Number(start) || 1) + at}. ` : item.task ? `- [${item.checked ? 'x' : ' '}] ` : '- ';
      const text = blocks(item.tokens.filter(({ type }) => type !== 'checkbox')).join('\n');
      return mark + text.replaceAll('\n', `\n${' '.repeat(mark.length)}`);
    })
    .join('\n');
}

function inline(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case 'br':
          return '\n';
        case 'link': {
          const { href } = token as Tokens.Link;
          const words = inline(token.tokens ?? []);
          return words === href ? href : `${words} (${href})`;
        }
        case 'image': {
          const { href, text } = token as Tokens.Image;
          return `${text || 'image'} (${href})`;
        }
        default:
          if ('tokens' in token && token.tokens) return inline(token.tokens);
          return decoded('text' in token ? String(token.text) : token.raw);
      }
    })
    .join('');
}
