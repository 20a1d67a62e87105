// A program of Node on a real pseudo-terminal: talked to, waited for, or run to its end. Who waits for something that never
// comes is told what came instead, after a minute at most: a bench that nobody watches must not stand still.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program on a terminal. */
export interface TerminalProgram {
  /** What all its threads have had of the processor so far, in milliseconds; undefined where the system does not say. */
  processorTime(): number | undefined;
  type(text: string): void;
  /**
   * Resolves when this text is written after now, with the time by `performance.now()`. Rejects when the program ends before
   * that, or when it takes too long: then the program is ended.
   */
  shows(text: string): Promise<number>;
  /** Tells it that nothing more is typed, and waits until it has ended. Ends it where that takes too long, and rejects. */
  end(): Promise<void>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** How long anything is waited for. */
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;
const END_OF_INPUT = '\x04';
/** Of what was written, for a message. */
const LAST_CHARACTERS = 2_000;

export async function openTerminal(
  args: readonly string[],
  { limitMs = LIMIT_MS, ...options }: TerminalOptions,
): Promise<TerminalProgram> {
  const terminal = await spawnOnTerminal(args, options);
  let written = '';
  /** Written before the text that is waited for. */
  let before = '';
  let isOver = false;
  let check = () => {};
  terminal.onData((output) => {
    written += output.toString();
    check();
  });
  terminal.onExit(() => {
    isOver = true;
    check();
  });

  function comes(has: () => boolean, what: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer);
        check = () => {};
        act();
      };
      const fail = (why: string) => {
        const last = (before + written).slice(-LAST_CHARACTERS);
        settle(() => reject(new Error(`${why} before ${what}. What it wrote last: ${JSON.stringify(last)}`)));
      };
      const timer = setTimeout(() => {
        fail(`${limitMs / 1000} s were over`);
        if (!isOver) terminal.kill('SIGKILL');
      }, limitMs);
      check = () => {
        if (has()) settle(() => resolve(performance.now()));
        else if (isOver) fail('The program had ended');
      };
      check();
    });
  }

  return {
    processorTime: () => processorTimeOf(terminal.pid),
    type: (text) => terminal.write(text),
    shows(text) {
      before = (before + written).slice(-LAST_CHARACTERS);
      written = '';
      return comes(() => written.includes(text), `it showed ${JSON.stringify(text)}`);
    },
    async end() {
      if (!isOver) terminal.write(END_OF_INPUT);
      await comes(() => isOver, 'the program ended');
    },
  };
}

/** Runs it to its end, and takes what it writes as quickly as it comes. Milliseconds. */
export async function runOnTerminal(
  args: readonly string[],
  { limitMs = LIMIT_MS, ...options }: TerminalOptions,
): Promise<number> {
  const started = performance.now();
  const terminal = await spawnOnTerminal(args, options);
  let last: Buffer = Buffer.of();
  terminal.onData((output) => {
    last = output;
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    terminal.kill('SIGKILL');
  }, limitMs);
  const exitCode = await new Promise((resolve) => terminal.onExit((exit) => resolve(exit.exitCode)));
  clearTimeout(timer);
  const ms = performance.now() - started;
  if (exitCode === 0 && !isLate) return ms;
  const why = isLate ? `did not end in ${limitMs / 1000} s` : `ended with ${exitCode}`;
  throw new Error(`${args.join(' ')} ${why}. What it wrote last: ${JSON.stringify(last.toString())}`);
}

interface Terminal {
  readonly pid: number;
  onData(listener: (output: Buffer) => void): unknown;
  onExit(listener: (exit: { readonly exitCode: number }) => void): unknown;
  write(text: string): void;
  kill(signal: string): void;
}

async function spawnOnTerminal(
  args: readonly string[],
  { cwd, env }: Omit<TerminalOptions, 'limitMs'>,
): Promise<Terminal> {
  const { spawn } = await import('@lydell/node-pty');
  return spawn(process.execPath, [...args], {
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
    cols: 100,
    rows: 30,
    // Bytes: to make text of them would be our time, for which the program waits.
    encoding: null,
  }) as unknown as Terminal;
}

/** Linux counts it in nanoseconds, thread by thread. */
function processorTimeOf(pid: number): number | undefined {
  try {
    const tasks = `/proc/${pid}/task`;
    const times = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ')[0]);
    return times.reduce((sum, time) => sum + Number(time), 0) / 1e6;
  } catch {
    return undefined;
  }
}
