// A Markdown file that the user, or a project, wrote for ollm: a command, a skill. A file of a project is text of
// another author: links out of the project, or to files that may hold keys, are not followed. A file of the user is one
// that no other user can change.
import { basename, dirname } from 'node:path';
import { isCredentialName } from '../../discovery/credential-names.ts';
import { systemErrorCode } from '../../errors/index.ts';
import { isInside } from '../../platform/files/inside.ts';
import { readFile } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { App } from '../app.ts';

const MAX_MARKDOWN_BYTES = 64 * 1024;

type MarkdownFile =
  | { readonly text: string; readonly problem?: undefined }
  /** Why it is not read: after the name of the file it makes a sentence. */
  | { readonly text?: undefined; readonly problem: string };

/**
 * Undefined: it is not there. `within`: the directory that a link must not lead out of; without it, the file is the
 * user's own.
 */
export function readMarkdownFile(
  { fileSystem, process }: Pick<App, 'fileSystem' | 'process'>,
  path: string,
  within: string | undefined,
): MarkdownFile | undefined {
  try {
    if (fileSystem.stat(path) === undefined) return undefined;
    const target = fileSystem.realPath(path);
    if (within !== undefined && !isInside(fileSystem.realPath(within), target))
      return { problem: 'is a link that leads out of the project' };
    if (isCredentialName(basename(target))) return { problem: 'may hold keys, by its name' };
    const stat = fileSystem.stat(target);
    if (stat?.kind !== 'file') return { problem: 'is not a regular file' };
    const foreign = ownershipProblem(stat, process.uid);
    if (foreign?.kind === 'foreign') return { problem: foreign.words };
    if (within === undefined) {
      const shared = sharedProblem({ fileSystem, process }, path, target);
      if (shared !== undefined) return { problem: shared };
    }
    const bytes = readFile(fileSystem, target, { maxBytes: MAX_MARKDOWN_BYTES + 1 });
    if (bytes.length > MAX_MARKDOWN_BYTES) return { problem: `is longer than ${MAX_MARKDOWN_BYTES / 1024} KiB` };
    const text = new TextDecoder().decode(bytes);
    return text.includes('\0') ? { problem: 'is not text' } : { text };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    // What should be a directory on the way is a file.
    if (code === 'ENOTDIR') return undefined;
    return { problem: `cannot be read (${code})` };
  }
}

/**
 * A text of the user's own instructs unasked: no other user may be able to change it, or to put another in its place.
 */
function sharedProblem(
  { fileSystem, process }: Pick<App, 'fileSystem' | 'process'>,
  path: string,
  target: string,
): string | undefined {
  const folders = [dirname(target), dirname(path), dirname(dirname(path))];
  for (const each of [target, ...folders]) {
    const stat = fileSystem.stat(fileSystem.realPath(each));
    const problem = stat === undefined ? undefined : ownershipProblem(stat, process.uid);
    if (problem === undefined) continue;
    const advice = problem.kind === 'writable' ? ' ("chmod go-w" it if you trust it)' : '';
    return `${each === target ? '' : `is in ${each}, which `}${problem.words}${advice}`;
  }
  return undefined;
}
