// Holds a conversation, on a terminal or through pipes, and reports by an exit code how it ended. Whatever a user, a
// model or a disk does wrong is said in a sentence and the conversation continues; only a failure to begin is thrown.
// The session is closed in order in every case, and what had arrived of an answer is kept.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import { requestWindow } from '../app/providers/request-window.ts';
import type { OpenOptions, OpenRequest } from '../app/sessions/open/open-session.ts';
import { createPaint } from '../display/paint.ts';
import { countOf } from '../display/quantities.ts';
import { shortId } from '../display/short-id.ts';
import { ERROR_CODES, isOllmError, OllmError } from '../errors/index.ts';
import { Leader } from '../lead/leader.ts';
import type { TerminalRun } from '../lead/runs/run-conversation.ts';
import type { LeaderOptions, LeadSignal, Perform } from '../lead/types.ts';
import type { TokenCount } from '../messages/index.ts';
import { usedTokens } from '../projections/budget-report.ts';
import { damagedPlaces } from '../session/describe-opening.ts';
import type { CommandContext } from './commands/command.ts';
import { commandsFor } from './commands/of-agents.ts';
import { isImmediate, runCommand } from './commands/run.ts';
import { COMMANDS } from './commands/table.ts';
import { type Departure, type DepartureWatch, watchForDeparture } from './departure.ts';
import type { Entered } from './entered.ts';
import { holdKeys } from './input/held-keys.ts';
import { greet, introduce, suggest } from './introduction.ts';
import { createLaterWork, type LaterWork } from './later.ts';
import { hasColor, isTerminal, openFront, processStreams } from './open-front.ts';
import type { ReplOptions, ReplStreams } from './options.ts';
import { createProblems, type Problems } from './problems.ts';
import { queueRecord } from './queue-record.ts';
import { waitingRows } from './render/draft-row.ts';
import type { StatusFacts } from './render/status-line.ts';
import { RunningWork } from './running-work.ts';
import { Turns } from './turns.ts';
import { warmUp } from './warm-up.ts';

/**
 * Runs until the user leaves, the input ends or a signal comes. Answers with the exit code: 0; without a terminal that
 * of the last failure; 9 once the journal could not be written; 128 and the number of the signal that ended it.
 * @throws OllmError as `openSession` does
 */
export async function startRepl(first: App, options: ReplOptions): Promise<number> {
  const later = createLaterWork();
  // It leads nothing before the REPL is there.
  const heard: { repl?: Repl } = {};
  const leading: Leading = {
    perform: (...asked) => heard.repl!.perform(...asked),
    onSignal: (signal) => heard.repl?.hear(signal),
  };
  const opened = await (options.run === undefined
    ? openOwn(first, options, { ...leading, later: later.add })
    : openRunOf(first, { ...options, run: options.run }, leading));
  if (typeof opened === 'number') return opened;
  const { app, leader } = opened;
  const streams = options.streams ?? processStreams();
  const release = isTerminal(streams)
    ? await holdKeys({ ...streams, movable: app.env.TERM !== 'dumb' })
    : () => undefined;
  const repl = await openRepl(app, leader, options, later);
  heard.repl = repl;
  try {
    await repl.begin();
    return await repl.run();
  } finally {
    repl.release();
    release();
  }
}

type Leading = Pick<LeaderOptions, 'perform' | 'onSignal'>;

interface Opened {
  readonly app: App;
  readonly leader: Leader;
}

/** A number: the exit code with which the user left at a question. */
async function openOwn(
  first: App,
  options: ReplOptions,
  leading: Leading & Pick<OpenOptions, 'later'>,
): Promise<Opened | number> {
  const request = await requestOf(first, options);
  if (request === undefined) return 0;
  const app = await withFirstChoice(first, options, request);
  if (app === undefined) return LEFT_AT_QUESTION;
  if (!(await isAnsweredForTrust(app, options, request))) return LEFT_AT_QUESTION;
  return { app, leader: await openUntilStopped(app, { request, streams: options.streams }, leading) };
}

