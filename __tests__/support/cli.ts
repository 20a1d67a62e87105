// Runs the real command line in child processes, as a user would: the built program, a home of its own, no colour.
// .ci/build.ts has built it before the first test begins.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithTests } from './end-with-tests.ts';
import { inputStream, runHere, textSink } from './ollm-here.ts';
import { plantSecrets } from './planted.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What package.json names as the program. */
export const OLLM = join(ROOT, 'bin', 'ollm.js');

export interface RunOptions {
  readonly cwd?: string;
  /** Added to PATH, HOME and OLLM_HOME; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** Options for node itself. */
  readonly nodeOptions?: readonly string[];
}

export interface RunResult {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A home directory that goes when its test does: `using home = createHome()`. Secrets of the environment fail it in
 * there.
 */
export interface Home extends Disposable {
  readonly path: string;
  /** Where the journals are. */
  readonly sessions: string;
  journal(id: string): string;
  /** Runs `ollm` with these arguments in this home, to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Does the same in this process, if that makes no difference to the test: it costs a tenth. */
  here(args: readonly string[], options?: Omit<RunOptions, 'nodeOptions'>): Promise<RunResult>;
  /** Starts it, for tests that talk to it or end it. */
  start(args: readonly string[], options?: RunOptions): ReturnType<typeof spawn>;
  /** Makes a session by `ollm append` in this process, and answers with the acknowledgements. */
  append(id: string, lines: readonly object[]): Promise<readonly Record<string, unknown>[]>;
}

export function createHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'ollm-cli-'));
  const sessions = join(path, 'session-data');
  const secrets = plantSecrets();
  const variables = (env: RunOptions['env']) => {
    const { PATH } = process.env;
    return secrets.plant({ PATH, HOME: path, OLLM_HOME: path, OLLAMA_HOST: 'http://127.0.0.1:9', ...env });
  };
  const home: Home = {
    path,
    sessions,
    journal: (id) => join(sessions, `${id}.jsonl`),
    async run(args, options = {}) {
      const child = home.start(args, options);
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.setEncoding('utf8').on('data', (text: string) => {
          output[name] += text;
        });
      }
      // A program that ends before it has read everything is not a fault of the test.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
      return new Promise((resolve) => {
        child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }));
      });
    },
    async here(args, { cwd = path, env = {}, input = '' } = {}) {
      const output = { stdout: '', stderr: '' };
      const sink = (name: keyof typeof output) =>
        textSink((text) => {
          output[name] += text;
        });
      const stdin = inputStream();
      stdin.end(input);
      const streams = { stdin, stdout: sink('stdout'), stderr: sink('stderr') };
      const exitCode = await runHere(args, { env: variables(env), cwd, ...streams });
      return { exitCode, signal: null, ...output };
    },
    start(args, { cwd = path, env = {}, nodeOptions = [] } = {}) {
      const child = spawn(process.execPath, [...nodeOptions, OLLM, ...args], {
        cwd,
        env: variables(env),
        stdio: 'pipe',
      });
      endWithTests(() => child.kill('SIGKILL'));
      return child;
    },
    async append(id, lines) {
      const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { stdout, stderr, exitCode } = await home.here(['append', id, '--create'], { input });
      if (exitCode !== 0) throw new Error(`ollm append failed with ${exitCode}: ${stderr}${stdout}`);
      return parseLines(stdout);
    },
    [Symbol.dispose]() {
      try {
        secrets.requireKept(path);
      } finally {
        rmSync(path, { recursive: true, force: true });
      }
    },
  };
  return home;
}

export function parseLines(ndjson: string): Record<string, unknown>[] {
  return ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
