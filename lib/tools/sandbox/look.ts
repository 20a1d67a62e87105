// The real disk as scope-paths.ts asks about it. What cannot be looked at is not there.
import type { FileSystem } from '../../platform/file-system.ts';
import type { Look } from './scope-paths.ts';

/** `isNothing`: what counts as not there although it is, such as a placeholder that a crash left behind. */
export function lookAt(fileSystem: FileSystem, isNothing: (path: string) => boolean = () => false): Look {
  const orNothing = <T>(question: () => T): T | undefined => {
    try {
      return question();
    } catch {
      return undefined;
    }
  };
  return {
    kind: (path) => orNothing(() => (isNothing(path) ? undefined : fileSystem.stat(path)?.kind)),
    real: (path) => orNothing(() => fileSystem.realPath(path)),
    names: (path) => orNothing(() => fileSystem.readDirectory(path).map(({ name }) => name)) ?? [],
  };
}
