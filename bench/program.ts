// The built program, run as whole processes, on a pseudo-terminal where a person would. run.ts builds it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pty from '@lydell/node-pty';

export const SCRIPT = join(import.meta.dirname, '../bin/ollm.js');
const REPORTER = join(import.meta.dirname, 'report-peak.mjs');
const LIMIT_MS = 120_000;
/** The bytes that the REPL writes when it waits for input: they make the terminal mark pasted text. */
export const PROMPT = '\x1b[?2004h';
export const END_OF_INPUT = '\x04';

/** The variables of a program in this home. */
export function environmentOf(home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, OLLM_HOME: home, OLLAMA_HOST: 'http://127.0.0.1:9', ...more };
}

function start(home: string, more: NodeJS.ProcessEnv, parameters: readonly string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...parameters], {
    cwd: home,
    env: environmentOf(home, more),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${parameters.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

/** Runs it to its end, its output thrown away. Milliseconds. */
export function runProgram(home: string, ...options: readonly string[]): number {
  return start(home, {}, [SCRIPT, ...options]);
}

/** The floor of every start: Node with nothing to do. Milliseconds. */
export function emptyNode(): number {
  return start('/', { NODE_COMPILE_CACHE: undefined }, ['-e', '0']);
}

/** The peak of resident memory in MB. `nodeOptions`: of Node itself. */
export function peakOf(home: string, options: readonly string[], nodeOptions: readonly string[] = []): number {
  const report = join(home, 'peak');
  start(home, { BENCH_PEAK: report }, [...nodeOptions, '--import', REPORTER, SCRIPT, ...options]);
  return Number(readFileSync(report, 'utf8')) / 1000;
}

/** How long until this text is written on its terminal; then the program is ended. Milliseconds. */
export async function untilShown(text: string, home: string, ...options: readonly string[]): Promise<number> {
  const started = performance.now();
  const terminal = openTerminal(home, options);
  const shown = await terminal.shows(text);
  terminal.type(END_OF_INPUT);
  await terminal.ended;
  return shown - started;
}

/** Processor time in steps of ten milliseconds, on Linux: of a process, or of those that it started and that ended. */
export function processorMs(of: number | 'children'): number {
  const fields = readFileSync(`/proc/${of === 'children' ? 'self' : of}/stat`, 'utf8')
    .split(') ')
    .at(-1)!
    .split(' ');
  const [user, system] = of === 'children' ? fields.slice(13, 15) : fields.slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

export interface Terminal {
  readonly pid: number;
  type(text: string): void;
  /** Resolves with the time by `performance.now()` when this text is written after now. */
  shows(text: string): Promise<number>;
  /** Rejects if the program fails, or is still running after two minutes: then it is ended. */
  readonly ended: Promise<void>;
}

export function openTerminal(home: string, options: readonly string[], variables: NodeJS.ProcessEnv = {}): Terminal {
  const env = { ...environmentOf(home, variables), TERM: 'xterm-256color' };
  const child = pty.spawn(process.execPath, [SCRIPT, ...options], { cwd: home, env, cols: 100, rows: 30 });
  let written = '';
  let check = () => {};
  child.onData((text) => {
    written = (written + text).slice(-100_000);
    check();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const ended = new Promise<void>((resolve, reject) => {
    child.onExit(({ exitCode, signal }) => {
      clearTimeout(timer);
      if (exitCode === 0 && !signal) resolve();
      else reject(new Error(`${options.join(' ')} ended with ${signal || exitCode}: ${written.slice(-500)}`));
    });
  });
  return {
    ended,
    pid: child.pid,
    type: (text) => child.write(text),
    shows(text) {
      written = '';
      const shown = new Promise<number>((resolve) => {
        check = () => {
          if (written.includes(text)) resolve(performance.now());
        };
      });
      return Promise.race([shown, ended.then(() => Promise.reject(new Error(`It never wrote ${text}`)))]);
    },
  };
}
