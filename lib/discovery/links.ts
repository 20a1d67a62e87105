// Follows symbolic links on request: to a file or directory inside the root. Links out of the root or into a `.git`,
// links back to a directory above them, and broken links are refused and counted. So no path visits a directory twice,
// and the result depends only on the tree, not on the order of reading.
import { type Dirent, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isInside } from '../platform/files/inside.ts';
import type { DiscoveryReport } from './types.ts';

/** In one path. Links to links to links multiply, and are not meant. */
const MAX_LINKS_IN_A_PATH = 5;

type ResolvedEntry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

interface LinkResolver {
  /** The entries of a directory, each link as its target. Parents come before their children. */
  resolveAll(directory: string, entries: readonly Dirent[]): ResolvedEntry[];
  /** Where the link at `path` leads, if there is one that is followed. */
  targetOf(path: string): string | undefined;
}

/** Where a directory of the walk really is, and how it was reached. */
interface LinkPlace {
  readonly real: string;
  /** The real places of the directories that hold the links of this path. */
  readonly holders: readonly string[];
}

/** Paths are relative to `root`, with `/`. */
export function createLinkResolver(root: string, report: DiscoveryReport): LinkResolver {
  const realRoot = realpathSync(root);
  const places = new Map<string, LinkPlace>([['', { real: realRoot, holders: [] }]]);
  const targets = new Map<string, string>();

  function resolveLink(path: string, name: string, place: LinkPlace): ResolvedEntry | undefined {
    const target = realTarget(join(place.real, name));
    if (target === undefined) return undefined;
    if (!isInside(realRoot, target.real) || target.real.slice(realRoot.length).split(sep).includes('.git')) {
      report.linksOutside += 1;
      return undefined;
    }
    const holders = [...place.holders, place.real];
    if (target.isDirectory) {
      const isCircle = holders.some((holder) => isInside(target.real, holder));
      if (isCircle || holders.length > MAX_LINKS_IN_A_PATH) {
        report.linkCircles += 1;
        return undefined;
      }
      places.set(path, { real: target.real, holders });
    }
    targets.set(path, target.real);
    return { name, isFile: () => target.isFile, isDirectory: () => target.isDirectory, isSymbolicLink: () => false };
  }

  return {
    resolveAll(directory, entries) {
      const place = places.get(directory)!;
      return entries.flatMap((entry) => {
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        if (entry.isDirectory()) places.set(path, { ...place, real: join(place.real, entry.name) });
        if (!entry.isSymbolicLink()) return [entry];
        const resolved = resolveLink(path, entry.name, place);
        if (resolved === undefined) report.links += 1;
        return resolved ?? [];
      });
    },
    targetOf: (path) => targets.get(path),
  };
}

function realTarget(path: string): { real: string; isFile: boolean; isDirectory: boolean } | undefined {
  try {
    const real = realpathSync(path);
    const stat = statSync(real);
    if (!stat.isFile() && !stat.isDirectory()) return undefined;
    return { real, isFile: stat.isFile(), isDirectory: stat.isDirectory() };
  } catch {
    return undefined;
  }
}
