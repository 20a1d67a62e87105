// The words of an answer, as Markdown. Pure. What is quoted is in fences that it cannot close.
import type { SkipReason } from '../../discovery/types.ts';
import { SEARCH_NOTICE } from '../../ranking/search-notice.ts';
import { type Excerpt, type Line, shorten, splitLines } from './excerpt.ts';
import type { PastMessage } from './history.ts';

export const HOW_TO_GET_A_MODEL =
  '\n*For a model: install Ollama (https://ollama.com), run `ollama pull llama3.2`, then `/provider ollama` or `--provider ollama`.*\n';

const MAX_SUGGESTIONS = 5;
const MAX_SHOWN_PATHS = 20;
const MAX_RESULT_LINES = 200;

export interface FileHit {
  readonly path: string;
  readonly excerpt?: Excerpt | undefined;
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

/** Says what this is, and what it looked through. */
export function closing(extent: Extent | undefined): string {
  if (extent === undefined) return `*${SEARCH_NOTICE}.*\n`;
  const { root, files, isCut, skipped } = extent;
  const reasons = Object.entries({ ...SKIP_WORDS, binary: 'without text' }).flatMap(([reason, words]) => {
    const number = skipped[reason as SkipReason];
    return number === undefined ? [] : [`${number} ${words}`];
  });
  const more = isCut ? ' (there are more than may be searched)' : '';
  const passedBy = reasons.length > 0 ? `, except ${reasons.join(', ')}` : '';
  return `*${SEARCH_NOTICE}: it looked through ${count(files, 'file')} of ${code(root)}${more}${passedBy}, and this session.*\n`;
}

export function greeting(root: string, toolNames: readonly string[]): string {
  return `Hello. I look things up in the files of ${code(root)} and in this session. For example:

- a question or a few words: \`where is the journal locked?\`
- a file, or some of its lines: \`show README.md\`, \`lib/index.ts:10-20\`
- what was said: \`what did I say about locks?\`
${toolNames.length > 0 ? `- a tool, by its name: ${codes(toolNames)}\n` : ''}
`;
}

export function found(files: readonly FileHit[], past: readonly PastMessage[], missing: readonly string[]): string {
  const head = files.length > 0 ? `${count(files.length, 'file')} that may answer it, the best first:\n\n` : '';
  const absent = missing.length > 0 ? `In no file: ${codes(missing)}.\n\n` : '';
  return `${head}${files.map(fileHit).join('')}${pastHits(past)}${absent}`;
}

export function nothingFound(words: readonly string[]): string {
  const sought = words.length === 0 ? 'There was no word to look for in it.' : `Nothing found for ${codes(words)}.`;
  return `${sought} Try a name that is in the code, fewer or other words, or a file by its name, such as \`show README.md\`.\n\n`;
}

export function saidBefore(past: readonly PastMessage[], words: readonly string[]): string {
  if (past.length > 0) return pastHits(past);
  return `Nothing was said in this session${words.length > 0 ? ` about ${codes(words)}` : ''} so far.\n\n`;
}

export function fileLines(path: string, lines: readonly Line[], total: number): string {
  const last = lines.at(-1);
  if (!last) return `${code(path)} has ${count(total, 'line')}; there is nothing in that place.\n\n`;
  const next = `${path}:${last.number + 1}-${Math.min(total, last.number + lines.length)}`;
  const more = last.number < total ? `It continues to line ${total}: \`${next}\`\n\n` : '';
  return `${place(`${path}:${lines[0]!.number}-${last.number}`)}\n\n${numbered(lines)}${more}`;
}

export interface ToolAnswer {
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

/** Results come between two lines that mark them as data for a model; a person needs none of them. */
const MARKED_AS_DATA = /^<<<untrusted ([0-9a-f]+) [^\n]*>>>\n([\s\S]*)\n<<<end \1>>>$/;

/** What a tool brought back, quoted as it came. */
export function toolResult({ name, content, isError }: ToolAnswer): string {
  const lines = splitLines(MARKED_AS_DATA.exec(content)?.[2] ?? content);
  const head = `${code(name)} ${isError ? 'failed' : 'answered'}`;
  if (lines.length === 0) return `${head}, without a word.\n\n`;
  const more = lines.length - MAX_RESULT_LINES;
  const cut = more > 0 ? `… and ${count(more, 'more line')}.\n\n` : '';
  return `${head}:\n\n${fenced(lines.slice(0, MAX_RESULT_LINES))}${cut}`;
}

/** The search result below must not be taken for an answer of the tool. */
export function toolNotOffered(name: string): string {
  return `${code(name)} was not called: it is switched off here (\`/tools\` shows what is on). This was taken as a question.\n\n`;
}

export function fileSkipped(path: string, reason: SkipReason): string {
  return `${code(path)} is not quoted: it is ${SKIP_WORDS[reason]}.\n\n`;
}

export function severalFiles(name: string, paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_SHOWN_PATHS).map((path) => `- ${code(path)}\n`);
  return `${count(paths.length, 'file')} could be meant by ${code(name)}:\n\n${shown.join('')}\n`;
}

export function fileMissing(name: string, similar: readonly string[]): string {
  const names = similar.length > 0 ? ` Similar names: ${codes(similar.slice(0, MAX_SUGGESTIONS))}.` : '';
  return `There is no file ${code(name)} among those that are searched; ignored files are not.${names}\n\n`;
}

function fileHit({ path, excerpt, skipped }: FileHit): string {
  if (!excerpt) return `${place(path)}${skipped ? ` (${SKIP_WORDS[skipped]})` : ''}: found by its name.\n\n`;
  const others = excerpt.others.length > 0 ? ` (also ${excerpt.others.map((line) => `:${line}`).join(', ')})` : '';
  return `${place(`${path}:${excerpt.number}`)}${others}\n\n${numbered(excerpt.lines)}`;
}

const SPEAKERS = { user: 'you', assistant: 'the answer', tool: 'a tool', system: 'the system' };

function pastHits(past: readonly PastMessage[]): string {
  const lines = past.map(({ role, turn, text }) => {
    const speaker = `${SPEAKERS[role]}${turn === undefined ? '' : ` (turn ${turn})`}`;
    return `- ${speaker}: ${code(shorten(text.replace(/\s+/g, ' ').trim()))}\n`;
  });
  return lines.length > 0 ? `From this session:\n\n${lines.join('')}\n` : '';
}

function numbered(lines: readonly Line[]): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  return fenced(lines.map(({ number, text }) => `${String(number).padStart(width)}  ${text}`));
}

/** In a fence that the text cannot close. */
function fenced(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(text)));
  return `${fence}\n${text}${fence}\n\n`;
}

/** A path in the open would lose its underscores to emphasis. */
function place(path: string): string {
  return `**${code(path)}**`;
}

function codes(texts: readonly string[]): string {
  return texts.map(code).join(', ');
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
