// Holds a conversation, on a terminal or through pipes, and says how it ended by an exit code. Whatever a user, a model
// or a disk does wrong is said in a sentence and the conversation goes on; only what keeps it from beginning is thrown.
// The session is closed in order whichever way it ends, and what had arrived of an answer is kept.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { requestWindow } from '../app/request-window.ts';
import { leaveSession } from '../app/sessions/leave-session.ts';
import { openSession } from '../app/sessions/open-session.ts';
import { ERROR_CODES, OllmError } from '../errors/index.ts';
import type { TokenCount } from '../messages/index.ts';
import { usedTokens } from '../projections/budget-report.ts';
import { damagedPlaces } from '../session/describe-opening.ts';
import type { TurnInput } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { CommandContext } from './commands/command.ts';
import { requireWritable, runCommand } from './commands/run.ts';
import { COMMANDS } from './commands/table.ts';
import { type Departure, type DepartureWatch, watchForDeparture } from './departure.ts';
import type { Entered } from './front.ts';
import { introduce } from './introduction.ts';
import { createLaterWork, type LaterWork } from './later.ts';
import { openFront } from './open-front.ts';
import type { ReplOptions } from './options.ts';
import { createProblems } from './problems.ts';
import type { StatusFacts } from './render/status-line.ts';
import type { TurnView } from './turn-view.ts';
import { loadAsk, warmUp } from './warm-up.ts';

/**
 * Runs until the user leaves, the input ends or a signal comes. Answers with the exit code: 0; without a terminal that
 * of the last failure; 9 once the journal could not be written; 128 and the number of the signal that ended it.
 * @throws OllmError what `openSession` throws
 */
export async function startRepl(app: App, options: ReplOptions): Promise<number> {
  const later = createLaterWork();
  const conversation = await openUntilStopped(app, options.open, later);
  const repl = await createRepl(app, conversation, options, later);
  try {
    await repl.begin();
    return await repl.run();
  } finally {
    repl.release();
  }
}