async function openRunOf(
  app: App,
  { run, ...options }: ReplOptions & { readonly run: TerminalRun },
  leading: Leading,
): Promise<Opened | number> {
  const streams = options.streams ?? processStreams();
  const { startRun } = await import('./start-run.ts');
  const pick = async () => {
    requireScreen(app, streams);
    const { pickSession } = await import('./pick-session.ts');
    return pickSession(app, streams, createPaint(hasColor(app, options)));
  };
  const say = (text: string) => void (isTerminal(streams) && streams.errors.write(`${text}\n`));
  const conversation = await untilStopped((stop) => startRun(app, run, { pick, say, signal: stop() }));
  return conversation === undefined ? 0 : { app, leader: await Leader.of(app, conversation, leading) };
}

/** Undefined: the user was asked for a session and chose none. */
async function requestOf(app: App, options: ReplOptions): Promise<OpenRequest | undefined> {
  const { open, question } = options;
  const streams = options.streams ?? processStreams();
  if (question !== undefined && !isTerminal(streams)) throw withoutTerminal('A question', 'ollm ask "…" answers one.');
  if (open.kind !== 'pick') return open;
  requireScreen(app, streams);
  const { pickSession } = await import('./pick-session.ts');
  const reference = await pickSession(app, streams, createPaint(hasColor(app, options)));
  if (reference === undefined) return undefined;
  const { foreignAddress } = await import('../app/find/find-session.ts');
  if (foreignAddress(reference) === undefined) return { ...open, kind: 'resume', reference };
  const { ownSession } = await import('../app/sessions/open/own-session.ts');
  return { ...open, kind: 'resume', reference: (await ownSession(app, reference)).id };
}

/** At a first start the user may choose what answers; the app is another one then. Undefined: the user left. */
async function withFirstChoice(app: App, options: ReplOptions, request: OpenRequest): Promise<App | undefined> {
  const { reopen, usualServers: servers, quiet } = options;
  const streams = options.streams ?? processStreams();
  if (reopen === undefined || quiet || !isTerminal(streams) || app.env.TERM === 'dumb') return app;
  if (request.kind === 'resume') return app;
  const { isFirstStart } = await import('../app/providers/first-choice.ts');
  if (!isFirstStart(app, request)) return app;
  const { askFirst } = await import('./first-question.ts');
  const answer = await askFirst(app, { streams, paint: createPaint(hasColor(app, options)), servers });
  if (answer === 'leave') return undefined;
  return answer === 'kept' ? reopen() : app;
}

/** A search follows no instructions. False: the user left at the question. */
async function isAnsweredForTrust(app: App, options: ReplOptions, { provider }: OpenRequest): Promise<boolean> {
  const streams = options.streams ?? processStreams();
  if (!isTerminal(streams) || (provider ?? app.config.provider) === 'offline') return true;
  const { askForTrust } = await import('./trust-question.ts');
  return askForTrust(app, streams, createPaint(hasColor(app, options)));
}

function requireScreen({ env }: App, streams: ReplStreams): void {
  if (isTerminal(streams) && env.TERM !== 'dumb') return;
  throw withoutTerminal('Choosing a session', 'Name a session; @last is the one used last.');
}

function withoutTerminal(what: string, hint: string): OllmError {
  return new OllmError('USAGE', `${what} needs a terminal.`, { hint });
}

const MOST_TAKE_OVERS = 2;

/** A hook of the user's may hang before there is a prompt: a signal then ends it, and the REPL. */
async function openUntilStopped(
  app: App,
  { request, streams }: { readonly request: OpenRequest } & Pick<ReplOptions, 'streams'>,
  leading: Leading & Pick<OpenOptions, 'later'>,
): Promise<Leader> {
  const errors = streams?.errors ?? process.stderr;
  const say = (text: string) => void (text !== '' && errors.write(`${text}\n`));
  return untilStopped(async (stop) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await Leader.open(app, request, { ...leading, stop, onWait: say });
      } catch (error) {
        // A server that gave it up may have taken a prompt before it was opened here: it is asked once more.
        if (!isOllmError(error, 'JOURNAL_LOCKED') || attempt > MOST_TAKE_OVERS) throw error;
        const { takeOver } = await import('./take-over.ts');
        await takeOver(app, error, { say, signal: stop() });
      }
    }
  });
}

