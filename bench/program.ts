// The built program, run as whole processes, on a pseudo-terminal where a person would. run.ts builds it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';

const SCRIPT = fileURLToPath(new URL('../bin/ollm.js', import.meta.url));
const REPORTER = fileURLToPath(new URL('report-peak.mjs', import.meta.url));
const LIMIT_MS = 120_000;
const END_OF_INPUT = '\x04';

/** The bytes that the REPL writes when it waits for input: they make the terminal mark pasted text. */
export const PROMPT = '\x1b[?2004h';

export type Program = ReturnType<typeof programIn>;

/** `directory`: where it keeps its compiled code. */
export function programIn(directory: string) {
  const environment = (home: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    ...process.env,
    OLLM_HOME: home,
    HOME: home,
    OLLAMA_HOST: 'http://127.0.0.1:9',
    NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
    ...more,
  });

  function start(nodeOptions: readonly string[], env: NodeJS.ProcessEnv, options: readonly string[]): number {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [...nodeOptions, SCRIPT, ...options], {
      cwd: env.HOME,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`ollm ${options.join(' ')} ended with ${status}: ${stderr}`);
    return performance.now() - started;
  }

  /** Starts it on a terminal. */
  const open = (home: string, variables: NodeJS.ProcessEnv, ...options: readonly string[]) =>
    openTerminal([SCRIPT, ...options], home, environment(home, variables));

  /** The peak of resident memory in MB, with options of Node itself. */
  const peakUnder = (nodeOptions: readonly string[], home: string, ...options: readonly string[]) => {
    const report = join(directory, 'peak');
    start([...nodeOptions, '--import', REPORTER], environment(home, { BENCH_PEAK: report }), options);
    return Number(readFileSync(report, 'utf8')) / 1000;
  };

  return {
    script: SCRIPT,
    open,
    peakUnder,
    peak: (home: string, ...options: readonly string[]) => peakUnder([], home, ...options),
    /** Runs it to its end, its output thrown away. Milliseconds. */
    run: (home: string, ...options: readonly string[]) => start([], environment(home, {}), options),
    /** Runs it on a terminal to its end. Milliseconds. */
    async runOnTerminal(home: string, ...options: readonly string[]) {
      const started = performance.now();
      await open(home, {}, ...options).ended;
      return performance.now() - started;
    },
    /** How long until this text is written on its terminal; then the program is ended. Milliseconds. */
    async until(text: string, home: string, ...options: readonly string[]) {
      const started = performance.now();
      const terminal = open(home, {}, ...options);
      const shown = await terminal.shows(text);
      terminal.type(END_OF_INPUT);
      await terminal.ended;
      return shown - started;
    },
  };
}

/** The floor of every start: Node with nothing to do. Milliseconds. */
export function emptyNode(): number {
  const started = performance.now();
  spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  return performance.now() - started;
}

export interface Terminal {
  /** Processor time that the program has taken, in steps of ten. On Linux. */
  processorMs(): number;
  type(text: string): void;
  /** Resolves with the time by `performance.now()` when this text is written after now. */
  shows(text: string): Promise<number>;
  /** Rejects if the program fails, or is still running after two minutes: then it is ended. */
  readonly ended: Promise<void>;
}

function openTerminal(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Terminal {
  const options = { cwd, env: { ...env, TERM: 'xterm-256color' }, cols: 100, rows: 30 };
  const child = pty.spawn(process.execPath, [...args], options);
  const command = args.join(' ');
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
      else reject(new Error(`${command} ended with ${signal || exitCode}: ${JSON.stringify(written.slice(-500))}`));
    });
  });
  return {
    ended,
    processorMs() {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .split(') ')
        .at(-1)!
        .split(' ')
        .slice(11, 13);
      return 10 * (Number(user) + Number(system));
    },
    type: (text) => child.write(text),
    shows(text) {
      written = '';
      const shown = new Promise<number>((resolve) => {
        check = () => {
          if (written.includes(text)) resolve(performance.now());
        };
      });
      return Promise.race([shown, ended.then(() => Promise.reject(new Error(`${command} never wrote ${text}`)))]);
    },
  };
}