/** A hook of the user's may hang before there is a prompt: a signal then ends it, and the REPL. */
async function openUntilStopped(app: App, request: ReplOptions['open'], later: LaterWork): Promise<Conversation> {
  const stopping = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const abort = () => stopping.abort();
  const stop = () => {
    for (const name of signals) process.on(name, abort);
    return stopping.signal;
  };
  try {
    return await openSession(app, request, { stop, later: later.add });
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}

async function createRepl(app: App, conversation: Conversation, options: ReplOptions, later: LaterWork) {
  const streams = options.streams ?? { input: process.stdin, output: process.stdout, errors: process.stderr };
  let turn: AbortController | undefined;
  let coolDown: (() => void) | undefined;
  /** Cancels the turn or command that runs; false if there is none. */
  const cancelTurn = () => {
    turn?.abort();
    return turn !== undefined;
  };
  // At a terminal Ctrl+C is for the turn; a script that interrupts its pipe wants all of it to end.
  let isTerminal = false;
  const watch = watchForDeparture({
    ...streams,
    now: () => app.clock.monotonic(),
    onInterrupt: () => isTerminal && cancelTurn(),
  });
  let hasEntered = false;
  /** When the turn that runs began. */
  let turnStartedMs = 0;
  const { bellAfterSeconds } = app.config.repl;
  const ringIfLong = () => {
    const tookMs = app.clock.monotonic() - turnStartedMs;
    if (bellAfterSeconds > 0 && tookMs >= bellAfterSeconds * 1000) front.bell();
  };
  const front = await openFront(app, options, streams, {
    context: () => context,
    onInterrupt: cancelTurn,
    onAsked: ringIfLong,
  });
  isTerminal = front.kind === 'terminal';
  const signal = new AbortController().signal;
  const context: CommandContext = { app, front, conversation, signal, commands: COMMANDS };
  void watch.departure.then(cancelTurn);
  // Opening has told of damage already.
  const isDamaged = damagedPlaces(conversation.session.report.damage) > 0;
  const problems = createProblems(app, front, isDamaged ? ERROR_CODES.JOURNAL_DAMAGED.exit : 0);
  const { guarded } = problems;

  return {
    async begin() {
      for (const warning of app.warnings) front.notice(warning);
      // Nobody types into a pipe.
      const told = front.kind === 'pipe' ? await later.finish() : [];
      if (!options.quiet || front.kind === 'terminal') {
        introduce(front, { ...conversation, notices: [...conversation.notices, ...told] });
      }
      for (const entry of options.context ?? []) await guarded(() => addGiven(entry));
    },
    async run(): Promise<number> {
      if (front.kind === 'terminal') {
        coolDown = warmUp(conversation.session);
        later.begin();
      }
      for (;;) {
        for (const notice of later.told()) front.notice(notice);
        const next = await Promise.race([front.next(await status()), watch.departure]);
        const end = 'signal' in next ? next : await handle(next);
        problems.tellIfJournalFailed(context.conversation.session);
        if (end) return await leave(end);
      }
    },
    release() {
      coolDown?.();
      watch.stop();
      front.close();
    },
  };

  /**
   * The tools are loaded to be counted only once the user has entered something: the first prompt does not wait for
   * them.
   */
  async function status(): Promise<() => StatusFacts> {
    const { conversation } = context;
    const isCounted = hasEntered && front.kind === 'terminal' && app.config.repl.statusLine;
    hasEntered = true;
    const report = isCounted
      ? await import('../app/window-report.ts')
          .then(({ windowReport }) => windowReport(app, conversation))
          .catch(() => undefined)
      : undefined;
    return () => statusOf(context, report?.used);
  }

  /** What the command line hands in: the project informs and may not instruct; a task may. */
  async function addGiven(entry: NonNullable<ReplOptions['context']>[number]): Promise<void> {
    const { addContext } = await import('../app/add-context.ts');
    const { warning } = await addContext(app, context.conversation, { ...entry, source: 'system' });
    if (warning !== undefined) front.notice(warning);
  }

  /** Undefined: the conversation goes on. */
  async function handle(entered: Entered): Promise<Ending | undefined> {
    switch (entered.type) {
      case 'end':
        return { reason: entered.reason };
      case 'gone':
        return departed(watch, 'SIGHUP');
      case 'message':
        await guarded(() => runMessage(entered));
        break;
      case 'shell':
        await guarded(() => runShell(entered.text));
        break;
      case 'command': {
        const result = await guarded(() => runInterruptibly(entered.text));
        if (result?.type === 'quit') return { reason: 'exit' };
        if (result?.type === 'message') await guarded(() => runMessage({ text: result.text, typed: result.text }));
        if (result?.type === 'ask') await guarded(() => runTurn(result.input));
        break;
      }
    }
    return watch.current;
  }

  async function runMessage({ text, typed }: Omit<Extract<Entered, { type: 'message' }>, 'type'>): Promise<void> {
    requireWritable(context.conversation);
    if (!typed.includes('@')) return runTurn({ text });
    const { attachFiles } = await import('../app/project/attach-files.ts');
    const allowOutside = front.kind === 'terminal';
    const { input, notices } = await attachFiles(app, context.conversation, { text, typed, allowOutside });
    for (const notice of notices) front.notice(notice);
    return runTurn(input);
  }

  async function runInterruptibly(line: string) {
    turn = new AbortController();
    context.signal = turn.signal;
    try {
      return await runCommand(context, line);
    } finally {
      turn = undefined;
    }
  }

  async function runTurn(input: TurnInput): Promise<void> {
    requireWritable(context.conversation);
    if (app.config.retention.maxItems !== undefined) await continueElsewhereWhenFull();
    await shown(async (signal, show) => {
      const { approver, askToGoOn } = front;
      const signals = (await loadAsk())(app, context.conversation, input, { signal, approver, askToGoOn });
      await new Promise<void>((resolve, reject) => signals.subscribe({ next: show, error: reject, complete: resolve }));
    });
  }

  async function continueElsewhereWhenFull(): Promise<void> {
    const { continueWhenFull } = await import('../app/sessions/continue-session.ts');
    const next = await continueWhenFull(app, { ...context.conversation, notices: [] });
    if (next.session === context.conversation.session) return;
    context.conversation = next;
    for (const notice of next.notices) front.notice(notice);
  }

  /** A command that the user types runs because he did; text from a pipe may be anybody's. */
  async function runShell(line: string): Promise<void> {
    if (front.kind === 'pipe') {
      throw new OllmError(
        'POLICY_DENIED',
        'A command from a pipe does not run: only a user at a terminal may start one.',
        {
          hint: 'Write !! for a message that begins with an exclamation mark.',
        },
      );
    }
    requireWritable(context.conversation);
    await shown(async (signal, show) => {
      const { runCommand: runInShell } = await import('../app/tools/run-command.ts');
      await runInShell(app, context.conversation, line, { signal, show });
    });
  }

  /** Shows what passes by while `work` runs, until the user cancels it or leaves. */
  async function shown(
    work: (signal: AbortSignal, show: (signal: TurnSignal) => void) => Promise<void>,
  ): Promise<void> {
    turn = new AbortController();
    turnStartedMs = app.clock.monotonic();
    let view: TurnView | undefined;
    try {
      const opened = await front.openTurn();
      view = opened;
      await work(turn.signal, (signal) => {
        problems.note(signal);
        if (!watch.current) opened.show(signal);
      });
    } finally {
      turn = undefined;
      if (!watch.current) {
        view?.end();
        ringIfLong();
      }
    }
  }

  async function leave(ending: Ending): Promise<number> {
    for (const notice of await later.stop()) front.notice(notice);
    const { session, ephemeral } = context.conversation;
    const departure = 'signal' in ending ? ending : undefined;
    const leaving = 'signal' in ending ? ({ ...ending, reason: 'signal' } as const) : ending;
    const isKept = await guarded(() => leaveSession(app, context.conversation, leaving));
    if (!departure && !ephemeral && front.kind === 'terminal') {
      front.notice(
        isKept === false
          ? `Nothing was said: session ${session.id} was not kept.`
          : `Session ${session.id} is kept. Continue with: ollm repl --resume ${session.id.slice(0, 8)}`,
      );
    }
    return departure ? departure.exitCode : problems.exitCode();
  }
}

type Ending = { readonly reason: 'exit' | 'eof' } | Departure;

/** `counted`: with the tools. Without it, the last report of the provider tells, or nothing. */
function statusOf(
  { app, conversation }: Pick<CommandContext, 'app' | 'conversation'>,
  counted: TokenCount | undefined,
): StatusFacts {
  const { session, choice, ephemeral } = conversation;
  const { budget } = session.states;
  return {
    model: choice.model,
    used: counted ?? (budget.reported === undefined ? { count: 0, method: 'unknown' } : usedTokens(budget)),
    limit: requestWindow(app, choice) ?? budget.limit,
    cost: budget.spent.totalCost,
    ephemeral,
  };
}

function departed(watch: DepartureWatch, signal: 'SIGHUP'): Departure {
  watch.depart(signal);
  return watch.current!;
}
