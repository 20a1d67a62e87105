// A session as one HTML page: no network, no script, nothing that a message says can become markup. The page's own
// policy forbids everything but its style, so that even a fault here could fetch and run nothing. A long text is handed
// on in pieces, so that it exists once.
import { createHash } from 'node:crypto';
import { printableLine, printablePieces } from '../display/printable.ts';
import { formatTime } from '../display/quantities.ts';
import type { Part } from '../messages/index.ts';
import { TODO_SIGNS } from '../messages/todos.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
import { type ExportHead, headRows, headTitle } from './head.ts';
import { htmlPieces, preformattedPieces } from './html-markdown.ts';
import { OVERVIEW_STYLE, renderOverview } from './html-overview.ts';
import { STYLE } from './html-style.ts';
import { escapeHtml } from './html-text.ts';
import type { ExportItem } from './item.ts';
import type { SessionOverview } from './overview.ts';
import { partCaption } from './part-caption.ts';
import { isDiff } from './tool-call.ts';
import { type MessageBlock, type NoteBlock, type ToolBlock, type TranscriptBlock, transcript } from './transcript.ts';

const ROLE_NAMES = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

type Pieces = Generator<string, void, void>;

/** The page in groups of pieces; with `overview`, also a map, costs and changed files above the conversation. */
export async function* exportHtml(
  items: AsyncIterable<readonly ExportItem[]>,
  head: ExportHead,
  overview?: SessionOverview,
): AsyncGenerator<Iterable<string>, void, void> {
  yield renderHead(head, overview);
  const isUndone = (seq: number) => !isOnActiveBranch(head.survey.branches, seq);
  for await (const blocks of transcript(items, { isUndone })) yield renderBlocks(blocks);
  yield ['</main>\n</body>\n</html>\n'];
}

function* renderHead(head: ExportHead, overview: SessionOverview | undefined): Pieces {
  const title = text(headTitle(head));
  const style = overview === undefined ? STYLE : STYLE + OVERVIEW_STYLE;
  const styleHash = createHash('sha256').update(style).digest('base64');
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
<table class="head">
`;
  for (const { label, text: value, warning } of headRows(head)) {
    yield `<tr><th>${text(label)}</th><td${warning ? ' class="mark"' : ''}>${text(value)}</td></tr>\n`;
  }
  yield '</table>\n';
  if (overview !== undefined) yield* renderOverview(overview);
  yield '<main>\n';
}

function* renderBlocks(blocks: Iterable<TranscriptBlock>): Pieces {
  for (const block of blocks) {
    yield* renderBlock(block);
    yield '\n';
  }
}

function renderBlock(block: TranscriptBlock): Iterable<string> {
  switch (block.type) {
    case 'turn':
      return [
        `<h2 id="turn-${block.turn}"${block.undone ? ' class="undone"' : ''}>Turn ${block.turn}${undoneMark(block)}</h2>`,
      ];
    case 'message':
      return renderMessage(block);
    case 'tool':
      return renderTool(block);
    case 'note':
      return renderNote(block);
  }
}

function* renderMessage(message: MessageBlock): Pieces {
  const name = ROLE_NAMES[message.role];
  const who = message.model ? `${name} · ${text(message.model)}` : name;
  yield `<article id="event-${message.seq}" class="${message.role}${message.undone ? ' undone' : ''}">
<header><h3>${who}${message.continued ? ' (continued)' : ''}</h3>${when(message)}${undoneMark(message)}</header>
`;
  for (const [index, part] of message.parts.entries()) {
    if (index > 0) yield '\n';
    yield* renderPart(message.role, part);
  }
  if (message.cutShort) {
    yield `${message.parts.length > 0 ? '\n' : ''}<p class="mark">— ${text(message.cutShort)} —</p>`;
  }
  yield '\n</article>';
}

function renderPart(role: MessageBlock['role'], part: Part): Iterable<string> {
  if (part.type === 'text') return renderText(role, part.text);
  if (part.type === 'reasoning' && part.text) return folded('Reasoning', htmlPieces(part.text));
  return [`<p class="where">${text(partCaption(part))}</p>`];
}

function renderText(role: MessageBlock['role'], content: string): Iterable<string> {
  if (role === 'system') return folded('System prompt', htmlPieces(content));
  return htmlPieces(content, { breaks: role === 'user' });
}

function* renderTool(tool: ToolBlock): Pieces {
  const outcome = tool.failed ? `<span class="failed">${text(tool.outcome)}</span>` : text(tool.outcome);
  const subject = tool.subject === undefined ? '' : ` <code>${text(tool.subject)}</code>`;
  yield `<details id="event-${tool.seq}"${tool.undone ? ' class="undone"' : ''}${tool.todos === undefined ? '' : ' open'}>
<summary>Tool <code>${text(tool.name)}</code>${subject} — ${outcome}${when(tool)}${undoneMark(tool)}</summary>`;
  if (tool.todos === undefined) yield* section('Arguments', tool.args);
  else
    yield `\n<ul class="todos">${tool.todos.map(({ content, status }) => `<li>${TODO_SIGNS[status]} ${text(content)}</li>`).join('')}</ul>`;
  yield* section('Changed by the user to', tool.changedArgs);
  if (tool.decision) yield `\n<p>${text(tool.decision)}</p>`;
  if (tool.result !== undefined && (tool.todos === undefined || tool.failed)) {
    yield '\n<p>Result</p>\n';
    yield* isDiff(tool.result) ? diffLines(tool.result) : preformattedPieces(tool.result);
  }
  if (tool.remark) yield `\n<p class="mark">${text(tool.remark)}</p>`;
  yield '\n</details>';
}

function* section(label: string, args: unknown): Pieces {
  if (args === undefined) return;
  yield `\n<p>${label}</p>\n`;
  yield* preformattedPieces(JSON.stringify(args, null, 2));
}

/** A unified diff with its added and removed lines marked. */
function* diffLines(diff: string): Pieces {
  yield '<pre><code>';
  let before = '';
  for (const line of linesOf(printablePieces(diff))) {
    const element = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : undefined;
    yield before + (element === undefined ? escapeHtml(line) : `<${element}>${escapeHtml(line)}</${element}>`);
    before = '\n';
  }
  yield '</code></pre>';
}

function* linesOf(pieces: Iterable<string>): Pieces {
  let rest = '';
  for (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  yield rest;
}

function* renderNote(note: NoteBlock): Pieces {
  const classes = ['note', note.tone === 'warning' ? 'warning' : '', note.undone ? 'undone' : '']
    .filter(Boolean)
    .join(' ');
  const place = note.ts === undefined ? '' : when({ ts: note.ts, seq: note.seq });
  yield `<div class="${classes}">${text(note.text)}${place}${undoneMark(note)}`;
  if (note.detail) yield* folded('Details', preformattedPieces(note.detail));
  yield '</div>';
}

function* folded(summary: string, content: Iterable<string>): Pieces {
  yield `<details><summary>${text(summary)}</summary>\n`;
  yield* content;
  yield '\n</details>';
}

function when({ ts, seq }: { ts: string | undefined; seq: number | undefined }): string {
  const time = ts === undefined ? '' : `<time datetime="${escapeHtml(ts)}">${text(formatTime(ts))}</time>`;
  return `${time}<span class="where">event ${seq}</span>`;
}

function undoneMark({ undone }: { undone: boolean }): string {
  return undone ? ' <span class="mark">(undone)</span>' : '';
}

function text(content: string): string {
  return escapeHtml(printableLine(content));
}
