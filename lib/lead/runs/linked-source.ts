// The session file that a running agent writes: the one with the id that its program printed. Some programs name their
// files by a part of it, and only the file itself has the whole id.
import type { Agent, Source } from '../../agents/agent.ts';
import { readHead } from '../../agents/head.ts';
import { isOllmError, unless } from '../../errors/index.ts';
import { type ForeignPorts, fileOf, findSources } from '../../hub/find-sources.ts';

/** Undefined while there is none yet. */
export function linkedSource(agent: Agent, printedId: string, ports: ForeignPorts): Source | undefined {
  const all = findSources(agent, ports).flatMap(({ sources }) => sources);
  const exact = all.find(({ id, ownId = id, parent }) => ownId === printedId && parent === undefined);
  if (exact !== undefined) return exact;
  const start = agent.startOfId?.(printedId)?.toLowerCase();
  if (start === undefined) return undefined;
  return all.find(
    (source) => source.id.toLowerCase().startsWith(start) && headOf(agent, source, ports)?.printedId === printedId,
  );
}

interface LeftSession {
  /** The session that it left. */
  readonly id: string;
  readonly workspace: string;
  /** When it was last in that. */
  readonly sinceMs: number;
}

/** The session in which an agent went on: the only one that began in its directory since then. */
export function sourceAfter(
  agent: Agent,
  { id, workspace, sinceMs }: LeftSession,
  ports: ForeignPorts,
): Source | undefined {
  const { files } = ports;
  const begun = findSources(agent, ports)
    .flatMap(({ sources }) => sources)
    .filter((source) => {
      if (source.id === id || source.parent !== undefined) return false;
      const file = fileOf(agent, source, files);
      if (file === undefined || Number(file.changedNs / 1_000_000n) < sinceMs) return false;
      const { cwd, startedAt = '', firstPrompt } = headOf(agent, source, ports) ?? {};
      // A session without a message cannot be resumed.
      return firstPrompt !== undefined && cwd === workspace && Date.parse(startedAt) >= sinceMs;
    });
  return begun.length === 1 ? begun[0] : undefined;
}

/** Undefined if the file cannot be read now. */
function headOf(agent: Agent, source: Source, { files }: ForeignPorts): ReturnType<typeof readHead> | undefined {
  return unless(isOllmError, () => readHead(agent, source, files));
}
