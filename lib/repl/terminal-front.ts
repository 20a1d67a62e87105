// The REPL on a terminal: prompt with a status line, editing, several lines, paste, Ctrl+C and Ctrl+D. Whatever comes
// from elsewhere is sanitised before it is drawn, and wrapped to the width that the terminal has at that moment.

import { sanitize, sanitizeLine } from '../display/sanitize.ts';
import { createApprover } from './approval/approver.ts';
import { createArgumentEditor } from './approval/edit-arguments.ts';
import type { Entered, Front, Switches } from './front.ts';
import { createExternalEditor } from './input/external-editor.ts';
import type { History } from './input/history.ts';
import type { Completer, LineEditor } from './input/line-editor.ts';
import { openLineEditor } from './input/line-editor.ts';
import { createMessageAssembler } from './input/message.ts';
import type { ReplStreams } from './options.ts';
import { createPaint, type Line, type Paint, type Style } from './render/paint.ts';
import type { Screen } from './render/screen.ts';
import { formatStatus, type StatusFacts } from './render/status-line.ts';
import { wrapSpans } from './render/wrap.ts';
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

/** Two times Ctrl+C within this time leave. */
const EXIT_INTERVAL_MS = 2000;
const PROMPT = '> ';
const CONTINUATION_PROMPT = '… ';

export function createTerminalFront(options: TerminalFrontOptions): Front {
  const { streams, history, now } = options;
  const { output } = streams;
  const paint = createPaint(options.color);
  const screen: Screen = {
    get columns() {
      return Math.max(2, output.columns || 80);
    },
    get rows() {
      return Math.max(4, output.rows || 24);
    },
    movable: options.movable,
    write: (text) => void output.write(text),
  };
  const assembler = createMessageAssembler();
  const editor: LineEditor = openLineEditor({
    input: streams.input,
    output,
    history: history.load(),
    complete: options.complete,
    onInterrupt: options.onInterrupt,
    now,
  });
  const externalEditor = createExternalEditor({ env: options.env, terminal: editor });
  const switches: Switches = { reasoning: false };
  let view: TurnView | undefined;
  const bell = () => screen.write('\x07');
  const approver = createApprover({
    screen,
    paint,
    editor,
    view: () => view,
    editArguments: createArgumentEditor({ editor, external: externalEditor, onInterrupt: options.onInterrupt }),
    onAsked: options.onAsked,
    onResize(listener) {
      output.on('resize', listener);
      return () => void output.off('resize', listener);
    },
    onInterrupt: options.onInterrupt,
  });
  let interruptedMs = Number.NEGATIVE_INFINITY;
  /** The lines of the message that is being entered, for the history. */
  let entered: string[] = [];

  const print = (...lines: readonly (Line | string)[]) => {
    for (const line of lines) screen.write(wrapped(paint, line, screen.columns - 1));
  };
  const say = (text: string, ...styles: readonly Style[]) => print([{ text, styles }]);
  const notice = (text: string) => say(text, 'dim');
  const problem = (message: string, hint?: string) => {
    say(message, 'red');
    if (hint) say(hint);
  };

  const prompt = (status: () => StatusFacts) => {
    if (assembler.isOpen) return paint.text(CONTINUATION_PROMPT, 'dim');
    const line = options.settings.statusLine
      ? `${paint.text(formatStatus(status(), screen.columns - 1), 'dim')}\n`
      : '';
    return `\n${line}${paint.text(PROMPT, 'green')}`;
  };

  const keep = (entry: string) => {
    history.add(entry);
    editor.remember(entry);
  };

  const take = (line: string, text: string): Entered | undefined => {
    entered.push(text);
    const assembly = assembler.push(line, text);
    if (assembly.type === 'open') return undefined;
    const whole = entered.join('\n');
    entered = [];
    if (assembly.type === 'empty') return undefined;
    keep(whole);
    return assembly;
  };

  /** Undefined: go on asking. */
  const interrupt = (hadText: boolean): Entered | undefined => {
    if (hadText || assembler.isOpen) {
      assembler.clear();
      entered = [];
      return undefined;
    }
    const isSecond = now() - interruptedMs <= EXIT_INTERVAL_MS;
    interruptedMs = now();
    if (isSecond) return { type: 'end', reason: 'exit' };
    notice('Press Ctrl+C again to leave.');
    return undefined;
  };

  return {
    kind: 'terminal',
    paint,
    get columns() {
      return screen.columns - 1;
    },
    async next(status) {
      for (;;) {
        const read = await editor.read(() => prompt(status));
        let result: Entered | undefined;
        switch (read.type) {
          case 'line':
            result = take(read.line, read.text);
            break;
          case 'interrupt':
            result = interrupt(read.hadText);
            break;
          case 'output':
            return { type: 'command', text: '/output' };
          case 'end':
            screen.write('\n');
            return { type: 'end', reason: 'eof' };
          case 'gone':
            return { type: 'gone' };
        }
        if (result) return result;
      }
    },
    print,
    notice,
    problem,
    confirm: (question) => editor.confirm(sanitizeLine(question)),
    approver,
    async askToGoOn(requests, signal) {
      view?.hold();
      options.onAsked();
      try {
        return await editor.confirm(`${requests} requests since you last said something. Go on?`, signal);
      } finally {
        view?.release();
      }
    },
    externalEditor,
    switches,
    bell,
    clearScreen: () => screen.write('\x1b[H\x1b[2J\x1b[3J'),
    async openTurn() {
      const { createAnswerScreen, lex } = await loadAnswerScreen();
      const look = {
        get reasoning() {
          return switches.reasoning;
        },
        markdown: options.settings.markdown,
      };
      view = createTurnView(createAnswerScreen({ screen, paint, lex, look, now }), { notice, problem });
      return view;
    },
    close: () => editor.close(),
  };
}

function wrapped(paint: Paint, line: Line | string, width: number): string {
  const spans: Line = typeof line === 'string' ? [{ text: line, styles: [] }] : line;
  const safe = spans.map((span) => ({ ...span, text: sanitize(span.text) }));
  return wrapSpans(safe, width)
    .map((row) => `${paint.line(row)}\n`)
    .join('');
}
