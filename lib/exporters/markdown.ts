// A session as Markdown for a person to read: title, what it is, then turn by turn what was said and done. Tool calls
// and long details are folded. What was skipped, cancelled or undone is said in its place.

import { printable, printableLine } from '../display/printable.ts';
import { formatTime } from '../display/quantities.ts';
import { isOnTheWay } from '../projections/branches.ts';
import { containedMarkdown, fenced, plainInMarkdown } from './contained-markdown.ts';
import { type ExportHead, headRows, headTitle } from './head.ts';
import { escapeHtml } from './html-text.ts';
import type { ExportItem } from './item.ts';
import { partCaption } from './part-caption.ts';
import { isDiff } from './tool-call.ts';
import { type Block, type MessageBlock, type NoteBlock, type ToolBlock, transcript } from './transcript.ts';

const ROLE_NAMES = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

export function* exportMarkdown(items: Iterable<ExportItem>, head: ExportHead): Generator<string, void, void> {
  yield `# ${plainInMarkdown(headTitle(head))}\n\n| | |\n|---|---|\n`;
  for (const { label, text } of headRows(head)) yield `| **${label}** | ${plainInMarkdown(text)} |\n`;
  const isUndone = (seq: number) => !isOnTheWay(head.survey.branches, seq);
  for (const block of transcript(items, { isUndone })) yield `\n${renderBlock(block)}\n`;
}

function renderBlock(block: Block): string {
  switch (block.type) {
    case 'turn':
      return `---\n\n## Turn ${block.turn}${undoneMark(block)}`;
    case 'message':
      return renderMessage(block);
    case 'tool':
      return renderTool(block);
    case 'note':
      return renderNote(block);
  }
}

function renderMessage(message: MessageBlock): string {
  const name = ROLE_NAMES[message.role];
  const title = message.model ? `${name} · ${plainInMarkdown(message.model)}` : name;
  const paragraphs = [
    `### ${title}${undoneMark(message)}`,
    `*${formatTime(message.ts)} · event ${message.seq}*`,
    ...message.parts.map((part) => {
      if (part.type === 'text') return renderText(message.role, part.text);
      if (part.type === 'reasoning' && part.text) return folded('Reasoning', containedMarkdown(part.text));
      return `*${plainInMarkdown(partCaption(part))}*`;
    }),
  ];
  if (message.cutShort) paragraphs.push(`*— ${message.cutShort} —*`);
  return paragraphs.filter((paragraph) => paragraph !== '').join('\n\n');
}

function renderText(role: MessageBlock['role'], text: string): string {
  if (role === 'assistant') return containedMarkdown(text);
  if (role === 'system') return folded('System prompt', containedMarkdown(text));
  const quoted = containedMarkdown(text, { breaks: true });
  return quoted === '' ? '' : quoted.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');
}

function renderTool(tool: ToolBlock): string {
  const subject = tool.subject === undefined ? '' : ` <code>${escapeHtml(printableLine(tool.subject))}</code>`;
  const summary = `Tool <code>${escapeHtml(printableLine(tool.name))}</code>${subject} — ${escapeHtml(tool.outcome)}${undoneMark(tool)}`;
  const sections = [`*${formatTime(tool.ts)} · event ${tool.seq}*`];
  const addArguments = (label: string, args: unknown) => {
    if (args !== undefined) sections.push(label, fenced(printable(JSON.stringify(args, null, 2)), 'json'));
  };
  addArguments('Arguments:', tool.args);
  addArguments('Changed by the user to:', tool.changedArgs);
  if (tool.decision) sections.push(plainInMarkdown(tool.decision));
  if (tool.result !== undefined) {
    sections.push('Result:', fenced(printable(tool.result), isDiff(tool.result) ? 'diff' : undefined));
  }
  if (tool.remark) sections.push(plainInMarkdown(tool.remark));
  return foldedHtml(summary, sections.join('\n\n'));
}

function renderNote(note: NoteBlock): string {
  const where = note.ts === undefined ? '' : ` *(${formatTime(note.ts)} · event ${note.seq})*`;
  const mark = note.tone === 'warning' ? '**Warning:** ' : '';
  const line = `> ${mark}${plainInMarkdown(note.text)}${undoneMark(note)}${where}`;
  return note.detail ? `${line}\n\n${folded('Details', fenced(printable(note.detail)))}` : line;
}

function folded(summary: string, content: string): string {
  return foldedHtml(escapeHtml(summary), content);
}

function foldedHtml(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

function undoneMark({ undone }: { undone: boolean }): string {
  return undone ? ' (undone)' : '';
}
