// The words of an answer, as Markdown in pieces. Pure. What is quoted stands in fences that it cannot close.
import type { SkipReason } from '../../discovery/types.ts';
import type { Excerpt, Line } from './excerpt.ts';
import { shorten, splitLines } from './excerpt.ts';
import type { HistoryHit } from './history.ts';

/** Begins the last paragraph of every answer, and distinguishes earlier answers from other text. */
export const NOTICE = 'This is a search, not a language model';

export const HOW_TO_GET_A_MODEL =
  '\n*For a model: install Ollama (https://ollama.com), run `ollama pull llama3.2`, then `/provider ollama` or `--provider ollama`.*\n';

const MAX_SUGGESTIONS = 5;
const MAX_RESULT_LINES = 200;

export interface FileHit {
  readonly path: string;
  readonly excerpt: Excerpt | undefined;
  readonly skipped?: SkipReason | undefined;
}

/** What was looked through. */
export interface Extent {
  readonly root: string;
  readonly files: number;
  readonly isCut: boolean;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
}

const SKIP_WORDS: Readonly<Record<SkipReason, string>> = {
  binary: 'not text',
  large: 'too large',
  credentials: 'likely to hold credentials',
  unreadable: 'unreadable',
};

const LEFT_OUT = { ...SKIP_WORDS, binary: 'without text' };

export function greeting(root: string, toolNames: readonly string[]): string[] {
  return [
    'Hello. ',
    `I look things up in the files of ${code(root)} and in this session. For example:\n\n`,
    '- a question or a few words: `where is the journal locked?`\n',
    '- a file, or some of its lines: `show README.md`, `lib/index.ts:10-20`\n',
    `- what was said: \`what did I say about locks?\`${toolNames.length > 0 ? '' : '\n'}\n`,
    ...(toolNames.length > 0 ? [`- a tool, by its name: ${toolNames.map(code).join(', ')}\n\n`] : []),
    closing(),
  ];
}

export function searchAnswer(
  files: readonly FileHit[],
  past: readonly HistoryHit[],
  missing: readonly string[],
  extent: Extent,
): string[] {
  return [
    ...(files.length > 0 ? [`${count(files.length, 'file')} that may answer it, the best first:\n\n`] : []),
    ...files.map(fileHit),
    ...pastHits(past),
    ...(missing.length > 0 ? [`In no file: ${missing.map(code).join(', ')}.\n\n`] : []),
    closing(extent),
  ];
}

export function nothingFound(words: readonly string[], extent: Extent): string[] {
  const sought =
    words.length === 0 ? 'There was no word to look for in it. ' : `Nothing found for ${words.map(code).join(', ')}. `;
  return [
    sought,
    'Try a name that stands in the code, fewer or other words, or a file by its name, such as `show README.md`.\n\n',
    closing(extent),
  ];
}

export function pastAnswer(past: readonly HistoryHit[], words: readonly string[]): string[] {
  const about = words.length > 0 ? ` about ${words.map(code).join(', ')}` : '';
  if (past.length === 0) return [`Nothing was said in this session${about} so far.\n\n`, closing()];
  return [...pastHits(past), closing()];
}

export function fileAnswer(path: string, lines: readonly Line[], total: number): string[] {
  const last = lines.at(-1);
  if (!last) return [`${code(path)} has ${count(total, 'line')}; there is nothing in that place.\n\n`, closing()];
  const more =
    last.number < total
      ? `It goes on to line ${total}: \`${path}:${last.number + 1}-${Math.min(total, last.number + lines.length)}\`\n\n`
      : '';
  return [`${place(`${path}:${lines[0]!.number}-${last.number}`)}\n\n`, ...fencedPieces(lines), more, closing()].filter(
    Boolean,
  );
}

/** What tools brought back, quoted as it came. */
export function toolAnswer(results: readonly ToolAnswer[]): string[] {
  return [...results.flatMap(toolResult), closing()];
}

/** The search result below must not be taken for an answer of the tool. */
export function toolNotOffered(name: string): string {
  return `${code(name)} was not called: it is switched off here (\`/tools\` shows what is on). This was taken as a question.\n\n`;
}

