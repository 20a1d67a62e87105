// Starts a file of the tests, and with it lib/ as it is in the sources, in a process of its own. Node strips the
// types of a module only once for all of them: without that, each of many children would spend most of its time on it.
import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The variable that lets a child keep its compiled code for the next one. */
export const KEEP_COMPILED = {
  NODE_COMPILE_CACHE: join(tmpdir(), `ollm-tests-compiled-${process.getuid?.() ?? 'own'}`),
};

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** The errors go to the errors of the test, unless `errors` is 'pipe'. It has no input. */
export function startSource(
  file: string,
  args: readonly string[],
  { errors = 'inherit', env = process.env, ...options }: SpawnOptions & { readonly errors?: 'inherit' | 'pipe' } = {},
): Child {
  return spawn(process.execPath, ['--no-warnings', file, ...args], {
    ...options,
    env: { ...KEEP_COMPILED, ...env },
    stdio: ['ignore', 'pipe', errors],
  }) as Child;
}
