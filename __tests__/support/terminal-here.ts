// The command line in the process of the test, on a terminal in memory: for the screen that it draws and the keys that
// it takes. The behaviour of a terminal itself (its line discipline, signals, a closed window) needs `openTerminal`.
import { setTimeout } from 'node:timers/promises';
import { inputStream, runHere, type Surroundings, textSink } from './ollm-here.ts';
import type { Terminal, TerminalOptions } from './terminal.ts';
import { pasted, watchScreen } from './watched-screen.ts';

const CTRL_C = '\x03';
const CTRL_D = '\x04';

export function openTerminalHere(args: readonly string[], options: TerminalOptions): Terminal {
  const { cwd, env } = options;
  return openTerminalFor(
    (streams) => runHere(args, { env: { TERM: 'xterm-256color', ...env }, cwd, ...streams }),
    options,
  );
}

type Streams = Pick<Surroundings, 'stdin' | 'stdout' | 'stderr'>;

/** Does the same for a part of the program that is handed its streams. */
export function openTerminalFor(
  start: (streams: Streams) => Promise<number>,
  { columns = 80, rows = 24 }: Pick<TerminalOptions, 'columns' | 'rows'> = {},
): Terminal {
  const watched = watchScreen(columns, rows);
  const size = { isTTY: true, columns, rows };
  // A terminal begins a new line at the left.
  const output = () =>
    Object.assign(
      textSink((text) => watched.write(text.replaceAll('\n', '\r\n'))),
      size,
    );
  const [stdout, stderr] = [output(), output()];
  const input = inputStream();
  const stdin = Object.assign(input, {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
      return stdin;
    },
  });
  const exit = start({ stdin, stdout, stderr }).then((code) => {
    watched.end();
    return { code, signal: undefined };
  });
  return {
    ...watched.shown,
    exit,
    type: (text) => void input.write(text),
    paste: (text) => void input.write(pasted(text)),
    resize(newColumns, newRows) {
      watched.resize(newColumns, newRows);
      for (const stream of [stdout, stderr]) {
        Object.assign(stream, { columns: newColumns, rows: newRows });
        stream.emit('resize');
      }
    },
    async [Symbol.asyncDispose]() {
      // As a user leaves: running work is cancelled, then the empty line is left. A closed terminal would be given a
      // time after which the process ends.
      for (let at = 0; !watched.hasEnded(); at += 1) {
        input.write(at % 2 === 0 ? CTRL_C : CTRL_D);
        await setTimeout(10);
      }
      await exit;
    },
  };
}
