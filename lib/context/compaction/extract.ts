// A summary without a model: the questions, and the lines of a conversation that look like preferences, decisions, open
// work, paths and errors; the oldest are dropped first. Linear in the length of the text: lines are read one by one,
// long ones not.
import { isPrompt } from '../../projections/message-pieces.ts';
import type { ViewItem } from '../../projections/view.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import { cutText } from './cut-text.ts';
import { partsText } from './item-text.ts';
import {
  besideSections,
  COURSE,
  EARLIER,
  NOTHING,
  readSections,
  SUMMARY_SECTIONS,
  withoutCarried,
  writeSection,
} from './sections.ts';

const MAX_LINE_CHARACTERS = 400;
const MAX_SHOWN_CHARACTERS = 200;
const MAX_LINES_PER_SECTION = 12;
/** The share for earlier notes, as far as the sections keep their minimum of tokens. */
const EARLIER_SHARE = 0.5;
const MIN_SECTION_TOKENS = 128;
const MIN_EARLIER_TOKENS = 16;

/** The speakers of a section's lines, and the patterns that make a line one of them. */
const SIGNS: Readonly<Record<string, { readonly who: 'user' | 'all'; readonly signs: readonly RegExp[] }>> = {
  preferences: {
    who: 'user',
    signs: [
      /\b(?:prefer|always|never|please (?:use|do not|don't|keep|write|answer)|do not|don't|must(?: not)?|should(?: not)?|instead of|immer|niemals?|bitte|nicht)\b/iu,
    ],
  },
  decisions: {
    who: 'all',
    signs: [
      /\b(?:decided|decision|we (?:will|agreed|use)|agreed|settled|let's|going with|chose|chosen|instead we|entschieden|beschlossen)\b/iu,
    ],
  },
  'open work': {
    who: 'all',
    signs: [
      /(?:^\s*[-*] \[ \]|\b(?:todo|to do|next step|still (?:to do|open|missing|need)|remaining|left to do|not yet|later we|offen|noch zu)\b)/iu,
    ],
  },
  errors: {
    who: 'all',
    signs: [
      /\b(?:error|exception|failed|failure|fails|cannot|traceback|panic|refused|denied|undefined is not|fehler|fehlgeschlagen)\b/iu,
      // Names such as ENOENT. In small letters they would be any word that begins with e.
      /\bE[A-Z]{3,}\b/u,
    ],
  },
};

interface ExtractOptions {
  readonly maxTokens: number;
  /** The summary before this one; its content is carried on. */
  readonly previous?: string | undefined;
}

export function extractSummary(items: readonly ViewItem[], { maxTokens, previous }: ExtractOptions): string {
  const earlier = earlierNotes(previous, maxTokens);
  const sections = extractOwn(items, { previous, maxTokens: maxTokens - estimateTokens(earlier) });
  return earlier === '' ? sections : `${sections}\n\n${earlier}`;
}

/** Text of the summary before this one that fits none of our sections, cut where it is long. */
function earlierNotes(previous: string | undefined, maxTokens: number): string {
  const text = besideSections(previous ?? '');
  const heading = writeSection(EARLIER, ['']);
  const room = Math.floor(Math.min(maxTokens * EARLIER_SHARE, maxTokens - MIN_SECTION_TOKENS));
  const textTokens = room - estimateTokens(heading) - 1;
  return text === '' || textTokens < MIN_EARLIER_TOKENS ? '' : heading + cutText(text, textTokens);
}

function extractOwn(items: readonly ViewItem[], { maxTokens, previous }: ExtractOptions): string {
  const found = extractSections(items, previous);
  const course = writeSection(COURSE, courseOf(items, previous));
  for (let lines = MAX_LINES_PER_SECTION; lines > 0; lines = Math.floor(lines / 2)) {
    const text = [...sectionsText(found, lines), course].join('\n\n');
    if (estimateTokens(text) <= maxTokens) return text;
    const withoutCourse = sectionsText(found, lines).join('\n\n');
    if (estimateTokens(withoutCourse) <= maxTokens) return withoutCourse;
  }
  return cutText(sectionsText(found, 1).join('\n\n'), maxTokens);
}

/** Lines by section title, in lower case; the newest last. */
export function extractSections(items: readonly ViewItem[], previous?: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map(SUMMARY_SECTIONS.map(({ title }) => [title.toLowerCase(), new Set<string>()]));
  const add = (section: string, line: string) => {
    const lines = found.get(section);
    // A repeated line counts as new.
    lines?.delete(line);
    lines?.add(line);
  };
  for (const title of found.keys()) for (const line of linesBefore(previous, title)) add(title, line);
  for (const item of items) for (const { who, text } of textsOf(item)) addLines(who, text, add);
  return new Map([...found].map(([title, lines]) => [title, [...lines]]));
}

function sectionsText(found: ReadonlyMap<string, readonly string[]>, most: number): string[] {
  return SUMMARY_SECTIONS.map(({ title }) => writeSection(title, (found.get(title.toLowerCase()) ?? []).slice(-most)));
}

/** The list under a title in the summary before this one. */
function linesBefore(previous: string | undefined, title: string): string[] {
  const body = readSections(withoutCarried(previous ?? '')).get(title.toLowerCase()) ?? '';
  return body.split('\n').filter((line) => line.startsWith('- ') && line !== NOTHING);
}

/** The questions of the user, one line each. */
function courseOf(items: readonly ViewItem[], previous: string | undefined): string[] {
  const asked = items
    .flatMap((item) => (item.kind === 'message' && isPrompt(item) ? [withoutInserted(partsText(item.parts))] : []))
    .map((text) => text.trim().split('\n', 1)[0] ?? '')
    .filter((line) => line !== '')
    .map((line) => `- asked: ${shown(line)}`);
  return [...linesBefore(previous, COURSE), ...asked].slice(-MAX_LINES_PER_SECTION);
}

interface SourceText {
  readonly who: 'user' | 'assistant' | 'tool';
  readonly text: string;
}

function textsOf(item: ViewItem): readonly SourceText[] {
  switch (item.kind) {
    case 'message':
      return item.role === 'system' ? [] : [{ who: item.role, text: messageText(item) }];
    case 'call': {
      const failure = item.result !== undefined && item.result.status !== 'ok' && !item.result.binary;
      const args = { who: 'tool', text: JSON.stringify(item.args) ?? '' } as const;
      return failure ? [args, { who: 'tool', text: item.result?.content ?? '' }] : [args];
    }
    case 'retrieval':
      return [];
  }
}

function messageText({ role, parts }: ViewItem & { readonly kind: 'message' }): string {
  return role === 'user' ? withoutInserted(partsText(parts)) : partsText(parts);
}

/** Programs put blocks such as `<task-notification>` into the user's messages. The names have two words: HTML stays. */
const INSERTED = /<([a-z]+(?:[-_][a-z]+)+)>/gu;

function withoutInserted(text: string): string {
  let kept = '';
  let end = 0;
  const unclosed = new Set<string>();
  for (const { 0: tag, 1: name = '', index } of text.matchAll(INSERTED)) {
    if (index < end || unclosed.has(name)) continue;
    const closing = `</${name}>`;
    const stop = text.indexOf(closing, index + tag.length);
    if (stop < 0) {
      unclosed.add(name);
      continue;
    }
    kept += text.slice(end, index);
    end = stop + closing.length;
  }
  return kept + text.slice(end);
}

function addLines(who: SourceText['who'], text: string, add: (section: string, line: string) => void): void {
  for (const line of text.split('\n')) {
    const bare = line.trim();
    if (bare === '' || bare.length > MAX_LINE_CHARACTERS) continue;
    for (const path of pathsIn(bare, who)) add('paths', `- ${path}`);
    for (const [section, { who: speaker, signs }] of Object.entries(SIGNS)) {
      if (speaker === 'user' && who !== 'user') continue;
      if (who === 'tool' && section !== 'errors') continue;
      if (signs.some((sign) => sign.test(bare))) add(section, `- ${who === 'tool' ? '' : `${who}: `}${shown(bare)}`);
    }
  }
}

/** Words that look like a file: with a directory, or with the ending of one. */
function pathsIn(line: string, who: SourceText['who']): string[] {
  return line
    .split(/[\s"'`<>()[\]{},;|]+/u)
    .map((word) => word.replace(/[.:!?]+$/u, ''))
    .filter((word) => word.length > 2 && word.length <= 120 && isPath(word, who === 'tool'));
}

const ENDING = new RegExp(
  `\\.(?:${[
    'ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonl|jsonc|md|mdx|txt|rst|py|pyi|ipynb|rb|go|rs|java|kt|kts|scala|clj|c|h|cc|cpp|cxx|hpp',
    'cs|fs|php|pl|lua|r|jl|ex|exs|erl|hs|ml|swift|m|mm|dart|zig|sh|bash|zsh|fish|ps1|bat|sql|html|htm|css|scss|less|vue|svelte',
    'svg|png|jpg|jpeg|gif|webp|pdf|csv|tsv|parquet|xml|yml|yaml|toml|ini|cfg|conf|env|lock|log|proto|graphql|gradle|tf|diff|patch',
  ].join('|')})$`,
  'u',
);
const DIRECTORIES =
  /^(?:src|lib|test|tests|__tests__|docs?|bin|scripts?|packages|public|assets|build|dist|vendor|node_modules)\//u;

/** In prose `diff/scan` is two words; among the arguments of a call it is a path. */
function isPath(word: string, isArgument: boolean): boolean {
  if (!/^[\w@~./:+-]+$/u.test(word) || !/[a-z]/iu.test(word)) return false;
  if (!word.includes('/')) return /^[\w.-]*\w\.\w+$/u.test(word) && ENDING.test(word);
  if (!/\w\/\w|^[~.]?\/\w/u.test(word)) return false;
  const isTwoWords = /^[a-z]+\/[a-z]+$/iu.test(word) && !DIRECTORIES.test(word);
  return isArgument || !isTwoWords;
}

function shown(line: string): string {
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}…`;
}
