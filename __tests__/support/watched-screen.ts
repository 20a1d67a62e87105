// What a terminal shows, and the waiting for it: nothing here waits for a fixed time, and what does not come in time
// fails with the screen in the message.
import { createVirtualScreen } from './virtual-screen.ts';

export interface Shown {
  /** The text of the row in which the cursor is, up to the cursor. */
  beforeCursor(): string;
  /** Waits until the screen, or its scrolled part, shows this somewhere below the last awaited text. */
  waitFor(text: string | RegExp): Promise<void>;
  /** Waits until the screen is as `isSo` says. */
  waitUntil(isSo: (lines: readonly string[]) => boolean, what: string): Promise<void>;
  /** All lines up to now, without spaces at their ends. */
  lines(): string[];
  /** Everything that was written, with its control sequences. */
  raw(): string;
}

export interface WatchedScreen {
  readonly shown: Shown;
  /** Takes the output of the program. */
  readonly write: (text: string) => void;
  resize(columns: number, rows: number): void;
  /** The program has ended: nothing more comes. */
  end(): void;
  hasEnded(): boolean;
}

/** Far longer than any wait on a machine that does much else. */
const PATIENCE_MS = 300_000;

export function watchScreen(columns: number, rows: number): WatchedScreen {
  const screen = createVirtualScreen(columns, rows);
  const watchers = new Set<() => void>();
  let raw = '';
  let seenLines = 0;
  let seenColumn = 0;
  let hasEnded = false;

  const changed = () => {
    for (const watcher of watchers) watcher();
  };
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
        else if (hasEnded) fail('The program ended');
      };
      const timer = setTimeout(() => fail('Nothing came'), PATIENCE_MS);
      watchers.add(check);
      check();
    });

  return {
    shown: {
      beforeCursor: () => screen.beforeCursor(),
      waitFor(wanted) {
        const pattern =
          typeof wanted === 'string' ? new RegExp(literally(wanted), 'g') : new RegExp(wanted.source, 'g');
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
    },
    write(text) {
      raw += text;
      screen.write(text);
      changed();
    },
    resize: (newColumns, newRows) => screen.resize(newColumns, newRows),
    end() {
      hasEnded = true;
      changed();
    },
    hasEnded: () => hasEnded,
  };
}

/** As a terminal sends it that marks pastes. */
export function pasted(text: string): string {
  return `\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
