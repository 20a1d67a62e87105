// A message as it is entered on a terminal: lines until it is whole, which the history then keeps as one entry; and
// Ctrl+C, which drops the input, or leaves when pressed twice. A line that is only exit or quit leaves too, as in a
// shell: it is not a message to a model.
import type { InputHistory } from './history.ts';
import { type Assembly, createMessageAssembler } from './message.ts';

/** Two times Ctrl+C within this time leave. */
const EXIT_INTERVAL_MS = 2000;
const LEAVING = /^\s*(?:exit|quit)\s*$/;

interface MessageEntryOptions {
  readonly history: InputHistory;
  /** Makes an entry the newest that Arrow-up brings. */
  readonly remember: (entry: string) => void;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

export class MessageEntry {
  readonly #options: MessageEntryOptions;
  readonly #assembler = createMessageAssembler();
  #lines: string[] = [];
  #interruptedMs = Number.NEGATIVE_INFINITY;

  constructor(options: MessageEntryOptions) {
    this.#options = options;
  }

  /** Whether more lines are needed. */
  get isOpen(): boolean {
    return this.#assembler.isOpen;
  }

  /** The message that the lines make; undefined: more lines are needed, or there is nothing in them. */
  take(line: string, text: string): Exclude<Assembly, { readonly type: 'open' | 'empty' }> | undefined {
    this.#lines.push(text);
    const assembly = this.#assembler.push(line, text);
    if (assembly.type === 'open') return undefined;
    const entry = this.#lines.join('\n');
    this.#lines = [];
    if (assembly.type === 'empty') return undefined;
    this.#options.history.add(entry);
    this.#options.remember(entry);
    return LEAVING.test(entry) && assembly.type === 'message' ? { type: 'command', text: '/quit' } : assembly;
  }

  /** The effect of Ctrl+C: it drops the input; without input, the second one leaves. */
  interrupt(hadText: boolean): 'dropped' | 'first' | 'leaves' {
    if (hadText || this.isOpen) {
      this.#assembler.clear();
      this.#lines = [];
      return 'dropped';
    }
    const beforeMs = this.#interruptedMs;
    this.#interruptedMs = this.#options.now();
    return this.#interruptedMs - beforeMs <= EXIT_INTERVAL_MS ? 'leaves' : 'first';
  }
}
