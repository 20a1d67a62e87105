// A turn on a terminal: moving rows until there is something to show, then the answer as it arrives, drawn a few times
// a second and its first word at once, and each tool call when it ends. Thoughts before an answer take one row, unless
// the user wants to read them.
import { type Paint, type StyledLine, spanOf } from '../../display/paint.ts';
import { formatDuration } from '../../display/quantities.ts';
import { sanitize } from '../../display/sanitize.ts';
import { wrapSpans } from '../../display/wrap.ts';
import type { AnswerSurface, Retry, ToolInput } from '../turn-view.ts';
import type { AnswerStream } from './answer-stream.ts';
import { bottomLine } from './bottom-line.ts';
import type { BottomRegion } from './bottom-region.ts';
import { CallInput } from './call-input.ts';
import { callRows } from './call-rows.ts';
import { doingIn, type Phase, retryText, toolRows } from './phases.ts';
import { userLines } from './said-lines.ts';
import type { Screen } from './screen.ts';
import { changedTodos } from './todo-rows.ts';
import { isTodoList, type ShownToolEnd, type ToolRun } from './tool-lines.ts';

/** Words that arrive within this time are drawn together. */
const DRAW_INTERVAL_MS = 40;
/** Characters kept of a running tool's output: more could not be seen. */
const MOST_PRINTED = 4000;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
/** A lower screen shows only the number of waiting messages. */
const FEWEST_ROWS = 10;

/** What stays below a turn while it runs. */
export interface Footer {
  /** How many messages wait, and the first of them. */
  readonly queued: number;
  readonly waiting: readonly StyledLine[];
  /** The user's draft, the column of its cursor, and the number of its rows below the cursor. */
  readonly draft?:
    | { readonly lines: readonly StyledLine[]; readonly column: number; readonly rowsBelow: number }
    | undefined;
  /** The model's current task, by its list. */
  readonly task?: string | undefined;
}

const NO_FOOTER: Footer = { queued: 0, waiting: [] };

/** Settings that the user can switch while the REPL runs. */
interface AnswerLook {
  /** Whether the model's thoughts are shown, and not only that it thinks. */
  readonly reasoning: boolean;
}

type Kind = 'text' | 'thought' | 'line' | 'said';

interface AnswerScreenOptions {
  readonly screen: Screen;
  readonly paint: Paint;
  readonly region: BottomRegion;
  /** Renders one answer as it arrives. `columns`: that it may take. Default: those of the screen. */
  readonly stream: (columns?: number) => AnswerStream;
  readonly look: AnswerLook;
  /** Asked at each drawing. Default: nothing. */
  readonly footer?: ((columns: number) => Footer) | undefined;
  /** Milliseconds; never steps back. */
  readonly now: () => number;
}

export class AnswerScreen implements AnswerSurface {
  readonly #options: AnswerScreenOptions;
  readonly #runs = new Map<string, ToolRun>();
  /** Lines that are over and not printed yet. */
  #settled: StyledLine[] = [];
  #stream: AnswerStream | undefined;
  /** Undefined: nothing is under way. */
  #phase: Phase | undefined;
  #sinceMs: number | undefined;
  #answerBytes = 0;
  readonly #input = new CallInput();
  #frames: NodeJS.Timeout | undefined;
  /** The next drawing of text. */
  #due: NodeJS.Timeout | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;
  /** The kind of the last line: an empty one goes between two of different kinds. */
  #last: Kind | undefined;
  /** The list of tasks, as it was drawn last. */
  #todos = '';
  #thought: { readonly sinceMs: number; unshown: string } | undefined;

  constructor(options: AnswerScreenOptions) {
    this.#options = options;
  }

  /** Whether something continues that the bottom of the screen shows. */
  get isRunning(): boolean {
    return this.#phase !== undefined;
  }

  begin(): void {
    this.#sinceMs ??= this.#options.now();
    this.#wait();
  }

  text(content: string): void {
    this.#endThought();
    if (this.#stream === undefined) {
      this.#answerBytes = 0;
      this.#separate('text');
      this.#stream = this.#options.stream();
    }
    this.#answerBytes += Buffer.byteLength(content);
    this.#settled.push(...this.#stream.push(content));
    this.#enter({ kind: 'answering', bytes: this.#answerBytes });
    const sinceMs = this.#options.now() - this.#drawnMs;
    if (sinceMs >= DRAW_INTERVAL_MS) this.#drawText();
    else this.#due ??= setTimeout(() => this.#drawText(), DRAW_INTERVAL_MS - sinceMs);
  }

