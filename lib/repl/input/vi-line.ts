// The line with the keys of vi: takes what was typed key by key, and changes the line as they say. A key that vi does
// not know (Enter, Tab, arrows, Ctrl with a letter) is left for the editor, in both modes.
import { type EditedLine, leaveInsert, VI_START, type ViRequest, type ViState, viKey } from './vi-keys.ts';

export interface ViLineOptions {
  readonly line: () => EditedLine;
  readonly replace: (line: EditedLine) => void;
  readonly onRequest: (request: Exclude<ViRequest, 'undo'>) => void;
  /** The mode is another one. */
  readonly onMode: () => void;
}

/** Escape by itself; behind it a longer key would continue with one of these. */
const ESCAPE = /\x1b(?![[O\r\n])/;
const OTHER_KEY = /^(?:\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO[@-~]|\x1b?[\x00-\x1f\x7f])/;
const MOST_UNDONE = 100;

export class ViLine {
  readonly #options: ViLineOptions;
  #state: ViState = VI_START;
  #undone: EditedLine[] = [];

  constructor(options: ViLineOptions) {
    this.#options = options;
  }

  /** Letters are commands and no text. */
  get isNormal(): boolean {
    return this.#state.mode === 'normal';
  }

  /** Acts on the first key, if it is for vi. Answers with what the editor does now, and what comes after that. */
  take(text: string): { readonly now: string; readonly rest: string } {
    if (text.search(ESCAPE) === 0) {
      this.#enter(leaveInsert(this.#options.line(), this.#state));
      return { now: '', rest: text.slice(1) };
    }
    if (!this.isNormal) {
      const end = text.search(ESCAPE);
      return end === -1 ? { now: text, rest: '' } : { now: text.slice(0, end), rest: text.slice(end) };
    }
    const [other] = OTHER_KEY.exec(text) ?? [];
    if (other !== undefined) return { now: other, rest: text.slice(other.length) };
    const [key = ''] = text;
    this.#command(key);
    return { now: '', rest: text.slice(key.length) };
  }

  /** The next line begins with typing. */
  reset(): void {
    this.#state = { ...this.#state, mode: 'insert', pending: '' };
    this.#undone = [];
  }

  #command(key: string): void {
    const before = this.#options.line();
    const step = viKey(before, this.#state, key);
    if (step.request === 'undo') {
      const line = this.#undone.pop();
      this.#enter({ ...step, line: line ?? before });
      return;
    }
    const begins = this.isNormal && step.state.mode === 'insert';
    // What was typed is not in the history: `u` brings it back.
    const leaves = step.request === 'older' && this.#undone.length === 0;
    if (begins || leaves || step.line.text !== before.text)
      this.#undone = [...this.#undone, before].slice(-MOST_UNDONE);
    this.#enter(step);
    if (step.request !== undefined) this.#options.onRequest(step.request);
  }

  #enter({ line, state }: { readonly line: EditedLine; readonly state: ViState }): void {
    const isOther = state.mode !== this.#state.mode;
    this.#state = state;
    this.#options.replace(line);
    if (isOther) this.#options.onMode();
  }
}
