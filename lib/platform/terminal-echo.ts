// Reads a line from the terminal that is not shown while it is typed: from before the question is there, because
// its reader may answer immediately. The terminal itself edits the line, so that a slip can be rubbed out although
// it is not seen; Ctrl+C and Ctrl+D end it. Waits without letting anything else run.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';

/** The result of a question: a line, or a user who does not want to answer. */
type HiddenAnswer = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'given up' };

const LINE_END = 0x0a;
const CTRL_C = 0x03;
const CHUNK_BYTES = 1024;

/**
 * `ask` prints the question once the echo is off. Undefined if the terminal cannot hide typed input, as on Windows;
 * then nothing was printed.
 */
export function readHiddenLine(ask: () => void): HiddenAnswer | undefined {
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  const before = stty('-g');
  try {
    if (before === undefined) return undefined;
    // As a signal Ctrl+C would end the process before the terminal is as it was: it ends the line in its place.
    stty('-echo', '-isig', 'eol', '^C');
    ask();
    return readLine(terminal);
  } finally {
    if (before !== undefined) stty(before);
    closeSync(terminal);
  }
}

/** Opens a separate descriptor, whose reads wait whatever was set for standard input. */
function openTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', 'r');
  } catch {
    return undefined;
  }
}

function readLine(terminal: number): HiddenAnswer {
  const bytes: number[] = [];
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const length = readSync(terminal, chunk);
    bytes.push(...chunk.subarray(0, length));
    const last = bytes.at(-1);
    if (length === 0 || last === CTRL_C) return { kind: 'given up' };
    if (last === LINE_END) return { kind: 'line', text: Buffer.from(bytes.slice(0, -1)).toString() };
  }
}

function stty(...settings: readonly string[]): string | undefined {
  // Only the system's program: the question may be asked in any directory.
  const { status, stdout } = spawnSync('stty', settings, {
    env: { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' },
    stdio: ['inherit', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : undefined;
}