export interface ToolAnswer {
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

/** Results come between two lines that mark them as data for a model; a person needs none of them. */
const MARKED_AS_DATA = /^<<<untrusted ([0-9a-f]+) [^\n]*>>>\n([\s\S]*)\n<<<end \1>>>$/;

function toolResult({ name, content: given, isError }: ToolAnswer): string[] {
  const content = MARKED_AS_DATA.exec(given)?.[2] ?? given;
  const lines = splitLines(content);
  const head = `${code(name)} ${isError ? 'failed' : 'answered'}`;
  if (lines.length === 0) return [`${head}, without a word.\n\n`];
  const fence = fenceFor(content);
  const shown = lines.slice(0, MAX_RESULT_LINES).map((line) => `${line}\n`);
  const more = lines.length - shown.length;
  return [
    `${head}:\n\n`,
    `${fence}\n`,
    ...shown,
    `${fence}\n\n`,
    more > 0 ? `… and ${count(more, 'more line')}.\n\n` : '',
  ].filter(Boolean);
}

export function fileSkipped(path: string, reason: SkipReason): string[] {
  return [`${code(path)} is not quoted: it is ${SKIP_WORDS[reason]}.\n\n`, closing()];
}

export function severalFiles(name: string, paths: readonly string[]): string[] {
  const shown = paths.slice(0, 20).map((path) => `- ${code(path)}\n`);
  return [`${count(paths.length, 'file')} could be meant by ${code(name)}:\n\n`, ...shown, '\n', closing()];
}

export function fileMissing(name: string, similar: readonly string[], extent: Extent): string[] {
  const suggestions = similar.slice(0, MAX_SUGGESTIONS).map(code).join(', ');
  return [
    `There is no file ${code(name)} among those that are searched; ignored files are not. `,
    suggestions === '' ? '\n\n' : `Similar names: ${suggestions}.\n\n`,
    closing(extent),
  ];
}

/** Says what this is, and what it looked through. */
function closing(extent?: Extent): string {
  return `*${NOTICE}${extent ? `: it looked through ${extentOf(extent)}` : ''}.*\n`;
}

function extentOf({ root, files, isCut, skipped }: Extent): string {
  const reasons = Object.entries(skipped).map(([reason, number]) => `${number} ${LEFT_OUT[reason as SkipReason]}`);
  const passedBy = reasons.length > 0 ? `, except ${reasons.join(', ')}` : '';
  return `${count(files, 'file')} of ${code(root)}${isCut ? ' (there are more than may be searched)' : ''}${passedBy}, and this session`;
}

function fileHit({ path, excerpt, skipped }: FileHit): string {
  if (!excerpt) return `${place(path)}${skipped ? ` (${SKIP_WORDS[skipped]})` : ''}: found by its name.\n\n`;
  const others = excerpt.others.length > 0 ? ` (also ${excerpt.others.map((line) => `:${line}`).join(', ')})` : '';
  return `${place(`${path}:${excerpt.number}`)}${others}\n\n${fencedPieces(excerpt.lines).join('')}`;
}

function pastHits(past: readonly HistoryHit[]): string[] {
  if (past.length === 0) return [];
  return ['From this session:\n\n', ...past.map((hit) => `- ${speaker(hit)}: ${quoteLine(hit.text)}\n`), '\n'];
}

function speaker({ role, turn }: HistoryHit): string {
  const who = role === 'user' ? 'you' : role === 'assistant' ? 'the answer' : role === 'tool' ? 'a tool' : 'the system';
  return turn === undefined ? who : `${who} (turn ${turn})`;
}

function quoteLine(text: string): string {
  return code(shorten(text.replace(/\s+/g, ' ').trim()));
}

function fencedPieces(lines: readonly Line[]): string[] {
  const fence = fenceFor(lines.map(({ text }) => text).join('\n'));
  const width = String(lines.at(-1)?.number ?? 0).length;
  const numbered = lines.map(({ number, text }) => `${String(number).padStart(width)}  ${text}\n`);
  return [`${fence}\n`, ...numbered, `${fence}\n\n`];
}

/** One that the text cannot close. */
function fenceFor(text: string): string {
  return '`'.repeat(Math.max(3, 1 + longestRun(text)));
}

/** A path in the open would lose its underscores to emphasis. */
function place(path: string): string {
  return `**${code(path)}**`;
}

function code(text: string): string {
  const ticks = '`'.repeat(1 + longestRun(text));
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${text}${padding}${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
