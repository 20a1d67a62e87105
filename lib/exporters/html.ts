// A session as one HTML page: no network, no script, nothing that a message says can become markup. The page's own
// policy forbids everything but its style, so that even a fault here could fetch and run nothing.
import { createHash } from 'node:crypto';
import { printable, printableLine } from '../display/printable.ts';
import { formatTime } from '../display/quantities.ts';
import { isOnTheWay } from '../projections/branches.ts';
import { type ExportHead, headRows, headTitle } from './head.ts';
import { markdownToHtml, preformatted } from './html-markdown.ts';
import { STYLE } from './html-style.ts';
import { escapeHtml } from './html-text.ts';
import type { ExportItem } from './item.ts';
import { partCaption } from './part-caption.ts';
import { isDiff } from './tool-call.ts';
import { type Block, type MessageBlock, type NoteBlock, type ToolBlock, transcript } from './transcript.ts';

const ROLE_NAMES = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

export function* exportHtml(items: Iterable<ExportItem>, head: ExportHead): Generator<string, void, void> {
  const title = text(headTitle(head));
  const styleHash = createHash('sha256').update(STYLE).digest('base64');
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<table class="head">
`;
  for (const { label, text: value, warning } of headRows(head)) {
    yield `<tr><th>${text(label)}</th><td${warning ? ' class="mark"' : ''}>${text(value)}</td></tr>\n`;
  }
  yield '</table>\n<main>\n';
  const isUndone = (seq: number) => !isOnTheWay(head.survey.branches, seq);
  for (const block of transcript(items, { isUndone })) yield `${renderBlock(block)}\n`;
  yield '</main>\n</body>\n</html>\n';
}

function renderBlock(block: Block): string {
  switch (block.type) {
    case 'turn':
      return `<h2 id="turn-${block.turn}"${block.undone ? ' class="undone"' : ''}>Turn ${block.turn}${undoneMark(block)}</h2>`;
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
  const who = message.model ? `${name} · ${text(message.model)}` : name;
  const content = message.parts.map((part) => {
    if (part.type === 'text') return renderText(message.role, part.text);
    if (part.type === 'reasoning' && part.text) return folded('Reasoning', markdownToHtml(part.text));
    return `<p class="where">${text(partCaption(part))}</p>`;
  });
  if (message.cutShort) content.push(`<p class="mark">— ${text(message.cutShort)} —</p>`);
  return `<article id="event-${message.seq}" class="${message.role}${message.undone ? ' undone' : ''}">
<header><h3>${who}</h3>${when(message)}${undoneMark(message)}</header>
${content.join('\n')}
</article>`;
}

function renderText(role: MessageBlock['role'], content: string): string {
  if (role === 'system') return folded('System prompt', markdownToHtml(content));
  return markdownToHtml(content, { breaks: role === 'user' });
}

function renderTool(tool: ToolBlock): string {
  const outcome = tool.failed ? `<span class="failed">${text(tool.outcome)}</span>` : text(tool.outcome);
  const subject = tool.subject === undefined ? '' : ` <code>${text(tool.subject)}</code>`;
  const sections: string[] = [];
  const addArguments = (label: string, args: unknown) => {
    if (args !== undefined) sections.push(`<p>${label}</p>`, preformatted(printable(JSON.stringify(args, null, 2))));
  };
  addArguments('Arguments', tool.args);
  addArguments('Changed by the user to', tool.changedArgs);
  if (tool.decision) sections.push(`<p>${text(tool.decision)}</p>`);
  if (tool.result !== undefined) {
    sections.push('<p>Result</p>', isDiff(tool.result) ? diffLines(tool.result) : preformatted(printable(tool.result)));
  }
  if (tool.remark) sections.push(`<p class="mark">${text(tool.remark)}</p>`);
  return `<details id="event-${tool.seq}"${tool.undone ? ' class="undone"' : ''}>
<summary>Tool <code>${text(tool.name)}</code>${subject} — ${outcome}${when(tool)}${undoneMark(tool)}</summary>
${sections.join('\n')}
</details>`;
}

/** A unified diff with its lines marked: what came, what went. */
function diffLines(diff: string): string {
  const marked = printable(diff)
    .split('\n')
    .map((line) => {
      const element = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : undefined;
      return element === undefined ? escapeHtml(line) : `<${element}>${escapeHtml(line)}</${element}>`;
    });
  return `<pre><code>${marked.join('\n')}</code></pre>`;
}

function renderNote(note: NoteBlock): string {
  const classes = ['note', note.tone === 'warning' ? 'warning' : '', note.undone ? 'undone' : '']
    .filter(Boolean)
    .join(' ');
  const place = note.ts === undefined ? '' : when({ ts: note.ts, seq: note.seq });
  const detail = note.detail ? folded('Details', preformatted(printable(note.detail))) : '';
  return `<div class="${classes}">${text(note.text)}${place}${undoneMark(note)}${detail}</div>`;
}

function folded(summary: string, content: string): string {
  return `<details><summary>${text(summary)}</summary>\n${content}\n</details>`;
}

function when({ ts, seq }: { ts: string; seq: number | undefined }): string {
  return `<time datetime="${escapeHtml(ts)}">${text(formatTime(ts))}</time><span class="where">event ${seq}</span>`;
}

function undoneMark({ undone }: { undone: boolean }): string {
  return undone ? ' <span class="mark">(undone)</span>' : '';
}

function text(content: string): string {
  return escapeHtml(printableLine(content));
}
