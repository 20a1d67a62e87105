// Runs the real command line in child processes, as a user would: the built program, a home of its own, no colour.
// The first test that needs the build makes it, when lib/ has changed since the last one; the others wait for it.
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithTests } from './end-with-tests.ts';
import { plantSecrets } from './planted.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What package.json names as the program. */
export const OLLM = join(ROOT, 'bin', 'ollm.js');

const STAMP = join(ROOT, 'dist', '.built');
const LOCK = join(tmpdir(), `ollm-build-${statSync(ROOT).ino}.lock`);
const BUILD_LIMIT_MS = 120_000;

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

/** A home directory that goes when its test does: `using home = createHome()`. Secrets of the environment fail it in there. */
export interface Home extends Disposable {
  readonly path: string;
  /** Where the journals are. */
  readonly sessions: string;
  journal(id: string): string;
  /** Runs `ollm` with these arguments in this home, to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Starts it, for tests that talk to it or end it. */
  start(args: readonly string[], options?: RunOptions): ReturnType<typeof spawn>;
  /** Makes a session by `ollm append` and answers with the acknowledgements. */
  append(id: string, lines: readonly object[]): Promise<readonly Record<string, unknown>[]>;
}

export function createHome(): Home {
  const path = mkdtempSync(join(tmpdir(), 'ollm-cli-'));
  const sessions = join(path, 'session-data');
  const secrets = plantSecrets();
  const home: Home = {
    path,
    sessions,
    journal: (id) => join(sessions, `${id}.jsonl`),
    async run(args, options = {}) {
      await ensureBuilt();
      const child = home.start(args, options);
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.setEncoding('utf8').on('data', (text: string) => {
          output[name] += text;
        });
      }
      // A program that ends before it has read everything is no fault of the test.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
      return new Promise((resolve) => {
        child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...output }));
      });
    },
    start(args, { cwd = path, env = {}, nodeOptions = [] } = {}) {
      const { PATH } = process.env;
      const child = spawn(process.execPath, [...nodeOptions, OLLM, ...args], {
        cwd,
        env: secrets.plant({ PATH, HOME: path, OLLM_HOME: path, OLLAMA_HOST: 'http://127.0.0.1:9', ...env }),
        stdio: 'pipe',
      });
      endWithTests(() => child.kill('SIGKILL'));
      return child;
    },
    async append(id, lines) {
      const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const { stdout, stderr, exitCode } = await home.run(['append', id, '--create'], { input });
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

/** Builds dist/ unless it is as new as lib/. Types are held by "npm run check"; here it is the program that counts. */
export async function ensureBuilt(): Promise<void> {
  const deadline = performance.now() + BUILD_LIMIT_MS;
  while (!isFresh()) {
    if (takeLock()) {
      try {
        if (!isFresh()) build();
      } finally {
        rmSync(LOCK, { force: true });
      }
      return;
    }
    if (performance.now() > deadline) rmSync(LOCK, { force: true });
    await setTimeout(100);
  }
}

function isFresh(): boolean {
  return existsSync(STAMP) && statSync(STAMP).mtimeMs >= newestSource();
}

function newestSource(): number {
  const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(ROOT, 'lib', file)).mtimeMs));
}

function takeLock(): boolean {
  try {
    closeSync(openSync(LOCK, 'wx'));
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

/** Parts have names by their content and old ones stay: a program that runs meanwhile still finds what it loads later. */
function build(): void {
  const newest = newestSource() / 1000;
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci', 'bundle.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The build failed:\n${stderr}`);
  writeFileSync(STAMP, '');
  // A source that changes while the build runs makes it old again.
  utimesSync(STAMP, newest, newest);
}
