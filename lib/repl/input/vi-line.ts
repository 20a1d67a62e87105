// The keys of vi over the buffer of the line: Escape begins its commands, and each letter is one until text is typed
// again. A key that vi does not know (Enter, Tab, arrows, Ctrl with a letter) is left for the editor, in both modes.
import type { EditedText } from './buffer.ts';
import type { TypedKey } from './keys.ts';
import { leaveInsert, VI_START, type ViRequest, type ViState, viKey } from './vi-keys.ts';

interface ViLineOptions {
  readonly line: () => EditedText;
  /** Changes the line. `joins`: typed text that follows belongs to the same step of undo. */
  readonly edit: (line: EditedText, options: { readonly joins: boolean }) => void;
  readonly onRequest: (request: ViRequest) => void;
  /** The mode is another one. */
  readonly onMode: () => void;
}

export class ViLine {
  readonly #options: ViLineOptions;
  #state: ViState = VI_START;

  constructor(options: ViLineOptions) {
    this.#options = options;
  }

  /** Letters are commands and no text. */
  get isNormal(): boolean {
    return this.#state.mode === 'normal';
  }

  /** Acts on a key, if it is for vi. */
  take({ name, text }: TypedKey): boolean {
    if (name === 'escape') {
      this.#enter(leaveInsert(this.#options.line(), this.#state));
      return true;
    }
    if (!this.isNormal || text === '') return false;
    const step = viKey(this.#options.line(), this.#state, text);
    this.#enter(step);
    if (step.request !== undefined) this.#options.onRequest(step.request);
    return true;
  }

  /** The next line begins with typing. */
  reset(): void {
    this.#state = { ...this.#state, mode: 'insert', pending: '' };
  }

  #enter({ line, state }: { readonly line: EditedText; readonly state: ViState }): void {
    const isOther = state.mode !== this.#state.mode;
    this.#state = state;
    this.#options.edit(line, { joins: state.mode === 'insert' });
    if (isOther) this.#options.onMode();
  }
}
