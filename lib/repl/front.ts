// The two ways to talk with the REPL, a terminal and a pipe, seen from the conversation: the user's input comes in,
// words for the user go out. terminal-front.ts draws; piped-front.ts never does.
import type { Paint, StyledLine } from '../display/paint.ts';
import type { Approver } from '../tools/decision.ts';
import type { AskToGoOn } from '../turn/run-turn.ts';
import type { SpokenMessage } from './earlier-messages.ts';
import type { Entered } from './entered.ts';
import type { ExternalEditor } from './input/external-editor.ts';
import type { OpenAnswer } from './input/key-prompt.ts';
import type { PickerOptions } from './input/picker.ts';
import type { MessageQueue } from './queue.ts';
import type { StatusFacts } from './render/status-line.ts';
import type { TurnView } from './turn-view.ts';

/** Settings that the user can switch while the REPL runs. */
export interface Switches {
  /** Whether the model's thoughts are shown, and not only that it thinks. */
  reasoning: boolean;
}

export interface Front {
  readonly kind: 'terminal' | 'pipe';
  readonly paint: Paint;
  /** Columns that a line may take; Infinity where nothing is drawn. */
  readonly columns: number;
  /**
   * The user's next input, or a question as if it had been entered. `status` is called when there is a place to show
   * it.
   */
  next(status: () => StatusFacts, question?: string): Promise<Entered>;
  /** Shows earlier messages as they looked then: all of them, or the last rows. */
  show(said: readonly SpokenMessage[], options?: { readonly mostRows?: number }): Promise<void>;
  /** What a command was asked for. */
  print(...lines: readonly (StyledLine | string)[]): void;
  /** Useful information. */
  notice(text: string): void;
  /** Something that went wrong, and what to do about it. */
  problem(message: string, hint?: string): void;
  /** Asks a yes-or-no question. No, where no user can be asked. */
  confirm(question: string): Promise<boolean>;
  /** Asks a question that may stay open, as it does where no user can be asked. */
  decide(question: string): Promise<OpenAnswer>;
  /** Lets the user choose one of many, undefined for none; absent where nothing can be drawn. */
  readonly pick?: (<Item>(options: PickerOptions<Item>) => Promise<Item | undefined>) | undefined;
  /** Asks before a tool runs; undefined where no user can be asked. */
  readonly approver: Approver | undefined;
  /** Asks whether a turn of many requests continues; undefined where nothing can be asked. */
  readonly askToGoOn: AskToGoOn | undefined;
  /** The user's own editor; undefined where no variable names one, or without a terminal. */
  readonly externalEditor: ExternalEditor | undefined;
  /** Puts a text into the line that is typed, to be changed; absent where no line is drawn. */
  readonly prefill?: ((text: string) => void) | undefined;
  /** Hands a text to the clipboard of the terminal; absent where there is none. */
  readonly copy?: ((text: string) => Promise<void>) | undefined;
  readonly switches: Switches;
  /** Messages entered while something ran. */
  readonly queue: MessageQueue;
  clearScreen(): void;
  /** Calls a user who looks elsewhere. */
  notify(text: string): void;
  /** `task`: the model's current task, by its list. */
  openTurn(options?: { readonly task?: () => string | undefined }): Promise<TurnView>;
  /** Gives the terminal back. Nothing is shown after it. */
  close(): void;
}
