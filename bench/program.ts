// The built program, run as whole processes: to their end, on a pseudo-terminal where a person would, or as a server.
// run.ts builds it.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pty from '@lydell/node-pty';
import { type Served, serve } from '../__tests__/support/served.ts';
import type { Reference } from './measure.ts';

const SCRIPT = join(import.meta.dirname, '../bin/ollm.js');
const REPORTER = join(import.meta.dirname, 'report-peak.mjs');
const LIMIT_MS = 120_000;
/** The bytes that the REPL writes when it waits for input: they make the terminal mark pasted text. */
export const PROMPT = '\x1b[?2004h';

function optionsIn(home: string, more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, HOME: home, OLLM_HOME: home, OLLAMA_HOST: 'http://127.0.0.1:9', ...more };
  return { cwd: home, env: env as Readonly<Record<string, string>> };
}

/** Runs a program to its end, and returns its output. */
export function runToEnd(program: string, parameters: readonly string[], options: object = {}): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

function runNode(parameters: readonly string[], home: string, more?: NodeJS.ProcessEnv): number {
  const started = performance.now();
  runToEnd(process.execPath, parameters, { ...optionsIn(home, more), stdio: ['ignore', 'ignore', 'pipe'] });
  return performance.now() - started;
}

/** Runs ollm to its end, its output thrown away. Milliseconds. */
export function runProgram(home: string, ...options: readonly string[]): number {
  return runNode([SCRIPT, ...options], home);
}

/** The floor of every start: Node with nothing to do. */
export function emptyNode(goal: number): Reference {
  return ['node -e 0', () => runNode(['-e', '0'], '/', { NODE_COMPILE_CACHE: undefined }), goal];
}

/** The peak of resident memory in MB. `nodeOptions`: of Node itself. */
export function peakOf(home: string, options: readonly string[], nodeOptions: readonly string[] = []): number {
  const report = join(home, 'peak');
  runNode([...nodeOptions, '--import', REPORTER, SCRIPT, ...options], home, { BENCH_PEAK: report });
  return Number(readFileSync(report, 'utf8')) / 1000;
}

/** Processor time in steps of ten milliseconds, on Linux: of a process, or of those that it started and that ended. */
export function processorMs(of: number | 'children'): number {
  const stat = readFileSync(`/proc/${of === 'children' ? 'self' : of}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
  const [user, system] = of === 'children' ? fields.slice(14, 16) : fields.slice(12, 14);
  return 10 * (Number(user) + Number(system));
}

/** Resident memory of a process in MB, on Linux. */
export function residentMb(pid: number): number {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6;
}

/** A pseudo-terminal without the screen of the tests, whose drawing would take as long as the program. */
export function openTerminal(home: string, options: readonly string[], variables?: NodeJS.ProcessEnv) {
  const own = optionsIn(home, { ...variables, TERM: 'xterm-256color' });
  const child = pty.spawn(process.execPath, [SCRIPT, ...options], { ...own, cols: 100, rows: 30 });
  let written = '';
  let check = () => {};
  child.onData((text) => {
    written += text;
    check();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  /** Rejects if the program fails, or is still running after two minutes: then it is ended. */
  const ended = new Promise<void>((resolve, reject) => {
    child.onExit(({ exitCode, signal }) => {
      clearTimeout(timer);
      if (exitCode === 0 && !signal) resolve();
      else reject(new Error(`${options.join(' ')} ended with ${signal || exitCode}: ${written.slice(-500)}`));
    });
  });
  const type = (text: string) => child.write(text);
  return {
    ended,
    pid: child.pid,
    type,
    /** Resolves with the time by `performance.now()` when this text is written after now. */
    shows(text: string): Promise<number> {
      const from = written.length;
      const shown = new Promise<number>((resolve) => {
        check = () => void (written.includes(text, from) && resolve(performance.now()));
      });
      return Promise.race([shown, ended.then(() => Promise.reject(new Error(`It never wrote ${text}`)))]);
    },
    /** As a person ends it, with the end of input. */
    leave(): Promise<void> {
      type('\x04');
      return ended;
    },
  };
}

/** How long until this text is written on its terminal; then the program is ended. Milliseconds. */
export async function untilShown(text: string, home: string, ...options: readonly string[]): Promise<number> {
  const started = performance.now();
  const terminal = openTerminal(home, options);
  const shown = await terminal.shows(text);
  await terminal.leave();
  return shown - started;
}

export function startServer(home: string): Promise<Served> {
  const start = (options: readonly string[]) =>
    spawn(process.execPath, [SCRIPT, ...options], { ...optionsIn(home), stdio: 'pipe' });
  return serve({ start });
}
