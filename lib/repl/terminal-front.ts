// The REPL on a terminal: a prompt with a status line, and the turn that runs. Any text from elsewhere is sanitised
// before it is drawn, and wrapped to the width that the terminal has at that moment.
import type { App } from '../app/app.ts';
import { createPaint, type Paint, type Style, type StyledLine, spanOf, type Theme } from '../display/paint.ts';
import { countOf } from '../display/quantities.ts';
import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import { withShortIds } from '../display/short-id.ts';
import { wrapSpans } from '../display/wrap.ts';
import type { Approver } from '../tools/decision.ts';
import type { ToolMode } from '../tools/modes.ts';
import type { AskToGoOn } from '../turn/run-turn.ts';
import { createApprover } from './approval/approver.ts';
import { createArgumentEditor } from './approval/edit-arguments.ts';
import type { SpokenMessage } from './earlier-messages.ts';
import { type Entered, textOfEntered, textOfWhole } from './entered.ts';
import type { Front, Switches } from './front.ts';
import { draftRows } from './input/draft-rows.ts';
import { createExternalEditor, type ExternalEditor } from './input/external-editor.ts';
import type { InputHistory } from './input/history.ts';
import type { OpenAnswer } from './input/key-prompt.ts';
import { type Completer, type DraftListener, LineEditor, type LineRead } from './input/line-editor.ts';
import type { LineMenuOptions } from './input/line-menu.ts';
import { MessageEntry } from './input/message-entry.ts';
import type { ReplStreams } from './options.ts';
import { MessageQueue } from './queue.ts';
import type { AnswerScreen, Footer } from './render/answer-screen.ts';
import type { AnswerStream } from './render/answer-stream.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { waitingRows } from './render/draft-row.ts';
import { userLines } from './render/said-lines.ts';
import { type Screen, terminalScreen } from './render/screen.ts';
import { formatStatus, type StatusFacts } from './render/status-line.ts';
import { createTurnView, type TurnView } from './turn-view.ts';
import { type AnswerScreenParts, loadAnswerScreen } from './warm-up.ts';

interface TerminalFrontOptions {
  readonly streams: ReplStreams;
  readonly color: boolean;
  /** False on a terminal that cannot move its cursor (TERM=dumb). */
  readonly movable: boolean;
  /** Settings, as repl.* names them. */
  readonly settings: Pick<App['config']['repl'], 'markdown' | 'statusLine' | 'notify' | 'keys' | 'theme'>;
  /** For the editor that it names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly history: InputHistory;
  readonly complete: Completer;
  /** The menu below a line while it is typed. */
  readonly menu: Pick<LineMenuOptions, 'rowsFor' | 'onMore'>;
  readonly onClose: () => void;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
  /** Ctrl+C while a turn runs. */
  readonly onInterrupt: () => void;
  /** Goes to a mode of the tools; default: the next one. Resolves with what to say. */
  readonly onMode: (mode?: ToolMode) => Promise<string>;
  /** The user is asked whether a tool may run. */
  readonly onAsked: () => void;
  /** A command was entered while something runs. True: it was run at once, and does not wait. */
  readonly runNow: (line: string) => boolean;
}

const PROMPT = '> ';
/** The prompt after Escape, with the keys of vi. */
const NORMAL_PROMPT = '< ';
const CONTINUATION_PROMPT = '… ';

export class TerminalFront implements Front {
  readonly kind = 'terminal';
  readonly paint: Paint;
  readonly approver: Approver;
  readonly externalEditor: ExternalEditor | undefined;
  readonly switches: Switches = { reasoning: false };
  readonly queue = new MessageQueue();
  readonly #options: TerminalFrontOptions;
  readonly #screen: Screen;
  readonly #region: BottomRegion;
  readonly #editor: LineEditor;
  readonly #entry: MessageEntry;
  /** The turn that is shown now. */
  #view: TurnView | undefined;
  #surface: AnswerScreen | undefined;
  /** The turn in which it was said why its mode stays: once is enough. */
  #toldOfMode: AnswerScreen | undefined;

  readonly askToGoOn: AskToGoOn = async (requests, signal) => {
    this.#view?.hold();
    this.#options.onAsked();
    try {
      return await this.#editor.confirm(`${requests} requests since you last said something. Go on?`, signal);
    } finally {
      this.#view?.release();
    }
  };

