// A run of another agent: its program, and the journal of its session, which is that of an import and grows while the
// program works. Words and calls come from the program's own file; ollm appends the facts that only it knows. A
// question, a decision and the beginning of a prompt are on the disk before they are shown or sent on.
import { Observable } from 'rxjs';
import { formatAddress, importedId } from '../../agents/address.ts';
import type { Agent } from '../../agents/agent.ts';
import type { App } from '../../app/app.ts';
import { importSettings } from '../../app/import/import-sessions.ts';
import { toolEnvironment } from '../../app/policy/tool-environment.ts';
import { packageVersion } from '../../app/start/agent-program.ts';
import { foreignPorts } from '../../app/start/foreign-ports.ts';
import type { SourceFile } from '../../catalog/text-source.ts';
import { formatDuration } from '../../display/quantities.ts';
import { createEnvironmentSanitizer } from '../../environment/tool-environment.ts';
import { isOllmError, messageOf, OllmError } from '../../errors/index.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { OllmEventOf } from '../../events/index.ts';
import { fileOf } from '../../hub/find-sources.ts';
import { noteImported } from '../../hub/imported-before.ts';
import { ImportedJournal, type ImportWork } from '../../hub/imported-journal.ts';
import type { JournalWriter, JsonObject, NewEvent, StoredEvent } from '../../journal/types.ts';
import { flockHolder } from '../../platform/files/flock-holder.ts';
import { isObject } from '../../platform/json.ts';
import { systemSleep } from '../../platform/waiting.ts';
import { queueFold } from '../../projections/queue.ts';
import { endTree, MARK_VARIABLE } from '../../runs/end-tree.ts';
import type { InstalledAgent } from '../../runs/installed.ts';
import { argumentsOf, openAgent } from '../../runs/open-agent.ts';
import type { AgentProfile } from '../../runs/profiles.ts';
import type { AgentChoices, AgentProcess, AgentPrompt, AgentSignal, AgentTurnEnd } from '../../runs/runner.ts';
import { forwardingWriter } from '../../stores/forwarding-writer.ts';
import type { Approver, Policy } from '../../tools/decision.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import { VERSION } from '../../version.ts';
import type { QueueJournal } from '../prompt-queue.ts';
import type { Confinement } from './confine-run.ts';
import { keepChoices } from './known-choices.ts';
import { linkedSource, sourceAfter } from './linked-source.ts';
import { OpenRuns, type RunChoice } from './open-runs.ts';
import { pastMinute } from './past-minute.ts';
import { PrintedLines } from './printed-lines.ts';
import { noteRun, type RunNote } from './run-note.ts';
import { answerQuestion, type RunPermissions } from './run-questions.ts';
import { ShownText } from './shown-text.ts';

