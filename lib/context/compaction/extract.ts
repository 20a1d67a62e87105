// A summary without a model: what was asked, and the lines of a conversation that look like preferences, decisions, open
// work, paths and errors, the newest first to stay. Pure, and linear in the length of the text: every line is looked at
// alone, and long ones not at all.
import type { ViewItem } from '../../projections/view.ts';
import { estimateTokens } from '../../tokens/estimate.ts';
import { cutText } from './cut-text.ts';
import { COURSE, NOTHING, readSections, SUMMARY_SECTIONS, withoutCarried, writeSection } from './sections.ts';
import { partsText } from './transcript.ts';

const MAX_LINE_CHARACTERS = 400;
const MAX_SHOWN_CHARACTERS = 200;
const MAX_LINES_PER_SECTION = 12;

/** Lines of whom, and what gives them away: one of these. */
const SIGNS: Readonly<Record<string, { readonly who: 'user' | 'anybody'; readonly signs: readonly RegExp[] }>> = {
  preferences: {
    who: 'user',
    signs: [
      /\b(?:prefer|always|never|please (?:use|do not|don't|keep|write|answer)|do not|don't|must(?: not)?|should(?: not)?|instead of|immer|niemals?|bitte|nicht)\b/iu,
    ],
  },
  decisions: {
    who: 'anybody',
    signs: [
      /\b(?:decided|decision|we (?:will|agreed|use)|agreed|settled|let's|going with|chose|chosen|instead we|entschieden|beschlossen)\b/iu,
    ],
  },
  'open work': {
    who: 'anybody',
    signs: [
      /(?:^\s*[-*] \[ \]|\b(?:todo|to do|next step|still (?:to do|open|missing|need)|remaining|left to do|not yet|later we|offen|noch zu)\b)/iu,
    ],
  },
  errors: {
    who: 'anybody',
    signs: [
      /\b(?:error|exception|failed|failure|fails|cannot|traceback|panic|refused|denied|undefined is not|fehler|fehlgeschlagen)\b/iu,
      // Names such as ENOENT. In small letters they would be any word that begins with e.
      /\bE[A-Z]{3,}\b/u,
    ],
  },
};

export interface ExtractOptions {
  readonly maxTokens: number;
  /** The summary before this one: what it held goes on. */
  readonly previous?: string | undefined;
}

export function extractSummary(items: readonly ViewItem[], { maxTokens, previous }: ExtractOptions): string {
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
    // What comes again counts as new.
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

/** What the summary before this one said under a title. */
function linesBefore(previous: string | undefined, title: string): string[] {
  const body = readSections(withoutCarried(previous ?? '')).get(title.toLowerCase()) ?? '';
  return body.split('\n').filter((line) => line.startsWith('- ') && line !== NOTHING);
}

/** What the user asked, one line each. */
function courseOf(items: readonly ViewItem[], previous: string | undefined): string[] {
  const asked = items
    .flatMap((item) => (item.kind === 'message' && item.role === 'user' ? [partsText(item.parts)] : []))
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
      return item.role === 'system' ? [] : [{ who: item.role, text: partsText(item.parts) }];
    case 'call': {
      const failure = item.result !== undefined && item.result.status !== 'ok' && !item.result.binary;
      const args = { who: 'tool', text: JSON.stringify(item.args) ?? '' } as const;
      return failure ? [args, { who: 'tool', text: item.result?.content ?? '' }] : [args];
    }
    case 'retrieval':
      return [];
  }
}

function addLines(who: SourceText['who'], text: string, add: (section: string, line: string) => void): void {
  for (const line of text.split('\n')) {
    const bare = line.trim();
    if (bare === '' || bare.length > MAX_LINE_CHARACTERS) continue;
    for (const path of pathsIn(bare)) add('paths', `- ${path}`);
    for (const [section, { who: speaker, signs }] of Object.entries(SIGNS)) {
      if (speaker === 'user' && who !== 'user') continue;
      if (who === 'tool' && section !== 'errors') continue;
      if (signs.some((sign) => sign.test(bare))) add(section, `- ${who === 'tool' ? '' : `${who}: `}${shown(bare)}`);
    }
  }
}

/** Words that look like a file: with a directory, or with an ending. */
function pathsIn(line: string): string[] {
  return line
    .split(/[\s"'`<>()[\]{},;|]+/u)
    .map((word) => word.replace(/[.:!?]+$/u, ''))
    .filter((word) => word.length > 2 && word.length <= 120 && isPath(word));
}

function isPath(word: string): boolean {
  if (!/^[\w@~./:+-]+$/u.test(word) || !/[a-z]/iu.test(word)) return false;
  return word.includes('/')
    ? /\w\/\w|^[~.]?\/\w/u.test(word)
    : /^[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{1,2}|[a-z]{3,4}|json[lc]?)$/iu.test(word) && word.includes('.');
}

function shown(line: string): string {
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}…`;
}
