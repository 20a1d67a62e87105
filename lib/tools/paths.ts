// Turns a path that a model gave into the place that is meant: absolute, with every link on the way resolved as far as
// there is one. Reads the disk and changes nothing. Where the place may be is not asked here: the policy decides on it.
import { basename, dirname, join, resolve } from 'node:path';
import { systemErrorCode } from '../errors/index.ts';
import type { FileStat, FileSystem } from '../platform/files/file-system.ts';
import { relativeInside } from '../platform/files/inside.ts';
import { ToolFailure, type ToolPlace } from './tool.ts';

/** The limits of common systems. */
const MAX_PATH_BYTES = 4095;
const MAX_SHOWN_CHARACTERS = 120;

/** A place on the disk. */
export interface ResolvedPath {
  /** Absolute and real: no part of it that exists is a link. */
  readonly path: string;
  /** For people and models: from the root of the project, or absolute if it is outside. */
  readonly shown: string;
  /** The stat of a path; undefined if nothing exists there. */
  readonly stat: FileStat | undefined;
}

/**
 * Resolves a path that starts at `place.cwd` unless it is absolute.
 *
 * @throws ToolFailure if it can name nothing: empty, too long, with NUL, through a file, a link to nowhere
 * @example
 * resolvePath(nodeFileSystem, 'lib/index.ts', { root: '/project', cwd: '/project' }).path // '/project/lib/index.ts'
 */
export function resolvePath(
  fileSystem: Pick<FileSystem, 'realPath' | 'stat'>,
  given: string,
  place: ToolPlace,
): ResolvedPath {
  checkPath(given);
  const path = realPathOf(fileSystem, resolve(place.cwd, given), given);
  const stat = statOf(fileSystem, path, given);
  if (stat?.kind === 'link')
    throw new ToolFailure(`${shorten(given)} is a link that leads nowhere. Name the file itself.`);
  return { path, shown: shownPath(path, place.root), stat };
}

/** Relative to the root, with `/`, if it is inside; unchanged otherwise. */
export function shownPath(path: string, root: string): string {
  const way = relativeInside(root, path);
  return way === '' ? '.' : (way ?? path);
}

/** As it is written in a sentence: the root itself is “the project”. */
export function placeName(shown: string): string {
  return shown === '.' ? 'the project' : shown;
}

/** A path as it may be written in a sentence: one line, not too long. */
export function shorten(path: string): string {
  const quoted = JSON.stringify(path.toWellFormed());
  return quoted.length <= MAX_SHOWN_CHARACTERS ? quoted : `${quoted.slice(0, MAX_SHOWN_CHARACTERS)}…"`;
}

function checkPath(given: string): void {
  if (given.trim() === '')
    throw new ToolFailure('The path is empty. Give one such as "README.md"; "." is the project.');
  if (given.includes('\0')) throw new ToolFailure(`The path ${shorten(given)} holds a NUL character. Leave it out.`);
  if (!given.isWellFormed()) throw new ToolFailure(`The path ${shorten(given)} is not valid Unicode text.`);
  if (Buffer.byteLength(given) > MAX_PATH_BYTES)
    throw new ToolFailure(`The path ${shorten(given)} is too long: at most ${MAX_PATH_BYTES} bytes are possible.`);
  if (given === '~' || given.startsWith('~/') || given.startsWith('~\\'))
    throw new ToolFailure(
      `"~" is not expanded in ${shorten(given)}. Give the path from the project on, or an absolute one; if a file is really called "~", put "./" before it.`,
    );
}

/** The real path of what exists of it, and the rest as it was given. */
function realPathOf(fileSystem: Pick<FileSystem, 'realPath'>, path: string, given: string): string {
  const missing: string[] = [];
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return join(fileSystem.realPath(existing), ...missing);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code !== 'ENOENT' || dirname(existing) === existing) throw unreachable(code, given, error);
    }
    missing.unshift(basename(existing));
  }
}

function statOf(fileSystem: Pick<FileSystem, 'stat'>, path: string, given: string): FileStat | undefined {
  try {
    return fileSystem.stat(path);
  } catch (error) {
    throw unreachable(systemErrorCode(error), given, error);
  }
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTDIR: 'leads through something that is a file, not a directory',
  ELOOP: 'leads through links that go in a circle',
  EACCES: 'lies in a directory that may not be looked into',
  EPERM: 'lies in a directory that may not be looked into',
  ENAMETOOLONG: 'has a name in it that is too long',
};

function unreachable(code: string | undefined, given: string, error: unknown): Error {
  if (code === undefined) return error as Error;
  return new ToolFailure(`${shorten(given)} ${UNREACHABLE[code] ?? `cannot be looked at (${code})`}.`, {
    cause: error,
  });
}
