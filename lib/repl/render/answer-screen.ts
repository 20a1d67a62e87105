// One turn on a terminal: rows that move until there is something to show, then Markdown as it arrives, drawn a few
// times a second and its first word at once, and each tool call as it ended. What is thought before an answer is one
// row, unless the user wants to read it.

import { formatDuration } from '../../display/quantities.ts';
import { sanitize } from '../../display/sanitize.ts';
import type { AnswerSurface } from '../turn-view.ts';
import { createActivity, retryText, type Waiting } from './activity.ts';
import type { Lex } from './markdown.ts';
import type { Line, Paint } from './paint.ts';
import { createPlainStream } from './plain-stream.ts';
import type { Screen } from './screen.ts';
import { createMarkdownStream, type MarkdownStream } from './stream.ts';
import { type ToolRun, toolBody, toolHeadline } from './tool-lines.ts';
import { fitLine, wrapBehind, wrapSpans } from './wrap.ts';

/** Words that arrive within this time are drawn together. */
const DRAW_INTERVAL_MS = 40;
/** Of what a running tool has printed, as much as can be seen. */
const MOST_PRINTED = 4000;
const MODEL: Waiting = { kind: 'model' };

/** What the user can switch while the REPL runs. */
export interface Look {
  /** Whether what the model thinks is shown, and not only that it does. */
  readonly reasoning: boolean;
  readonly markdown: boolean;
}

type Kind = 'text' | 'thought' | 'line';

export interface AnswerScreenOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly lex: Lex;
  readonly look: Look;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

export function createAnswerScreen({ screen, paint, lex, look, now }: AnswerScreenOptions): AnswerSurface {
  const activity = createActivity(screen, paint, now);
  const runs = new Map<string, ToolRun>();
  let stream: MarkdownStream | undefined;
  let timer: NodeJS.Timeout | undefined;
  let drawnMs = Number.NEGATIVE_INFINITY;
  /** What the last line belongs to: an empty one goes between two that belong to different things. */
  let last: Kind | undefined;
  let thought: { readonly sinceMs: number; unshown: string } | undefined;

  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    drawnMs = now();
    stream?.draw();
  };
  const endText = () => {
    clearTimeout(timer);
    timer = undefined;
    stream?.end();
    stream = undefined;
  };
  const separate = (kind: Kind) => {
    if (last !== undefined && last !== kind) screen.write('\n');
    last = kind;
  };
  const print = (rows: readonly Line[], kind: Kind = 'line') => {
    endText();
    activity.pause();
    separate(kind);
    screen.write(rows.map((row) => `${paint.line(row)}\n`).join(''));
  };
  const wrapped = (line: Line) => wrapSpans(line, screen.columns - 1);
  const wait = (waiting: Waiting) => {
    endText();
    activity.show({ waiting, runs: [...runs.values()] });
  };

  /** Whole lines of it, and of a line that is longer than the screen as much as fills it. */
  const showThought = (rest: boolean) => {
    if (!thought) return;
    const lines = wrapped([{ text: sanitize(thought.unshown), styles: ['dim', 'italic'] }]);
    const kept = rest ? undefined : lines.pop();
    if (lines.length === 0) return;
    // The space behind a word tells it from the next one.
    const end = /\s*$/.exec(thought.unshown)![0];
    thought.unshown = kept === undefined ? '' : kept.map(({ text }) => text).join('') + end;
    print(lines, 'thought');
  };
  const endThought = () => {
    if (!thought) return;
    const { sinceMs } = thought;
    if (look.reasoning) showThought(true);
    else {
      const text = `Thought for ${formatDuration(now() - sinceMs)} · /reasoning shows it`;
      print(wrapped([{ text, styles: ['dim'] }]), 'thought');
    }
    thought = undefined;
  };

  return {
    begin: () => wait(MODEL),
    text(content) {
      endThought();
      if (!stream) {
        activity.stop();
        separate('text');
        stream = look.markdown ? createMarkdownStream(screen, paint, lex) : createPlainStream(screen);
      }
      stream.push(content);
      const sinceMs = now() - drawnMs;
      if (sinceMs >= DRAW_INTERVAL_MS) draw();
      else timer ??= setTimeout(draw, DRAW_INTERVAL_MS - sinceMs);
    },
    reasoning(content) {
      thought ??= { sinceMs: now(), unshown: '' };
      thought.unshown += content;
      if (look.reasoning) showThought(false);
      else thought.unshown = thought.unshown.slice(-MOST_PRINTED);
      wait({ kind: 'thinking', thought: thought.unshown });
    },
    aside(line) {
      endThought();
      const rows = wrapped([{ text: line, styles: ['dim'] }]);
      if (stream) for (const row of rows) stream.printAbove(row);
      else print(rows);
      activity.resume();
    },
    retry(retry) {
      endThought();
      if (!screen.movable) print(wrapped([{ text: retryText(retry, retry.delayMs), styles: ['dim'] }]));
      wait({ kind: 'retry', retry, atMs: now() + retry.delayMs });
    },
    toolStarted(callId, { name, summary }) {
      endThought();
      runs.set(callId, { name, summary, startedMs: now(), printed: '' });
      wait(MODEL);
    },
    toolOutput(callId, text) {
      const run = runs.get(callId);
      if (!run) return;
      runs.set(callId, { ...run, printed: (run.printed + text.slice(-MOST_PRINTED)).slice(-MOST_PRINTED) });
      wait(MODEL);
    },
    toolEnded(callId, end) {
      endThought();
      runs.delete(callId);
      // What went wrong is read, what went well is looked over.
      const width = screen.columns - 1;
      const body = toolBody(end).flatMap((line) =>
        end.status === 'ok' ? [fitLine(line, width)] : wrapBehind(line, width),
      );
      print([...wrapped(toolHeadline(end)), ...body]);
      wait(MODEL);
    },
    settle() {
      endThought();
      endText();
      activity.stop();
    },
  };
}
