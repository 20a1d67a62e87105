// The program as it is installed: built from this checkout into a directory of its own, run as whole processes.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { bundleProgram } from '../.ci/bundle.ts';
import { HOOK, hookVariables, modulesDuring } from './loaded-modules.ts';
import type { ReplayOrder } from './replay-child.ts';
import { openTerminal, runOnTerminal, type TerminalProgram } from './terminal-program.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** In one file too, so that it loads no more than it needs. */
const REPLAYER = {
  entryPoints: [fileURLToPath(new URL('replay-child.ts', import.meta.url))],
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
} as const satisfies BuildOptions;
const REPORTER = fileURLToPath(new URL('report-peak.mjs', import.meta.url));

export interface Program {
  /** Runs it to its end with nothing on stdin and its output thrown away. Milliseconds. */
  run(home: string, ...options: readonly string[]): number;
  /** Runs a replay by the library alone, as a program of its own (replay-child.ts), to its end. Milliseconds. */
  replay(order: ReplayOrder): number;
  /** The same where the system lets it use one core only; needs `taskset`. */
  runOnOneCore(home: string, ...options: readonly string[]): number;
  /** The same, for its peak of resident memory. MB. */
  peak(home: string, ...options: readonly string[]): number;
  /** The same, for the files that it loads. */
  modules(home: string, ...options: readonly string[]): Promise<readonly string[]>;
  /** Runs it on a terminal to its end. Milliseconds. */
  runOnTerminal(home: string, ...options: readonly string[]): Promise<number>;
  /** How long until this text stands on its terminal; then it is ended. Milliseconds. */
  until(text: string, home: string, ...options: readonly string[]): Promise<number>;
  /** Runs it on a terminal, to be talked to. */
  open(home: string, variables: Variables, ...options: readonly string[]): Promise<TerminalProgram>;
}

type Variables = Readonly<Record<string, string>>;

export async function buildProgram(directory: string): Promise<Program> {
  const at = join(directory, 'program');
  mkdirSync(at);
  cpSync(join(ROOT, 'bin'), join(at, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(at, 'package.json'));
  for (const name of ['node_modules', 'schemas']) symlinkSync(join(ROOT, name), join(at, name));
  await bundleProgram(join(at, 'dist/program'));
  const replayer = join(at, 'dist/replay-child.js');
  await build({ ...REPLAYER, outfile: replayer });

  const script = join(at, 'bin/ollm.js');
  const environment = (home: string) => ({
    ...process.env,
    OLLM_HOME: home,
    HOME: home,
    NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
  });

  function start(
    nodeOptions: readonly string[],
    env: NodeJS.ProcessEnv,
    options: readonly string[],
    { before = [], file = script }: { readonly before?: readonly string[]; readonly file?: string } = {},
  ): number {
    const started = performance.now();
    const [command, ...args] = [...before, process.execPath, ...nodeOptions, file, ...options];
    const { status, stderr } = spawnSync(command!, args, {
      cwd: env.HOME,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${file} ${options.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - started;
  }

  return {
    run: (home, ...options) => start([], environment(home), options),
    runOnOneCore: (home, ...options) => start([], environment(home), options, { before: ['taskset', '-c', '0'] }),
    replay: (order) => start([], environment(order.directory), [JSON.stringify(order)], { file: replayer }),
    peak(home, ...options) {
      const report = join(directory, 'peak');
      start(['--import', REPORTER], { ...environment(home), OLLM_BENCH_PEAK: report }, options);
      return Number(readFileSync(report, 'utf8')) / 1000;
    },
    modules(home, ...options) {
      const list = join(directory, 'loaded.txt');
      return modulesDuring(list, () =>
        start(['--import', HOOK], { ...environment(home), ...hookVariables(list) }, options),
      );
    },
    runOnTerminal: (home, ...options) => runOnTerminal([script, ...options], { cwd: home, env: environment(home) }),
    open: (home, variables, ...options) =>
      openTerminal([script, ...options], { cwd: home, env: { ...environment(home), ...variables } }),
    async until(text, home, ...options) {
      const started = performance.now();
      const terminal = await openTerminal([script, ...options], { cwd: home, env: environment(home) });
      const shown = await terminal.shows(text);
      await terminal.end();
      return shown - started;
    },
  };
}
