// Context entries as the model reads them: one Markdown section for each, in the order of the list, which is that of
// their priority. An entry that is not trusted is between delimiters (messages/untrusted.ts).
import type { ContextSource } from '../messages/index.ts';
import { joined, ownText, type RequestText, textOf } from '../messages/untrusted.ts';
import type { ContextEntry } from '../projections/context.ts';

/** Keys of the entries about the project: its files, and its state, which changes with each commit and each error. */
export const PROJECT_KEY = 'project';
export const GIT_KEY = 'git';
export const RECENT_ERRORS_KEY = 'recent errors';
/** Key of the entry with the names of skills, which are read with the tool of this name. */
export const SKILLS_KEY = 'skills';
export const SKILLS_TOOL = 'skill_read';

/** Sections of these entries; empty without entries. */
export function contextSections(entries: readonly ContextEntry[]): RequestText {
  return joined(entries.map(section));
}

export function hasContext(entries: readonly ContextEntry[], key: string): boolean {
  return entries.some((entry) => entry.key === key);
}

export function contextBySource(entries: readonly ContextEntry[], source: ContextSource): readonly ContextEntry[] {
  return entries.filter((entry) => entry.source === source);
}

/** A key is a name: it cannot begin a section of its own. */
export function headingOf(key: string): string {
  return `## ${key.replace(/\s+/gu, ' ').trim()}`;
}

function section({ key, content, trusted, source }: ContextEntry): RequestText {
  return ownText(`${headingOf(key)}\n\n${textOf(content, { trusted, what: `context from ${source}` })}`);
}
