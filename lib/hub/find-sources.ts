// Finds sessions of other programs where those keep them: all of one agent, or the one that an id or the beginning of
// an id names. Looks at directories and small indexes alone, and opens no session.
import type { Agent, Source, Surroundings } from '../agents/agent.ts';
import { discoverIn } from '../agents/discover.ts';
import type { SourceFiles } from '../agents/open-source.ts';
import type { FileSystem } from '../platform/files/file-system.ts';

/** What finding and reading them takes. */
export interface ForeignPorts {
  readonly surroundings: Surroundings;
  readonly files: SourceFiles & { readonly fileSystem: FileSystem };
}

/** The sessions in one of an agent's directories, and what there could not be looked at. */
export interface FoundSources {
  readonly directory: string;
  readonly sources: readonly Source[];
  /** `reason`: as the end of a sentence that begins with the path. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** Every session of an agent, by the directories that it keeps them in. One that is not there is empty. */
export function findSources(agent: Agent, { surroundings, files }: ForeignPorts): readonly FoundSources[] {
  return agent.places(surroundings).map((directory) => {
    const sources: Source[] = [];
    const unreadable: { path: string; reason: string }[] = [];
    for (const found of discoverIn(agent, directory, files)) {
      if (found.kind === 'source') sources.push(found.source);
      else unreadable.push({ path: found.path, reason: found.reason });
    }
    return { directory, sources, unreadable };
  });
}

/**
 * The sources of each id that `id` names: those of that very id, else those of all that begin with it, in any case. An
 * id may have several sources, as where a project was copied: the one that changed last is first.
 */
export function sourcesNamed(id: string, found: readonly FoundSources[], { files }: ForeignPorts): Source[][] {
  const byId = new Map<string, Source[]>();
  for (const source of found.flatMap(({ sources }) => sources)) {
    const those = byId.get(source.id);
    if (those === undefined) byId.set(source.id, [source]);
    else those.push(source);
  }
  const exact = byId.get(id);
  const start = id.toLowerCase();
  const named = exact ? [exact] : [...byId].filter(([each]) => each.toLowerCase().startsWith(start)).map(([, s]) => s);
  for (const sources of named) {
    if (sources.length > 1) sources.sort((a, b) => changed(b, files) - changed(a, files));
  }
  return named;
}

function changed({ path }: Source, { fileSystem }: SourceFiles): number {
  try {
    return fileSystem.stat(path)?.modifiedMs ?? 0;
  } catch {
    return 0;
  }
}
