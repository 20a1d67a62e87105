// Opens the terminal front where both ends are a terminal, the piped one elsewhere.
import type { App } from '../app/app.ts';
import type { ToolMode } from '../tools/modes.ts';
import { commandMenu } from './command-menu.ts';
import { type CommandContext, keepingApp } from './commands/command.ts';
import { createCompleter } from './completion.ts';
import { fileMenu } from './file-menu.ts';
import type { Front } from './front.ts';
import { FuzzyFiles } from './fuzzy-files.ts';
import { createHistory } from './input/history.ts';
import type { ReplOptions, ReplStreams } from './options.ts';
import { createPipedFront } from './piped-front.ts';
import { SearchMenu } from './search-menu.ts';
import { TerminalFront } from './terminal-front.ts';

interface FrontHooks {
  /** For completion; asked when Tab is pressed. */
  readonly context: () => CommandContext;
  /** Ctrl+C while a turn runs. */
  readonly onInterrupt: () => void;
  /** Goes to a mode of the tools; default: the next one. Resolves with what to say. */
  readonly onMode: (mode?: ToolMode) => Promise<string>;
  /** The user is asked whether a tool may run. */
  readonly onAsked: () => void;
  /** A command was entered while something runs. True: it was run at once. */
  readonly runNow: (line: string) => boolean;
}

/** Both ends are one. */
export function isTerminal({ input, output }: ReplStreams): boolean {
  return Boolean(input.isTTY && output.isTTY);
}

export function processStreams(): ReplStreams {
  return { input: process.stdin, output: process.stdout, errors: process.stderr };
}

export function hasColor({ env }: Pick<App, 'env'>, { color }: Pick<ReplOptions, 'color'>): boolean {
  return color ?? (!env.NO_COLOR && env.TERM !== 'dumb');
}

export async function openFront(
  app: App,
  options: ReplOptions,
  streams: ReplStreams,
  hooks: FrontHooks,
): Promise<Front> {
  if (!isTerminal(streams)) {
    return createPipedFront({ streams, quiet: options.quiet ?? false });
  }
  const redact = await app.redactor();
  const files = new FuzzyFiles(app);
  const search = new SearchMenu(() => keepingApp(hooks.context()));
  const isDumb = app.env.TERM === 'dumb';
  return new TerminalFront({
    streams,
    color: hasColor(app, options),
    movable: !isDumb,
    settings: app.config.repl,
    env: app.env,
    history: createHistory(app.fileSystem, app.paths.history, (text) => redact(text).text, {
      mostEntries: app.config.repl.historySize,
      isPaused: () => hooks.context().conversation.encrypted === true,
    }),
    complete: createCompleter(hooks.context, files),
    menu: {
      rowsFor: (text, columns) => {
        const found = search.rowsFor(text, columns);
        if (found.length > 0) return found;
        const rows = commandMenu(hooks.context().commands, text, columns);
        return rows.length > 0 ? rows : fileMenu(files, text, columns);
      },
      onMore(listener) {
        files.onMore(listener);
        search.onMore(listener);
      },
    },
    onClose() {
      files.stop();
      search.stop();
    },
    now: () => app.clock.monotonic(),
    onInterrupt: hooks.onInterrupt,
    onMode: hooks.onMode,
    onAsked: hooks.onAsked,
    runNow: hooks.runNow,
  });
}
