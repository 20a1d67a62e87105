// A session as Markdown for a person to read: title, facts, then messages and actions turn by turn. Tool calls and long
// details are folded. Skipped, cancelled or undone parts are noted at their place. A long text is passed on in pieces,
// so that it exists once.
import { printableLine } from '../display/printable.ts';
import { formatTime } from '../display/quantities.ts';
import type { Part } from '../messages/index.ts';
import type { Todo } from '../messages/todos.ts';
import { isOnActiveBranch } from '../projections/branches.ts';
import { containedPieces, fencedPieces, plainInMarkdown } from './contained-markdown.ts';
import { type ExportHead, headRows, headTitle } from './head.ts';
import { escapeHtml } from './html-text.ts';
import type { ExportItem } from './item.ts';
import { partCaption } from './part-caption.ts';
import { isDiff } from './tool-call.ts';
import { type MessageBlock, type NoteBlock, type ToolBlock, type TranscriptBlock, transcript } from './transcript.ts';

const ROLE_NAMES = { system: 'System', user: 'User', assistant: 'Assistant' } as const;
/** As `^` with the flag m counts lines. */
const LINE_END = /[\n\r\u2028\u2029]$/;

type Pieces = Generator<string, void, void>;

/** The text in groups of pieces. */
export async function* exportMarkdown(
  items: AsyncIterable<readonly ExportItem[]>,
  head: ExportHead,
): AsyncGenerator<Iterable<string>, void, void> {
  yield renderHead(head);
  const isUndone = (seq: number) => !isOnActiveBranch(head.survey.branches, seq);
  for await (const blocks of transcript(items, { isUndone })) yield renderBlocks(blocks);
}

function* renderHead(head: ExportHead): Pieces {
  yield `# ${plainInMarkdown(headTitle(head))}\n\n| | |\n|---|---|\n`;
  for (const { label, text } of headRows(head)) yield `| **${label}** | ${plainInMarkdown(text)} |\n`;
}

function* renderBlocks(blocks: Iterable<TranscriptBlock>): Pieces {
  for (const block of blocks) {
    yield '\n';
    yield* renderBlock(block);
    yield '\n';
  }
}

function renderBlock(block: TranscriptBlock): Iterable<string> {
  switch (block.type) {
    case 'turn':
      return [`---\n\n## Turn ${block.turn}${undoneMark(block)}`];
    case 'message':
      return renderMessage(block);
    case 'tool':
      return renderTool(block);
    case 'note':
      return renderNote(block);
  }
}

function when({ ts, seq }: { readonly ts: string | undefined; readonly seq: number | undefined }): string {
  return ts === undefined ? `event ${seq}` : `${formatTime(ts)} · event ${seq}`;
}

function* renderMessage(message: MessageBlock): Pieces {
  const name = ROLE_NAMES[message.role];
  const title = message.model ? `${name} · ${plainInMarkdown(message.model)}` : name;
  yield `### ${title}${message.continued ? ' (continued)' : ''}${undoneMark(message)}`;
  yield `\n\n*${when(message)}*`;
  for (const part of message.parts) yield* asParagraph(renderPart(message.role, part));
  if (message.cutShort) yield `\n\n*— ${message.cutShort} —*`;
}

/** Nothing where there is nothing. */
function* asParagraph(pieces: Iterable<string>): Pieces {
  let before = '\n\n';
  for (const piece of pieces) {
    if (piece === '') continue;
    yield before;
    yield piece;
    before = '';
  }
}

function renderPart(role: MessageBlock['role'], part: Part): Iterable<string> {
  if (part.type === 'text') return renderText(role, part.text);
  if (part.type === 'reasoning' && part.text) return folded('Reasoning', containedPieces(part.text));
  return [`*${plainInMarkdown(partCaption(part))}*`];
}

function renderText(role: MessageBlock['role'], text: string): Iterable<string> {
  if (role === 'assistant') return containedPieces(text);
  if (role === 'system') return folded('System prompt', containedPieces(text));
  return quoted(containedPieces(text, { breaks: true }));
}

/**
 * With a mark before each line. What ends a line waits, because an empty line is marked otherwise than one that goes
 * on.
 */
function* quoted(pieces: Iterable<string>): Pieces {
  let lineEnd = '';
  let isFirst = true;
  for (const piece of pieces) {
    const text = lineEnd + piece;
    lineEnd = LINE_END.exec(text)?.[0] ?? '';
    const lines = lineEnd === '' ? text : text.slice(0, -1);
    const mark = (at: number) => (at === 0 && !isFirst ? '' : LINE_END.test(lines[at] ?? '\n') ? '>' : '> ');
    yield lines.replace(/^/gm, (_, at: number) => mark(at));
    isFirst = false;
  }
  if (lineEnd !== '') yield `${lineEnd}>`;
}

function* renderTool(tool: ToolBlock): Pieces {
  const subject = tool.subject === undefined ? '' : ` <code>${escapeHtml(printableLine(tool.subject))}</code>`;
  const summary = `Tool <code>${escapeHtml(printableLine(tool.name))}</code>${subject} — ${escapeHtml(tool.outcome)}${undoneMark(tool)}`;
  yield* foldedHtml(summary, toolSections(tool), { open: tool.todos !== undefined });
}

function* toolSections(tool: ToolBlock): Pieces {
  yield `*${when(tool)}*`;
  if (tool.todos === undefined) yield* section('Arguments:', tool.args);
  else yield* tool.todos.map((todo, index) => `${index === 0 ? '\n' : ''}\n${taskItem(todo)}`);
  yield* section('Changed by the user to:', tool.changedArgs);
  if (tool.decision) yield `\n\n${plainInMarkdown(tool.decision)}`;
  if (tool.result !== undefined && (tool.todos === undefined || tool.failed)) {
    yield '\n\nResult:\n\n';
    yield* fencedPieces(tool.result, isDiff(tool.result) ? 'diff' : undefined);
  }
  if (tool.remark) yield `\n\n${plainInMarkdown(tool.remark)}`;
}

function taskItem({ content, status }: Todo): string {
  const now = status === 'in_progress' ? ' *(in progress)*' : '';
  return `- [${status === 'completed' ? 'x' : ' '}] ${plainInMarkdown(content)}${now}`;
}

function* section(label: string, args: unknown): Pieces {
  if (args === undefined) return;
  yield `\n\n${label}\n\n`;
  yield* fencedPieces(JSON.stringify(args, null, 2), 'json');
}

function* renderNote(note: NoteBlock): Pieces {
  const where = note.seq === undefined ? '' : ` *(${when(note)})*`;
  const mark = note.tone === 'warning' ? '**Warning:** ' : '';
  yield `> ${mark}${plainInMarkdown(note.text)}${undoneMark(note)}${where}`;
  if (!note.detail) return;
  yield '\n\n';
  yield* folded('Details', fencedPieces(note.detail));
}

function folded(summary: string, content: Iterable<string>): Pieces {
  return foldedHtml(escapeHtml(summary), content);
}

function* foldedHtml(summary: string, content: Iterable<string>, { open = false } = {}): Pieces {
  yield `<details${open ? ' open' : ''}>\n<summary>${summary}</summary>\n\n`;
  yield* content;
  yield '\n\n</details>';
}

function undoneMark({ undone }: { undone: boolean }): string {
  return undone ? ' (undone)' : '';
}
