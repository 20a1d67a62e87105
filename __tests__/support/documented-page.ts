// Runs the examples of a page as a reader would, with `ollm` on the path, in a project and a home that the test made.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OLLM, ROOT } from './cli.ts';
import { documentedCommands, outputFits, runInOneShell } from './documented-commands.ts';

export interface Places {
  /** Where the commands run. */
  readonly project: string;
  /** The home of who runs them. Its `bin` is the first on the path. */
  readonly home: string;
}

/** `describe`, with the program built; skipped, and said why, where a program that the examples use is missing. */
export function describeExamples(title: string, needs: readonly string[], tests: () => void): void {
  const missing = needs.filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length > 0) console.info(`skipped: ${title}: ${missing.join(', ')} missing`);
  (missing.length > 0 ? describe.skip : describe)(title, () => {
    tests();
  });
}

/**
 * Runs what a page shows (`docs/turns.md`), and fails with its line where it prints something else. Returns the number
 * of commands.
 */
export async function runPage(page: string, { project, home }: Places): Promise<number> {
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeProgram(join(home, 'bin', 'ollm'), `'${process.execPath}' '${OLLM}'`);
  const env = { PATH: `${join(home, 'bin')}:${process.env.PATH}`, HOME: home, LC_ALL: 'C' };
  const commands = documentedCommands(join(ROOT, page));
  const runs = await runInOneShell(commands, { cwd: project, env });
  for (const [index, { command, expected, line }] of commands.entries()) {
    const { output } = runs[index]!;
    if (!outputFits(output, expected))
      expect({ line, command, output }).toEqual({ line, command, output: expected.join('\n') });
  }
  return commands.length;
}

/** A program that hands its arguments on to another. */
export function writeProgram(path: string, program: string): void {
  writeFileSync(path, `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
}
