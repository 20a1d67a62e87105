// Context entries as the model reads them: one Markdown section for each, in the order of the list, which is that of their
// priority. What is not trusted stands between delimiters (messages/untrusted.ts).
import type { ContextSource } from '../messages/index.ts';
import { delimit } from '../messages/untrusted.ts';
import type { ContextEntry } from '../projections/context.ts';

/** What is added to the system prompt; empty if there are no entries. */
export function contextSections(entries: readonly ContextEntry[]): string {
  return entries.map(section).join('\n\n');
}

export function hasContext(entries: readonly ContextEntry[], key: string): boolean {
  return entries.some((entry) => entry.key === key);
}

export function contextBySource(entries: readonly ContextEntry[], source: ContextSource): readonly ContextEntry[] {
  return entries.filter((entry) => entry.source === source);
}

function section({ key, content, trusted, source }: ContextEntry): string {
  // A key is a name: it cannot begin a section of its own.
  const heading = `## ${key.replace(/\s+/gu, ' ').trim()}`;
  return `${heading}\n\n${trusted ? content : delimit(content, { what: `context from ${source}` })}`;
}
