// One session of ours in this host: its queue of prompts, the turn that runs, and its writer, which is held while there
// is something to do and a while afterwards. One thing happens to it at a time.
import type { App } from '../../app/app.ts';
import type { Conversation } from '../../app/conversation.ts';
import type { AnswererWish } from '../../app/providers/choose-provider.ts';
import { sessionOptions } from '../../app/sessions/open/conversation-in.ts';
import { leaveSession } from '../../app/sessions/open/leave-session.ts';
import { type OpenRequest, openSession } from '../../app/sessions/open/open-session.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import type { JournalStore } from '../../journal/types.ts';
import { onAbort, systemSleep, waitFor } from '../../platform/waiting.ts';
import { openSession as openStored } from '../../session/open.ts';
import type { TurnInput } from '../../turn/run-turn.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import type { Follower } from '../following/follower.ts';
import type { Followers } from '../following/followers.ts';
import type { HostSignal } from '../port/followers.ts';
import type { Accepted, PromptRequest, QueuedPrompt } from '../port/prompts.ts';
import type { SessionActivity, SnapshotOf } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import type { AppInUse } from '../workspaces/apps.ts';
import { joinedSignals } from './joined-deltas.ts';
import { keepIn, leaveQueue } from './moved-queue.ts';
import { inputOf, queuedOf, waitingOf } from './prompts.ts';
import { busy, endedFirst, noPrompt } from './refusals.ts';
import { Reservation } from './reservation.ts';
import { TurnNote } from './running-turns.ts';
import { signalJson } from './signal-json.ts';
import { Waiters } from './waiters.ts';

interface HostedOptions {
  readonly store: JournalStore;
  readonly place: Pick<App, 'paths' | 'fileSystem' | 'log' | 'clock'>;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly holdMs: number;
  /** Whether prompts may say that nothing is asked. */
  readonly allowUnattended: boolean;
  /** The app of the session's workspace. */
  readonly useApp: () => Promise<AppInUse>;
  /** The error that a client is given where another process holds the journal. */
  readonly lockedError: (error: OllmError) => OllmError;
  readonly onEnd: (status: string) => void;
  readonly onAppend: (events: number) => void;
  /** A prompt was brought to the disk, in so many milliseconds. */
  readonly onStored: (ms: number) => void;
  /** Called when nothing of it is left here. */
  readonly onRest: () => void;
  /** The session was full, and continues in another one. */
  readonly onMove: (before: string) => void;
}

interface Held {
  conversation: Conversation;
  readonly using: AppInUse;
  readonly follower: Follower;
  /** Called when something was stored, before the follower reads it. */
  onStored?: (() => void) | undefined;
  stop(): void;
}

interface GivingAway {
  readonly wait: boolean;
  readonly signal: AbortSignal | undefined;
  /** How long the other process is given to open it. */
  readonly forMs: number;
}

interface Work {
  readonly promptId: string;
  readonly since: string;
  readonly controller: AbortController;
}

/** How often a session that another process took over is tried again while prompts wait. */
const RETRY_MS = 1_000;
/** How long a decision that the end of the server made may take to be stored. */
const DECIDED_MS = 2_000;

export class HostedSession {
  id: string;
  readonly #options: HostedOptions;
  #queue: QueuedPrompt[] = [];
  /** Ids of the prompts that wait in the journal too. */
  readonly #stored = new Set<string>();
  /** Says on the disk that the session has something to do here. */
  #note: TurnNote;
  /** Settles when the newest prompt is stored, or is refused: no turn begins with one that may still be refused. */
  #storing: Promise<void> = Promise.resolve();
  #held: Held | undefined;
  #work: Work | undefined;
  /** What happens to the session, one after the other. */
  #chain: Promise<unknown> = Promise.resolve();
  #holding: NodeJS.Timeout | undefined;
  /** Why the last prompt became no turn. */
  #problem: SnapshotOf['problem'];
  #isPumping = false;
  #isClosing = false;
  readonly #reservation: Reservation;
  /** How much is done with it now, or is about to be. */
  #uses = 0;
  /** Called at the end of the turn, for processes that take the session over then. */
  readonly #takers = new Set<() => void>();
  readonly #waiters = new Waiters();

