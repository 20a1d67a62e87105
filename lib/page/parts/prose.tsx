// Markdown as elements, never as HTML: what a model said cannot become markup. Images are shown as links, and nothing
// is loaded from elsewhere.
import type { Token, Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { decoded } from '../model/decoded.ts';
import { GrowingMarkdown, lexed } from '../model/growing-markdown.ts';
import { safeLink, visible } from '../model/visible.ts';
import { Code } from './code.tsx';
import './prose.css';

/** Longer texts are shown as they are: no answer of a model has this many characters of Markdown. */
const LONGEST = 400_000;

export function Prose({ text }: { text: string }) {
  const rendered = useMemo(() => {
    const shown = visible(text);
    if (shown.length > LONGEST) return <pre class="prose plain">{shown}</pre>;
    return <div class="prose">{blocks(lexed(shown))}</div>;
  }, [text]);
  return rendered;
}

/** A streaming answer. Finished blocks keep their elements. */
export function GrowingProse({ text }: { text: string }) {
  const [growing] = useState(() => new GrowingMarkdown());
  const drawn = useRef<{ of: readonly Token[]; elements: VNode[] }>({ of: [], elements: [] });
  if (text.length > LONGEST) return <pre class="prose plain">{visible(text)}</pre>;
  const { finished, last } = growing.grow(text);
  if (drawn.current.of !== finished) drawn.current = { of: finished, elements: [] };
  const { elements } = drawn.current;
  for (let at = elements.length; at < finished.length; at += 1)
    elements.push(<BlockToken key={at} token={finished[at]!} />);
  const end = last.findLastIndex(({ type }) => type !== 'space');
  const open = last.map((token, at) => <BlockToken key={finished.length + at} token={token} isOpen={at === end} />);
  return <div class="prose">{[...elements, ...open]}</div>;
}

function blocks(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => <BlockToken key={index} token={token} />);
}

/** `isOpen`: more of it comes. */
function BlockToken({ token, isOpen = false }: { token: Token; isOpen?: boolean }) {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      // Below the headings of the page: prompts are h2, replies h3. A model leaves levels out: all are one here.
      return (
        <h4 dir="auto" class={`heading-${(token as Tokens.Heading).depth}`}>
          {inline(token.tokens)}
        </h4>
      );
    }
    case 'code':
      return <Code text={(token as Tokens.Code).text} info={(token as Tokens.Code).lang} isOpen={isOpen} />;
    case 'blockquote':
      return <blockquote dir="auto">{blocks(token.tokens ?? [])}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="raw">{(token as Tokens.HTML).text}</p>;
    case 'text':
      return <p dir="auto">{token.tokens ? inline(token.tokens) : decoded((token as Tokens.Text).text)}</p>;
    default:
      return <p dir="auto">{'tokens' in token && token.tokens ? inline(token.tokens) : token.raw}</p>;
  }
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index} dir="auto" class={item.task ? 'task' : undefined}>
      {item.task ? <input type="checkbox" checked={item.checked === true} disabled aria-label="task" /> : null}
      {item.tokens.map((token, at) =>
        token.type === 'text' && !item.loose ? (
          <span key={at}>{inline(token.tokens ?? [token])}</span>
        ) : token.type === 'checkbox' ? null : (
          <BlockToken key={at} token={token} />
        ),
      )}
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  const align = (column: number) => `align-${table.align[column] ?? 'left'}`;
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, column) => (
              <th key={column} dir="auto" class={align(column)}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} dir="auto" class={align(column)}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[] | undefined): ComponentChildren {
  return (tokens ?? []).map((token, index) => <InlineToken key={index} token={token} />);
}

function InlineToken({ token }: { token: Token }) {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <s>{inline(token.tokens)}</s>;
    case 'codespan':
      return <code>{decoded((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link target={(token as Tokens.Link).href}>{inline(token.tokens)}</Link>;
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Link target={href}>{`image: ${text || href}`}</Link>;
    }
    case 'text':
      return <>{token.tokens ? inline(token.tokens) : decoded((token as Tokens.Text).text)}</>;
    case 'escape':
      return <>{decoded((token as Tokens.Escape).text)}</>;
    default:
      return <>{token.raw}</>;
  }
}

function Link({ target, children }: { target: string; children: ComponentChildren }) {
  const href = safeLink(target);
  if (href === undefined)
    return (
      <span class="no-link" title={target}>
        {children}
      </span>
    );
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
