// What a slash command is. /help, completion, suggestions and docs/repl.md are all made from these members.
import type { App } from '../../app/app.ts';
import type { Conversation } from '../../app/conversation.ts';
import { OllmError } from '../../errors/index.ts';
import type { TurnInput } from '../../turn/run-turn.ts';
import type { Front } from '../front.ts';

export type CommandGroup = 'conversation' | 'context' | 'tools' | 'session' | 'model' | 'repl';

/**
 * When a command may be used. All of them wait for a turn that runs.
 * - `always`: also when the journal can no longer be written
 * - `writable`: it stores something
 * - `after-a-turn`: it stores something, and needs a turn to work on
 */
export type CommandState = 'always' | 'writable' | 'after-a-turn';

export interface CommandContext {
  readonly app: App;
  readonly front: Front;
  /** Set by commands that switch the model or go to another session. */
  conversation: Conversation;
  /** Aborted by Ctrl+C while the command runs, or while Tab waits for it. */
  signal: AbortSignal;
  readonly commands: readonly ReplCommand[];
}

export type CommandResult =
  | { readonly type: 'quit' }
  /** As if it had been typed. */
  | { readonly type: 'message'; readonly text: string }
  /** To be asked at once. */
  | { readonly type: 'ask'; readonly input: TurnInput };

export interface ReplCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** Arguments as they are written in help: `[FILE]`; empty if there are none. */
  readonly arguments: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What is worth knowing beyond that. */
  readonly details?: string;
  readonly example: string;
  readonly legal: CommandState;
  /** Words that the last one of `argument` may become. */
  complete?(context: CommandContext, argument: string): Promise<readonly string[]> | readonly string[];
  /** @throws OllmError; the REPL tells the user */
  run(context: CommandContext, argument: string): Promise<CommandResult | undefined>;
}

export function usageOf(command: ReplCommand): string {
  return `/${command.name}${command.arguments && ` ${command.arguments}`}`;
}

export function wrongUsage(command: ReplCommand, problem: string): OllmError {
  const usage = usageOf(command);
  const example = command.example === usage ? '' : `, for example ${command.example}`;
  return new OllmError('USAGE', problem, { hint: `Usage: ${usage}${example}` });
}

/** The first word and the rest behind it. */
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