/** From the first call of `stop` on, signals to the process abort the returned signal. */
async function untilStopped<Result>(work: (stop: () => AbortSignal) => Promise<Result>): Promise<Result> {
  const stopping = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const abort = () => stopping.abort();
  const stop = () => {
    for (const name of signals) process.off(name, abort).on(name, abort);
    return stopping.signal;
  };
  try {
    return await work(stop);
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}

async function openRepl(app: App, leader: Leader, options: ReplOptions, later: LaterWork): Promise<Repl> {
  const streams = options.streams ?? processStreams();
  const work = new RunningWork(app);
  const watch = watchForDeparture({
    ...streams,
    now: () => app.clock.monotonic(),
    // At a terminal Ctrl+C is for the turn; a script that interrupts its pipe wants all of it to end.
    onInterrupt: () => isTerminal(streams) && work.cancel(),
  });
  void watch.departure.then(() => work.cancel());
  const front = await openFront(app, options, streams, {
    context: () => context,
    onInterrupt: () => work.cancel(),
    onMode: async (mode) => (await import('./commands/next-mode.ts')).goToMode(context, mode),
    onAsked: () => {
      if (work.isLong) front.notify('A tool waits for your answer.');
    },
    runNow: (line) => repl.runNow(line),
  });
  const { signal } = new AbortController();
  const opened = leader.conversation!;
  let conversation = opened;
  const context: CommandContext = {
    ...{ app, front, leader, signal, commands: COMMANDS },
    get conversation() {
      conversation = leader.conversation ?? conversation;
      return conversation;
    },
  };
  const redact = await app.redactor();
  front.queue.keepIn(queueRecord(app, leader, (text) => redact(text).text));
  const repl = new Repl({ context, opened, leader, options, later, work, watch });
  return repl;
}

interface ReplParts {
  readonly context: CommandContext;
  /** As it was opened, with its notices. */
  readonly opened: Conversation;
  readonly leader: Leader;
  readonly options: ReplOptions;
  readonly later: LaterWork;
  readonly work: RunningWork;
  readonly watch: DepartureWatch;
}

/** As a shell counts a program that Ctrl+C ended. */
const LEFT_AT_QUESTION = 130;

type Ending = { readonly reason: 'exit' | 'eof' } | Departure;

class Repl {
  readonly #parts: ReplParts;
  readonly #problems: Problems;
  readonly #turns: Turns;
  readonly #saidOfCommands = new Set<string>();
  #coolDown: (() => void) | undefined;
  #hasEntered = false;

  constructor(parts: ReplParts) {
    this.#parts = parts;
    const { app, front, conversation } = parts.context;
    // Opening has reported damage already.
    const isDamaged = damagedPlaces(conversation.session.report.damage) > 0;
    this.#problems = createProblems(app, front, isDamaged ? ERROR_CODES.JOURNAL_DAMAGED.exit : 0);
    this.#turns = new Turns({ ...parts, problems: this.#problems });
  }

  async begin(): Promise<void> {
    const { context, opened: conversation, options, later } = this.#parts;
    const { app, front } = context;
    if (front.kind === 'terminal') greet(front, app, conversation.agent?.permissions ?? conversation.state.mode);
    for (const warning of app.warnings) front.notice(warning);
    // At a pipe there is no prompt, so the reports come now.
    const reports = front.kind === 'pipe' ? await later.finish() : [];
    if (!options.quiet || front.kind === 'terminal') {
      await introduce(front, { ...conversation, notices: [...conversation.notices, ...reports] });
    }
    if (front.kind === 'terminal' && conversation.session.report.created && options.question === undefined)
      suggest(front, conversation);
    this.#offerWaiting();
    for (const entry of options.context ?? []) await this.#problems.guarded(() => this.#addGiven(entry));
  }

  async run(): Promise<number> {
    const { context, options, later, watch } = this.#parts;
    const { front } = context;
    let { question } = options;
    if (front.kind === 'terminal') {
      this.#coolDown = warmUp(context.conversation);
      later.begin();
    }
    for (;;) {
      for (const notice of later.reports()) front.notice(notice);
      await this.#problems.guarded(() => this.#readCommands());
      const status = await this.#status();
      const next = await Promise.race([front.next(status, question), watch.departure]);
      question = undefined;
      const { session } = context.conversation;
      const end = 'signal' in next ? next : await this.#handle(next);
      if (end === undefined && context.conversation.agent?.movedTo !== undefined) await this.#followAgent();
      if (context.conversation.session.id !== session.id) this.#offerWaiting();
      this.#problems.reportIfJournalFailed(context.conversation.session);
      if (end) return await this.#leave(end);
    }
  }

  /**
   * Messages that waited when the session was last left, or its program was killed. Only the user sends them. A guest's
   * message waits for the server, where each of its calls is asked about.
   */
  #offerWaiting(): void {
    const { context, leader } = this.#parts;
    const { front, conversation } = context;
    const prompts = leader.prompts.filter(
      ({ permissions, promptId }) => permissions !== 'guest' && !front.queue.has(promptId),
    );
    if (prompts.length === 0) return;
    const waiting = `${countOf(prompts.length, 'message')} of yours ${prompts.length === 1 ? 'was' : 'were'} not sent before:`;
    if (front.kind === 'pipe') {
      front.notice(`${waiting} "${continuing(conversation)}" in a terminal offers what waits.`);
      return;
    }
    front.queue.offer(prompts);
    front.notice(waiting);
    front.print(
      ...waitingRows(
        [],
        prompts.map(({ text }) => text),
        front.columns,
      ),
    );
    front.notice('Enter at the empty line sends the next, /queue edit N changes one, /queue clear drops them.');
  }

  /** Faults in the file of a command are reported once. */
  async #readCommands(): Promise<void> {
    const { context } = this.#parts;
    const { allCommands } = await import('./commands/own.ts');
    const { commands, problems } = await allCommands(context.app);
    context.commands = commandsFor(context.conversation, commands);
    for (const problem of problems) {
      if (!this.#saidOfCommands.has(problem)) context.front.notice(problem);
      this.#saidOfCommands.add(problem);
    }
  }

  readonly perform: Perform = (...asked) => this.#turns.perform(...asked);

  hear(signal: LeadSignal): void {
    this.#turns.hear(signal);
  }

  /** Runs an immediate command while a turn runs. False for any other line. */
  runNow(line: string): boolean {
    const { context } = this.#parts;
    if (!isImmediate(context.commands, line)) return false;
    void this.#problems.guarded(() => runCommand(context, line));
    return true;
  }

  release(): void {
    this.#coolDown?.();
    this.#parts.watch.stop();
    this.#parts.context.front.close();
  }

  /** The tools are loaded and counted only after the user has entered something: the first prompt does not wait. */
  async #status(): Promise<() => StatusFacts> {
    const { context } = this.#parts;
    const { app, conversation, front } = context;
    const isOurs = conversation.agent === undefined;
    const isCounted = isOurs && this.#hasEntered && front.kind === 'terminal' && app.config.repl.statusLine;
    this.#hasEntered = true;
    const report = isCounted
      ? await import('../app/turn/window-report.ts')
          .then(({ windowReport }) => windowReport(app, conversation))
          .catch(() => undefined)
      : undefined;
    const ofAgents = isCounted ? await this.#costOfAgents() : undefined;
    return () => statusOf(context, { counted: report?.used, ofAgents });
  }

  /** US dollars. Their sessions are read only where the conversation may have called one. */
  async #costOfAgents(): Promise<number | undefined> {
    const { app, conversation } = this.#parts.context;
    const { entries, forgotten } = conversation.session.states.view.timeline;
    if (forgotten.length === 0 && !entries.some(({ kind }) => kind === 'call')) return undefined;
    const { costOfAgents } = await import('../app/sessions/read/spent-by-agents.ts');
    return await costOfAgents(app, conversation).catch(() => undefined);
  }

  /**
   * Adds an entry from the command line. Files of the project are untrusted context; a `--task` file is an instruction.
   */
  async #addGiven(entry: NonNullable<ReplOptions['context']>[number]): Promise<void> {
    const { app, conversation, front } = this.#parts.context;
    const { addContext } = await import('../app/context/add-context.ts');
    const { warning } = await addContext(app, conversation, { ...entry, source: 'system' });
    if (warning !== undefined) front.notice(warning);
  }

  /** Undefined: the conversation continues. */
  async #handle(entered: Entered): Promise<Ending | undefined> {
    const { watch } = this.#parts;
    const { guarded } = this.#problems;
    switch (entered.type) {
      case 'end':
        return { reason: entered.reason };
      case 'gone':
        watch.depart('SIGHUP');
        break;
      case 'message':
        await guarded(() => this.#turns.send(entered));
        break;
      case 'shell':
        await guarded(() => this.#turns.runShell(entered.text));
        break;
      case 'command': {
        const result = await guarded(() => this.#runCommand(entered.text));
        if (result?.type === 'quit') return { reason: 'exit' };
        if (result?.type === 'message') await guarded(() => this.#turns.send(result));
        if (result?.type === 'ask') await guarded(() => this.#turns.ask(result.input));
        break;
      }
    }
    return watch.current;
  }

  async #followAgent(): Promise<void> {
    const { context, work } = this.#parts;
    const { followAgent } = await import('./commands/session.ts');
    await this.#problems.guarded(() =>
      work.run((signal) => {
        context.signal = signal;
        return followAgent(context);
      }),
    );
  }

  #runCommand(line: string) {
    const { context, work } = this.#parts;
    return work.run((signal) => {
      context.signal = signal;
      return runCommand(context, line);
    });
  }

  async #leave(ending: Ending): Promise<number> {
    const { context, leader, later } = this.#parts;
    const { front } = context;
    for (const notice of await later.stop()) front.notice(notice);
    const { session, ephemeral } = context.conversation;
    const departure = 'signal' in ending ? ending : undefined;
    const leaving = 'signal' in ending ? ({ ...ending, reason: 'signal' } as const) : ending;
    const isKept = await this.#problems.guarded(() => leader.close(leaving));
    if (!departure && !ephemeral && front.kind === 'terminal') {
      front.notice(
        isKept === false
          ? `Nothing was said: session ${shortId(session.id)} was not kept.`
          : `Session ${nameOf(context.conversation)} is kept. Continue with: ${continuing(context.conversation)}`,
      );
    }
    return departure ? departure.exitCode : this.#problems.exitCode();
  }
}