  constructor(options: TerminalFrontOptions) {
    this.#options = options;
    const { streams, history, env, now, onInterrupt, onAsked } = options;
    const { input, output } = streams;
    const { theme: wanted, keys } = options.settings;
    let theme: Theme = wanted === 'light' ? 'light' : 'dark';
    const paint = createPaint(options.color, () => theme);
    const screen = terminalScreen(output, options.movable);
    const region = new BottomRegion(screen, paint);
    const { complete } = options;
    const draft = options.movable ? this.#draftListener() : undefined;
    const onMode = async () => this.#wrapped(await options.onMode());
    const place = options.movable ? { screen, region } : undefined;
    const menu = options.movable ? { screen, paint, ...options.menu } : undefined;
    const vi = keys === 'vi';
    const onTheme = (found: Theme) => {
      theme = found;
    };
    const asked = wanted === 'auto' && options.color && options.movable ? { onTheme } : {};
    const { movable } = options;
    const dim = (text: string) => paint.text(text, 'dim');
    const typing = { place, menu, vi, movable, dim, history: history.load(), complete, onInterrupt, onMode, draft };
    const editor = new LineEditor({ input, output, now, ...typing, ...asked });
    this.paint = paint;
    this.#screen = screen;
    this.#region = region;
    this.#editor = editor;
    this.#entry = new MessageEntry({ history, remember: (entry) => editor.remember(entry), now });
    this.externalEditor = createExternalEditor({ env, terminal: editor });
    this.approver = createApprover({
      screen,
      region,
      editor,
      view: () => this.#view,
      editArguments: createArgumentEditor({ editor, external: this.externalEditor, onInterrupt }),
      onAsked,
      onResize(listener) {
        output.on('resize', listener);
        return () => void output.off('resize', listener);
      },
      onInterrupt,
      onMode: options.onMode,
    });
  }

  get columns(): number {
    return this.#screen.columns - 1;
  }

  async next(status: () => StatusFacts, question?: string): Promise<Entered> {
    const asked = question === undefined ? undefined : ({ type: 'message', text: question, typed: question } as const);
    for (;;) {
      const queued = asked ?? this.queue.take();
      if (queued !== undefined) {
        this.#echo(queued);
        return queued;
      }
      const entered = this.#entered(await this.#editor.read(() => this.#prompt(status)));
      if (entered !== undefined) return entered;
    }
  }

  async show(said: readonly SpokenMessage[], { mostRows = Number.POSITIVE_INFINITY } = {}): Promise<void> {
    const { answerStream, saidLines } = await loadAnswerScreen();
    const { columns } = this;
    const stream = this.#streams(answerStream);
    const lines = saidLines(said, { columns, stream });
    const hidden = lines.length - mostRows;
    if (hidden <= 0) this.#region.print(lines);
    else {
      this.notice(`… ${countOf(hidden, 'line')} above: /history lists the messages, /history N shows one whole.`);
      this.#region.print(lines.slice(-mostRows));
    }
  }

  print(...lines: readonly (StyledLine | string)[]): void {
    for (const line of lines) {
      const spans: StyledLine = typeof line === 'string' ? [spanOf(line)] : line;
      const safe = spans.map((span) => ({ ...span, text: sanitize(span.text) }));
      this.#region.print(wrapSpans(safe, this.columns));
    }
  }

  notice(text: string): void {
    this.#say(text, 'dim');
  }

  problem(message: string, hint?: string): void {
    this.#say(message, 'red');
    if (hint) this.#say(hint);
  }

  confirm(question: string): Promise<boolean> {
    return this.#editor.confirm(sanitizeLine(question));
  }

  decide(question: string): Promise<OpenAnswer> {
    return this.#editor.decide(sanitizeLine(question));
  }

