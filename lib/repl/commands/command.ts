// What a slash command is. /help, completion, suggestions and docs/repl.md are all made from these members.
import type { App } from '../../app/app.ts';
import type { Conversation } from '../../app/conversation.ts';
import { OllmError } from '../../errors/index.ts';
import type { Leader } from '../../lead/leader.ts';
import type { TurnInput } from '../../turn/run-turn.ts';
import type { Front } from '../front.ts';

export type CommandGroup = 'own' | 'conversation' | 'context' | 'tools' | 'session' | 'model' | 'repl';

/**
 * When a command may be used. All but the immediate ones wait for a turn that runs.
 * - `always`: also when the journal can no longer be written
 * - `writable`: it stores something
 * - `after-a-turn`: it stores something, and needs a turn to work on
 */
export type CommandState = 'always' | 'writable' | 'after-a-turn';

export interface CommandContext {
  readonly app: App;
  readonly front: Front;
  /** Leads the conversation: commands change it there, to switch the model or to go to another session. */
  readonly leader: Pick<Leader, 'change' | 'run'>;
  readonly conversation: Conversation;
  /** Aborted by Ctrl+C while the command runs, or while Tab waits for it. */
  signal: AbortSignal;
  /** ollm's commands, and the user's own as their files are now. */
  commands: readonly ReplCommand[];
}

export type CommandResult =
  | { readonly type: 'quit' }
  /**
   * Sends `text` as if it had been typed. `typed`: the part in which a name after an @ is a file; default: all of it.
   * `model`: answers in this turn only.
   */
  | {
      readonly type: 'message';
      readonly text: string;
      readonly typed?: string | undefined;
      readonly model?: string | undefined;
    }
  /** A turn to run. */
  | { readonly type: 'ask'; readonly input: TurnInput };

type Result = Promise<CommandResult | undefined> | Promise<void>;

export interface CommandAction {
  /** Whether it takes text after its word. */
  readonly takesText?: true;
  /** Words that the last one of `text` may become. */
  complete?(context: CommandContext, text: string): Promise<readonly string[]> | readonly string[];
  /** @throws OllmError, which the REPL reports */
  run(context: CommandContext, text: string): Result;
}

/** What a command does: one thing with its argument, or one of several by its first word, '' where there is none. */
type Behaviour =
  | (Pick<CommandAction, 'complete'> & {
      readonly actions?: undefined;
      /** @throws OllmError, which the REPL reports */
      run(context: CommandContext, argument: string): Result;
    })
  | { readonly actions: Readonly<Record<string, CommandAction>> };

export type ReplCommand = CommandDescription & Behaviour;

interface CommandDescription {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** Arguments as they are written in help: `[FILE]`; empty if there are none. */
  readonly arguments: string;
  /** A single line, without a full stop. */
  readonly summary: string;
  /** More for /help NAME, without a full stop at the end. */
  readonly details?: string;
  readonly example: string;
  readonly legal: CommandState;
  /** Does not wait for a turn that runs. */
  readonly isImmediate?: true;
}

export function usageOf(command: CommandDescription): string {
  return `/${command.name}${command.arguments && ` ${command.arguments}`}`;
}

export function wrongUsage(
  command: CommandDescription,
  problem = `That is not how /${command.name} is used.`,
): OllmError {
  const usage = usageOf(command);
  const example = command.example === usage ? '' : `, for example ${command.example}`;
  return new OllmError('USAGE', problem, { hint: `Usage: ${usage}${example}` });
}

/** The first word and the rest of the text. */
export function splitFirstWord(text: string): readonly [first: string, rest: string] {
  const match = /^\s*(\S*)\s?([\s\S]*)$/.exec(text)!;
  return [match[1]!, match[2]!];
}

/** The app as it is for this conversation: with the store that keeps it, if only for as long as it lasts. */
export function appOf(context: CommandContext): App {
  const { store, ephemeral } = context.conversation;
  return ephemeral ? { ...context.app, mode: 'ephemeral', store } : { ...keepingApp(context), store };
}

/** The app with the sessions that are kept, also where it was started to keep none. */
export function keepingApp({ app }: Pick<CommandContext, 'app'>): App {
  return app.mode === 'ephemeral' ? { ...app, mode: 'global', store: app.openDiskStore() } : app;
}
