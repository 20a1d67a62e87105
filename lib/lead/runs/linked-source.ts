// The session file that a running agent writes: the one with the id that its program printed. Some programs name their
// files by a part of it, and only the file itself has the whole id.
import type { Agent, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { isOllmError } from '../../errors/index.ts';
import { type ForeignPorts, findSources } from '../../hub/find-sources.ts';

/** Undefined while there is none yet. */
export function linkedSource(agent: Agent, printedId: string, ports: ForeignPorts): Source | undefined {
  const all = findSources(agent, ports).flatMap(({ sources }) => sources);
  const exact = all.find(({ id, ownId = id, parent }) => ownId === printedId && parent === undefined);
  if (exact !== undefined) return exact;
  const start = agent.startOfId?.(printedId)?.toLowerCase();
  if (start === undefined) return undefined;
  return all.find(
    (source) => source.id.toLowerCase().startsWith(start) && printedOf(agent, source, ports) === printedId,
  );
}

function printedOf(agent: Agent, source: Source, { files }: ForeignPorts): string | undefined {
  try {
    return readHead(agent, source, files).printedId;
  } catch (error) {
    if (isOllmError(error)) return undefined;
    throw error;
  }
}
