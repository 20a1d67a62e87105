// The real disk as scope-paths.ts asks about it, for one moment: answers are remembered. A path that cannot be read
// counts as missing.
import type { FileSystem } from '../../platform/files/file-system.ts';
import type { DiskLook } from './scope-paths.ts';

/** `isNothing`: paths that count as missing although they exist, such as a placeholder that a crash left. */
export function lookAt(fileSystem: FileSystem, isNothing: (path: string) => boolean = () => false): DiskLook {
  return {
    kind: remembered((path) => (isNothing(path) ? undefined : fileSystem.stat(path)?.kind)),
    real: remembered((path) => fileSystem.realPath(path)),
    names: (path) => answerOf(() => fileSystem.readDirectory(path).map(({ name }) => name)) ?? [],
  };
}

function remembered<T>(question: (path: string) => T | undefined): (path: string) => T | undefined {
  const answers = new Map<string, T | undefined>();
  return (path) => {
    if (!answers.has(path))
      answers.set(
        path,
        answerOf(() => question(path)),
      );
    return answers.get(path);
  };
}

function answerOf<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}
