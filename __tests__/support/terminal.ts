// A real pseudo-terminal with a program in it. Tests type, and wait for what a person would see: the screen is kept by
// a small emulator. Nothing here waits for a fixed time; what does not come in time fails with the screen in the
// message.
import pty from '@lydell/node-pty';
import { endWithTests } from './end-with-tests.ts';
import { pasted, type Shown, watchScreen } from './watched-screen.ts';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Exit {
  readonly code: number;
  readonly signal: number | undefined;
}

export interface Terminal extends Shown, AsyncDisposable {
  /** Resolves when the program has ended. */
  readonly exit: Promise<Exit>;
  type(text: string): void;
  /** As a terminal does that marks pastes. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
}

export interface ProcessTerminal extends Terminal {
  readonly pid: number;
  /** Closes the terminal under the program, as when its window is closed. */
  hangUp(): void;
  kill(signal: string): void;
}

/** The bell by itself: the same character also ends a command to the terminal. */
export const BELL = /(?<!\x1b\][^\x07\x1b]*)\x07/;

export function openTerminal(program: string, args: readonly string[], options: TerminalOptions): ProcessTerminal {
  const { columns = 80, rows = 24, cwd, env } = options;
  const child = pty.spawn(program, [...args], { cols: columns, rows, cwd, env: { TERM: 'xterm-256color', ...env } });
  const watched = watchScreen(columns, rows);
  child.onData(watched.write);
  const exit = new Promise<Exit>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      resolve({ code: exitCode, signal: signal || undefined });
      watched.end();
    });
  });

  endWithTests(() => {
    if (!watched.hasEnded()) child.kill('SIGKILL');
  });

  return {
    ...watched.shown,
    pid: child.pid,
    exit,
    type: (text) => child.write(text),
    paste: (text) => child.write(pasted(text)),
    resize(newColumns, newRows) {
      watched.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    hangUp() {
      (child as unknown as { destroy(): void }).destroy();
    },
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (!watched.hasEnded()) child.kill('SIGKILL');
      await exit;
    },
  };
}
