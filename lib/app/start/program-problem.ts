// Whether another user can change a program that ollm starts by itself: a hook, a server of MCP. Its file, a script
// among its arguments, and the directories in which these are.
import { dirname, isAbsolute } from 'node:path';
import { upwards } from '../../platform/files/inside.ts';
import { realPathOf } from '../../platform/files/io.ts';
import { ownershipProblem } from '../../platform/files/ownership.ts';
import type { App } from '../app.ts';

export interface ProgramProblem {
  readonly text: string;
  readonly remedy: string;
}

/** `words`: the program and its arguments. Undefined if only the user and the administrator can change it. */
export function programProblem(
  { fileSystem, process }: Pick<App, 'fileSystem' | 'process'>,
  words: readonly string[],
): ProgramProblem | undefined {
  for (const word of words.filter((each) => isAbsolute(each))) {
    const path = realPathOf(fileSystem, word);
    if (path === undefined) continue;
    for (const place of [path, ...upwards(dirname(path))]) {
      const stat = fileSystem.stat(place);
      const problem = stat && ownershipProblem(stat, process.uid);
      if (problem === undefined) continue;
      const text = `${place} ${problem.words}: they decide what is run for you.`;
      return { text, remedy: problem.kind === 'foreign' ? `Use a copy of your own.` : `Run "chmod go-w ${place}".` };
    }
  }
  return undefined;
}
