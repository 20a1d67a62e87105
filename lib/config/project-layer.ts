// The configuration that a project brings along: the nearest .ollm/config.yaml at or above the current directory. It
// counts only as far as project-rules.ts allows, and not at all if it is not ours.
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { FileSystem } from '../platform/index.ts';
import { type Entry, fileLayer, type Layer } from './layers.ts';
import { PROJECT_RULES } from './project-rules.ts';
import type { LoadConfigOptions } from './types.ts';

type Reader = Pick<FileSystem, 'stat' | 'realPath'>;

export interface ProjectFile {
  readonly root: string;
  readonly path: string;
}

/** The nearest one; never the user's own directory, which lies above most projects and is called the same. */
export function findProjectFile(reader: Reader, cwd: string, home: string): ProjectFile | undefined {
  for (let root = cwd; ; root = dirname(root)) {
    const path = join(root, '.ollm', 'config.yaml');
    if (join(root, '.ollm') !== home && isThere(reader, path)) return { root, path };
    if (dirname(root) === root) return undefined;
  }
}

/** @throws OllmError CONFIG_INVALID: it cannot be read, or is no YAML */
export async function projectLayer(
  { root, path }: ProjectFile,
  { fileSystem, homeDirectory, uid }: Pick<LoadConfigOptions, 'fileSystem' | 'homeDirectory' | 'uid'>,
  valueBelow: (key: string) => unknown,
): Promise<Layer | { readonly ignored: string }> {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file') return { ignored: `${path} is ignored: it is no regular file.` };
  if (uid !== undefined && stat.uid !== uid && stat.uid !== 0) {
    return { ignored: `${path} is ignored: it belongs to another user (${stat.uid}).` };
  }
  const layer = await fileLayer('project', path, { directory: root, homeDirectory });
  const entries = new Map<string, Entry>();
  const warnings: string[] = [];
  const isInside = (inner: string) => liesInside(fileSystem, inner, root);
  for (const [key, entry] of layer.entries) {
    const rule = PROJECT_RULES[key];
    if (rule?.allows(entry.value, { below: valueBelow(key), isInside })) entries.set(key, entry);
    else warnings.push(`${entry.source}: ${key} is ignored: ${refusal(rule?.words)}`);
  }
  return { ...layer, entries, warnings };
}

function refusal(words: string | undefined): string {
  return words === undefined
    ? 'a project may not set it. Set it in your own config.yaml if you want it.'
    : `a project may set it only to something else (${words}).`;
}

/** Whether a path lies in the directory, also when all links on the way are followed as far as it exists. */
function liesInside(reader: Reader, path: string, directory: string): boolean {
  const isBelow = (inner: string, outer: string) => {
    const way = relative(outer, inner);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  };
  if (!isBelow(path, directory)) return false;
  let existing = path;
  while (!isThere(reader, existing)) existing = dirname(existing);
  try {
    return isBelow(reader.realPath(existing), reader.realPath(directory));
  } catch {
    // A link that leads nowhere, or where we may not look: nothing says that it stays inside.
    return false;
  }
}

function isThere(reader: Reader, path: string): boolean {
  try {
    return reader.stat(path) !== undefined;
  } catch {
    return false;
  }
}