export interface RunWish {
  readonly agent: string;
  /** Absolute. Default: the current directory. Of a session that goes on, it is where that works. */
  readonly workspace?: string | undefined;
  /** Address of the session that goes on. */
  readonly resume?: string | undefined;
  /** Goes on with a session that another process may work with. */
  readonly force?: boolean | undefined;
  /** UUID of the new session, for an agent that takes one. */
  readonly id?: string | undefined;
  readonly permissions: RunPermissions;
  /** In the agent's words. Default: the last choice in the session, else `runs.<agent>.model`. */
  readonly model?: string | undefined;
  /** In the agent's words. Default: the last choice in the session. */
  readonly thinking?: string | undefined;
  /** Asks users; without one, the questions of the agent are denied. */
  readonly approver?: Approver | undefined;
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/** The id of a prompt, its images, and the signal that cancels it. */
interface RunPromptOptions {
  readonly promptId: string;
  readonly signal: AbortSignal;
  readonly images?: AgentPrompt['images'] | undefined;
  /** Default: that of the run. */
  readonly permissions?: RunPermissions | undefined;
  /** Whether it is in the queue of the journal. Default: it is stored when it is sent. */
  readonly isStored?: boolean | undefined;
  /** Default: that of the run. */
  readonly approver?: Approver | undefined;
}

type ToolResult = Extract<TurnSignal, { readonly type: 'tool_result' }>;
type RunState = 'starting' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';

const POLL_MS = 100;
const NO_SANDBOX = 'no sandbox: the agent works as your user';
/** The time without growth after which a turn is over, and the longest wait for it. */
const QUIET_MS = 300;
const SETTLE_MS = 2_000;
const FILE_TIME_MS = 50;
/** A file that was changed in this time may be changed again by the same process. */
const BUSY_MS = 60_000;
/** Until a program that ended has no more to write. */
const LAST_WRITE_MS = 500;
/** Where only the file says which session it is. */
const LINK_MS = 60_000;

export interface ResumedSession {
  /** After the colon of its address. */
  readonly id: string;
  /** By which its program knows it. */
  readonly programId: string;
  readonly work: Pick<ImportWork, 'source'>;
  readonly cwd: string | undefined;
  /** RFC 3339. */
  readonly startedAt: string | undefined;
}

interface VersionedProgram {
  /** Absolute. */
  readonly path: string;
  readonly version?: string | undefined;
}

interface RunParts {
  readonly wish: RunWish;
  readonly agent: Agent;
  readonly profile: AgentProfile;
  readonly installed: InstalledAgent;
  readonly workspace: string;
  readonly policy: Policy;
  /** Undefined: it runs as the user. */
  readonly confinement: Confinement | undefined;
}

export class AgentRun {
  /** The id of the run, and its mark: another one after its program has ended and was started again. */
  #runId: string;
  readonly #app: App;
  readonly #parts: RunParts;
  /** The id of the journal. */
  #id = '';
  #address = '';
  #journal: ImportedJournal | undefined;
  #process: AgentProcess | undefined;
  /** Whether nothing of the session file is stored yet. */
  #isNew = false;
  /** Whether the session file is known. */
  #isLinked = false;
  #lastFile: SourceFile | undefined;
  #source: ImportWork['source'] | undefined;
  #state: RunState = 'starting';
  #promptId: string | undefined;
  /** The prompts that wait in the journal. */
  readonly #queue = queueFold.initial();
  #permissions: RunPermissions;
  #approver: Approver | undefined;
  /** The last choice in the session, before this run. */
  #chosen: RunChoice = {};
  /** When the agent last said, wrote or asked something, by the clock of this process. */
  #lastSignMs = 0;
  #printed = new PrintedLines();
  /** Denied calls, whose end is shown. */
  readonly #denied = new Set<string>();
  /** Calls that ended without a word, whose output only the file has. */
  readonly #silent = new Map<string, ToolResult>();
  /** The program has ended by itself. */
  #hasEnded = false;
  /** The minute of the beginning of the session, where its program goes on with it only in a later one. */
  #begun: string | undefined;
  #wasInterrupted = false;
  /** When the file last got a message, by the clock of files. */
  #saidMs = 0;
  /** Whether the file has got a message since the prompt. */
  #hasSaid = false;
  #movedTo: string | undefined;
  /** How the last turn in the file ended, of those that came since the prompt. */
  #ended: JsonObject | undefined;
  #shown = new ShownText();
  /** The receiver of the signals of the present prompt. */
  #tell: ((signal: TurnSignal) => void) | undefined;
  #closing: Promise<void> | undefined;
  #note: RunNote | undefined;

  constructor(app: App, parts: RunParts) {
    this.#app = app;
    this.#parts = parts;
    this.#permissions = parts.wish.permissions;
    this.#runId = app.ids.uuid();
    this.#saidMs = app.clock.now();
  }

  /** The id of its journal. */
  get id(): string {
    return this.#id;
  }

  get address(): string {
    return this.#address;
  }

  /** Where it works. */
  get workspace(): string {
    return this.#parts.workspace;
  }

  get journal(): ImportedJournal {
    return this.#journal!;
  }

  /** Appends to the journal in the order of its growth. To close it ends the run. */
  get writer(): JournalWriter {
    return runWriter(this);
  }

