// Asks on a terminal, for one line or one key at a time. Input between two questions goes into the next line, which is
// edited and not drawn here, and Ctrl+C is reported immediately. A paste is one piece of text and runs nothing by
// itself.
import { type StyledLine, spanOf, type Theme } from '../../display/paint.ts';
import { onAbort, untilAborted } from '../../platform/waiting.ts';
import { Askers } from './askers.ts';
import { commonPrefix, formatCandidates } from './candidate-list.ts';
import { InputLine } from './input-line.ts';
import { actionOf, INTERRUPT_KEY, type LineAction } from './key-bindings.ts';
import { type KeyAnswers, KeyPrompt, type OpenAnswer, YES_NO_OR_LATER, YES_OR_NO } from './key-prompt.ts';
import { KeyReader, type TypedKey } from './keys.ts';
import { type LineMenuOptions, menuRows } from './line-menu.ts';
import { endsInSingleBackslash, isOpenBlock } from './message.ts';
import type { InputPiece } from './paste.ts';
import { Picker, type PickerOptions, type PickerPlace } from './picker.ts';
import { TerminalInput } from './terminal-input.ts';
import { before, lineEnd, lineStart } from './text-places.ts';
import { ViLine } from './vi-line.ts';

export type LineRead =
  /** `line` as it was edited, `text` with pasted text in its place. */
  | { readonly type: 'line'; readonly line: string; readonly text: string }
  /** Ctrl+C: the text of the line is dropped. */
  | { readonly type: 'interrupt'; readonly hadText: boolean }
  /** Ctrl+D at an empty line. */
  | { readonly type: 'end' }
  /** Ctrl+O at an empty line. */
  | { readonly type: 'output' }
  /** The terminal was closed. */
  | { readonly type: 'gone' };

/** A choice from a list, for candidates that do not explain themselves. */
interface CompletionChoice {
  readonly title: string;
  /** The text that filters the list at first. */
  readonly typed: string;
  readonly find: (typed: string) => readonly string[];
  /** The replacement for a chosen candidate. */
  readonly insert: (chosen: string) => string;
  /** The description in a candidate's row. Default: none. */
  readonly describe?: ((found: string) => string) | undefined;
  /** How one that is longer than its row is cut. Default: at its end. */
  readonly shorten?: ((found: string, columns: number) => string) | undefined;
  /** Calls back when more may be found. Returns how to end that. Default: it never is. */
  readonly onMore?: ((listener: () => void) => () => void) | undefined;
}

/** The candidates for the text before the cursor, and the part of it that they replace. */
export type Completion = readonly [candidates: readonly string[], replaced: string, choice?: CompletionChoice];

export type Completer = (line: string, signal: AbortSignal) => Promise<Completion>;

/** The listener for input between two reads. */
export interface DraftListener {
  /** A line was entered. `steers`: by the key that gives it to the running turn. */
  onRead(read: LineRead, options: { readonly steers: boolean }): void;
  /** Arrow-up in the empty line: the text that comes back to be changed; undefined: none does. */
  onBack(): string | undefined;
  /** The line was changed, or the program continues after it was suspended. */
  onChange(): void;
  /** The key that changes the mode at the prompt. */
  onModeKey(): void;
  /** The terminal is about to be given to the shell. */
  onSuspend(): void;
}

interface DraftText {
  readonly text: string;
  /** Index in the text. */
  readonly cursor: number;
}

/** How a question is answered by one key. */
interface Asked<Answer> {
  readonly answers: KeyAnswers<Answer>;
  /** Where no user is there any more. */
  readonly otherwise: Answer;
  /** How the answer is shown. */
  readonly word: (answer: Answer) => string;
}

interface LineEditorOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Newest first. */
  readonly history: readonly string[];
  readonly complete: Completer;
  /** Ctrl+C between two reads. */
  readonly onInterrupt: () => void;
  /** Where a list to choose from is drawn. Absent: there is none. */
  readonly place?: PickerPlace | undefined;
  /** The menu below a line while it is typed. Absent: none. */
  readonly menu?: LineMenuOptions | undefined;
  /** False on a terminal that cannot move its cursor. Default: true. */
  readonly movable?: boolean | undefined;
  /** Paints the signs at the start of a line's rows. Default: not at all. */
  readonly dim?: ((text: string) => string) | undefined;
  /** Whether letters are commands after Escape, as in vi. */
  readonly vi?: boolean | undefined;
  /** Called when the terminal says what its background is. Absent: it is not asked. */
  readonly onTheme?: ((theme: Theme) => void) | undefined;
  /** Absent: input between two reads waits, unseen, for the next one. */
  readonly draft?: DraftListener | undefined;
  /** Shift+Tab in a line. Resolves with a text to show above the prompt, which is drawn again. Default: nothing. */
  readonly onMode?: (() => Promise<string>) | undefined;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

