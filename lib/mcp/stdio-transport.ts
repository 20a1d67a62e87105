// The connection to a server that is a program: JSON lines on its standard input and output. The program runs in a
// process group of its own. It ends, with everything that it started, when the connection is closed, when it breaks the
// rules, or when ollm is gone. A line that is too long, or too many lines, break the rules. Its standard error goes to
// the log.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { guardGroup } from '../platform/processes/death-guard.ts';
import { type LastingProcess, startLasting } from '../platform/processes/lasting-process.ts';
import { untilClosed } from '../platform/processes/pipes.ts';
import { sendSignal } from '../platform/processes/process-group.ts';
import { processesMarked } from '../platform/processes/process-tree.ts';
import { waitFor } from '../platform/waiting.ts';
import { ByteLines } from './byte-lines.ts';
import { ServerText } from './server-text.ts';

export interface StdioOptions {
  /** The first is the path of the program. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Unguessable: the processes that the server started are found by it. */
  readonly mark: string;
  readonly maxMessageBytes: number;
  /** Called with a line on standard error, or a line on standard output that is not a message. */
  readonly onText: (line: string) => void;
}

/** The processes that a server started are found by this variable, in whichever group they are. */
const MARK_VARIABLE = 'OLLM_SERVER';
/** How long a server may take to end after its input was closed, and again after SIGTERM. */
const GRACE_MS = 500;
const WINDOW_MS = 10_000;
const MAX_MESSAGES_IN_WINDOW = 20_000;

/** `start` starts the program. @throws StartFailure */
export class StdioTransport implements Transport {
  /** The SDK tells a pipe from HTTP by these two. */
  pid: number | null = null;
  readonly stderr = null;
  /** Why the server ended, as the end of a sentence; undefined while it runs, or after `close`. */
  failure: string | undefined;
  declare onmessage?: Transport['onmessage'];
  declare onerror?: Transport['onerror'];
  declare onclose?: Transport['onclose'];
  readonly #options: StdioOptions;
  readonly #text: ServerText;
  /** Text on standard output that is not a message. */
  readonly #stray: (line: string) => void;
  readonly #rate = new MessageRate();
  #starting: Promise<LastingProcess> | undefined;
  #child: LastingProcess | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#text = new ServerText(options.onText);
    this.#stray = this.#text.stream();
  }

  async start(): Promise<void> {
    // `close` waits for a start that has begun, so none may begin after it.
    if (this.#ending !== undefined) throw new Error('The connection was closed.');
    const { argv, cwd, env, mark } = this.#options;
    this.#starting = startLasting({ argv, cwd, env: { ...env, [MARK_VARIABLE]: mark } });
    const child = await this.#starting;
    this.#child = child;
    this.pid = child.pid;
    const guard = await this.#guarded(child);
    this.#listen(child);
    void child.exited.then(async ({ exitCode, killedBy }) => {
      if (this.#ending === undefined)
        this.failure ??= killedBy ? `was ended by ${killedBy}` : `ended with exit code ${exitCode}`;
      await waitFor(untilClosed([child.output, child.errors]), { timeoutMs: GRACE_MS });
      await this.#endTree(child);
      guard.release();
      for (const stream of [child.output, child.errors]) stream.destroy();
      this.onclose?.();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const input = this.#child?.input;
      // A broken pipe is reported before the end of the program, which says more.
      const refuse = async (error: Error) => {
        if (this.#child) await waitFor(this.#child.exited, { timeoutMs: GRACE_MS });
        reject(error);
      };
      if (!input?.writable) return void refuse(new Error('The server has ended.'));
      input.write(`${JSON.stringify(message)}\n`, (error) => (error ? void refuse(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  #listen({ output, errors }: LastingProcess): void {
    const { maxMessageBytes } = this.#options;
    const messages = new ByteLines(maxMessageBytes, {
      line: (text) => this.#receive(text),
      overflow: () => this.#fail(`sent a message of more than ${maxMessageBytes} bytes`),
    });
    const texts = new ByteLines(maxMessageBytes, { line: this.#text.stream(), overflow: () => undefined });
    output.on('data', (chunk: Buffer) => messages.push(chunk));
    errors.on('data', (chunk: Buffer) => texts.push(chunk));
  }

  #receive(line: string): void {
    if (this.#rate.isTooHigh())
      this.#fail(`sent more than ${MAX_MESSAGES_IN_WINDOW} messages in ${WINDOW_MS / 1000} s`);
    if (this.#ending !== undefined || line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#stray(line);
      return;
    }
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #fail(problem: string): void {
    if (this.#ending !== undefined) return;
    this.failure = problem;
    this.#child?.output.pause();
    this.#ending = this.#end({ atOnce: true });
  }

  async #guarded(child: LastingProcess): ReturnType<typeof guardGroup> {
    try {
      return await guardGroup(child.pid);
    } catch (error) {
      await this.#endTree(child);
      throw error;
    }
  }

  async #end({ atOnce = false } = {}): Promise<void> {
    await this.#starting?.catch(() => undefined);
    const child = this.#child;
    if (child === undefined) return;
    if (!atOnce) {
      child.input?.end();
      child.output.resume();
      await waitFor(child.exited, { timeoutMs: GRACE_MS });
      child.signalGroup('SIGTERM');
      await waitFor(child.exited, { timeoutMs: GRACE_MS });
    }
    await this.#endTree(child);
    await child.exited;
  }

  async #endTree({ signalGroup }: LastingProcess): Promise<void> {
    signalGroup('SIGKILL');
    for (const pid of processesMarked(`${MARK_VARIABLE}=${this.#options.mark}`)) sendSignal(pid, 'SIGKILL');
  }
}

class MessageRate {
  #windowStart = performance.now();
  #count = 0;

  isTooHigh(): boolean {
    const now = performance.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count > MAX_MESSAGES_IN_WINDOW;
  }
}
