// Holds a conversation, on a terminal or through pipes, and says how it ended by an exit code. Whatever a user, a model or
// a disk does wrong is said in a sentence and the conversation goes on; only what keeps it from beginning is thrown.
// The session is closed in order whichever way it ends, and what had arrived of an answer is kept.
import type { App } from '../app/app.ts';
import { ask } from '../app/ask.ts';
import type { Conversation } from '../app/conversation.ts';
import { openSession } from '../app/open-session.ts';
import { ERROR_CODES, isOllmError, OllmError } from '../errors/index.ts';
import { usedTokens } from '../projections/budget.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import type { TurnInput } from '../turn/run-turn.ts';
import { type CommandContext, type ReplCommand, splitFirstWord } from './commands/command.ts';
import { findCommand } from './commands/find.ts';
import { COMMANDS } from './commands/table.ts';
import { type Departure, type DepartureWatch, watchForDeparture } from './departure.ts';
import type { Entered, Front } from './front.ts';
import { createCompleter } from './input/completion.ts';
import { createHistory } from './input/history.ts';
import { introduce } from './introduction.ts';
import type { ReplOptions, ReplStreams } from './options.ts';
import { createPipedFront } from './piped-front.ts';
import { loadLexer } from './render/markdown.ts';
import type { StatusFacts } from './render/status-line.ts';
import { createTerminalFront } from './terminal-front.ts';

/**
 * Runs until the user leaves, the input ends or a signal comes. Answers with the exit code: 0; without a terminal that of
 * the last failure; 9 once the journal could not be written; 128 and the number of the signal that ended it.
 * @throws OllmError what `openSession` throws
 */
export async function startRepl(app: App, options: ReplOptions): Promise<number> {
  const conversation = await openSession(app, options.open);
  const repl = await createRepl(app, conversation, options);
  try {
    await repl.begin();
    return await repl.run();
  } finally {
    repl.release();
  }
}

async function createRepl(app: App, conversation: Conversation, options: ReplOptions) {
  const streams = options.streams ?? { input: process.stdin, output: process.stdout, errors: process.stderr };
  let turn: AbortController | undefined;
  /** Cancels the turn that runs; false if there is none. */
  const cancelTurn = () => {
    turn?.abort();
    return turn !== undefined;
  };
  const watch = watchForDeparture({ ...streams, onInterrupt: cancelTurn });
  const front = await openFront(app, options, streams, { complete: () => context, onInterrupt: cancelTurn });
  const context: CommandContext = { app, front, conversation, commands: COMMANDS };
  void watch.departure.then(cancelTurn);
  /** Exit code of the last thing that failed. */
  let failure = 0;
  let toldThatJournalFailed = false;

  return {
    async begin() {
      for (const warning of app.warnings) front.notice(warning);
      if (!options.quiet || front.kind === 'terminal') introduce(front, context.conversation);
      for (const entry of options.context ?? []) await guarded(() => addContext(context, entry));
    },
    async run(): Promise<number> {
      for (;;) {
        const next = await Promise.race([front.next(() => statusOf(context.conversation)), watch.departure]);
        const end = 'signal' in next ? next : await handle(next);
        tellIfJournalFailed();
        if (end) return await leave(end);
      }
    },
    release() {
      watch.stop();
      front.close();
    },
  };

  /** Undefined: the conversation goes on. */
  async function handle(entered: Entered): Promise<Ending | undefined> {
    switch (entered.type) {
      case 'end':
        return { reason: entered.reason };
      case 'gone':
        return departed(watch, 'SIGHUP');
      case 'message':
        await guarded(() => runTurn({ text: entered.text }));
        break;
      case 'command': {
        const result = await guarded(() => runCommand(context, entered.text));
        if (result?.type === 'quit') return { reason: 'exit' };
        if (result?.type === 'ask') await guarded(() => runTurn(result.input));
        break;
      }
    }
    return watch.current;
  }

  async function runTurn(input: TurnInput): Promise<void> {
    requireWritable(context.conversation);
    const view = front.openTurn();
    turn = new AbortController();
    try {
      const signals = ask(app, context.conversation, input, { signal: turn.signal });
      await new Promise<void>((resolve, reject) => {
        signals.subscribe({
          next(signal) {
            if (signal.type === 'error') failure = signal.error.exitCode;
            if (!watch.current) view.show(signal);
          },
          error: reject,
          complete: resolve,
        });
      });
    } finally {
      turn = undefined;
      if (!watch.current) view.end();
    }
  }

  /** Says what went wrong, and remembers it for the exit code. */
  async function guarded<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const known = isOllmError(error) ? error : unexpected(app, error);
      failure = known.exitCode;
      front.problem(known.message, known.hint);
      return undefined;
    }
  }

  function tellIfJournalFailed(): void {
    const { failure: writing } = context.conversation.session.writer;
    if (!writing || toldThatJournalFailed) return;
    toldThatJournalFailed = true;
    front.problem(`Nothing more is stored in this session: ${writing.message}`, writing.hint);
  }

  async function leave(ending: Ending): Promise<number> {
    const { session, ephemeral } = context.conversation;
    const journalFailed = session.writer.failure !== undefined;
    const departure = 'signal' in ending ? ending : undefined;
    await guarded(() => ('signal' in ending ? session.close('signal', ending.signal) : session.close(ending.reason)));
    if (!departure && !ephemeral && front.kind === 'terminal') {
      front.notice(`Session ${session.id} is kept. Go on with: ollm repl --resume ${session.id.slice(0, 8)}`);
    }
    if (departure) return departure.exitCode;
    if (journalFailed || failure === ERROR_CODES.JOURNAL_POISONED.exit) return ERROR_CODES.JOURNAL_POISONED.exit;
    return front.kind === 'pipe' ? failure : 0;
  }
}

