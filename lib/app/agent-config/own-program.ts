// The words by which another program starts this ollm later.
import { realPathOf } from '../../platform/files/io.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import { StartFailure } from '../../platform/processes/start-failure.ts';
import type { App } from '../app.ts';

/**
 * `ollm`, where that is this program for each one with the same PATH; else Node and the script, by their paths.
 *
 * @example
 * ownProgram(app, { node: process.execPath, script: process.argv[1] }); // ['ollm']
 */
export function ownProgram(
  { env, cwd, fileSystem, paths }: App,
  { node, script }: { readonly node: string; readonly script: string },
): readonly string[] {
  const own = realPathOf(fileSystem, script) ?? script;
  try {
    const found = findProgram('ollm', { path: env.PATH, cwd, untrusted: [paths.project] });
    if (realPathOf(fileSystem, found) === own) return ['ollm'];
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
  }
  return [node, own];
}
