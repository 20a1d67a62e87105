// Two files with one id: whether they tell the same story, as a copy does that was made earlier, or two.
import { isDeepStrictEqual } from 'node:util';
import { formatAddress } from '../agents/address.ts';
import type { Agent, ForeignEvent, Source } from '../agents/agent.ts';
import { openForeign } from '../agents/open-foreign.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import { isOllmError } from '../errors/index.ts';
import { eachEvent } from '../journal/reading/outcomes.ts';

/**
 * The report on a source that has the id of another one, the `original`: undefined if one of the two contains all
 * records of the other, from the beginning on.
 */
export async function contradictionOf(
  agent: Agent,
  source: Source,
  { original, files }: { readonly original: Source; readonly files: SourceFiles },
): Promise<string | undefined> {
  if (await isSameStory(agent, source, original, files)) return undefined;
  const address = formatAddress({ agent: agent.name, id: original.id });
  return `${source.path} has the id of ${address} (${original.path}), and says something else.`;
}

async function isSameStory(agent: Agent, one: Source, other: Source, files: SourceFiles): Promise<boolean> {
  const readers = [one, other].map((source) => openForeign(agent, source, files));
  const [ours, theirs] = readers.map((reader) => eachEvent(reader.outcomes()));
  try {
    for (;;) {
      const [a, b] = [await ours!.next(), await theirs!.next()];
      if (a.done || b.done) return true;
      if (!isSameEvent(a.value, b.value)) return false;
    }
  } catch (error) {
    // An unreadable source is reported as such.
    if (isOllmError(error)) return true;
    throw error;
  } finally {
    for (const reader of readers) reader.close();
  }
}

/** The beginning of a session says in which file it is. */
export function isSameEvent(one: ForeignEvent, other: ForeignEvent): boolean {
  const meaning = ({ type, turn, data: { origin: _, ...data } }: ForeignEvent) => [type, turn, data];
  return one.type === other.type && (one.type === 'session.created' || isDeepStrictEqual(meaning(one), meaning(other)));
}