  reasoning(content: string): void {
    this.#thought ??= { sinceMs: this.#options.now(), unshown: '' };
    this.#thought.unshown += content;
    if (this.#options.look.reasoning) this.#showThought(false);
    else this.#thought.unshown = this.#thought.unshown.slice(-MOST_PRINTED);
    this.#endText();
    this.#enter({ kind: 'thinking', thought: this.#thought.unshown });
  }

  aside(line: string): void {
    this.#endThought();
    const rows = this.#wrapped([spanOf(line, 'dim')]);
    if (this.#stream === undefined) this.#print(rows);
    else this.#settled.push(...rows);
    this.#draw();
  }

  said(text: string): void {
    this.#endThought();
    this.#print(userLines(text, this.#options.screen.columns - 1), 'said');
    this.#wait();
  }

  toolInput({ key, name, text }: ToolInput): void {
    this.#endThought();
    this.#endText();
    this.#input.take({ key, text });
    this.#enter({ kind: 'calling', words: this.#input.wordsFor(name), bytes: this.#input.bytes });
  }

  retry(retry: Retry): void {
    this.#endThought();
    this.#endText();
    if (!this.#options.screen.movable) this.#print(this.#wrapped([spanOf(retryText(retry), 'dim')]));
    this.#enter({ kind: 'retry', retry, atMs: this.#options.now() + retry.delayMs });
  }

  toolStarted(callId: string, { name, summary }: { readonly name: string; readonly summary: string }): void {
    this.#endThought();
    this.#runs.set(callId, { name, summary, startedMs: this.#options.now(), printed: '' });
    this.#wait();
  }

  toolOutput(callId: string, text: string): void {
    const run = this.#runs.get(callId);
    if (run === undefined) return;
    this.#runs.set(callId, { ...run, printed: (run.printed + text.slice(-MOST_PRINTED)).slice(-MOST_PRINTED) });
    this.#wait();
  }

  toolEnded(callId: string, end: ShownToolEnd): void {
    this.#endThought();
    this.#runs.delete(callId);
    const { screen, stream } = this.#options;
    this.#print(callRows(this.#changesOf(end), { columns: screen.columns - 1, stream }));
    this.#wait();
  }

  /** The list of tasks is drawn once, and then only its changes. */
  #changesOf(end: ShownToolEnd): ShownToolEnd {
    if (!isTodoList(end)) return end;
    const before = this.#todos;
    this.#todos = end.content;
    return { ...end, content: changedTodos(before, end.content) };
  }

  settle(): void {
    this.#endThought();
    this.#endText();
    clearInterval(this.#frames);
    this.#frames = undefined;
    this.#phase = undefined;
    this.#draw();
  }

  /** For the model, or for the tools that run. */
  #wait(): void {
    this.#endText();
    const runs = [...this.#runs.values()];
    this.#enter(runs.length === 0 ? { kind: 'waiting' } : { kind: 'tools', runs });
  }

  /** What only continues is drawn with the next frame, however much of it comes. */
  #enter(phase: Phase): void {
    const before = this.#phase;
    this.#phase = phase;
    if (this.#options.screen.movable) this.#frames ??= setInterval(() => this.#draw(), FRAME_MS).unref();
    const isOther = phase.kind === 'retry' || before?.kind !== phase.kind || runsOf(before) !== runsOf(phase);
    if (phase.kind !== 'answering' && (isOther || this.#settled.length > 0)) this.#draw();
  }

  #drawText(): void {
    this.#drawnMs = this.#options.now();
    this.#draw();
  }

  /** Shows text typed meanwhile. */
  refresh(): void {
    if (this.#phase !== undefined) this.#draw();
  }

  #draw(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
    const { screen, region, footer = () => NO_FOOTER } = this.#options;
    const settled = this.#settled;
    this.#settled = [];
    if (!screen.movable || this.#phase === undefined) {
      region.draw(screen.movable ? (this.#stream?.open(Math.max(1, screen.rows - 2)) ?? []) : [], settled);
      return;
    }
    const below = footer(screen.columns - 1);
    const rows = this.#rowsBelow(this.#phase, below);
    const text = this.#stream?.open(Math.max(1, screen.rows - 2 - rows.length)) ?? [];
    region.draw([...text, ...rows], settled, below.draft?.column, below.draft?.rowsBelow);
  }

  #rowsBelow(phase: Phase, { queued, waiting, draft, task }: Footer): readonly StyledLine[] {
    const { screen, now } = this.#options;
    const nowMs = now();
    const elapsedMs = nowMs - (this.#sinceMs ?? nowMs);
    const sign = FRAMES[Math.floor(elapsedMs / FRAME_MS) % FRAMES.length]!;
    const line = bottomLine(
      { ...doingIn(phase, nowMs), sign, elapsedMs, queued, isTyping: draft !== undefined, task },
      screen.columns - 1,
    );
    const last = [line, ...(screen.rows < FEWEST_ROWS ? [] : waiting), ...(draft?.lines ?? [])];
    return [...toolRows(phase, nowMs).slice(0, Math.max(0, screen.rows - 1 - last.length)), ...last];
  }

  #endText(): void {
    if (this.#stream !== undefined) this.#settled.push(...this.#stream.end());
    this.#stream = undefined;
  }

  #print(lines: readonly StyledLine[], kind: Kind = 'line'): void {
    this.#endText();
    this.#separate(kind);
    this.#settled.push(...lines);
  }

  #separate(kind: Kind): void {
    if (this.#last !== undefined && this.#last !== kind) this.#settled.push([]);
    this.#last = kind;
  }

  /** Whole lines of it, and of a line that is longer than the screen as much as fills it. */
  #showThought(rest: boolean): void {
    const thought = this.#thought!;
    const lines = this.#wrapped([spanOf(sanitize(thought.unshown), 'dim', 'italic')]);
    const kept = rest ? undefined : lines.pop();
    if (lines.length === 0) return;
    // The space after a word separates it from the next one.
    const end = /\s*$/.exec(thought.unshown)![0];
    thought.unshown = kept === undefined ? '' : kept.map(({ text }) => text).join('') + end;
    this.#print(lines, 'thought');
  }

  #endThought(): void {
    if (this.#thought === undefined) return;
    if (this.#options.look.reasoning) this.#showThought(true);
    else {
      const text = `Thought for ${formatDuration(this.#options.now() - this.#thought.sinceMs)} · /reasoning shows it`;
      this.#print(this.#wrapped([spanOf(text, 'dim')]), 'thought');
    }
    this.#thought = undefined;
  }

  #wrapped(line: StyledLine): StyledLine[] {
    return wrapSpans(line, this.#options.screen.columns - 1);
  }
}

function runsOf(phase: Phase | undefined): number {
  return phase?.kind === 'tools' ? phase.runs.length : 0;
}
