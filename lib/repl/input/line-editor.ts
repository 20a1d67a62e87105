// Line editing on a terminal by node:readline, one `read` at a time. Between two reads what is typed is kept for the
// next one, Ctrl+C is reported at once, and nothing is drawn. A paste is one piece of text and runs nothing by itself.
import { createInterface, type Interface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { untilAborted } from '../../platform/waiting.ts';
import { commonPrefix, formatCandidates } from './candidate-list.ts';
import { createKeyPrompt, INTERRUPT_KEY, type KeyAnswers, type KeyPrompt, YES_OR_NO } from './key-prompt.ts';
import { BRACKETED_PASTE_OFF, BRACKETED_PASTE_ON, createPasteSplitter, type InputPiece } from './paste.ts';
import { createPasteShelf, isShownAsIs, LINE_BREAK_SIGN, toLine } from './paste-shelf.ts';
import { createSink, KeySource } from './readline-terminal.ts';

export type LineRead =
  /** `line` as it was edited, `text` with pasted text in its place. */
  | { readonly type: 'line'; readonly line: string; readonly text: string }
  /** Ctrl+C: what was in the line is gone. */
  | { readonly type: 'interrupt'; readonly hadText: boolean }
  /** Ctrl+D at an empty line. */
  | { readonly type: 'end' }
  /** Ctrl+O at an empty line. */
  | { readonly type: 'output' }
  /** The terminal is no more. */
  | { readonly type: 'gone' };

/** The candidates for what stands before the cursor, and the part of it that they replace. */
export type Completer = (
  line: string,
  signal: AbortSignal,
) => Promise<readonly [candidates: readonly string[], replaced: string]>;

export interface LineEditorOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Newest first. */
  readonly history: readonly string[];
  readonly complete: Completer;
  /** Ctrl+C between two reads. */
  readonly onInterrupt: () => void;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

export interface LineEditor {
  /** Asks for a line. `prompt` is asked again when the width changes; its last line is the prompt proper. */
  read(prompt: () => string): Promise<LineRead>;
  /** Asks between two reads for a `y`, and shows the answer. What was typed ahead stays for the next read. */
  confirm(question: string, signal?: AbortSignal): Promise<boolean>;
  /**
   * Waits between two reads for one of these keys; draws nothing. What was typed ahead stays for the next read.
   * Undefined if the signal is aborted or the terminal is gone. `onStranger` is called with a single key that is none
   * of them.
   */
  key<Answer>(
    answers: KeyAnswers<Answer>,
    signal: AbortSignal,
    onStranger?: (key: string) => void,
  ): Promise<Answer | undefined>;
  /** Asks between two reads for a line, which begins as `text`. What was typed ahead stays for the next read. */
  readAside(prompt: string, options: { readonly text?: string; readonly signal: AbortSignal }): Promise<LineRead>;
  /** Gives the terminal to another program for as long as `work` takes. Between two reads only. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes an entry the newest that Arrow-up brings. */
  remember(entry: string): void;
  /** Gives the terminal back as it was. Harmless when done twice. */
  close(): void;
}

const NEVER = new AbortController().signal;
const MOST_ENTRIES = 1000;
/** Candidates may come from a server; nobody waits at a prompt for one that says nothing. */
const COMPLETION_MS = 5000;
/** `kill` sends to the sender's own process group. */
const OWN_GROUP = 0;
/** A process that still runs this long after it asked to be stopped was not stopped. */
const UNSTOPPED_MS = 20;
const END_KEY = '\x04';
const TAB_KEY = '\t';
const OUTPUT_KEY = '\x0f';
/** Before Enter: a line break in the message (Alt+Enter, Option+Enter). */
const ESCAPE = '\x1b';

export function openLineEditor(options: LineEditorOptions): LineEditor {
  const { input, output } = options;
  const keys = new KeySource(input);
  const sink = createSink(output);
  const shelf = createPasteShelf();
  const splitter = createPasteSplitter();
  const decoder = new StringDecoder('utf8');
  const remembered = options.history.map(toLine);
  const recalled = [...remembered];
  const readline: Interface = createInterface({
    input: keys,
    output: sink,
    terminal: true,
    history: recalled,
    historySize: MOST_ENTRIES,
  });

  /** What came and is not taken yet: typed ahead. */
  let pending: InputPiece[] = [];
  /** The Enter that readline sees next is none of the user's. */
  let swallowed = false;
  /** Ends what Tab waits for. */
  let completing: AbortController | undefined;
  let gone = false;
  let closed = false;
  let question: Pick<KeyPrompt<unknown>, 'take'> | undefined;
  const goneSignal = new AbortController();
  let reading: { readonly prompt: () => string; readonly settle: (read: LineRead) => void } | undefined;

  const settle = (read: LineRead) => {
    const current = reading;
    reading = undefined;
    current?.settle(read);
  };

  const clearLine = () => {
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
  };

  /** The cursor goes below the line, so that something can be said there; the line is empty then. */
  const leaveLineBehind = () => {
    swallowed = true;
    readline.write(null, { name: 'return' });
    swallowed = false;
  };

  /** A line that had text is cleared in its place; an empty one is left behind, for something will be said below it. */
  const interrupt = () => {
    if (readline.line === '') {
      leaveLineBehind();
      settle({ type: 'interrupt', hadText: false });
    } else {
      clearLine();
      settle({ type: 'interrupt', hadText: true });
    }
  };

  const complete = async () => {
    completing = new AbortController();
    const signal = AbortSignal.any([completing.signal, AbortSignal.timeout(COMPLETION_MS)]);
    const typed = readline.line.slice(0, readline.cursor);
    const found = await untilAborted(options.complete(typed, signal), signal).catch(() => undefined);
    completing = undefined;
    const [candidates, replaced] = found ?? [[], ''];
    const prefix = commonPrefix(candidates);
    if (prefix.startsWith(replaced) && prefix.length > replaced.length) readline.write(prefix.slice(replaced.length));
    else if (candidates.length > 1 && reading) list(candidates, reading.prompt);
    drain();
  };

  const list = (candidates: readonly string[], prompt: () => string) => {
    const { line, cursor } = readline;
    leaveLineBehind();
    output.write(`${formatCandidates(candidates, output.columns - 1).join('\n')}\n`);
    readline.setPrompt(prompt());
    readline.prompt();
    if (line !== '') readline.write(line);
    while (readline.cursor > cursor) readline.write(null, { name: 'left' });
  };

  const takeKeys = (text: string) => {
    // One line at a time: what follows an Enter is for the next read.
    const until = /\x1b[\r\n]|\r\n|[\r\n\t\x03\x04\x0f]/.exec(text);
    const own = until ? text.slice(0, until.index) : text;
    const rest = until ? text.slice(until.index + until[0].length) : '';
    if (rest !== '') pending.unshift({ type: 'keys', text: rest });
    if (own !== '') keys.feed(own);
    if (until?.[0] === INTERRUPT_KEY) {
      interrupt();
    } else if (until?.[0] === END_KEY) {
      if (readline.line === '') settle({ type: 'end' });
      else readline.write(null, { name: 'delete' });
    } else if (until?.[0] === TAB_KEY) {
      void complete();
    } else if (until?.[0] === OUTPUT_KEY) {
      if (readline.line !== '') return;
      leaveLineBehind();
      settle({ type: 'output' });
    } else if (until?.[0][0] === ESCAPE) {
      readline.write(LINE_BREAK_SIGN);
    } else if (until) {
      readline.write(null, { name: 'return' });
    }
  };

  const drain = () => {
    while (reading && !completing) {
      const piece = pending.shift();
      if (!piece) break;
      if (piece.type === 'keys') takeKeys(piece.text);
      else if (piece.text !== '') readline.write(shelf.put(piece.text, { atStart: readline.cursor === 0 }));
    }
  };

  const onData = (chunk: Buffer | string) => {
    for (const taken of splitter.push(typeof chunk === 'string' ? chunk : decoder.write(chunk))) {
      for (const piece of question ? question.take(taken) : [taken]) {
        if (piece.type === 'keys' && piece.text.includes(INTERRUPT_KEY)) completing?.abort();
        if (!reading && piece.type === 'keys' && piece.text.includes(INTERRUPT_KEY)) {
          pending = [{ type: 'keys', text: piece.text.slice(piece.text.lastIndexOf(INTERRUPT_KEY) + 1) }];
          options.onInterrupt();
        } else pending.push(piece);
      }
    }
    drain();
  };

  const onGone = () => {
    gone = true;
    goneSignal.abort();
    settle({ type: 'gone' });
  };

  const onResize = () => {
    if (!reading) return;
    readline.setPrompt(reading.prompt());
    sink.emit('resize');
  };

  const ask = async <Answer>(
    answers: KeyAnswers<Answer>,
    signal: AbortSignal,
    onStranger?: (key: string) => void,
  ): Promise<Answer | undefined> => {
    const prompt = createKeyPrompt<Answer | undefined>({ answers, now: options.now, onStranger });
    const end = AbortSignal.any([signal, goneSignal.signal]);
    const giveUp = () => prompt.giveUp(undefined);
    end.addEventListener('abort', giveUp, { once: true });
    if (end.aborted) giveUp();
    question = prompt;
    const answer = await prompt.answer;
    question = undefined;
    end.removeEventListener('abort', giveUp);
    return answer;
  };

  const read = (prompt: () => string): Promise<LineRead> => {
    if (gone) return Promise.resolve({ type: 'gone' });
    return new Promise((resolve) => {
      reading = { prompt, settle: resolve };
      readline.setPrompt(prompt());
      readline.prompt();
      drain();
    });
  };

  /**
   * Does what a terminal does at Ctrl+Z: the signal goes to the whole group, so that npm and the older Node that
   * started this process stop too and the shell gets the terminal back. The system drops the signal where no shell
   * would see it.
   */
  const suspend = () => {
    output.write(BRACKETED_PASTE_OFF);
    input.setRawMode(false);
    const resume = () => {
      clearTimeout(unstopped);
      process.off('SIGCONT', resume);
      if (closed) return;
      input.setRawMode(true);
      output.write(BRACKETED_PASTE_ON);
      if (reading) readline.prompt(true);
    };
    process.once('SIGCONT', resume);
    const unstopped = setTimeout(resume, UNSTOPPED_MS);
    process.kill(OWN_GROUP, 'SIGTSTP');
  };

  readline.on('line', (line) => {
    if (swallowed) return;
    const text = shelf.expand(line);
    shelf.clear();
    settle({ type: 'line', line, text });
  });
  // readline has just added the line by itself; what is kept is decided by `remember`.
  readline.on('history', () => recalled.splice(0, recalled.length, ...remembered));
  readline.on('SIGTSTP', suspend);
  input.on('data', onData);
  input.on('end', onGone);
  input.on('error', onGone);
  output.on('resize', onResize);
  output.write(BRACKETED_PASTE_ON);
  input.resume();

  return {
    read,
    async confirm(text, signal = NEVER) {
      if (gone) return false;
      const question = `${text} [y/N] `;
      output.write(question);
      const onStranger = (key: string) => output.write(`\n${key} is not offered here.\n${question}`);
      const answer = (await ask(YES_OR_NO, signal, onStranger)) ?? false;
      output.write(answer ? 'yes\n' : 'no\n');
      return answer;
    },
    key: ask,
    async readAside(prompt, { text = '', signal }) {
      const ahead = pending;
      pending = [];
      const end = () => {
        clearLine();
        leaveLineBehind();
        settle({ type: 'interrupt', hadText: false });
      };
      signal.addEventListener('abort', end, { once: true });
      const line = read(() => prompt);
      if (text !== '' && reading) readline.write(toLine(text));
      const result = await line;
      signal.removeEventListener('abort', end);
      pending = [...ahead, ...pending];
      return result;
    },
    async lend(work) {
      output.write(BRACKETED_PASTE_OFF);
      input.off('data', onData);
      input.pause();
      input.setRawMode(false);
      try {
        return await work();
      } finally {
        if (!closed && !gone) {
          input.setRawMode(true);
          input.on('data', onData);
          input.resume();
          output.write(BRACKETED_PASTE_ON);
        }
      }
    },
    remember(entry) {
      if (entry.startsWith(' ') || entry.trim() === '' || !isShownAsIs(entry)) return;
      const line = toLine(entry);
      if (remembered[0] !== line) remembered.unshift(line);
      remembered.length = Math.min(remembered.length, MOST_ENTRIES);
      recalled.splice(0, recalled.length, ...remembered);
    },
    close() {
      if (closed) return;
      closed = true;
      input.off('data', onData);
      input.off('end', onGone);
      output.off('resize', onResize);
      readline.close();
      input.pause();
      if (!gone) output.write(BRACKETED_PASTE_OFF);
    },
  };
}
