// The way to a server that is a program: JSON lines on its standard input and output. It runs in a process group of its own
// and ends, with all that it started, when the connection is closed, when it breaks the rules, or when ollm is gone.
// A line that is too long, or too many of them, end it: nobody knows where the next message would begin, or when we would
// come to anything else. What it writes on standard error goes to the log, as far as that helps anybody.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { sanitizeLine } from '../display/sanitize.ts';
import { guardGroup } from '../platform/processes/death-guard.ts';
import { type LastingProcess, startLasting } from '../platform/processes/lasting-process.ts';
import { sendSignal } from '../platform/processes/process-group.ts';
import { processesMarked } from '../platform/processes/process-tree.ts';

export interface StdioOptions {
  /** The first is the path of the program. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Unguessable: by it the processes that the server started are found. */
  readonly mark: string;
  readonly maxMessageBytes: number;
  /** A line that it wrote on standard error, or on standard output and is no message. */
  readonly onText: (line: string) => void;
}

export interface StdioTransport extends Transport {
  /** How the SDK knows a pipe from HTTP. */
  readonly pid: number | null;
  readonly stderr: null;
  /** Why it ended, as the end of a sentence; undefined while it runs, or after `close`. */
  readonly failure: string | undefined;
}

/** By this variable what a server started is found, wherever it went. */
const MARK_VARIABLE = 'OLLM_SERVER';
/** How long it may take to end when its input is closed, and again when it is asked to. */
const GRACE_MS = 500;
const WINDOW_MS = 10_000;
const MAX_MESSAGES_IN_WINDOW = 20_000;
const MAX_TEXT_LINES = 200;
const MAX_TEXT_CHARACTERS = 2000;
const LINE_FEED = 0x0a;

/** The program is started by `start`. @throws StartFailure */
export function createStdioTransport(options: StdioOptions): StdioTransport {
  const { argv, cwd, env, mark, maxMessageBytes } = options;
  const tell = boundedText(options.onText);
  let starting: Promise<LastingProcess> | undefined;
  let child: LastingProcess | undefined;
  let failure: string | undefined;
  let ending: Promise<void> | undefined;

  const transport: { -readonly [Key in keyof StdioTransport]: StdioTransport[Key] } = {
    pid: null,
    stderr: null,
    get failure() {
      return failure;
    },

    async start() {
      // Whoever closes it waits for what is being started, not for what may be.
      if (ending !== undefined) throw new Error('The connection was closed.');
      starting = startLasting({ argv, cwd, env: { ...env, [MARK_VARIABLE]: mark } });
      const started = await starting;
      child = started;
      transport.pid = started.pid;
      const guard = await guarded(started);
      const rate = createRate();
      const lines = createLines(maxMessageBytes, {
        line(text) {
          if (rate.isTooHigh())
            return fail(`sent more than ${MAX_MESSAGES_IN_WINDOW} messages in ${WINDOW_MS / 1000} s`);
          receive(text);
        },
        overflow: () => fail(`sent a message of more than ${maxMessageBytes} bytes`),
      });
      const errors = createLines(maxMessageBytes, { line: tell, overflow: () => undefined });
      started.output.on('data', (chunk: Buffer) => lines.push(chunk));
      started.errors.on('data', (chunk: Buffer) => errors.push(chunk));
      void started.exited.then(async ({ exitCode, killedBy }) => {
        if (ending === undefined)
          failure ??= killedBy ? `was ended by ${killedBy}` : `ended with exit code ${exitCode}`;
        await orAfter(closed(started), GRACE_MS);
        await endTree(started);
        guard.release();
        for (const stream of [started.output, started.errors]) stream.destroy();
        transport.onclose?.();
      });
    },

    send(message) {
      return new Promise((resolve, reject) => {
        const input = child?.input;
        // A pipe that is broken is heard of before the end of the program, which says more.
        const refuse = (error: Error) =>
          void orAfter(child?.exited ?? Promise.resolve(), GRACE_MS).then(() => reject(error));
        if (!input?.writable) return refuse(new Error('The server has ended.'));
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? refuse(error) : resolve()));
      });
    },

    close() {
      ending ??= end();
      return ending;
    },
  };

  function receive(line: string): void {
    if (ending !== undefined || line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      tell(line);
      return;
    }
    try {
      transport.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      transport.onerror?.(error as Error);
    }
  }

  function fail(problem: string): void {
    if (ending !== undefined) return;
    failure = problem;
    child?.output.pause();
    ending = end({ atOnce: true });
  }

  async function guarded(started: LastingProcess): ReturnType<typeof guardGroup> {
    try {
      return await guardGroup(started.pid);
    } catch (error) {
      await endTree(started);
      throw error;
    }
  }

  async function end({ atOnce = false } = {}): Promise<void> {
    await starting?.catch(() => undefined);
    if (child === undefined) return;
    if (!atOnce) {
      child.input?.end();
      child.output.resume();
      await orAfter(child.exited, GRACE_MS);
      child.signalGroup('SIGTERM');
      await orAfter(child.exited, GRACE_MS);
    }
    await endTree(child);
    await child.exited;
  }

  async function endTree({ signalGroup }: LastingProcess): Promise<void> {
    signalGroup('SIGKILL');
    for (const pid of processesMarked(`${MARK_VARIABLE}=${mark}`)) sendSignal(pid, 'SIGKILL');
  }

  return transport;
}

function createRate(): { isTooHigh(): boolean } {
  let windowStart = performance.now();
  let count = 0;
  return {
    isTooHigh() {
      const now = performance.now();
      if (now - windowStart > WINDOW_MS) {
        windowStart = now;
        count = 0;
      }
      count += 1;
      return count > MAX_MESSAGES_IN_WINDOW;
    },
  };
}

/** Lines of bytes as they come, put together once. After an overflow nothing comes any more. */
function createLines(
  maxBytes: number,
  on: { readonly line: (text: string) => void; readonly overflow: () => void },
): { push(chunk: Buffer): void } {
  let pieces: Buffer[] = [];
  let length = 0;
  let isOver = false;
  return {
    push(chunk) {
      let from = 0;
      while (!isOver) {
        const at = chunk.indexOf(LINE_FEED, from);
        const piece = chunk.subarray(from, at === -1 ? undefined : at);
        pieces.push(piece);
        length += piece.length;
        if (length > maxBytes) {
          isOver = true;
          pieces = [];
          return on.overflow();
        }
        if (at === -1) return;
        const line = Buffer.concat(pieces, length).toString('utf8');
        pieces = [];
        length = 0;
        from = at + 1;
        on.line(line);
      }
    },
  };
}

function boundedText(onText: (line: string) => void): (line: string) => void {
  let lines = 0;
  return (line) => {
    lines += 1;
    if (lines <= MAX_TEXT_LINES) onText(sanitizeLine(line.slice(0, MAX_TEXT_CHARACTERS)));
    if (lines === MAX_TEXT_LINES) onText('(What else it writes is not kept.)');
  };
}

function closed({ output, errors }: LastingProcess): Promise<unknown> {
  return Promise.all(
    [output, errors].map((stream) => (stream.closed ? undefined : new Promise((tell) => stream.once('close', tell)))),
  );
}

async function orAfter(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    promise,
    new Promise((tell) => {
      timer = setTimeout(tell, ms);
    }),
  ]);
  clearTimeout(timer);
}
