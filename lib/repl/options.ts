// Options of the REPL in addition to the app: the session, the streams, and the look.
import type { App } from '../app/app.ts';
import type { ContextText } from '../app/context/project-context.ts';
import type { UsualServer } from '../app/providers/first-choice.ts';
import type { SessionWish } from '../app/sessions/open/open-session.ts';
import type { TerminalRun } from '../lead/runs/run-conversation.ts';

export interface ReplStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
}

export interface ReplOptions {
  /** An agent of another maker that answers in place of a model; then `open` is not looked at. */
  readonly run?: TerminalRun | undefined;
  /** The session to open, with the provider and model that were named. */
  readonly open: SessionWish;
  /** The first message. On a terminal only. */
  readonly question?: string | undefined;
  /** Whether colours may be used on a terminal. Default: unless NO_COLOR is set or TERM is dumb. */
  readonly color?: boolean | undefined;
  /** Leaves out everything that is neither an answer nor a problem. */
  readonly quiet?: boolean | undefined;
  /** Text to put before the model as context entries from the start, by key: what --context and --task bring. */
  readonly context?: readonly ContextText[] | undefined;
  /**
   * Makes a new app once the user has chosen a provider, and closes this one. Without it, the user is not asked.
   */
  readonly reopen?: (() => Promise<App>) | undefined;
  /** Where programs that serve models are looked for at a first start. Default: on their usual ports. */
  readonly usualServers?: readonly UsualServer[] | undefined;
  /** Default: those of the process. */
  readonly streams?: ReplStreams | undefined;
}