  constructor(id: string, options: HostedOptions) {
    this.id = id;
    this.#options = options;
    this.#note = new TurnNote(options.place, id);
    this.#reservation = new Reservation(options.store, () => this.#lookAtRest());
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Whether nothing of it is left here. */
  get isAtRest(): boolean {
    return this.#held === undefined && this.isIdle && this.#uses === 0 && !this.#reservation.isOn;
  }

  get isIdle(): boolean {
    return this.#work === undefined && this.#queue.length === 0;
  }

  get queue(): readonly QueuedPrompt[] {
    return this.#queue;
  }

  /** Prompts that have no turn yet, as the journal and this host have them. */
  get waiting(): readonly Pick<QueuedPrompt, 'promptId' | 'queuedAt'>[] {
    const stored = this.#held?.conversation.session.states.queue.prompts ?? [];
    const ids = new Set(stored.map(({ promptId }) => promptId));
    return [...stored, ...this.#queue.filter(({ promptId }) => !ids.has(promptId))];
  }

  get problem(): SnapshotOf['problem'] {
    return this.#problem;
  }

  get activity(): SessionActivity {
    if (this.#work === undefined) return { kind: this.#held === undefined ? 'not-held' : 'free' };
    const { promptId, since } = this.#work;
    const questions = this.#options.questions.list(this.id).map(({ id }) => id);
    const kind = questions.length > 0 ? 'waiting' : 'running';
    return { kind, promptId, since, queued: this.#queue.length, questions };
  }

  /** Does something with it; it is not at rest until that has ended. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#uses += 1;
    try {
      return await work();
    } finally {
      this.#uses -= 1;
      this.#lookAtRest();
    }
  }

  /** Takes over a session that was just made. */
  async adopt(conversation: Conversation, using: AppInUse): Promise<void> {
    await this.#alone(() => this.#take(conversation, using));
  }

  /** Opens it for what comes next. @throws OllmError SESSION_LOCKED, NOT_OWNER, and what opening throws */
  async hold(wish: AnswererWish = {}): Promise<void> {
    await this.#alone(async () => {
      await this.#switch(await this.#open(wish), wish);
      this.#rest();
    });
  }

  /**
   * Resolves once the prompt is in the journal, with the number of those before it and the seq of its event.
   * @throws OllmError SESSION_LOCKED, NOT_OWNER, SERVER_CLOSING, and what opening and appending throw
   */
  async enqueue(prompt: QueuedPrompt): Promise<Pick<Accepted, 'ahead' | 'seq'>> {
    const { id } = this;
    // One that another process holds cannot store the prompt, so that it is not taken.
    while (this.#held === undefined || !this.#note.isStored) {
      if (this.#isClosing) throw endedFirst(this.id);
      if (this.#held === undefined) await this.hold(prompt);
      else await this.#note.store();
    }
    this.#restore();
    const ahead = this.#queue.length + (this.#work === undefined ? 0 : 1);
    this.#queue.push(prompt);
    const stored = this.#store(prompt);
    this.#storing = stored.then(
      () => {},
      () => {},
    );
    try {
      const seq = await stored;
      return { ahead, seq: this.id === id ? seq : undefined };
    } finally {
      this.#showQueue();
      void this.#pump();
    }
  }

  /** @throws OllmError PROMPT_NOT_FOUND, SESSION_LOCKED, NOT_OWNER, and what appending throws */
  async edit(promptId: string, text: string): Promise<QueuedPrompt> {
    await this.#reachStored(promptId);
    const index = this.#indexOf(promptId);
    const edited = { ...this.#queue[index]!, text };
    this.#queue[index] = edited;
    if (this.#stored.has(promptId)) await this.#keep([edited]);
    this.#showQueue();
    return edited;
  }

  /** @throws OllmError as `edit` */
  async remove(promptId: string): Promise<QueuedPrompt> {
    await this.#reachStored(promptId);
    const [removed] = this.#queue.splice(this.#indexOf(promptId), 1);
    await this.#leave(promptId);
    this.#showQueue();
    this.#waiters.tell();
    return removed!;
  }

  /** Cancels what runs, and waits for its end. */
  async stop(): Promise<boolean> {
    const work = this.#work;
    if (work === undefined) return false;
    work.controller.abort();
    await this.#waiters.until(() => this.#work !== work);
    return true;
  }

  /**
   * Does something with the open conversation, while no turn runs. `promptId`: what it is called while it runs; a user
   * can stop it.
   * @throws OllmError SESSION_BUSY, and what `hold` and `work` throw
   */
  async run<Result>(
    promptId: string,
    work: (app: App, conversation: Conversation, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (!this.isIdle) throw busy(this.id);
    return this.#alone(async () => {
      if (this.#work !== undefined) throw busy(this.id);
      const held = await this.#open({});
      return this.#working(promptId, (signal) => work(held.using.app, held.conversation, signal));
    });
  }

  /** Does something with the open conversation, also beside a turn. */
  async beside<Result>(work: (app: App, conversation: Conversation) => Promise<Result>): Promise<Result> {
    const running = this.#work === undefined ? undefined : this.#held;
    if (running !== undefined) return work(running.using.app, running.conversation);
    return this.#alone(async () => {
      const held = await this.#open({});
      try {
        return await work(held.using.app, held.conversation);
      } finally {
        this.#rest();
      }
    });
  }

  /** Another conversation value of the same session, from the next turn on. */
  async change(change: (app: App, conversation: Conversation) => Promise<Conversation>): Promise<Conversation> {
    return this.#alone(async () => {
      const held = await this.#open({});
      try {
        held.conversation = await change(held.using.app, held.conversation);
        return held.conversation;
      } finally {
        this.#rest();
      }
    });
  }

  /**
   * Ends what a process that was killed left open in it: opening it does. Then continues with what waits in its queue.
   */
  async goOn(app: App): Promise<void> {
    const waits = await this.#alone(async () => {
      if (this.#held !== undefined) return false;
      const session = await openStored(app.store, this.id, sessionOptions(app));
      const { prompts } = session.states.queue;
      await session.close('exit');
      if (prompts.length === 0) this.#note.remove();
      return prompts.length > 0;
    });
    if (!waits) return;
    await this.hold();
    this.#restore();
    this.#showQueue();
    void this.#pump();
  }

