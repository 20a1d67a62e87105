// A real pseudo-terminal with a program in it. Tests type, and wait for what a person would see: the screen is kept by
// a small emulator. Nothing here waits for a fixed time; what does not come in time fails with the screen in the
// message.
import pty from '@lydell/node-pty';
import { endWithTests } from './end-with-tests.ts';
import { createVirtualScreen } from './virtual-screen.ts';

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

export interface Terminal extends AsyncDisposable {
  readonly pid: number;
  /** Resolves when the program has ended. */
  readonly exit: Promise<Exit>;
  type(text: string): void;
  /** The text of the row in which the cursor is, up to the cursor. */
  beforeCursor(): string;
  /** As a terminal does that marks pastes. */
  paste(text: string): void;
  /** Waits until the screen, or what scrolled out of it, shows this somewhere below what was waited for before. */
  waitFor(text: string | RegExp): Promise<void>;
  /** Waits until the screen is as `isSo` says. */
  waitUntil(isSo: (lines: readonly string[]) => boolean, what: string): Promise<void>;
  /** All lines so far, without spaces at their ends. */
  lines(): string[];
  /** Everything that was written, with its control sequences. */
  raw(): string;
  resize(columns: number, rows: number): void;
  /** Closes the terminal under the program, as when its window is closed. */
  hangUp(): void;
  kill(signal: string): void;
}

/** The bell by itself: the same character also ends a command to the terminal. */
export const BELL = /(?<!\x1b\][^\x07\x1b]*)\x07/;

const PATIENCE_MS = 20_000;

export function openTerminal(program: string, args: readonly string[], options: TerminalOptions): Terminal {
  const { columns = 80, rows = 24, cwd, env } = options;
  const child = pty.spawn(program, [...args], { cols: columns, rows, cwd, env: { TERM: 'xterm-256color', ...env } });
  const screen = createVirtualScreen(columns, rows);
  let raw = '';
  let seenLines = 0;
  let seenColumn = 0;
  let gone = false;
  const watchers = new Set<() => void>();

  child.onData((text) => {
    raw += text;
    screen.write(text);
    for (const watcher of watchers) watcher();
  });
  const exit = new Promise<Exit>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      gone = true;
      resolve({ code: exitCode, signal: signal || undefined });
      for (const watcher of watchers) watcher();
    });
  });

  endWithTests(() => {
    if (!gone) child.kill('SIGKILL');
  });

  const until = (isSo: () => boolean, what: string) =>
    new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        watchers.delete(check);
        settle();
      };
      const fail = (why: string) =>
        finish(() => reject(new Error(`${why} while waiting for ${what}. The screen:\n${screen.lines().join('\n')}`)));
      const check = () => {
        if (isSo()) finish(resolve);
        else if (gone) fail('The program ended');
      };
      const timer = setTimeout(() => fail('Nothing came'), PATIENCE_MS);
      watchers.add(check);
      check();
    });

  return {
    pid: child.pid,
    exit,
    type: (text) => child.write(text),
    beforeCursor: () => screen.beforeCursor(),
    paste: (text) => child.write(`\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`),
    waitFor(wanted) {
      const pattern = typeof wanted === 'string' ? new RegExp(literally(wanted), 'g') : new RegExp(wanted.source, 'g');
      return until(() => {
        const lines = screen.lines();
        for (let row = seenLines; row < lines.length; row++) {
          pattern.lastIndex = row === seenLines ? seenColumn : 0;
          const match = pattern.exec(lines[row]!);
          if (!match) continue;
          seenLines = row;
          seenColumn = match.index + match[0].length;
          return true;
        }
        return false;
      }, String(wanted));
    },
    waitUntil: (isSo, what) => until(() => isSo(screen.lines()), what),
    lines: () => screen.lines(),
    raw: () => raw,
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows);
      child.resize(newColumns, newRows);
    },
    hangUp() {
      (child as unknown as { destroy(): void }).destroy();
    },
    kill: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      if (!gone) child.kill('SIGKILL');
      await exit;
    },
  };
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