type Ending = { readonly reason: 'exit' | 'eof' } | Departure;

async function openFront(
  app: App,
  options: ReplOptions,
  streams: ReplStreams,
  hooks: { readonly complete: () => CommandContext; readonly onInterrupt: () => void },
): Promise<Front> {
  if (!streams.input.isTTY || !streams.output.isTTY) {
    return createPipedFront({ streams, quiet: options.quiet ?? false });
  }
  const isDumb = app.env.TERM === 'dumb';
  return createTerminalFront({
    streams,
    color: options.color ?? (!app.env.NO_COLOR && !isDumb),
    movable: !isDumb,
    history: createHistory(app.fileSystem, app.paths.history),
    complete: createCompleter(hooks.complete),
    lex: await loadLexer(),
    now: () => app.clock.monotonic(),
    onInterrupt: hooks.onInterrupt,
  });
}

async function runCommand(context: CommandContext, line: string) {
  const [name, argument] = splitFirstWord(line.slice(1));
  const command = findCommand(context.commands, name);
  requireLegal(command, context.conversation);
  return await command.run(context, argument);
}

function requireLegal(command: ReplCommand, conversation: Conversation): void {
  if (command.legal === 'always') return;
  requireWritable(conversation);
  if (command.legal === 'after-a-turn' && conversation.session.states.summary.turnCount === 0) {
    throw new OllmError('USAGE', `/${command.name} needs a turn, and there is none yet.`);
  }
}

function requireWritable({ session }: Conversation): void {
  const { failure } = session.writer;
  if (!failure) return;
  throw new OllmError(failure.code, 'This cannot be done: the journal of this session can no longer be written.', {
    hint: `${failure.hint ?? 'See to the disk.'} Then leave, and go on with: ollm repl --resume ${session.id.slice(0, 8)}`,
    cause: failure,
  });
}

async function addContext(
  { app, conversation }: CommandContext,
  { key, content }: { readonly key: string; readonly content: string },
): Promise<void> {
  const { text } = (await app.redactor())(content);
  await conversation.session.append({
    type: 'context.added',
    data: { key, content: text, priority: 50, source: 'system', tokens: estimatingCounter.count(text), trusted: false },
  });
}

function statusOf({ session, choice, ephemeral }: Conversation): StatusFacts {
  const { budget } = session.states;
  return {
    model: choice.model,
    used: usedTokens(budget),
    limit: choice.contextWindow ?? budget.limit,
    cost: budget.spent.totalCost,
    ephemeral,
  };
}

function departed(watch: DepartureWatch, signal: 'SIGHUP'): Departure {
  watch.depart(signal);
  return watch.current!;
}

function unexpected(app: App, error: unknown): OllmError {
  const message = error instanceof Error ? error.message : String(error);
  app.log.error({ service: 'repl', operation: 'guarded', stack: (error as Error | null)?.stack }, message);
  return new OllmError('INTERNAL', `Something went wrong in ollm itself: ${message}`, {
    hint: `See ${app.paths.log}.`,
    cause: error,
  });
}
