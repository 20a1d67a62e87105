// The instruction files of a project, from the root of its repository down to the current directory: the nearest comes
// last and weighs most. They are text of the repository: a link that leads out of it is not followed, and a long file
// is cut.
import { basename, join, relative } from 'node:path';
import { isCredentialName } from '../../discovery/credential-names.ts';
import { systemErrorCode } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isInside, upwards } from '../../platform/files/inside.ts';
import { readFile } from '../../platform/files/io.ts';

interface InstructionFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
  /** It could not be read; the text is a sentence that says why. */
  readonly problem: boolean;
}

export const INSTRUCTIONS_NAME = 'AGENTS.md';
const MAX_BYTES = 32 * 1024;
/** Directories deep. */
const MAX_FILES = 32;

/** A file that cannot be read is replaced by a sentence that says why. */
export function instructionFiles(fileSystem: FileSystem, root: string, directory: string): readonly InstructionFile[] {
  return directoriesBetween(root, directory)
    .slice(-MAX_FILES)
    .flatMap((folder) => {
      const file = join(folder, INSTRUCTIONS_NAME);
      const found = read(fileSystem, root, file);
      return found === undefined ? [] : [{ path: relative(root, file), ...found }];
    });
}

function directoriesBetween(top: string, bottom: string): readonly string[] {
  const above = [...upwards(bottom)];
  const end = above.indexOf(top);
  return end < 0 ? [top] : above.slice(0, end + 1).reverse();
}

type Found = Omit<InstructionFile, 'path'>;

function read(fileSystem: FileSystem, root: string, file: string): Found | undefined {
  try {
    if (fileSystem.stat(file) === undefined) return undefined;
    const target = fileSystem.realPath(file);
    if (!isInside(fileSystem.realPath(root), target)) return notRead('it is a link that leads out of the repository');
    if (isCredentialName(basename(target))) return notRead('it is a link to what may hold keys');
    const stat = fileSystem.stat(target);
    if (stat?.kind !== 'file') return notRead('it is not a regular file');
    return textOf(readFile(fileSystem, target, { maxBytes: MAX_BYTES }), stat.size);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return notRead(code);
  }
}

function textOf(beginning: Uint8Array, size: number): Found | undefined {
  // A character that the cut goes through is left out.
  const text = new TextDecoder().decode(beginning, { stream: size > MAX_BYTES });
  if (text.includes('\0')) return notRead('it is not text');
  if (size <= MAX_BYTES) return text.trim() === '' ? undefined : { text, problem: false };
  const cut = `… (cut: the file has ${size} bytes, these are the first ${MAX_BYTES})`;
  return { text: `${text}\n\n${cut}`, problem: false };
}

function notRead(reason: string): Found {
  return { text: `(Not read: ${reason}.)`, problem: true };
}
