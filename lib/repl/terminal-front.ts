// The REPL on a terminal: a prompt with a status line, and the turn that runs. Whatever comes from elsewhere is
// sanitised before it is drawn, and wrapped to the width that the terminal has at that moment.

import { createPaint, type Line, type Paint, type Style } from '../display/paint.ts';
import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import { wrapSpans } from '../display/wrap.ts';
import type { Approver } from '../tools/decision.ts';
import type { AskToGoOn } from '../turn/run-turn.ts';
import { createApprover } from './approval/approver.ts';
import { createArgumentEditor } from './approval/edit-arguments.ts';
import type { Entered, Front, Switches } from './front.ts';
import { createExternalEditor, type ExternalEditor } from './input/external-editor.ts';
import type { History } from './input/history.ts';
import { type Completer, LineEditor, type LineRead } from './input/line-editor.ts';
import { MessageEntry } from './input/message-entry.ts';
import type { ReplStreams } from './options.ts';
import { BottomRegion } from './render/bottom-region.ts';
import { type Screen, terminalScreen } from './render/screen.ts';
import { formatStatus, type StatusFacts } from './render/status-line.ts';
import { createTurnView, type TurnView } from './turn-view.ts';
import { loadAnswerScreen } from './warm-up.ts';

export interface TerminalFrontOptions {
  readonly streams: ReplStreams;
  readonly color: boolean;
  /** False on a terminal that cannot move its cursor (TERM=dumb). */
  readonly movable: boolean;
  /** Settings, as repl.* names them. */
  readonly settings: { readonly markdown: boolean; readonly statusLine: boolean };
  /** For the editor that it names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly history: History;
  readonly complete: Completer;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
  /** Ctrl+C while a turn runs. */
  readonly onInterrupt: () => void;
  /** The user is asked whether a tool may run. */
  readonly onAsked: () => void;
}

const PROMPT = '> ';
const CONTINUATION_PROMPT = '… ';

export class TerminalFront implements Front {
  readonly kind = 'terminal';
  readonly paint: Paint;
  readonly approver: Approver;
  readonly externalEditor: ExternalEditor | undefined;
  readonly switches: Switches = { reasoning: false };
  readonly #options: TerminalFrontOptions;
  readonly #screen: Screen;
  readonly #region: BottomRegion;
  readonly #editor: LineEditor;
  readonly #entry: MessageEntry;
  /** The turn that is shown now. */
  #view: TurnView | undefined;

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
    const paint = createPaint(options.color);
    const screen = terminalScreen(output, options.movable);
    const region = new BottomRegion(screen, paint);
    const { complete } = options;
    const editor = new LineEditor({ input, output, history: history.load(), complete, onInterrupt, now });
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
    });
  }

  get columns(): number {
    return this.#screen.columns - 1;
  }

  async next(status: () => StatusFacts): Promise<Entered> {
    for (;;) {
      const entered = this.#entered(await this.#editor.read(() => this.#prompt(status)));
      if (entered !== undefined) return entered;
    }
  }

  print(...lines: readonly (Line | string)[]): void {
    for (const line of lines) {
      const spans: Line = typeof line === 'string' ? [{ text: line, styles: [] }] : line;
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

  bell(): void {
    this.#screen.write('\x07');
  }

  clearScreen(): void {
    this.#screen.write('\x1b[H\x1b[2J\x1b[3J');
  }

  async openTurn(): Promise<TurnView> {
    const { AnswerScreen, lex } = await loadAnswerScreen();
    const { settings, now } = this.#options;
    const { switches, paint } = this;
    const look = {
      get reasoning() {
        return switches.reasoning;
      },
      markdown: settings.markdown,
    };
    const surface = new AnswerScreen({ screen: this.#screen, region: this.#region, paint, lex, look, now });
    this.#view = createTurnView(surface, this);
    return this.#view;
  }

  close(): void {
    this.#editor.close();
  }

  #prompt(status: () => StatusFacts): string {
    if (this.#entry.isOpen) return this.paint.text(CONTINUATION_PROMPT, 'dim');
    const line = this.#options.settings.statusLine
      ? `${this.paint.text(formatStatus(status(), this.columns), 'dim')}\n`
      : '';
    return `\n${line}${this.paint.text(PROMPT, 'green')}`;
  }

  /** Undefined: the prompt is shown again. */
  #entered(read: LineRead): Entered | undefined {
    switch (read.type) {
      case 'line':
        return this.#entry.take(read.line, read.text);
      case 'interrupt': {
        const effect = this.#entry.interrupt(read.hadText);
        if (effect === 'first') this.notice('Press Ctrl+C again to leave.');
        return effect === 'leaves' ? { type: 'end', reason: 'exit' } : undefined;
      }
      case 'output':
        return { type: 'command', text: '/output' };
      case 'end':
        this.#screen.write('\n');
        return { type: 'end', reason: 'eof' };
      case 'gone':
        return { type: 'gone' };
    }
  }

  #say(text: string, ...styles: readonly Style[]): void {
    this.print([{ text, styles }]);
  }
}