/** Columns for a name before its description. */
const NAME_COLUMNS = 13;

/** Alt+Enter, as a terminal sends it. */
const LINE_BREAK_KEY = '\x1b\r';

const NEVER = new AbortController().signal;
/** Candidates may come from a server, which may never answer. */
const COMPLETION_MS = 5000;

export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #terminal: TerminalInput;
  readonly #line: InputLine;
  readonly #keys = new KeyReader();
  /** Whether rows are shown below the line. */
  #hasMenu = false;
  readonly #vi: ViLine | undefined;
  /** Typed input that is not taken yet. */
  #ahead: InputPiece[] = [];
  readonly #askers = new Askers();
  /** Ends the line that is read. */
  #settleLine: ((read: LineRead) => void) | undefined;
  /** The line is entered by the key that steers. */
  #steers = false;

  readonly #actions: Readonly<Record<LineAction, () => void>> = {
    enter: () => this.#enter(),
    steer: () => {
      this.#steers = true;
      this.#enter();
      this.#steers = false;
    },
    'line-break': () => this.#line.insert('\n'),
    complete: () => void this.#complete(),
    interrupt: () => this.#interrupt(),
    output: () => {
      if (this.#line.text === '') this.#leave({ type: 'output' });
    },
    search: () => void this.#searchHistory(),
    mode: () => void this.#switchMode(),
    end: () => {
      if (this.#line.text === '') this.#settle({ type: 'end' });
      else this.#line.deleteForward();
    },
    'clear-screen': () => this.#line.clearScreen(),
    suspend: () => this.#suspend(),
  };

  constructor(options: LineEditorOptions) {
    this.#options = options;
    const { input, output, history, menu, vi, movable, dim } = options;
    menu?.onMore?.(() => this.#draw());
    this.#vi = vi ? this.#createVi() : undefined;
    this.#line = new InputLine({ output, history, movable, dim });
    this.#terminal = new TerminalInput({
      input,
      output,
      onPieces: (pieces) => this.#take(pieces),
      onGone: () => this.#settle({ type: 'gone' }),
      onTheme: options.onTheme,
    });
    output.on('resize', this.#onResize);
  }

  /** Whether letters are commands now and not text, as in vi after Escape. */
  get isNormal(): boolean {
    return this.#vi?.isNormal === true;
  }

  /** The input between two reads until now. */
  get draft(): DraftText {
    return { text: this.#line.text, cursor: this.#line.cursor };
  }

  /**
   * Asks for a line, which begins with text typed before. `prompt` is called again when the width changes; its last
   * line is the prompt proper.
   */
  read(prompt: () => string): Promise<LineRead> {
    if (this.#terminal.gone.aborted) return Promise.resolve({ type: 'gone' });
    return new Promise((resolve) => {
      const end = this.#askers.begin({ kind: 'line', prompt });
      this.#settleLine = (read) => {
        end();
        resolve(read);
      };
      this.#line.show(prompt());
      this.#drain();
    });
  }

  /** Asks between two reads for a line, which begins as `text`. Typed-ahead input stays for the next read. */
  async readAside(
    prompt: string,
    { text = '', signal }: { readonly text?: string; readonly signal: AbortSignal },
  ): Promise<LineRead> {
    const ahead = this.#ahead;
    this.#ahead = [];
    const end = this.#askers.begin({ kind: 'aside' });
    const bringBack = this.#line.setAside();
    const line = this.read(() => prompt);
    if (this.#askers.line) this.#line.insert(text);
    this.#draw();
    const stopListening = onAbort(signal, () => {
      this.#line.clear();
      this.#leave({ type: 'interrupt', hadText: false });
    });
    const result = await line;
    stopListening();
    bringBack();
    end();
    this.#ahead = [...ahead, ...this.#ahead];
    this.#drainSoon();
    return result;
  }

  /**
   * Waits between two reads for one of these keys; draws nothing. Typed-ahead input stays for the next read. Undefined
   * if the signal is aborted or the terminal was closed. `onStranger` is called with a single other key.
   */
  async key<Answer>(
    answers: KeyAnswers<Answer>,
    signal: AbortSignal,
    onStranger?: (key: string) => void,
  ): Promise<Answer | undefined> {
    const prompt = new KeyPrompt<Answer | undefined>({ answers, now: this.#options.now, onStranger });
    const end = this.#askers.begin({ kind: 'pieces', take: (piece) => prompt.take(piece) });
    const ended = AbortSignal.any([signal, this.#terminal.gone]);
    const stopListening = onAbort(ended, () => prompt.giveUp(undefined));
    const answer = await prompt.answer;
    stopListening();
    end();
    this.#drainSoon();
    return answer;
  }

  /** Asks between two reads for a `y`, and shows the answer. Typed-ahead input stays for the next read. */
  confirm(text: string, signal: AbortSignal = NEVER): Promise<boolean> {
    const question = `${text} [y/N] `;
    const word = (answer: boolean) => (answer ? 'yes' : 'no');
    return this.#ask(question, { answers: YES_OR_NO, otherwise: false, word }, signal);
  }

  /** Like `confirm`, for a question that may stay open: only a `y` or an `n` answers it. */
  decide(text: string, signal: AbortSignal = NEVER): Promise<OpenAnswer> {
    const question = `${text} [y]es [n]o, Enter: not now `;
    const word = (answer: OpenAnswer) => (answer === 'later' ? 'not now' : answer);
    return this.#ask(question, { answers: YES_NO_OR_LATER, otherwise: 'later', word }, signal);
  }

  async #ask<Answer>(
    question: string,
    { answers, otherwise, word }: Asked<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (this.#terminal.gone.aborted) return otherwise;
    const { output } = this.#options;
    output.write(question);
    const onStranger = (key: string) => output.write(`\n${key} is not offered here.\n${question}`);
    const answer = (await this.key(answers, signal, onStranger)) ?? otherwise;
    output.write(`${word(answer)}\n`);
    return answer;
  }

  /**
   * Lets the user choose one of many; undefined: none. At a prompt the line makes room for that and comes back. What
   * was typed ahead stays for the next read.
   */
  async pick<Item>(options: PickerOptions<Item>): Promise<Item | undefined> {
    const { place } = this.#options;
    if (place === undefined || this.#terminal.gone.aborted) return undefined;
    this.#setMenu([]);
    if (this.#askers.line) this.#line.erase();
    this.#line.hide();
    const picker = new Picker(options, place);
    const end = this.#askers.begin({
      kind: 'pieces',
      take(piece) {
        picker.take(piece);
        return [];
      },
      draw: () => picker.draw(),
    });
    const stopListening = onAbort(this.#terminal.gone, () => picker.leave());
    const chosen = await picker.chosen;
    stopListening();
    end();
    if (this.#askers.line) this.#line.show(this.#askers.line.prompt());
    this.#drainSoon();
    return chosen;
  }

  /** Gives the terminal to another program for as long as `work` takes. Between two reads only. */
  lend<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#terminal.lend(work);
  }

  /** Puts a text into the line, as if it had been pasted. */
  insert(text: string): void {
    this.#line.paste(text);
    this.#draw();
  }

  /** Makes an entry the newest that Arrow-up brings. */
  remember(entry: string): void {
    this.#line.remember(entry);
  }

  /** Gives the terminal back as it was. Harmless when done twice. */
  close(): void {
    this.#options.output.off('resize', this.#onResize);
    this.#terminal.close();
  }

  #take(pieces: readonly InputPiece[]): void {
    for (const taken of pieces) for (const piece of this.#askers.offer(taken)) this.#queue(piece);
    this.#drain();
  }

  #queue(piece: InputPiece): void {
    const interruptAt = piece.type === 'keys' ? piece.text.lastIndexOf(INTERRUPT_KEY) : -1;
    if (interruptAt !== -1) this.#askers.interrupt();
    if (interruptAt === -1 || this.#askers.line) {
      this.#ahead.push(piece);
      return;
    }
    this.#keep(piece.text.slice(0, interruptAt).replaceAll(INTERRUPT_KEY, ''));
    this.#options.onInterrupt();
    this.#ahead.push({ type: 'keys', text: piece.text.slice(interruptAt + 1) });
  }

  /** Text typed before a Ctrl+C is in the next line, and is not sent by itself. */
  #keep(text: string): void {
    this.#ahead.push({ type: 'keys', text });
    this.#drain();
    this.#ahead = withoutEnters(this.#ahead);
  }

  #drain(): void {
    while (this.#takesKeys) {
      const piece = this.#ahead.shift();
      if (!piece) break;
      if (piece.type === 'paste') this.#line.paste(piece.text);
      else this.#type(piece.text);
      if (!this.#askers.line) this.#options.draft?.onChange();
    }
    this.#draw();
  }

  get #takesKeys(): boolean {
    const { top } = this.#askers;
    return top === undefined ? this.#options.draft !== undefined : top.kind === 'line';
  }

  /** Brings the line onto the screen, with the menu for its content. */
  #draw(): void {
    const { line, top } = this.#askers;
    if (!line || top?.kind === 'pieces') return;
    const { menu } = this.#options;
    const { text, cursor, rowCount } = this.#line;
    const hasMenu = menu !== undefined && top === line && !this.#isAside && cursor === text.length;
    this.#setMenu(hasMenu ? menuRows(menu, text, rowCount) : []);
    this.#line.draw();
  }

  #setMenu(rows: readonly string[]): void {
    this.#hasMenu = rows.length > 0;
    this.#line.setMenu(rows);
  }

  /** Whether a line aside from the messages is read, or begins or ends. */
  get #isAside(): boolean {
    return this.#askers.has('aside');
  }

  /** Typed-ahead input is for the next read, if that begins without a pause. */
  #drainSoon(): void {
    const end = this.#askers.begin({ kind: 'pause' });
    setImmediate(() => {
      end();
      this.#drain();
    });
  }

  /** Between two reads, and only into the empty line. */
  #takeBack(): boolean {
    if (this.#askers.line || this.#line.text !== '') return false;
    const text = this.#options.draft?.onBack();
    if (text === undefined) return false;
    this.#line.paste(text);
    return true;
  }

  /** Takes one line at a time: input after an Enter is for the next read. */
  #type(typed: string): void {
    const keys = this.#vi === undefined ? this.#keys.read(typed) : this.#keys.readWithEscape(typed);
    for (const [index, key] of keys.entries()) {
      this.#press(key);
      if (this.#takesKeys) continue;
      const rest = keys.slice(index + 1).map(({ sequence }) => sequence);
      if (rest.length > 0) this.#ahead.unshift({ type: 'keys', text: rest.join('') });
      return;
    }
  }

  #press(key: TypedKey): void {
    if (this.#vi?.take(key)) return;
    if (key.name === 'up' && this.#takeBack()) return;
    if (key.name === 'down' && this.#hasMenu) return void this.#complete();
    const action = actionOf(key);
    if (action !== undefined) this.#actions[action]();
    else this.#line.press(key, { joins: this.#vi?.isNormal === false });
  }

  /** A message that is not whole yet gets another row instead. */
  #enter(): void {
    const { text, cursor } = this.#line;
    if (!this.#isAside && isOpenBlock(text)) {
      this.#line.insert('\n');
      return;
    }
    const backslashAt = [cursor, text.length].find(
      (at) => lineEnd(text, at) === at && endsInSingleBackslash(text.slice(0, at)),
    );
    if (!this.#isAside && backslashAt !== undefined) {
      const broken = `${text.slice(0, backslashAt - 1)}\n${text.slice(backslashAt)}`;
      this.#line.replace({ text: broken, cursor: backslashAt });
      return;
    }
    this.#settle({ type: 'line', ...this.#line.enter() });
  }

  /** A line that had text is cleared in its place; an empty one stays, because a message follows below it. */
  #interrupt(): void {
    if (this.#line.text === '') {
      this.#leave({ type: 'interrupt', hadText: false });
      return;
    }
    // The next prompt takes the place of this one, with its status line. Its rows are counted before the text is gone.
    if (this.#askers.line && this.#options.place !== undefined && !this.#isAside) {
      this.#setMenu([]);
      this.#line.erase();
      this.#line.hide();
    }
    this.#line.clear();
    this.#line.draw();
    this.#settle({ type: 'interrupt', hadText: true });
  }

  async #complete(): Promise<void> {
    const stopped = new AbortController();
    const end = this.#askers.begin({ kind: 'wait', interrupt: () => stopped.abort() });
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(COMPLETION_MS)]);
    const completion = this.#options.complete(this.#line.textBeforeCursor, signal);
    const found = await untilAborted(completion, signal).catch(() => undefined);
    end();
    const reading = this.#askers.line;
    const [candidates, replaced, choice] = found ?? [[], ''];
    const prefix = commonPrefix(candidates);
    if (prefix.startsWith(replaced) && prefix.length > replaced.length) {
      this.#line.insert(prefix.slice(replaced.length));
    } else if (candidates.length === 1 && !prefix.startsWith(replaced)) {
      this.#line.replaceBefore(replaced.length, prefix);
    } else if (choice !== undefined && reading && this.#options.place) {
      await this.#choose(choice, replaced);
    } else if (candidates.length > 1 && reading) {
      const { output } = this.#options;
      const list = formatCandidates(candidates, output.columns - 1);
      this.#line.interject(() => output.write(`${list.join('\n')}\n`), reading.prompt);
    }
    this.#drain();
  }

  /** Keys that are typed meanwhile wait, as after Tab. */
  async #switchMode(): Promise<void> {
    const { onMode, output } = this.#options;
    if (!this.#askers.line && !this.#isAside) this.#options.draft?.onModeKey();
    if (onMode === undefined || !this.#askers.line) return;
    const end = this.#askers.begin({ kind: 'wait' });
    const words = await onMode();
    end();
    const reading = this.#askers.line;
    if (reading) this.#line.interject(() => output.write(`${words}\n`), reading.prompt);
    this.#drain();
  }

  async #choose({ insert, describe, shorten, ...asked }: CompletionChoice, replaced: string): Promise<void> {
    const rowOf = (text: string, columns: number): StyledLine => [
      spanOf(describe === undefined ? (shorten?.(text, columns) ?? text) : text.padEnd(NAME_COLUMNS)),
      spanOf(describe?.(text) ?? '', 'dim'),
    ];
    const chosen = await this.pick({ ...asked, rowOf });
    if (chosen !== undefined) this.#line.replaceBefore(replaced.length, insert(chosen));
  }

  /** Earlier input, chosen from a list that is filtered by the text of the line at first. */
  async #searchHistory(): Promise<void> {
    if (!this.#askers.line || !this.#options.place) return;
    const entries = this.#line.entries;
    const find = (typed: string) => {
      const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
      return entries.filter((entry) => words.every((word) => entry.toLowerCase().includes(word)));
    };
    const rowOf = (text: string) => [spanOf(text.replaceAll('\n', '␤'))];
    const typed = this.#line.text.includes('\n') ? '' : this.#line.text;
    const chosen = await this.pick({ title: 'Earlier input:', typed, find, rowOf });
    if (chosen === undefined) return;
    this.#line.replace({ text: chosen, cursor: chosen.length });
    this.#draw();
  }

  #leave(read: LineRead): void {
    this.#line.leaveBehind();
    this.#settle(read);
  }

  #settle(read: LineRead): void {
    const settle = this.#settleLine;
    this.#setMenu([]);
    this.#vi?.reset();
    if (settle === undefined) {
      if (!this.#isAside) this.#options.draft?.onRead(read, { steers: this.#steers });
      return;
    }
    this.#settleLine = undefined;
    this.#line.hide();
    this.#drainSoon();
    settle(read);
  }

  #createVi(): ViLine {
    return new ViLine({
      line: () => this.#line,
      edit: (line, options) => this.#line.replace(line, options),
      onRequest: (request) => {
        if (request === 'search') void this.#searchHistory();
        else if (request === 'undo') this.#line.undo();
        else this.#goByVi(request);
      },
      onMode: () => {
        if (this.#askers.line) this.#line.show(this.#askers.line.prompt());
      },
    });
  }

  /** To another row or entry; the cursor is on a character then. */
  #goByVi(where: 'older' | 'newer'): void {
    this.#line.goTo(where, '');
    const { text, cursor } = this.#line;
    if (cursor > lineStart(text, cursor) && cursor === lineEnd(text, cursor))
      this.#line.replace({ text, cursor: before(text, cursor) });
  }

  #suspend(): void {
    this.#setMenu([]);
    if (this.#askers.line) {
      this.#line.draw();
      this.#line.pause();
    } else this.#options.draft?.onSuspend();
    this.#terminal.suspend((wasStopped) => {
      if (!this.#askers.line) this.#options.draft?.onChange();
      else if (wasStopped) this.#line.resume();
      this.#draw();
    });
  }

  readonly #onResize = (): void => {
    const { line, top } = this.#askers;
    if (top?.kind === 'pieces' && top.draw) top.draw();
    else if (line) {
      this.#setMenu([]);
      this.#line.resize(line.prompt());
      this.#draw();
    }
  };
}

/** Entered lines, as a single line that is not entered yet: with line breaks in it. Pastes stay as they are. */
function withoutEnters(pieces: readonly InputPiece[]): InputPiece[] {
  const kept: InputPiece[] = [];
  for (const piece of pieces) {
    const last = kept.at(-1);
    if (last?.type === 'keys' && piece.type === 'keys') kept.splice(-1, 1, { ...last, text: last.text + piece.text });
    else kept.push(piece);
  }
  return kept.map((piece, index) => {
    if (piece.type === 'paste') return piece;
    const text = index === kept.length - 1 ? piece.text.replace(/[\r\n]+$/, '') : piece.text;
    return { ...piece, text: text.replace(/[\r\n]+/g, LINE_BREAK_KEY) };
  });
}
