// What a terminal sends, as pieces: typed keys and pasted text. Owns the modes of the terminal (raw keys, bracketed
// paste): they are given back while another program has the terminal, while the process is stopped, and at the end.
import { StringDecoder } from 'node:string_decoder';
import type { Theme } from '../../display/paint.ts';
import { BACKGROUND_QUERY, BackgroundReply } from './background.ts';
import { BRACKETED_PASTE_OFF, BRACKETED_PASTE_ON, createPasteSplitter, type InputPiece } from './paste.ts';

interface TerminalInputOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly onPieces: (pieces: readonly InputPiece[]) => void;
  /** The terminal was closed. */
  readonly onGone: () => void;
  /** Called when the terminal says what its background is. Absent: it is not asked. */
  readonly onTheme?: ((theme: Theme) => void) | undefined;
}

/** `kill` sends to the sender's own process group. */
const OWN_GROUP = 0;
/** A process that still runs this long after it asked to be stopped was not stopped. */
const UNSTOPPED_MS = 20;

export class TerminalInput {
  readonly #options: TerminalInputOptions;
  readonly #splitter = createPasteSplitter();
  readonly #decoder = new StringDecoder('utf8');
  readonly #gone = new AbortController();
  readonly #background: BackgroundReply | undefined;
  /** Whether its keys came raw before: then they do so afterwards, too. */
  readonly #wasRaw: boolean;
  #isClosed = false;

  constructor(options: TerminalInputOptions) {
    this.#options = options;
    const { input, output, onTheme } = options;
    this.#background = onTheme && new BackgroundReply(onTheme);
    input.on('data', this.#onData);
    input.on('end', this.#onGone);
    input.on('error', this.#onGone);
    this.#wasRaw = input.isRaw;
    input.setRawMode(true);
    output.write(onTheme === undefined ? BRACKETED_PASTE_ON : BRACKETED_PASTE_ON + BACKGROUND_QUERY);
    input.resume();
    // It was closed before anything listened.
    if (input.readableEnded || input.destroyed) queueMicrotask(this.#onGone);
  }

  /** Aborted when the terminal was closed. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Gives the terminal to another program for as long as `work` takes. */
  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.pause();
    this.#giveBack();
    try {
      return await work();
    } finally {
      if (this.#isOpen()) {
        input.on('data', this.#onData);
        input.resume();
        this.#take();
      }
    }
  }

  /**
   * Does what a terminal does at Ctrl+Z: the signal goes to the whole group, so that npm and the older Node that
   * started this process stop too and the shell gets the terminal back. The system drops the signal where no shell
   * would see it: the process was not stopped then.
   */
  suspend(onContinued: (wasStopped: boolean) => void): void {
    this.#giveBack();
    let isOver = false;
    const goOn = (wasStopped: boolean) => {
      clearTimeout(unstopped);
      process.off('SIGCONT', resume);
      if (isOver || !this.#isOpen()) return;
      isOver = true;
      this.#take();
      onContinued(wasStopped);
    };
    const resume = () => goOn(true);
    process.once('SIGCONT', resume);
    // A process that was stopped gets the signal first, however late its timers are.
    const unstopped = setTimeout(() => setImmediate(() => goOn(false)), UNSTOPPED_MS);
    process.kill(OWN_GROUP, 'SIGTSTP');
  }

  /** Harmless when done twice. */
  close(): void {
    if (this.#isClosed) return;
    const { input, output } = this.#options;
    if (this.#isOpen()) {
      output.write(BRACKETED_PASTE_OFF);
      input.setRawMode(this.#wasRaw);
    }
    this.#isClosed = true;
    input.off('data', this.#onData);
    input.off('end', this.#onGone);
    input.pause();
  }

  readonly #onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    this.#options.onPieces(this.#splitter.push(this.#background?.take(text) ?? text));
  };

  readonly #onGone = (): void => {
    this.#gone.abort();
    this.#options.onGone();
  };

  #isOpen(): boolean {
    return !this.#isClosed && !this.#gone.signal.aborted;
  }

  #take(): void {
    this.#options.input.setRawMode(true);
    this.#options.output.write(BRACKETED_PASTE_ON);
  }

  #giveBack(): void {
    this.#options.output.write(BRACKETED_PASTE_OFF);
    this.#options.input.setRawMode(false);
  }
}
