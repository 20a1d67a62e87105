// The sections of a summary: what must survive whatever else is forgotten. The model is asked for them by name; a
// section that it leaves out is filled in by extraction.
import { isCut } from './cut-text.ts';

interface SummarySection {
  readonly title: string;
  /** What belongs there. */
  readonly asks: string;
}

export const SUMMARY_SECTIONS: readonly SummarySection[] = [
  { title: 'Preferences', asks: 'how the user wants things done, and what never to do, in their own words' },
  { title: 'Decisions', asks: 'what was settled, with the reason; it is settled, so do not open it again' },
  { title: 'Open work', asks: 'what is under way or still to do, and what was done already of it' },
  {
    title: 'Paths',
    asks: 'files, directories, commands, addresses and names that are still needed, exactly as written',
  },
  { title: 'Errors', asks: 'what went wrong, word for word, what was tried against it, and what helped' },
];

/** The user's requests, line by line, in an extracted summary. */
export const COURSE = 'Course';
/** Text of an earlier summary that has other sections, such as that of another program. */
export const EARLIER = 'Earlier notes';
/** Text that is carried over word for word follows the summary under one of these. */
export const QUESTION = 'Question under work';
export const EXCERPT = 'Excerpt of a message that is too large';

const KNOWN_TITLES: ReadonlySet<string> = new Set(
  [...SUMMARY_SECTIONS.map(({ title }) => title), COURSE, EARLIER, QUESTION, EXCERPT].map((title) =>
    title.toLowerCase(),
  ),
);

/** The content of an empty section. */
export const NOTHING = '- none';

/** The text of each section by its title, in lower case; text before the first heading has the empty title. */
export function readSections(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let title = '';
  let lines: string[] = [];
  const close = () => {
    const body = lines.join('\n').trim();
    if (title !== '' || body !== '') sections.set(title, [sections.get(title), body].filter(Boolean).join('\n'));
    lines = [];
  };
  for (const line of text.split('\n')) {
    const heading = titleOf(line);
    if (heading === undefined) lines.push(line);
    else {
      close();
      title = heading;
    }
  }
  close();
  return sections;
}

/** The summary without the parts carried over after it. */
export function withoutCarried(text: string): string {
  const starts = [QUESTION, EXCERPT].map((title) => `\n${text}`.indexOf(`\n${headingOf(title)}\n`));
  const at = Math.min(...starts.map((start) => (start < 0 ? text.length : start)));
  return text.slice(0, at).trimEnd();
}

/** What a summary says outside the lists of our sections. */
export function besideSections(text: string): string {
  const lines: string[] = [];
  let isOurs = false;
  for (const line of withoutCarried(text).split('\n')) {
    const title = titleOf(line);
    if (title !== undefined) isOurs = title !== EARLIER.toLowerCase();
    else if (!isOurs || !(line.startsWith('- ') || isCut(line))) lines.push(line);
  }
  return lines
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

/** The sections that a summary lacks. */
export function missingSections(text: string): readonly SummarySection[] {
  const present = readSections(text);
  return SUMMARY_SECTIONS.filter(({ title }) => !present.has(title.toLowerCase()));
}

export function writeSection(title: string, lines: readonly string[]): string {
  return `${headingOf(title)}\n${lines.length === 0 ? NOTHING : lines.join('\n')}`;
}

export function headingOf(title: string): string {
  return `### ${title}`;
}

/** The section that a line begins, if it is a known one: `## Open work`, `**Errors:**`. */
function titleOf(line: string): string | undefined {
  if (line.length > 80) return undefined;
  const bare = line
    .replace(/^[#*\s\d.]+/u, '')
    .replace(/[*:\s]+$/u, '')
    .toLowerCase();
  const isHeading = line.startsWith('#') || line.startsWith('**');
  return isHeading && KNOWN_TITLES.has(bare) ? bare : undefined;
}
