// The words of an answer, as Markdown. Pure. Quotations are in blocks that they cannot end.
import type { SkipReason } from '../../discovery/types.ts';
import { SEARCH_NOTICE } from '../../ranking/search-notice.ts';
import { wordsIn } from '../../ranking/words.ts';
import type { PastMessage } from './history.ts';
import type { FoundFile, FoundFiles } from './search.ts';

export const HOW_TO_GET_A_MODEL =
  '\n*For a model: install Ollama (https://ollama.com), run `ollama pull llama3.2`, then `/provider ollama` or `--provider ollama`.*\n';

const MAX_SUGGESTIONS = 5;
const MAX_SHOWN_PATHS = 20;
const MAX_RESULT_LINES = 200;

interface QuotedLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The extent of a search. */
export interface Extent extends Pick<FoundFiles, 'files' | 'isCut' | 'skipped'> {
  readonly root: string;
  readonly left?: number | undefined;
}

const SKIP_WORDS: Readonly<Record<SkipReason, string>> = {
  binary: 'not text',
  large: 'too large',
  credentials: 'likely to hold credentials',
  unreadable: 'unreadable',
};

/** Says that this is a search, and what it searched. */
export function closing(extent: Extent | undefined): string {
  if (extent === undefined) return `*${SEARCH_NOTICE}.*\n`;
  const { root, files, isCut, skipped, left = 0 } = extent;
  const reasons = Object.entries({ ...SKIP_WORDS, binary: 'without text' }).flatMap(([reason, words]) => {
    const number = skipped[reason as SkipReason];
    return number === undefined ? [] : [`${number} ${words}`];
  });
  const more = isCut ? ' (there are more than may be searched)' : '';
  const passedBy = reasons.length > 0 ? `, except ${reasons.join(', ')}` : '';
  const waiting = left > 0 ? ` ${count(left, 'file')} of them will be read with the next question.` : '';
  return `*${SEARCH_NOTICE}: it looked through ${count(files, 'file')} of ${code(root)}${more}${passedBy}, and this session.${waiting}*\n`;
}

export function greeting(root: string, toolNames: readonly string[]): string {
  return `Hello. I look things up in the files of ${code(root)} and in this session. For example:

- a question or a few words: \`where is the journal locked?\`
- a file, or some of its lines: \`show README.md\`, \`lib/index.ts:10-20\`
- what was said: \`what did I say about locks?\`
${toolNames.length > 0 ? `- a tool, by its name: ${codes(toolNames)}\n` : ''}
`;
}

export function thanked(): string {
  return 'You are welcome.\n\n';
}

export function found(files: readonly FoundFile[], past: readonly PastMessage[], missing: readonly string[]): string {
  const head = files.length > 0 ? `${count(files.length, 'file')} that may answer it, the best first:\n\n` : '';
  const absent = missing.length > 0 ? `In no file: ${codes(missing)}.\n\n` : '';
  return `${head}${files.map(fileHit).join('')}${pastHits(past)}${absent}`;
}

/** The project's description of itself, quoted, and the files at its root. */
export function overview(parts: readonly FoundFile[], paths: readonly string[]): string {
  return `${parts.map(quotedPart).join('')}${parts.some(({ answers }) => answers === 'about') ? tree(paths) : ''}`;
}