  get pick(): Front['pick'] {
    if (!this.#options.movable) return undefined;
    return (options) => this.#editor.pick(options);
  }

  prefill(text: string): void {
    this.#editor.insert(text);
  }

  get copy(): Front['copy'] {
    const { movable, env } = this.#options;
    if (!movable) return undefined;
    return async (text) => {
      const { copyToClipboard } = await import('./input/clipboard.ts');
      await copyToClipboard(text, { env, write: (sequence) => this.#screen.write(sequence) });
    };
  }

  notify(text: string): void {
    const { notify } = this.#options.settings;
    // Where a terminal does not know the notice, it rings or does nothing.
    if (notify !== 'off') this.#screen.write(notify === 'bell' ? '\x07' : `\x1b]9;ollm: ${sanitizeLine(text)}\x07`);
  }

  clearScreen(): void {
    this.#screen.write('\x1b[H\x1b[2J\x1b[3J');
  }

  async openTurn({ task }: Parameters<Front['openTurn']>[0] = {}): Promise<TurnView> {
    const { AnswerScreen, answerStream } = await loadAnswerScreen();
    const { now } = this.#options;
    const { switches, paint } = this;
    const look = {
      get reasoning() {
        return switches.reasoning;
      },
    };
    const footer = (columns: number) => ({ ...this.#footer(columns), task: task?.() });
    const screen = this.#screen;
    const stream = this.#streams(answerStream);
    this.#surface = new AnswerScreen({ screen, region: this.#region, paint, stream, look, now, footer });
    this.#view = createTurnView(this.#surface, this);
    return this.#view;
  }

  close(): void {
    this.#options.onClose();
    this.#editor.close();
  }

  #streams(answerStream: AnswerScreenParts['answerStream']): (columns?: number) => AnswerStream {
    const { paint } = this;
    const { markdown } = this.#options.settings;
    const screen = this.#screen;
    // The last column of a screen stays empty.
    const place = (columns?: number) => (columns === undefined ? screen : { columns: columns + 1 });
    return (columns) => answerStream({ screen: place(columns), paint, markdown });
  }

  #wrapped(text: string): string {
    const lines = wrapSpans([spanOf(sanitizeLine(text))], this.columns);
    return lines.map((line) => line.map((span) => span.text).join('')).join('\n');
  }

  #prompt(status: () => StatusFacts): string {
    if (this.#entry.isOpen) return this.paint.text(CONTINUATION_PROMPT, 'dim');
    const line = this.#options.settings.statusLine
      ? `${this.paint.text(formatStatus(status(), this.columns), 'dim')}\n`
      : '';
    return `\n${line}${this.paint.text(this.#editor.isNormal ? NORMAL_PROMPT : PROMPT, 'green')}`;
  }

  /** Undefined: the prompt is shown again. */
  #entered(read: LineRead): Entered | undefined {
    switch (read.type) {
      case 'line':
        if (this.#resumed(read)) return undefined;
        return this.#entry.take(read.line, read.text);
      case 'interrupt': {
        const effect = this.#entry.interrupt(read.hadText);
        if (effect === 'first') this.notice('Press Ctrl+C again to leave.');
        return effect === 'leaves' ? { type: 'end', reason: 'exit' } : undefined;
      }
      case 'output':
        return { type: 'command', text: '/output' };
      case 'end':
        if (!this.#surface?.isRunning) this.#screen.write('\n');
        return { type: 'end', reason: 'eof' };
      case 'gone':
        return { type: 'gone' };
    }
  }

  /** An empty line from the user sends the queue that rested. */
  #resumed(read: LineRead & { readonly type: 'line' }): boolean {
    if (!this.queue.isResting || this.#entry.isOpen || read.text.trim() !== '') return false;
    this.queue.resume();
    return true;
  }

  /** The listener for input between two prompts. */
  #draftListener(): DraftListener {
    return {
      onRead: (read, { steers }) => {
        if (read.type === 'interrupt' || read.type === 'gone') return;
        const entered = this.#entered(read);
        if (entered?.type === 'message' && steers && this.#surface?.isRunning) this.queue.steer(entered);
        else if (entered !== undefined && !(entered.type === 'command' && this.#options.runNow(entered.text)))
          this.queue.add(entered);
        this.#surface?.refresh();
      },
      onChange: () => this.#surface?.refresh(),
      onBack: () => {
        const last = this.queue.remove(this.queue.entries.length);
        return last && textOfWhole(last);
      },
      onModeKey: () => {
        const surface = this.#surface;
        if (!surface?.isRunning || surface === this.#toldOfMode) return;
        this.#toldOfMode = surface;
        surface.aside('The mode is changed at the prompt: /mode edits waits until the turn is over.');
      },
      onSuspend: () => this.#region.clear(),
    };
  }

  #footer(columns: number): Footer {
    const { entries, steering } = this.queue;
    const { text, cursor } = this.#editor.draft;
    const { isOpen } = this.#entry;
    return {
      waiting: waitingRows(
        steering.map(({ typed }) => typed),
        entries.map(textOfEntered),
        columns,
      ),
      queued: entries.length + steering.length,
      draft: text === '' && !isOpen ? undefined : draftRows({ text, cursor, isOpen }, columns),
    };
  }

  /** Shows queued text where it would be if it had been typed now. */
  #echo(entered: Entered): void {
    this.#region.print([[], ...userLines(textOfEntered(entered), this.columns)]);
  }

  #say(text: string, ...styles: readonly Style[]): void {
    this.print([spanOf(withShortIds(text), ...styles)]);
  }
}