  /** Gives it to another process, now or, with `wait`, at the end of the turn. False: a turn runs. */
  async giveAway({ wait, signal, forMs }: GivingAway): Promise<boolean> {
    if (this.#work !== undefined) {
      if (!wait) return false;
      await this.#turnEnd(forMs, signal);
    }
    await this.#alone(async () => {
      await this.#close('exit');
      await this.#reservation.beginClosed(this.id, forMs);
    });
    void this.#pump();
    return true;
  }

  /** Closes the writer. @throws OllmError SESSION_BUSY */
  async release(): Promise<void> {
    if (!this.isIdle) throw busy(this.id);
    await this.#alone(() => this.#close('exit'));
  }

  /** Resolves once nothing runs and nothing waits. Rejects if the signal is aborted. */
  async wait(signal?: AbortSignal): Promise<void> {
    await this.#waiters.until(() => this.isIdle || this.#isClosing, signal);
  }

  /** Ends the turn in order, and closes the writer. Queued prompts run after the next start. */
  async end(): Promise<void> {
    this.#isClosing = true;
    for (const { promptId } of this.#queue.filter((prompt) => !this.#stored.has(prompt.promptId))) {
      this.#fail(promptId, endedFirst(this.id));
    }
    this.#queue = [];
    const { questions } = this.#options;
    const open = questions.list(this.id).flatMap(({ call }) => call?.callId ?? []);
    if (open.length > 0) {
      const stored = this.#decisionsOn(open);
      questions.closeAll(this.id);
      await stored;
    }
    this.#work?.controller.abort();
    for (const take of this.#takers) take();
    await this.#chain;
    await this.#alone(() => this.#close('exit'));
    this.#waiters.tell();
  }

  // ── The queue ──

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (this.#queue.length > 0 && !this.#isClosing) {
        const next = this.#queue[0]!;
        if (!(await this.#isFree(next))) continue;
        await this.#storing;
        if (this.#queue[0] !== next) continue;
        await this.#alone(async () => {
          const isNext = this.#queue[0]?.promptId === next.promptId && this.#held !== undefined;
          if (!isNext || this.#reservation.isOn || this.#isClosing) return;
          const prompt = this.#queue.shift()!;
          await this.#working(prompt.promptId, (signal) => this.#turn(prompt, signal));
        });
      }
    } finally {
      this.#isPumping = false;
      this.#waiters.tell();
    }
  }

  /** Whether the session can be written; if not, a while has passed. A failure of another kind costs the prompt. */
  async #isFree(next: QueuedPrompt): Promise<boolean> {
    try {
      await this.hold(next);
      return true;
    } catch (error) {
      if (isOllmError(error) && (error.code === 'SESSION_LOCKED' || error.code === 'NOT_OWNER')) {
        await systemSleep(RETRY_MS);
        return false;
      }
      this.#queue = this.#queue.filter((prompt) => prompt !== next);
      this.#fail(next.promptId, error);
      await this.#giveUp(next.promptId);
      return false;
    }
  }

  async #turn(prompt: QueuedPrompt, signal: AbortSignal): Promise<void> {
    const { promptId } = prompt;
    try {
      const opened = await this.#open(prompt);
      await this.#switch(opened, prompt);
      const isStored = this.#stored.has(promptId);
      const held = await this.#goOnWhenFull(opened);
      // It had its turn there already, before a server was killed that had not taken it out of the full one yet.
      if (isStored && !this.#stored.has(promptId)) return;
      const input = await inputOf(held.using.app, held.conversation, prompt);
      await this.#ask(held, this.#stored.has(promptId) ? { ...input, promptId } : input, prompt, signal);
    } catch (error) {
      this.#fail(promptId, error);
    }
    const hasBegun = !this.#waitsInJournal(promptId);
    if (hasBegun) this.#stored.delete(promptId);
    else if (!this.#isClosing) await this.#giveUp(promptId);
  }

  async #ask(held: Held, input: TurnInput, prompt: QueuedPrompt, signal: AbortSignal): Promise<void> {
    const { followers, onEnd } = this.#options;
    const { session } = held.conversation;
    const { promptId, permissions = 'ask' } = prompt;
    const { ask } = await import('../../lead/ask.ts');
    const joined = joinedSignals({
      stored: () => session.writer.head.seq,
      send: (passing, behind) =>
        followers.signal(this.id, { type: 'turn', promptId, signal: signalJson(passing) }, behind),
    });
    held.onStored = joined.flush;
    const users = this.#usersFor(permissions, prompt.by);
    let end: TurnSignal['type'] | undefined;
    await new Promise<void>((resolve, reject) =>
      ask(held.using.app, held.conversation, input, { signal, ...users }).subscribe({
        next: (passing) => {
          end = passing.type;
          joined.take(passing);
        },
        error: reject,
        complete: resolve,
      }),
    ).finally(() => {
      joined.flush();
      held.onStored = undefined;
    });
    if (end !== undefined) onEnd(end);
    // Nothing more can be stored by this writer: the next turn opens the session again.
    if (session.writer.failure !== undefined) await this.#close('exit');
  }

  /** A call that the owner allowed while it waited is asked about if the owner no longer allows it. */
  #usersFor(permissions: NonNullable<PromptRequest['permissions']>, by: PromptRequest['by']) {
    const { questions, allowUnattended } = this.#options;
    if (permissions === 'deny') return {};
    if (permissions === 'allow' && allowUnattended) return { approver: questions.unattendedApprover(this.id, by) };
    const isGuest = permissions === 'guest';
    return { approver: questions.approver(this.id), askToGoOn: questions.askToGoOn(this.id), isGuest };
  }

  async #switch(held: Held, { provider, model, thinking }: AnswererWish): Promise<void> {
    const { choice } = held.conversation;
    const isSame =
      (provider === undefined || provider === choice.provider.name) &&
      (model === undefined || model === choice.model) &&
      (thinking === undefined || thinking === choice.thinking);
    if (isSame) return;
    const { switchModel } = await import('../../app/sessions/open/switch-model.ts');
    held.conversation = await switchModel(held.using.app, held.conversation, { provider, model, thinking });
  }

  async #goOnWhenFull(held: Held): Promise<Held> {
    const { app } = held.using;
    if (app.config.retention.maxItems === undefined) return held;
    const { continueWhenFull } = await import('../../app/sessions/open/continue-session.ts');
    const next = await continueWhenFull(app, { ...held.conversation, notices: [] });
    if (next.session === held.conversation.session) return held;
    const before = this.id;
    const { prompts } = held.conversation.session.states.queue;
    try {
      await keepIn(app, next, { before, prompts });
    } catch (error) {
      // They wait in the full one as before, which leads here again.
      held.conversation = next;
      await this.#closeWriter('exit');
      await this.#note.store();
      throw error;
    }
    this.id = next.session.id;
    const full = this.#note;
    this.#note = new TurnNote(app, this.id);
    await this.#note.store();
    this.#options.followers.signal(before, { type: 'moved', to: this.id });
    this.#options.onMove(before);
    held.stop();
    const moved = await this.#take(next, held.using);
    const removed = prompts.map(({ promptId }) => promptId);
    await leaveQueue(app, before, removed);
    full.remove();
    return moved;
  }

  // ── The queue in the journal ──

  /** A prompt that could not be stored waits no longer. */
  async #store(prompt: QueuedPrompt): Promise<number | undefined> {
    const startedMs = performance.now();
    try {
      const seq = await this.#keep([prompt]);
      this.#options.onStored(performance.now() - startedMs);
      return seq;
    } catch (error) {
      this.#queue = this.#queue.filter(({ promptId }) => promptId !== prompt.promptId);
      throw isOllmError(error, 'JOURNAL_LOCKED') ? this.#options.lockedError(error) : error;
    }
  }

  /** Stores that these wait, or wait with another text. Resolves with the seq of that event. */
  async #keep(prompts: readonly QueuedPrompt[]): Promise<number | undefined> {
    if (this.#held === undefined || prompts.length === 0) return undefined;
    const { session } = this.#held.conversation;
    // Before the prompt is stored: the server after one that was killed looks for prompts in noted sessions alone.
    if (!this.#note.isStored) await this.#note.store();
    for (const { promptId } of prompts) this.#stored.add(promptId);
    try {
      const data = { added: prompts.map(waitingOf) };
      const receipts = await session.append({ type: 'queue.changed', data }, { durability: 'disk' });
      return receipts.at(-1)?.seq;
    } catch (error) {
      for (const { promptId } of prompts) if (!this.#waitsInJournal(promptId)) this.#stored.delete(promptId);
      throw error;
    }
  }

  /** Stores that it waits no longer, and had no turn. */
  async #leave(promptId: string): Promise<void> {
    if (!this.#stored.delete(promptId)) return;
    const data = { removed: [promptId] };
    await this.#held?.conversation.session.append({ type: 'queue.changed', data }, { durability: 'disk' });
  }

  /** The same for a prompt that can have none: its user was told why. */
  async #giveUp(promptId: string): Promise<void> {
    try {
      await this.#leave(promptId);
    } catch (error) {
      const { log } = (await this.#options.useApp()).app;
      log.warn({ service: 'host', operation: 'queue', sessionId: this.id, error }, 'A prompt could not be taken out');
    }
  }

  /** Opens the journal where that is needed to change what it says of this prompt. */
  async #reachStored(promptId: string): Promise<void> {
    this.#indexOf(promptId);
    if (this.#held === undefined && this.#stored.has(promptId)) await this.hold();
  }

  #waitsInJournal(promptId: string): boolean {
    const prompts = this.#held?.conversation.session.states.queue.prompts ?? [];
    return prompts.some((prompt) => prompt.promptId === promptId);
  }

  /** What waits in the journal and not here, such as after a kill, waits here too. */
  #restore(): void {
    const prompts = this.#held?.conversation.session.states.queue.prompts ?? [];
    const known = new Set([this.#work?.promptId, ...this.#queue.map(({ promptId }) => promptId)]);
    const found = prompts.filter(({ promptId }) => !known.has(promptId));
    this.#queue.unshift(...found.map(queuedOf));
    for (const { promptId } of found) this.#stored.add(promptId);
  }

  /** What another process asked or took out while it held the journal waits no longer; the rest is stored. */
  async #reconcile({ log }: App): Promise<void> {
    const left = [...this.#stored].filter((promptId) => !this.#waitsInJournal(promptId));
    this.#queue = this.#queue.filter(({ promptId }) => !left.includes(promptId));
    for (const promptId of left) this.#stored.delete(promptId);
    try {
      await this.#keep(this.#queue.filter(({ promptId }) => !this.#stored.has(promptId)));
    } catch (error) {
      log.warn({ service: 'host', operation: 'queue', sessionId: this.id, error }, 'What waits could not be stored');
    }
  }

  // ── The writer ──

  async #open(wish: AnswererWish): Promise<Held> {
    clearTimeout(this.#holding);
    // A writer that failed, such as one that lost its lease, stores nothing more.
    if (this.#held?.conversation.session.writer.failure !== undefined) await this.#closeWriter('exit');
    if (this.#held !== undefined) return this.#held;
    const { useApp, lockedError } = this.#options;
    await this.#reservation.requireOver(this.id);
    const using = await useApp();
    try {
      const { provider, model } = wish;
      const request: OpenRequest = { kind: 'resume', reference: this.id, provider, model };
      return await this.#take(await openSession(using.app, request), using);
    } catch (error) {
      using.end();
      throw isOllmError(error, 'JOURNAL_LOCKED') ? lockedError(error) : error;
    }
  }

  async #take(conversation: Conversation, using: AppInUse): Promise<Held> {
    const { followers, onAppend } = this.#options;
    const { session, notices } = conversation;
    try {
      const following = await followers.use(session.id);
      const stopListening = session.writer.subscribe((events) => {
        onAppend(events.length);
        held.onStored?.();
        held.follower.hint();
      });
      const stop = (): void => {
        stopListening();
        following.end();
      };
      const held: Held = { conversation, using, follower: following.follower, stop };
      this.#held = held;
      for (const text of notices) followers.signal(this.id, { type: 'notice', text });
    } catch (error) {
      await leaveSession(using.app, conversation, { reason: 'exit' });
      throw error;
    }
    await this.#reconcile(using.app);
    return this.#held!;
  }

  /** Closes the writer after a while, unless something happens. */
  #rest(): void {
    clearTimeout(this.#holding);
    if (this.#held === undefined || !this.isIdle || this.#isClosing) return;
    this.#holding = setTimeout(() => void this.#alone(() => this.#close('exit', true)), this.#options.holdMs);
    this.#holding.unref();
  }

  /** `ifIdle`: unless something happened meanwhile. */
  async #close(reason: 'exit', ifIdle = false): Promise<void> {
    if (this.#held === undefined || (ifIdle && !this.isIdle)) return;
    await this.#closeWriter(reason);
  }

  async #closeWriter(reason: 'exit'): Promise<void> {
    clearTimeout(this.#holding);
    const held = this.#held!;
    this.#held = undefined;
    const { app } = held.using;
    try {
      await leaveSession(app, held.conversation, { reason });
    } catch (error) {
      const fields = { service: 'host', operation: 'close', sessionId: this.id, error };
      app.log.error({ ...fields, action: 'Its next opening says what happened.' }, 'A session could not be closed');
    }
    if (held.conversation.session.states.queue.prompts.length === 0) this.#note.remove();
    held.stop();
    held.using.end();
    this.#showActivity();
  }

  // ── One thing at a time ──

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.use(() => {
      const result = this.#chain.then(work);
      this.#chain = result.catch(() => {});
      return result;
    });
  }

  #lookAtRest(): void {
    if (this.isAtRest) this.#options.onRest();
  }

  async #working<Result>(promptId: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    const { app } = this.#held!.using;
    const { clock } = app;
    this.#problem = undefined;
    this.#work = { promptId, since: new Date(clock.now()).toISOString(), controller };
    this.#showActivity();
    this.#showQueue();
    try {
      // Without the note a turn that is cut off is closed when the session is next opened, and not before.
      await this.#note.store().catch((error: unknown) => {
        app.log.warn({ service: 'host', operation: 'note', sessionId: this.id, error }, 'A turn could not be noted');
      });
      return await work(controller.signal);
    } finally {
      this.#work = undefined;
      this.#showActivity();
      for (const take of this.#takers) take();
      this.#rest();
      this.#waiters.tell();
    }
  }

  /** The end of the turn that runs: what is put into the chain then comes before the next prompt. */
  #turnEnd(forMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#takers.delete(end);
        stopListening?.();
        this.#reservation.begin(forMs);
        resolve();
      };
      this.#takers.add(end);
      const abort = (): void => {
        this.#takers.delete(end);
        reject(signal?.reason);
      };
      const stopListening = signal && onAbort(signal, abort);
    });
  }

  /** Resolves when decisions on these calls are stored, or after a while. */
  async #decisionsOn(callIds: readonly string[]): Promise<void> {
    const writer = this.#held?.conversation.session.writer;
    if (writer === undefined) return;
    const open = new Set(callIds);
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = writer.subscribe((events) => {
      for (const { type, data } of events) if (type === 'tool.decided') open.delete(data.callId as string);
      if (open.size === 0) resolve();
    });
    await waitFor(promise, { timeoutMs: DECIDED_MS });
    stop();
  }

  #indexOf(promptId: string): number {
    const index = this.#queue.findIndex((prompt) => prompt.promptId === promptId);
    if (index >= 0) return index;
    throw noPrompt(this.id, promptId);
  }

  #showActivity(): void {
    this.#options.followers.signal(this.id, { type: 'activity', activity: this.activity });
  }

  #showQueue(): void {
    this.#options.followers.signal(this.id, { type: 'queue', queue: [...this.#queue] });
  }

  #fail(promptId: string, error: unknown): void {
    const known = isOllmError(error)
      ? error
      : new OllmError('INTERNAL', `The turn could not begin: ${String(error)}`, { cause: error });
    const { code, message, hint } = known;
    this.#problem = { code, message, at: new Date(this.#options.place.clock.now()).toISOString() };
    const signal: HostSignal = { type: 'problem', promptId, code, message, hint };
    this.#options.followers.signal(this.id, signal);
  }
}