const MAX_TREE_NAMES = 24;
const MAX_KINDS = 6;
const PAGE = /\.(?:md|markdown|mdx|rst|adoc|txt)$|^[^.]*$/i;
/** Pictures, badges and markup. */
const DECORATION = /^\s*(?:<|\[?!\[)/;

function quotedPart(part: FoundFile): string {
  const path = pathOf(part);
  const lines = quotedLines(part);
  if (!PAGE.test(path)) return `${place(`${path}:${lines[0]!.number}`)}\n\n${numbered(lines)}`;
  const said = lines
    .map(({ text }) => text)
    .filter((text) => !DECORATION.test(text))
    .filter((text, index, all) => text.trim() !== '' || all[index - 1]?.trim() !== '');
  return `${place(`${path}:${lines[0]!.number}`)}\n\n${said.map((text) => `> ${text}`.trimEnd()).join('\n')}\n\n`;
}

/** How many files of which kind, and the names at the root. */
export function allFiles(paths: readonly string[], isCut: boolean): string {
  if (paths.length === 0) return 'There is no file in this directory. Start in the directory of a project.\n\n';
  const kinds = Map.groupBy(paths, (path) => /[^/.][^/]*(\.[a-z\d]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? '');
  const most = [...kinds].sort(([, a], [, b]) => b.length - a.length).filter(([kind]) => kind !== '');
  const named = most.slice(0, MAX_KINDS).map(([kind, files]) => `${files.length} ${code(kind)}`);
  const all = `${isCut ? 'more than ' : ''}${count(paths.length, 'file')}`;
  return `${all}${named.length > 0 ? `, of them ${named.join(', ')}` : ''}.\n\n${tree(paths)}`;
}

/** The names at the root, directories with the number of files below them. */
function tree(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const at = path.indexOf('/');
    const name = at < 0 ? path : path.slice(0, at + 1);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort(([a], [b]) => Number(b.endsWith('/')) - Number(a.endsWith('/')) || (a < b ? -1 : 1));
  const shown = names
    .slice(0, MAX_TREE_NAMES)
    .map(([name, number]) => (name.endsWith('/') ? `${code(name)} (${number})` : code(name)));
  const more = names.length > shown.length ? `, and ${names.length - shown.length} more` : '';
  return `At the root: ${shown.join(', ')}${more}.\n\n`;
}

export function nothingFound(words: readonly string[]): string {
  const sought = words.length === 0 ? 'There was no word to look for in it.' : `Nothing found for ${codes(words)}.`;
  return `${sought} Try a name that is in the code, fewer or other words, or a file by its name, such as \`show README.md\`.\n\n`;
}

export function saidBefore(past: readonly PastMessage[], words: readonly string[]): string {
  if (past.length > 0) return pastHits(past);
  return `Nothing was said in this session${words.length > 0 ? ` about ${codes(words)}` : ''} so far.\n\n`;
}

export function fileLines(path: string, lines: readonly QuotedLine[], total: number): string {
  const last = lines.at(-1);
  if (!last) return `${code(path)} has ${count(total, 'line')}; there is nothing in that place.\n\n`;
  const next = `${path}:${last.number + 1}-${Math.min(total, last.number + lines.length)}`;
  const more = last.number < total ? `It continues to line ${total}: \`${next}\`\n\n` : '';
  return `${place(`${path}:${lines[0]!.number}-${last.number}`)}\n\n${numbered(lines)}${more}`;
}

interface ToolAnswer {
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

function fileHit(found: FoundFile): string {
  const lines = quotedLines(found);
  const best = (found.lines?.[0] ?? 1) + found.quote.best;
  return `${place(`${pathOf(found)}:${best}`)}${isNamedOnly(found) ? ': found by its name' : ''}\n\n${numbered(lines)}`;
}

/** Whether no word of the question is in the text itself. */
function isNamedOnly({ text, words }: FoundFile): boolean {
  const held = new Set(Array.from(wordsIn(text), ({ stem }) => stem));
  return words.every((word) => ![...wordsIn(word)].some(({ stem }) => held.has(stem)));
}

function pathOf({ place: of }: FoundFile): string {
  return of.slice(0, of.lastIndexOf(':'));
}

function quotedLines({ lines, quote, words }: FoundFile): readonly QuotedLine[] {
  const first = (lines?.[0] ?? 1) + quote.first;
  return splitLines(quote.text).map((text, offset) => ({
    number: first + offset,
    text: shorten(text, around(text, words)),
  }));
}

/** Where the first of the words is. */
function around(text: string, words: readonly string[]): number {
  const folded = text.toLowerCase();
  return Math.max(0, ...words.map((word) => folded.indexOf(word.toLowerCase())));
}

/** Includes a last line without a line end; a final line end adds no empty line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const MAX_LINE_CHARACTERS = 160;

/** A long line, cut so that the character at `at` is in it. */
export function shorten(line: string, at = 0): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const from = Math.max(0, Math.min(at - MAX_LINE_CHARACTERS / 4, line.length - MAX_LINE_CHARACTERS));
  const cut = line
    .slice(from, from + MAX_LINE_CHARACTERS)
    .toWellFormed()
    .replace(/^\uFFFD|\uFFFD$/g, '');
  return `${from > 0 ? '…' : ''}${cut}${from + MAX_LINE_CHARACTERS < line.length ? '…' : ''}`;
}

const SPEAKERS = { user: 'you', assistant: 'the answer', tool: 'a tool', system: 'the system' };

function pastHits(past: readonly PastMessage[]): string {
  const lines = past.map(({ role, turn, text }) => {
    const speaker = `${SPEAKERS[role]}${turn === undefined ? '' : ` (turn ${turn})`}`;
    return `- ${speaker}: ${code(shorten(text.replace(/\s+/g, ' ').trim()))}\n`;
  });
  return lines.length > 0 ? `From this session:\n\n${lines.join('')}\n` : '';
}

/** As code by its indentation, which no text can end. */
function numbered(lines: readonly QuotedLine[]): string {
  const width = String(lines.at(-1)?.number ?? 0).length;
  return `${lines.map(({ number, text }) => `    ${String(number).padStart(width)}  ${text}`.trimEnd()).join('\n')}\n\n`;
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
