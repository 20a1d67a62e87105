// The configuration that a project brings along: the nearest .ollm/config.yaml at or above the current directory. It
// counts only as far as project-rules.ts allows, and not at all if it is not ours.
import { join } from 'node:path';
import { relativeInside, upwards } from '../platform/files/inside.ts';
import { realPathOf } from '../platform/files/io.ts';
import { ownershipProblem } from '../platform/files/ownership.ts';
import type { FileSystem } from '../platform/index.ts';
import { isTrustedDirectory } from './is-trusted.ts';
import { fileLayer, type Layer, type LayerEntry } from './layers.ts';
import { PROJECT_RULES } from './project-rules.ts';
import type { LoadConfigOptions } from './types.ts';

type Reader = Pick<FileSystem, 'stat' | 'realPath'>;

interface ProjectFile {
  readonly root: string;
  readonly path: string;
}

/** The nearest file; never that of the user's own directory, which is above most projects and has the same name. */
export function findProjectFile(reader: Reader, cwd: string, home: string): ProjectFile | undefined {
  for (const root of upwards(cwd)) {
    const path = join(root, '.ollm', 'config.yaml');
    if (join(root, '.ollm') !== home && isThere(reader, path)) return { root, path };
  }
  return undefined;
}

interface ProjectCircumstances {
  /** The value in the user's own layers. */
  valueBelow(key: string): unknown;
  /** The file in which the user names the directories that are trusted. */
  readonly userFile: string;
}

/** @throws OllmError CONFIG_INVALID: it cannot be read, or is not YAML */
export async function projectLayer(
  { root, path }: ProjectFile,
  { fileSystem, homeDirectory, uid }: Pick<LoadConfigOptions, 'fileSystem' | 'homeDirectory' | 'uid'>,
  { valueBelow, userFile }: ProjectCircumstances,
): Promise<(Layer & { readonly isTrusted: boolean }) | { readonly ignored: string }> {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file') return { ignored: `${path} is ignored: it is not a regular file.` };
  const problem = ownershipProblem(stat, uid);
  if (problem?.kind === 'foreign') return { ignored: `${path} is ignored: it ${problem.words}.` };
  const layer = await fileLayer('project', path, { directory: root, homeDirectory });
  const isNamed = isTrustedDirectory(fileSystem, root, valueBelow(TRUST));
  const isTrusted = isNamed && problem === undefined;
  const entries = new Map<string, LayerEntry>();
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
  return { ...layer, entries, warnings, isTrusted };
}

/** Only the user says which directories are trusted. */
const TRUST = 'trustedDirectories';

/** A value that is not a list is left for the check to refuse. */
function addedTo(below: unknown, entry: LayerEntry): LayerEntry {
  if (!Array.isArray(below) || below.length === 0 || !Array.isArray(entry.value)) return entry;
  return { value: [...new Set([...below, ...entry.value])], source: `${entry.source}, added to yours` };
}

function refusal(words: string | undefined): string {
  return words === undefined
    ? 'a project may not set it. Set it in your own config.yaml.'
    : `a project may set it only to something else (${words}).`;
}

/** Whether a path is in the directory, also after all links on the way are resolved, as far as it exists. */
function liesInside(reader: Reader, path: string, directory: string): boolean {
  if (relativeInside(directory, path) === undefined) return false;
  const existing = [...upwards(path)].find((folder) => isThere(reader, folder)) ?? path;
  const [root, place] = [realPathOf(reader, directory), realPathOf(reader, existing)];
  // A link that leads nowhere, or to a place that may not be read: nothing says that it stays inside.
  return root !== undefined && place !== undefined && relativeInside(root, place) !== undefined;
}

function isThere(reader: Reader, path: string): boolean {
  try {
    return reader.stat(path) !== undefined;
  } catch {
    return false;
  }
}
