// How a tool call looks: one line with sign, name and time; below it a few lines of its output, and how many more there
// are. Content that was only read is counted in the first line. The same on a terminal and, as plain text, in a pipe.
// Pure.
import { type Style, type StyledLine, type StyledSpan, spanOf } from '../../display/paint.ts';
import { countOf, formatBytes, formatDuration } from '../../display/quantities.ts';
import { sanitize, sanitizeLine } from '../../display/sanitize.ts';
import { TODO_TOOL } from '../../messages/todos.ts';
import { WEB_FETCH, WEB_SEARCH } from '../../tools/builtin/names.ts';
import { formatSeconds } from './bottom-line.ts';
import { diffLine, isDiff } from './diff-lines.ts';
import { countLines, excerptOf } from './few-lines.ts';
import { todoRows } from './todo-rows.ts';

/** A call that is over. */
export interface ShownToolEnd {
  readonly name: string;
  /** The effect of the call, as a line for people; empty if it is not known. */
  readonly summary: string;
  readonly status: string;
  /** What a person is shown. */
  readonly content: string;
  readonly durationMs?: number | undefined;
  /** Bytes, where the model was not given all of it. */
  readonly truncated?: { readonly originalBytes: number; readonly keptBytes: number } | undefined;
  /** The user was asked and has seen its diff, which is not shown again. */
  readonly wasShown?: boolean | undefined;
}

/** A call that runs. */
export interface ToolRun {
  readonly name: string;
  readonly summary: string;
  readonly startedMs: number;
  /** The end of its output. */
  readonly printed: string;
}

export const MARGIN: StyledSpan = spanOf('  │ ', 'dim');
const OUTPUT_SIZE = { head: 2, tail: 3 };
/** What a page or a search begins with says most. */
const WEB_SIZE = { head: 6, tail: 0 };
const DIFF_SIZE = { head: 16, tail: 0 };
const LIVE_ROWS = 4;
const READERS: ReadonlySet<string> = new Set([
  'file_read',
  'list_files',
  'search_files',
  'history_read',
  'recall',
  'skill_read',
]);
/** A summary that is a sentence about the action, and not only its object. */
const SENTENCE = /^(?:Read|List|Search|Look) /;

const SIGNS: Readonly<Record<string, readonly [sign: string, style: Style]>> = {
  ok: ['✓', 'green'],
  denied: ['✗', 'yellow'],
  cancelled: ['✗', 'yellow'],
};
const FAILED = ['✗', 'red'] as const;

/**
 * `✓ bash: Run npm test · 3.2 s`, `✗ bash: Run npm test · timeout after 2 min 0 s`, `✓ Read src/greet.ts · 7 lines`.
 */
export function toolHeadline(end: ShownToolEnd): StyledLine {
  const { name, summary, status, durationMs } = end;
  const [sign, style] = SIGNS[status] ?? FAILED;
  if (isRead(end) && SENTENCE.test(summary)) {
    const count = countOf(countLines(end.content.replace(/\n$/, '')), 'line');
    return [spanOf(`${sign} `, style), spanOf(sanitizeLine(summary), 'bold'), spanOf(` · ${count}`, 'dim')];
  }
  const ran = durationMs !== undefined && status !== 'denied' && !isTodoList({ name, status });
  const time = ran ? formatDuration(durationMs) : '';
  const fate = status === 'ok' ? '' : sanitizeLine(status);
  const ending = [fate, time].filter((part) => part !== '').join(' after ');
  return [
    spanOf(`${sign} `, style),
    spanOf(sanitizeLine(name), 'bold'),
    ...(summary === '' ? [] : [spanOf(`: ${sanitizeLine(summary)}`)]),
    ...(ending === '' ? [] : [spanOf(` · ${ending}`, 'dim')]),
  ];
}

/** The output of a call, shortened, and the share of it that the model got. */
export function toolBody(end: ShownToolEnd): StyledLine[] {
  const { name, summary, content: all, truncated, status, wasShown } = end;
  if (isTodoList({ name, status })) return all === '' ? [] : todoRows(all).map((row) => [MARGIN, ...row]);
  const ofDiff = isDiff(all);
  const ofWeb = name === WEB_FETCH || name === WEB_SEARCH;
  const output = ofWeb ? webText(all, summary) : all;
  const content = (ofDiff && wasShown) || isRead(end) ? '' : output;
  const { head, hidden, tail } = excerptOf(content, ofDiff ? DIFF_SIZE : ofWeb ? WEB_SIZE : OUTPUT_SIZE);
  const lineOf = (text: string): StyledLine => {
    const safe = sanitize(text).replaceAll('\t', '    ').trimEnd();
    if (ofDiff) return [MARGIN, ...diffLine(safe)];
    return [MARGIN, { text: safe, styles: status === 'ok' ? ['dim'] : [] }];
  };
  return [
    ...head.map(lineOf),
    ...(hidden === 0 ? [] : [hiddenLine(hidden)]),
    ...tail.map(lineOf),
    ...(truncated === undefined ? [] : [cutLine(truncated)]),
  ];
}

/** Whether it brought text for the model, which the user seldom reads. */
function isRead({ name, status, content }: ShownToolEnd): boolean {
  return status === 'ok' && READERS.has(name) && content.trim() !== '';
}

/** Whether the output is the list of tasks, which is shown whole. */
export function isTodoList({ name, status }: Pick<ShownToolEnd, 'name' | 'status'>): boolean {
  return name === TODO_TOOL && status === 'ok';
}

/** `… bash: Run npm test · 3 s`, and the last rows of its output. */
export function runningLines({ name, summary, startedMs, printed }: ToolRun, nowMs: number): StyledLine[] {
  return [
    [
      spanOf('… ', 'cyan'),
      spanOf(sanitizeLine(name), 'bold'),
      ...(summary === '' ? [] : [spanOf(`: ${sanitizeLine(summary)}`)]),
      spanOf(` · ${formatSeconds(nowMs - startedMs)}`, 'dim'),
    ],
    ...lastRows(printed).map((text): StyledLine => [MARGIN, spanOf(text, 'dim')]),
  ];
}

function lastRows(printed: string): string[] {
  return sanitize(printed)
    .replaceAll('\t', '    ')
    .split('\n')
    .filter((row) => row.trim() !== '')
    .slice(-LIVE_ROWS);
}

/** Without empty lines, and without the address where the headline has it. */
function webText(text: string, summary: string): string {
  const shown = text.replace(/^(\S+) \((.*)\)$/m, (first, address, facts) =>
    summary.endsWith(address) ? facts : first,
  );
  return shown.replace(/\n\s*\n/g, '\n');
}

function hiddenLine(count: number): StyledLine {
  return [MARGIN, spanOf(`… ${countOf(count, 'more line')}: Ctrl+O or /output`, 'dim', 'italic')];
}

function cutLine({ originalBytes, keptBytes }: NonNullable<ShownToolEnd['truncated']>): StyledLine {
  const text = `The model was given ${formatBytes(keptBytes)} of ${formatBytes(originalBytes)}.`;
  return [MARGIN, spanOf(text, 'yellow')];
}