function nameOf({ session, agent }: Conversation): string {
  return agent?.address ?? shortId(session.id);
}

/** The command that goes on with it. */
function continuing(conversation: Conversation): string {
  const name = nameOf(conversation);
  return conversation.agent === undefined ? `ollm repl --resume ${name}` : `ollm resume ${name} --agent`;
}

interface Counted {
  /** With the tools. Without it the last report of the provider counts, if there is one. */
  readonly counted: TokenCount | undefined;
  /** US dollars that its agents cost. */
  readonly ofAgents: number | undefined;
}

function statusOf(
  { app, conversation }: Pick<CommandContext, 'app' | 'conversation'>,
  { counted, ofAgents }: Counted,
): StatusFacts {
  const { session, choice, ephemeral, agent } = conversation;
  const { budget } = session.states;
  return {
    model: agent === undefined ? choice.model : [agent.title, agent.models.current].filter(Boolean).join(' '),
    used: counted ?? (budget.reported === undefined ? { count: 0, method: 'unknown' } : usedTokens(budget)),
    limit: requestWindow(app, choice) ?? budget.limit,
    cost: ofAgents === undefined ? budget.spent.totalCost : ofAgents + (budget.spent.totalCost ?? 0),
    ephemeral,
    mode: conversation.state.mode === 'ask' ? undefined : conversation.state.mode,
  };
}