  /** The journal as the place of its waiting prompts. */
  get queueJournal(): QueueJournal {
    const { id, writer } = this;
    return { id, writer, states: { queue: this.#queue }, append: (events) => writer.append(events as NewEvent[]) };
  }

  /** As its maker calls the agent. */
  get title(): string {
    return this.#parts.agent.title;
  }

  get agent(): AgentProfile['name'] {
    return this.#parts.profile.name;
  }

  /** The program that runs, with its mode, and the adapter that starts it, where there is one. */
  get program(): Pick<AgentProcess, 'pid' | 'mode'> & VersionedProgram & { readonly adapter?: VersionedProgram } {
    const { pid, version, mode } = this.#process!;
    const { path, command, env } = this.#parts.installed;
    const started = { path, ...(version && { version }) };
    const starts = command.behind && env[command.behind.variable];
    if (starts === undefined) return { ...started, pid, mode };
    // The version that an adapter reports is its own.
    const behind = packageVersion(this.#app, starts);
    return { path: starts, ...(behind && { version: behind }), pid, mode, adapter: started };
  }

  /** What confines it, or that nothing does. */
  get sandbox(): string {
    return this.#parts.confinement?.words ?? NO_SANDBOX;
  }

  /** Sentences for its user when it begins. */
  get notices(): readonly string[] {
    const { confinement, profile, wish } = this.#parts;
    const confined = confinement === undefined ? [] : [`${this.title} is confined: ${this.sandbox}.`];
    if (!profile.deletesResumed || wish.resume === undefined) return confined;
    const deleted = `${this.title} deletes a session that was resumed when it is started the next time.`;
    return [
      ...confined,
      `${deleted} ollm keeps it: "ollm resume ${this.#address}" continues it without ${this.title}.`,
    ];
  }

  get models(): AgentChoices {
    return this.#process!.models;
  }

  get thinking(): AgentChoices {
    return this.#process!.thinking;
  }

  /** Address of the session in which the agent went on by itself; its next prompt belongs there. */
  get movedTo(): string | undefined {
    return this.#movedTo;
  }

  /** Whether the ollm that led the session before was killed in a turn, which has failed then. */
  get wasInterrupted(): boolean {
    return this.#wasInterrupted;
  }

  /** Settles when its program has ended. */
  get exited(): AgentProcess['exited'] {
    return this.#process!.exited;
  }

  async open(resumed: ResumedSession | undefined): Promise<void> {
    const { agent, wish } = this.#parts;
    if (resumed !== undefined) await this.#openJournal(resumed);
    this.#note = noteRun(this.#app, this.#runId);
    this.#begun = resumed === undefined ? new Date(this.#app.clock.now()).toISOString() : resumed.startedAt;
    try {
      const process = await this.#start(resumed?.programId, wish.signal);
      if (resumed === undefined) {
        if (agent.startOfId !== undefined) await this.#waitForLink(process.id, wish.signal);
        await this.#makeJournal(this.#source?.id ?? process.id);
      }
      await this.#noteStart(process, resumed !== undefined);
    } catch (error) {
      await this.#process?.close();
      this.#note.remove();
      await this.#closeJournal();
      if (resumed === undefined || !isOllmError(error, 'AGENT_START_FAILED')) throw error;
      const { code, message, hint } = error;
      const other = `"ollm resume ${this.#address}" continues it in a session of your own.`;
      throw new OllmError(code, message, { hint: [hint, other].filter(Boolean).join('. '), cause: error });
    }
  }

  /**
   * The signals of one prompt, cold: it is sent when subscribed to. As those of a turn of ollm's own: it ends with one
   * of `done`, `error`, `cancelled`, after the events of the agent's file are stored.
   */
  ask(text: string, options: RunPromptOptions): Observable<TurnSignal> {
    return new Observable((subscriber) => {
      this.#prompt(text, options, (signal) => subscriber.next(signal)).then(
        (end) => {
          subscriber.next(end);
          subscriber.complete();
        },
        (error: unknown) => subscriber.error(error),
      );
    });
  }

  /**
   * Has the agent work otherwise, from its next prompt on and in later runs of the session.
   * @throws OllmError MODEL_NOT_FOUND, MODEL_SWITCH_NOT_SUPPORTED, THINKING_MODE_NOT_SUPPORTED
   */
  async change(choice: RunChoice): Promise<void> {
    const { model, thinking } = choice;
    if (this.#hasEnded) await this.#startAgain(new AbortController().signal);
    if (model !== undefined) await this.#process!.setModel(model);
    if (thinking !== undefined) await this.#process!.setThinking(thinking);
    const data = { run: this.#runId, ...(model && { model }), ...(thinking && { thinking }) };
    await this.#store([noted('run.changed', data)]);
  }

  /** Ends the program with all that it started, and closes the journal. */
  close(reason: 'idle' | 'stopped' | 'failed' = 'stopped'): Promise<void> {
    this.#closing ??= this.#end(reason);
    return this.#closing;
  }

  async #end(reason: 'idle' | 'stopped' | 'failed'): Promise<void> {
    const process = this.#process;
    if (process === undefined) return this.#closeJournal();
    // A program that died before was not stopped.
    const how = this.#hasEnded ? 'failed' : this.#movedTo === undefined ? reason : 'moved';
    await process.close();
    try {
      await this.#grow();
      await this.#noteEnd(process, how);
    } finally {
      this.#note?.remove();
      await this.#closeJournal();
    }
  }

  async #closeJournal(): Promise<void> {
    const journal = this.#journal;
    if (journal === undefined) return;
    this.#journal = undefined;
    try {
      await journal.append([{ type: 'session.closed', data: { reason: 'exit' } }]);
    } finally {
      await journal.writer.close();
    }
  }

  // ── The program ──

  async #start(resume: string | undefined, signal: AbortSignal): Promise<AgentProcess> {
    const { installed, workspace, profile, confinement } = this.#parts;
    const { command, path } = installed;
    const { model, thinking } = this.#choice;
    const { id } = this.#parts.wish;
    const argv = [path, ...argumentsOf(command, { resume, mark: this.#runId, id })] as const;
    if (resume !== undefined && profile.resumesFromNextMinute) await pastMinute(this.#app, this.#begun, signal);
    const process = await openAgent(command, {
      argv,
      confined: await confinement?.confine(argv),
      workspace,
      env: this.#environment(),
      mark: this.#runId,
      id,
      resume,
      model,
      thinking,
      ask: (question, signal) => this.#answer(question, signal),
      onText: (stream, line) => this.#printed.add(stream, line),
      signal,
    });
    this.#process = process;
    this.#hasEnded = false;
    void process.exited.then(() => {
      this.#hasEnded = true;
    });
    return process;
  }

  /** Starts the program again after it has ended by itself: it goes on with its session. */
  async #startAgain(signal: AbortSignal): Promise<void> {
    const ended = this.#process!;
    await this.#noteEnd(ended, 'failed');
    this.#runId = this.#app.ids.uuid();
    this.#state = 'starting';
    this.#note = noteRun(this.#app, this.#runId);
    await this.#noteStart(await this.#start(ended.id, signal), true);
  }

  async #noteEnd({ exited }: AgentProcess, reason: 'idle' | 'stopped' | 'failed' | 'moved'): Promise<void> {
    this.#note?.remove();
    const { exitCode, killedBy } = await exited;
    const how = { ...(exitCode !== undefined && { exitCode }), ...(killedBy && { signal: killedBy }) };
    await this.#store([noted('run.ended', { run: this.#runId, reason, ...how })]);
  }

  /** The wish for this run, else the last choice in the session, else the model of the settings for a new one. */
  get #choice(): RunChoice {
    const { wish, profile } = this.#parts;
    const { model, thinking } = this.#chosen;
    const usual = wish.resume === undefined ? this.#app.config.runs[profile.name].model : undefined;
    return { model: wish.model ?? model ?? usual, thinking: wish.thinking ?? thinking };
  }

  /** What tools get, and the variables of this agent: its keys, where its models are, and those of the settings. */
  #environment(): Record<string, string> {
    const { config, env, log } = this.#app;
    const { allowList, denyPatterns } = config.services.environment;
    const { installed, profile } = this.#parts;
    const sanitizer = createEnvironmentSanitizer({
      config: { allowList: [...allowList, ...profile.variables], denyPatterns },
      log,
    });
    return {
      ...toolEnvironment(this.#app).variables,
      ...sanitizer.sanitize(env),
      ...config.runs[profile.name].env,
      // Not before those that have it ask.
      ...installed.command.env,
      ...installed.env,
    };
  }

  async #answer(question: Parameters<typeof answerQuestion>[1], signal: AbortSignal): Promise<'allow' | 'deny'> {
    const { agent, workspace, policy } = this.#parts;
    this.#sign();
    // The title of a question says more than that of a call, which may be only the name of a tool.
    if (this.#tell !== undefined) this.#pass({ ...question, type: 'call' }, this.#tell);
    let isUnasked = false;
    const answer = await answerQuestion(
      {
        ...{ run: this.#runId, agent: agent.title, session: this.#process?.id ?? '', workspace, policy },
        ...{ permissions: this.#permissions, approver: this.#approver },
        sandbox: this.sandbox,
        store: (events) => this.#store(events),
        onWaiting: (isWaiting) => {
          this.#sign();
          return this.#become(isWaiting ? 'waiting' : 'running');
        },
        onUnasked: () => {
          isUnasked = true;
        },
      },
      question,
      signal,
    );
    if (answer === 'deny' && !signal.aborted) this.#refuse(question.callId, isUnasked);
    return answer;
  }

  // ── One prompt ──

  async #prompt(
    text: string,
    { promptId, signal, images = [], permissions, approver, isStored = false }: RunPromptOptions,
    tell: (signal: TurnSignal) => void,
  ): Promise<TurnSignal> {
    if (this.#hasEnded) {
      await this.#startAgain(signal);
      tell({ type: 'notice', text: `${this.title} had ended, and was started again.` });
    }
    const process = this.#process!;
    if (images.length > 0 && !process.takesImages) {
      return { type: 'error', error: new OllmError('USAGE', `${this.#parts.agent.title} takes no images.`) };
    }
    this.#promptId = promptId;
    this.#permissions = permissions ?? this.#parts.wish.permissions;
    this.#approver = approver ?? this.#parts.wish.approver;
    this.#ended = undefined;
    this.#hasSaid = false;
    this.#shown = new ShownText();
    this.#denied.clear();
    // The text is on the disk, and that it is under way, before it is sent: it is never sent twice.
    if (!isStored) {
      const queuedAt = new Date(this.#app.clock.now()).toISOString();
      await this.#store([{ type: 'queue.changed', data: { added: [{ promptId, text, queuedAt }] } }]);
    }
    await this.#become('running', [{ type: 'queue.changed', data: { removed: [promptId] } }]);
    const stopListening = this.journal.writer.subscribe((events) => this.#see(events));
    this.#tell = tell;
    const following = new AbortController();
    const silence = new AbortController();
    this.#sign();
    const followed = this.#follow(following.signal, () => silence.abort());
    let end: AgentTurnEnd;
    try {
      const stop = AbortSignal.any([signal, silence.signal]);
      end = await process.prompt({ text, images }, (each) => this.#pass(each, tell), stop);
      if (silence.signal.aborted && !signal.aborted) end = { status: 'failed', reason: 'silent' };
    } catch (error) {
      end = { status: 'failed', reason: 'error', message: messageOf(error) };
    } finally {
      following.abort();
      await followed;
    }
    try {
      await this.#settle();
    } finally {
      stopListening();
    }
    this.#tellSilent();
    return this.#finish(end);
  }

  /** The agent shows that it works. */
  #sign(): void {
    this.#lastSignMs = this.#app.clock.monotonic();
  }

  #pass(signal: AgentSignal, tell: (signal: TurnSignal) => void): void {
    this.#sign();
    this.#tellSilent();
    switch (signal.type) {
      case 'text':
        this.#shown.add('text', signal.text);
        tell({ type: 'delta', content: signal.text });
        break;
      case 'thinking':
        this.#shown.add('thinking', signal.text);
        tell({ type: 'reasoning', content: signal.text });
        break;
      case 'call': {
        const { callId, title } = signal;
        this.#shown.cut();
        tell({ type: 'tool_call', call: { callId, name: title, args: {} } });
        tell({ type: 'tool_started', callId, name: title, summary: '' });
        break;
      }
      case 'result': {
        const { callId, isFailed, text: content } = signal;
        if (this.#denied.has(callId)) break;
        const result: ToolResult = { type: 'tool_result', callId, status: isFailed ? 'error' : 'ok', content };
        if (content === '') this.#silent.set(callId, result);
        else tell(result);
        break;
      }
    }
  }

  /** Not every agent reports a call that was denied, and some call it an error. */
  #refuse(callId: string, isUnasked: boolean): void {
    this.#denied.add(callId);
    const result = { type: 'tool_result', callId, status: 'denied' } as const;
    if (isUnasked) this.#tell?.({ ...result, content: 'No user could be asked.', unasked: true });
    else this.#tell?.({ ...result, content: '' });
  }

  /** In the order of the agent: before its next words, also where the file does not have the output yet. */
  #tellSilent(callId?: string, content = ''): void {
    for (const [id, result] of this.#silent) {
      if (callId !== undefined && id !== callId) continue;
      this.#silent.delete(id);
      this.#tell?.({ ...result, content });
    }
  }

  async #finish({ status, reason, message }: AgentTurnEnd): Promise<TurnSignal> {
    const ended = this.#ended as
      | { readonly status?: unknown; readonly error?: { readonly message?: unknown } }
      | undefined;
    const hasFailed = status === 'failed' || (status === 'completed' && ended?.status === 'failed');
    const to: RunState = hasFailed ? 'failed' : status;
    const words = message ?? (ended?.error?.message === undefined ? undefined : String(ended.error.message));
    const error = hasFailed ? this.#failure(reason, words) : undefined;
    const run = this.#runId;
    const promptId = this.#promptId!;
    const partial = to === 'completed' ? [] : this.#shown.unstored();
    if (to === 'completed' && !this.#hasSaid) this.#movedTo = this.#sessionAfter();
    await this.#become(
      to,
      [
        ...this.#printed.take().map((each) => noted('run.output', { run, ...each })),
        ...partial.map((each) => noted('run.partial', { run, promptId, ...each })),
        ...(this.#movedTo === undefined ? [] : [noted('run.linked', { run, address: this.#movedTo })]),
      ],
      { reason, ...(error && { error: { code: error.code, message: error.message } }) },
    );
    this.#promptId = undefined;
    if (error !== undefined) return { type: 'error', error };
    return status === 'stopped' ? { type: 'cancelled' } : { type: 'done', usage: undefined };
  }

  #failure(reason: string, words: string | undefined): OllmError {
    const isKept = 'What it had done until then is in the session.';
    const hint = this.#hasEnded || reason === 'broken' ? `${isKept} The next message starts it again.` : isKept;
    if (reason === 'broken') {
      return new OllmError('AGENT_BROKEN_STREAM', `${this.title} broke off its answer. ${words}`, { hint });
    }
    if (reason !== 'silent') return new OllmError('AGENT_FAILED', `${this.title}: ${words ?? reason}`, { hint });
    const { silentSeconds } = this.#app.config.runs;
    const silent = formatDuration(silentSeconds * 1000);
    return new OllmError('AGENT_SILENT', `${this.title} has said, written and asked nothing for ${silent}.`, {
      hint: `Its turn was cancelled. ${hint} Where it needs longer, set runs.silentSeconds.`,
    });
  }

  #see(events: readonly StoredEvent[]): void {
    for (const { type, data } of events) {
      if (data.origin === undefined) continue;
      if (type === 'turn.ended') this.#ended = structuredClone(data);
      if (type === 'tool.finished') this.#tellSilent(String(data.callId), outputIn(data));
      if (type === 'message.added') {
        this.#hasSaid = true;
        this.#saidMs = this.#app.clock.now();
        this.#shown.see(data);
      }
    }
  }

  // ── The journal ──

  async #openJournal({ id, work: { source } }: ResumedSession): Promise<void> {
    const open = new OpenRuns();
    try {
      this.#journal = await ImportedJournal.open(await this.#work(id, source), (event) => {
        open.take(event);
        this.#takeQueued([event]);
      });
    } catch (error) {
      if (!isOllmError(error, 'JOURNAL_LOCKED')) throw error;
      throw new OllmError('SESSION_BUSY', `${this.#address}: ${messageOf(error)}`, {
        hint: 'End it there first: a session has one leader, also with --force.',
        cause: error,
      });
    }
    this.#journal.writer.subscribe((events) => this.#takeQueued(events));
    this.#source = source;
    this.#isLinked = true;
    try {
      this.#requireQuiet(source, open);
    } catch (error) {
      await this.#journal.writer.close();
      throw error;
    }
    // A killed ollm may have left processes running.
    for (const mark of open.marks) await endTree(mark);
    if (open.events.length > 0) await this.#store(open.events);
    this.#wasInterrupted = open.events.some(({ type }) => type === 'run.status');
    this.#chosen = open.chosen;
  }

  #takeQueued(events: readonly StoredEvent[]): void {
    for (const stored of events) {
      if (stored.type !== 'queue.changed') continue;
      const { kind, event } = decodeEvent(stored);
      if (kind === 'known') queueFold.apply(this.#queue, event as OllmEventOf<'queue.changed'>);
    }
  }

  /** @throws OllmError SESSION_BUSY: another process has the session open, or has just changed its file */
  #requireQuiet(source: ImportWork['source'], { marks, endedMs = 0 }: OpenRuns): void {
    const { agent, wish } = this.#parts;
    // An agent wrote until ollm was killed: that was not another process. A database has many sessions.
    if (wish.force === true || marks.length > 0) return;
    const { surroundings } = foreignPorts(this.#app);
    const lock = agent.lockOf && this.#app.fileSystem.stat(agent.lockOf(source, surroundings));
    const holder = lock && flockHolder(lock);
    if (holder !== undefined) {
      const process = holder === 0 ? 'Another process' : `The process ${holder}`;
      throw new OllmError('SESSION_BUSY', `${process} has ${this.#address} open.`, {
        hint: 'Close the session there. --force starts the agent all the same.',
      });
    }
    if (agent.stored(source).kind === 'rows') return;
    const file = fileOf(agent, source, foreignPorts(this.#app).files);
    if (file === undefined) return;
    const changedMs = Number(file.changedNs / 1_000_000n);
    const agoMs = this.#app.clock.now() - changedMs;
    if (agoMs > BUSY_MS || changedMs < endedMs + LAST_WRITE_MS) return;
    throw new OllmError('SESSION_BUSY', `Another process wrote to ${this.#address} ${formatDuration(agoMs)} ago.`, {
      hint: `Close the session there, and wait ${formatDuration(BUSY_MS - agoMs)}. --force goes on at once.`,
      data: { retryAfterMs: Math.ceil(BUSY_MS - agoMs) },
    });
  }

  async #makeJournal(id: string): Promise<void> {
    const { agent, workspace } = this.#parts;
    const source = this.#source ?? { agent: agent.name, id, path: '' };
    const work = await this.#work(id, source);
    const origin = { agent: agent.name, sessionId: id, address: this.#address };
    const path = source.path === '' ? {} : { path: source.path };
    const created = { model: '', provider: '', ollm: VERSION, cwd: workspace, imported: true };
    const writer = await work.store.create(this.#id, { ...created, origin: { ...origin, ...path } });
    this.#journal = new ImportedJournal(work, writer, { parts: [], stored: [writer.head.seq] });
    writer.subscribe((events) => this.#takeQueued(events));
    this.#isNew = true;
    const { hub } = await importSettings(this.#app);
    await noteImported(hub, [{ id: this.#id, address: this.#address }]);
  }

  async #work(id: string, source: ImportWork['source']): Promise<ImportWork> {
    const { agent } = this.#parts;
    this.#id = importedId(agent.name, id);
    this.#address = formatAddress({ agent: agent.name, id });
    const { store, files, keepsSource, keepsOutputs } = await importSettings(this.#app);
    return { store, files, keepsSource, keepsOutputs, agent, source, id: this.#id, address: this.#address };
  }

  async #noteStart(process: AgentProcess, resumed: boolean): Promise<void> {
    const { profile, installed, workspace, wish, confinement } = this.#parts;
    const { model, thinking } = this.#choice;
    const { pid, mode, adapter, ...program } = this.program;
    const chosen = { ...(mode && { mode }), ...(model && { model }), ...(thinking && { thinking }) };
    const sandbox = confinement && { confined: confinement.sandbox };
    const { permissions } = wish;
    const mark = `${MARK_VARIABLE}=${this.#runId}`;
    const place = { pid, mark, workspace, permissions, resumed };
    await this.#store([
      noted('run.started', {
        run: this.#runId,
        agent: profile.name,
        family: installed.command.family,
        program,
        ...(adapter && { adapter }),
        ...place,
        ...chosen,
        ...sandbox,
      }),
    ]);
    await keepChoices(this.#app, profile.name, process);
  }

  #store(events: readonly NewEvent[]): Promise<unknown> {
    return this.journal.append(events);
  }

  /** Stored together with `events`. */
  async #become(to: RunState, events: readonly NewEvent[] = [], more: object = {}): Promise<void> {
    const from = this.#state;
    this.#state = to;
    const about = this.#promptId === undefined ? {} : { promptId: this.#promptId };
    await this.#store([...events, noted('run.status', { run: this.#runId, from, to, ...about, ...more })]);
  }

  // ── Following the file ──

  async #waitForLink(printedId: string, signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < LINK_MS; waited += POLL_MS) {
      signal.throwIfAborted();
      if (this.#link(printedId)) return;
      await systemSleep(POLL_MS, signal);
    }
    throw new OllmError('AGENT_START_FAILED', `No session of ${this.#parts.agent.title} came in ${LINK_MS / 1000} s.`);
  }

  #link(printedId: string): boolean {
    if (this.#isLinked) return true;
    const source = linkedSource(this.#parts.agent, printedId, foreignPorts(this.#app));
    if (source === undefined) return false;
    this.#source = source;
    this.#journal?.follow(source);
    this.#isLinked = true;
    return true;
  }

  /** Some commands of agents begin another session: the next messages are in its file. */
  #sessionAfter(): string | undefined {
    const { agent, workspace } = this.#parts;
    if (!this.#isLinked) return undefined;
    // The times of files are coarser than the clock.
    const left = { id: this.#source!.id, workspace, sinceMs: this.#saidMs - FILE_TIME_MS };
    const source = sourceAfter(agent, left, foreignPorts(this.#app));
    return source && formatAddress(source);
  }

  /** Until the signal aborts. `onSilence`: called when nothing has come from the agent for too long. */
  async #follow(signal: AbortSignal, onSilence: () => void): Promise<void> {
    const { clock, config } = this.#app;
    while (!signal.aborted) {
      await systemSleep(POLL_MS, signal);
      if (await this.#grow()) this.#sign();
      const isSilent = clock.monotonic() - this.#lastSignMs > config.runs.silentSeconds * 1000;
      if (isSilent && this.#state !== 'waiting') onSilence();
    }
  }

  /** Takes in the records that the program writes after the end of a turn. */
  async #settle(): Promise<void> {
    for (let quiet = 0, waited = 0; quiet < QUIET_MS && waited < SETTLE_MS; waited += POLL_MS) {
      quiet = (await this.#grow()) ? 0 : quiet + POLL_MS;
      await systemSleep(POLL_MS);
    }
  }

  /** Whether something was new. After a failure the next growth, or an import, brings it. */
  async #grow(): Promise<boolean> {
    const { agent } = this.#parts;
    const journal = this.#journal;
    if (journal === undefined || !this.#link(this.#process!.id)) return false;
    const { files } = foreignPorts(this.#app);
    const file = fileOf(agent, this.#source!, files);
    if (file === undefined || isSameFile(file, this.#lastFile)) return false;
    try {
      const { kind, events } = await journal.grow();
      if (this.#isNew && events > 0) {
        this.#isNew = false;
        await journal.noteBeginning();
      }
      this.#lastFile = file;
      return kind === 'grown';
    } catch (error) {
      if (journal.writer.failure !== undefined) throw error;
      const fields = { service: 'runs', operation: 'grow', sessionId: this.#id, error };
      this.#app.log.warn({ ...fields, action: 'The next import brings it.' }, 'The file of an agent could not be read');
      return false;
    }
  }
}

/** Appends through the journal of the import, which numbers its own events. */
function runWriter(run: AgentRun): JournalWriter {
  const { journal } = run;
  return forwardingWriter(journal.writer, {
    append: (events) => journal.append(Array.isArray(events) ? events : [events as NewEvent]),
    close: () => run.close(),
  });
}

function outputIn({ result }: JsonObject): string {
  return isObject(result) ? String(result.returnDisplay ?? result.llmContent ?? '') : '';
}

function noted(type: string, data: object): NewEvent {
  return { type, data: data as JsonObject, ignorable: true };
}

function isSameFile(one: SourceFile, other: SourceFile | undefined): boolean {
  return one.inode === other?.inode && one.size === other.size && one.changedNs === other.changedNs;
}
