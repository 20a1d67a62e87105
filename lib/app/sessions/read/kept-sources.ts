// What imports kept of the files of other programs: the generations of one that was rewritten, and whether an import
// has more than the file has now.
import { importedId, parseAddress } from '../../../agents/address.ts';
import type { Agent, Source } from '../../../agents/agent.ts';
import { openForeign } from '../../../agents/open-foreign.ts';
import { isAgentName, loadAgent } from '../../../agents/registry.ts';
import { formatBytes } from '../../../display/quantities.ts';
import { isOllmError, unless } from '../../../errors/index.ts';
import { endOf, type KeptPart, keptParts } from '../../../hub/kept-bytes.ts';
import { eachEvent, everyEvent } from '../../../journal/reading/outcomes.ts';
import type { EventReader, JournalReader } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { readJournal } from '../../journals/read-journal.ts';
import { foreignPorts } from '../../start/foreign-ports.ts';

/** A state of a source that was kept: a later state was not only longer. */
interface KeptGeneration {
  readonly generation: number;
  readonly bytes: number;
}

export function generationsOf(parts: readonly KeptPart[]): KeptGeneration[] {
  const all = Map.groupBy(parts, ({ generation }) => generation);
  return Array.from(all, ([generation, those]) => ({ generation, bytes: endOf(those.at(-1)) }));
}

/**
 * The notice if the file of a session has become shorter, and its import has events that the file no longer gives: a
 * sentence, or none. Reads the whole import only if the file is shorter than its kept bytes.
 */
export async function moreInImport(app: App, address: string): Promise<readonly string[]> {
  const { agent: name = '', id = '' } = parseAddress(address) ?? {};
  const journal = importedId(name, id);
  if (!isAgentName(name) || !(await app.store.has(journal))) return [];
  const agent = await loadAgent(name);
  const compare = async (reader: JournalReader): Promise<readonly string[]> => {
    const { origin } = (await reader.first())?.data ?? {};
    const { path, sessionId } = (origin ?? {}) as { readonly path?: unknown; readonly sessionId?: unknown };
    if (typeof path !== 'string' || sessionId !== id) return [];
    const source: Source = { agent: name, id, path };
    const size = app.fileSystem.stat(path)?.size;
    if (size === undefined || !isPlain(agent, source) || (await isAll(reader, size))) return [];
    const kept = Math.max(...generationsOf(await keptParts(reader)).map(({ bytes }) => bytes));
    const isMore = kept > size && (await countOfSource(reader)) > (await countIn(app, agent, source));
    if (!isMore) return [];
    return [
      `The file of ${address} has ${formatBytes(size)}, and its import has more, of ${formatBytes(kept)}: --imported reads that.`,
    ];
  };
  // The caller reads the file: an unreadable import takes nothing from that.
  return (await unless(isOllmError, () => readJournal(app.store, journal, compare))) ?? [];
}

/** Whether its bytes are those that were kept. */
function isPlain(agent: Agent, source: Source): boolean {
  const stored = agent.stored(source);
  return stored.kind === 'lines' && stored.packed === undefined;
}

/** Whether the file was only appended to, and has all that was kept. */
async function isAll(reader: JournalReader, size: number): Promise<boolean> {
  for await (const { type, data } of eachEvent(reader.backwards())) {
    if (type !== 'source.kept') continue;
    const last = data as unknown as KeptPart;
    return last.generation === 0 && endOf(last) <= size;
  }
  return true;
}

async function countOfSource(reader: EventReader): Promise<number> {
  let count = 0;
  await everyEvent(reader.outcomes(), ({ data }) => {
    if (data.origin !== undefined) count += 1;
  });
  return count;
}

async function countIn(app: App, agent: Agent, source: Source): Promise<number> {
  using reader = openForeign(agent, source, foreignPorts(app).files);
  return await countOfSource(reader);
}
