// The configuration that a project brings along: the nearest .ollm/config.yaml at or above the current directory. It
// counts only as far as project-rules.ts allows, and not at all if it is not ours.
import { dirname, join } from 'node:path';
import { wayInside } from '../platform/files/inside.ts';
import { ownershipProblem } from '../platform/files/ownership.ts';
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

export interface ProjectCircumstances {
  /** What the user's own layers say. */
  valueBelow(key: string): unknown;
  /** Where the user says which directories he trusts. */
  readonly userFile: string;
}

/** @throws OllmError CONFIG_INVALID: it cannot be read, or is no YAML */
export async function projectLayer(
  { root, path }: ProjectFile,
  { fileSystem, homeDirectory, uid }: Pick<LoadConfigOptions, 'fileSystem' | 'homeDirectory' | 'uid'>,
  { valueBelow, userFile }: ProjectCircumstances,
): Promise<Layer | { readonly ignored: string }> {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file') return { ignored: `${path} is ignored: it is not a regular file.` };
  const problem = ownershipProblem(stat, uid);
  if (problem?.kind === 'foreign') return { ignored: `${path} is ignored: it ${problem.words}.` };
  const layer = await fileLayer('project', path, { directory: root, homeDirectory });
  const isNamed = isTrustedDirectory(fileSystem, root, valueBelow(TRUST));
  const isTrusted = isNamed && problem === undefined;
  const entries = new Map<string, Entry>();
  const ignored: string[] = [];
  const isInside = (inner: string) => liesInside(fileSystem, inner, root);
  for (const [key, entry] of layer.entries) {
    const rule = PROJECT_RULES[key];
    const below = valueBelow(key);
    const isAllowed = isTrusted ? key !== TRUST : rule?.allows(entry.value, { below, isInside });
    if (isAllowed) entries.set(key, rule?.isAdded ? addedTo(below, entry) : entry);
    else ignored.push(`${entry.source}: ${key} is ignored: ${refusal(isTrusted ? undefined : rule?.words)}`);
  }
  const warnings = [...layer.warnings, ...ignored];
  if (isNamed && problem !== undefined) {
    warnings.push(`${path} ${problem.words}: it is not trusted until you run "chmod go-w ${path}".`);
  } else if (ignored.length > 0 && !isTrusted) {
    warnings.push(
      `${path}: if you trust this project like your own files, add ${JSON.stringify(root)} to trustedDirectories in ${userFile}: then it may set these settings too.`,
    );
  }
  return { ...layer, entries, warnings };
}

/** Whom to trust is for the user alone to say. */
const TRUST = 'trustedDirectories';

/** By the place itself, not by a link that leads to it, and not by a directory above it. */
function isTrustedDirectory(reader: Reader, root: string, trusted: unknown): boolean {
  if (!Array.isArray(trusted)) return false;
  const place = realPlace(reader, root);
  return place !== undefined && trusted.some((path) => typeof path === 'string' && realPlace(reader, path) === place);
}

function realPlace(reader: Reader, path: string): string | undefined {
  try {
    return reader.realPath(path);
  } catch {
    return undefined;
  }
}

/** What is not a list is left for the check to refuse. */
function addedTo(below: unknown, entry: Entry): Entry {
  if (!Array.isArray(below) || below.length === 0 || !Array.isArray(entry.value)) return entry;
  return { value: [...new Set([...below, ...entry.value])], source: `${entry.source}, added to yours` };
}

function refusal(words: string | undefined): string {
  return words === undefined
    ? 'a project may not set it. Set it in your own config.yaml.'
    : `a project may set it only to something else (${words}).`;
}

/** Whether a path lies in the directory, also when all links on the way are followed as far as it exists. */
function liesInside(reader: Reader, path: string, directory: string): boolean {
  if (wayInside(directory, path) === undefined) return false;
  let existing = path;
  while (!isThere(reader, existing)) existing = dirname(existing);
  try {
    return wayInside(reader.realPath(directory), reader.realPath(existing)) !== undefined;
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
