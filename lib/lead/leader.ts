// The leader of one conversation, for one user or for the clients of a server: its writer, the turn that runs, and the
// prompts that wait for theirs. The queue of prompts is the fold over the journal: a prompt that could not be appended
// was never accepted, and adding, editing and removing one are appends and nothing else. The lane does one thing at a
// time; only prompts are appended outside of it. A server's leader begins the prompts that wait, opens the session when
// there is something to do, and closes it a while afterwards.
import type { App } from '../app/app.ts';
import type { Conversation } from '../app/conversation.ts';
import type { AnswererWish } from '../app/providers/choose-provider.ts';
import { sessionOptions } from '../app/sessions/open/conversation-in.ts';
import type { Leaving } from '../app/sessions/open/leave-session.ts';
import type { OpenOptions, OpenRequest } from '../app/sessions/open/open-session.ts';
import { isOllmError, OllmError } from '../errors/index.ts';
import { Lanes } from '../platform/lanes.ts';
import { Waiters } from '../platform/waiters.ts';
import { onAbort, systemSleep, waitFor } from '../platform/waiting.ts';
import type { WaitingPrompt } from '../projections/queue.ts';
import { openSession as openStored } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import type { TurnSignal } from '../turn/signals.ts';
import { closeHeld, type HeldConversation, hold, ofLocked, openHeld } from './held.ts';
import { inputOf, isPromised } from './led-prompts.ts';
import { TurnNote } from './note.ts';
import { PromptQueue } from './prompt-queue.ts';
import { busy, endedFirst, noPrompt } from './refusals.ts';
import { Reservation } from './reservation.ts';
import type { AppInUse, Asked, AskOptions, LeaderOptions, LeadSignal, Problem, Work } from './types.ts';

/** `moving`: the session is full, and is being continued in another one. */
type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly held: HeldConversation; readonly closing?: NodeJS.Timeout }
  | { readonly kind: 'running'; readonly held: HeldConversation; readonly work: Work }
  | { readonly kind: 'moving'; readonly work: Work; readonly over: Promise<void> };

interface GivingAway {
  readonly wait: boolean;
  readonly signal: AbortSignal | undefined;
  /** How long the other process is given to open it. */
  readonly forMs: number;
}

type OneUserOptions = Pick<LeaderOptions, 'perform' | 'onSignal'> & OpenOptions;

/** How often a session that another process took over is tried again while prompts wait. */
const RETRY_MS = 1_000;
/** How long a decision that the end of the server made may take to be stored. */
const DECIDED_MS = 2_000;

export class Leader {
  #id: string;
  readonly #options: LeaderOptions;
  #state: State = { kind: 'closed' };
  readonly #queue: PromptQueue;
  /** What happens to the session. */
  readonly #lane = new Lanes(1);
  /** Says on the disk that the session has something to do here, for the next server. */
  #note: TurnNote | undefined;
  /** Why the last prompt became no turn, as long as no other begins. */
  #problem: (Problem & { readonly at: string }) | undefined;
  #isLooping = false;
  /** Prompts that are being stored. */
  #adding = 0;
  #isEnding = false;
  readonly #reservation: Reservation;
  /** How much is done with it now, or is about to be. */
  #uses = 0;
  /** Called at the end of the turn, for processes that take the session over then. */
  readonly #takers = new Set<() => void>();
  readonly #waiters = new Waiters();

  constructor(id: string, options: LeaderOptions) {
    this.#id = id;
    this.#options = options;
    this.#note = options.hosting && new TurnNote(options.app, id);
    this.#queue = new PromptQueue({ app: options.app, onChange: () => this.#signal({ type: 'queue' }) });
    this.#reservation = new Reservation(options.app.store, () => this.#lookAtRest());
  }

  /**
   * Opens a session and leads it for one user, until `close`. Its notices are those of `conversation`.
   * @throws OllmError as `openSession`
   */
  static async open(app: App, request: OpenRequest, { perform, onSignal, ...how }: OneUserOptions): Promise<Leader> {
    const leader = new Leader('', oneUser(app, { perform, onSignal }));
    await leader.#alone(async () => {
      const held = await openHeld(request, leader.#options, how);
      leader.#id = held.conversation.session.id;
      await leader.#lead(held);
    });
    return leader;
  }

  /** Leads a conversation that is open already, such as the run of an agent. */
  static async of(app: App, conversation: Conversation, options: OneUserOptions): Promise<Leader> {
    const leader = new Leader(conversation.session.id, oneUser(app, options));
    await leader.#alone(async () => {
      await leader.#lead(await hold(conversation, { app, end() {} }, leader.#options));
    });
    return leader;
  }

  /** The id of its session: another one after the session was full. */
  get id(): string {
    return this.#id;
  }

  /** The open conversation. */
  get conversation(): Conversation | undefined {
    return this.#held?.conversation;
  }

  get isOpen(): boolean {
    return this.#state.kind !== 'closed';
  }

  get work(): Work | undefined {
    return 'work' in this.#state ? this.#state.work : undefined;
  }

  /** Whether no turn runs and none is promised. */
  get isIdle(): boolean {
    return this.work === undefined && this.waiting.length === 0;
  }

  /** Whether nothing of it is left here. */
  get isAtRest(): boolean {
    const isDone = this.#state.kind === 'closed' && this.isIdle && this.#queue.isWritten;
    return isDone && this.#uses === 0 && !this.#reservation.isOn;
  }

  /** Prompts that wait, the next one first: as the journal has them, or as it had them when it was last open here. */
  get prompts(): readonly WaitingPrompt[] {
    const running = this.work?.promptId;
    return this.#queue.prompts.filter(({ promptId }) => promptId !== running);
  }

  /** The prompt that runs, or is about to: an open session begins the next one as soon as it is stored. */
  get current(): Pick<Work, 'promptId' | 'since'> | undefined {
    if (this.work !== undefined) return this.work;
    const isBeginning = this.#state.kind === 'open' && (this.#isLooping || this.#adding > 0);
    const [next] = isBeginning && !this.#isEnding && !this.#reservation.isOn ? this.waiting : [];
    return next && { promptId: next.promptId, since: new Date(this.#options.app.clock.now()).toISOString() };
  }

  /** The prompts that wait after that one. */
  get queued(): readonly WaitingPrompt[] {
    const current = this.current?.promptId;
    return this.prompts.filter(({ promptId }) => promptId !== current);
  }

  /** The prompts that the leader begins, without those that their user begins. */
  get waiting(): readonly WaitingPrompt[] {
    return this.#options.hosting === undefined ? [] : this.prompts.filter(isPromised);
  }

  /** The prompts in the journal that their user does not begin: `waiting`, and one whose turn has just begun. */
  get promised(): readonly WaitingPrompt[] {
    return this.#queue.prompts.filter(isPromised);
  }

  get problem(): (Problem & { readonly at: string }) | undefined {
    return this.#problem;
  }

  /** Does something with it; it is not at rest until that has ended. */
  async use<Result>(does: () => Promise<Result>): Promise<Result> {
    this.#uses += 1;
    try {
      return await does();
    } finally {
      this.#uses -= 1;
      this.#lookAtRest();
    }
  }

  /** Takes over a session that was just made. */
  async adopt(conversation: Conversation, using: AppInUse): Promise<void> {
    await this.#alone(async () => {
      await this.#lead(await hold(conversation, using, this.#options), conversation.notices);
    });
  }

  /** Opens the session. @throws OllmError SESSION_LOCKED, NOT_OWNER, and what opening throws */
  async open(wish: AnswererWish = {}): Promise<void> {
    await this.#alone(async () => {
      await this.#switch(await this.#open(wish), wish);
      this.#rest();
    });
  }

  /**
   * Resolves once the prompt is in the journal, with the number of those before it and the seq of its event.
   * @throws OllmError SESSION_LOCKED, NOT_OWNER, SERVER_CLOSING, and what opening and appending throw
   */
  async add(prompt: WaitingPrompt): Promise<{ readonly ahead: number; readonly seq: number | undefined }> {
    // Without an await if possible: a turn that takes the prompt waits for appends that have begun.
    const session = this.#sessionForPrompts ?? (await this.#openForPrompts(this.isIdle ? prompt : {}));
    const { id } = this;
    let ahead = 0;
    const startedMs = performance.now();
    this.#adding += 1;
    try {
      const seq = await this.#queue.change(session, () => {
        ahead = this.waiting.length + (this.work === undefined ? 0 : 1);
        return { added: [prompt] };
      });
      this.#signal({ type: 'prompt-stored', ms: performance.now() - startedMs });
      return { ahead, seq: this.id === id ? seq : undefined };
    } catch (error) {
      // The journal may have it nevertheless: its caller was told that it was not taken.
      if (session.writer.failure !== undefined) await this.#queue.refuse(prompt.promptId);
      throw ofLocked(error, this.#options);
    } finally {
      this.#adding -= 1;
      void this.#loop();
    }
  }

  /**
   * Changes a prompt; from then on it awaits no user.
   * @throws OllmError PROMPT_NOT_FOUND, and as `add`
   */
  async edit(promptId: string, text: string): Promise<WaitingPrompt> {
    const session = await this.#openForPrompts();
    let edited: WaitingPrompt | undefined;
    await this.#queue.change(session, () => {
      const { awaits: _, ...prompt } = this.#promptOf(promptId);
      edited = { ...prompt, text };
      return { added: [edited] };
    });
    void this.#loop();
    return edited!;
  }

  /** @throws OllmError as `edit` */
  async remove(promptId: string): Promise<WaitingPrompt> {
    const session = await this.#openForPrompts();
    let removed: WaitingPrompt | undefined;
    await this.#queue.change(session, () => {
      removed = this.#promptOf(promptId);
      return { removed: [promptId] };
    });
    this.#waiters.tell();
    this.#rest();
    return removed!;
  }

  /** Cancels the work that runs, and waits for its end. False: none ran. */
  async stop(): Promise<boolean> {
    const { work } = this;
    if (work === undefined) return false;
    work.controller.abort();
    await this.#waiters.until(() => this.work !== work);
    return true;
  }

  /**
   * Runs a turn that its user waits for; the signals come by `onSignal`. `begin` is called with the conversation that
   * runs it: a full session is continued in another one before.
   * @throws OllmError what `open` and `begin` throw
   */
  async ask(
    promptId: string,
    begin: (conversation: Conversation, signal: AbortSignal) => Promise<Asked>,
    options: AskOptions = {},
  ): Promise<void> {
    await this.#alone(async () => {
      const opened = await this.#open({});
      await this.#working(opened, promptId, async (stopped) => {
        const signal = options.signal === undefined ? stopped : AbortSignal.any([stopped, options.signal]);
        const held = await this.#moved(opened);
        const asked = await begin(held.conversation, signal);
        await this.#ask(held, promptId, asked, { ...options, signal });
      });
    });
  }

  /**
   * Does something with the open conversation, while no turn runs. `promptId` names it while it runs; a user can stop
   * it.
   * @throws OllmError SESSION_BUSY, and what `open` and `does` throw
   */
  async run<Result>(
    promptId: string,
    does: (app: App, conversation: Conversation, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (!this.isIdle) throw busy(this.id);
    return this.#alone(async () => {
      const held = await this.#open({});
      return this.#working(held, promptId, (signal) => does(held.using.app, held.conversation, signal));
    });
  }

  /** Does something with the open conversation, also while a turn runs. */
  async beside<Result>(does: (app: App, conversation: Conversation) => Promise<Result>): Promise<Result> {
    if (this.#state.kind === 'running') {
      const { using, conversation } = this.#state.held;
      return does(using.app, conversation);
    }
    return this.#alone(async () => {
      const held = await this.#open({});
      try {
        return await does(held.using.app, held.conversation);
      } finally {
        this.#rest();
      }
    });
  }

  /**
   * Replaces the conversation value, from the next turn on. If that has another session, `to` has left the one before;
   * prompts that await their user move with the user.
   */
  async change(to: (app: App, conversation: Conversation) => Promise<Conversation>): Promise<Conversation> {
    return this.#alone(async () => {
      const held = await this.#open({});
      const { session, ephemeral, encrypted = false } = held.conversation;
      try {
        const next = await to(held.using.app, held.conversation);
        held.conversation = next;
        if (next.session === session) return next;
        held.stop();
        this.#id = next.session.id;
        const led = await this.#lead(await hold(next, held.using, this.#options));
        if (next.ephemeral === ephemeral && (next.encrypted ?? false) === encrypted) await this.#carry(session, led);
        return next;
      } finally {
        this.#rest();
      }
    });
  }

  /**
   * Closes the turns that a killed process left open, which opening does. Then continues with the prompts that wait.
   */
  async recover(): Promise<void> {
    await this.#alone(async () => {
      if (this.#state.kind === 'closed') await this.#openWithoutModel();
    });
    void this.#loop();
  }

  /** Gives it to another process, now or, with `wait`, at the end of the turn. False: a turn runs. */
  async giveAway({ wait, signal, forMs }: GivingAway): Promise<boolean> {
    if (this.work !== undefined) {
      if (!wait) return false;
      await this.#turnEnd(forMs, signal);
    }
    await this.#alone(async () => {
      await this.#close();
      await this.#reservation.beginClosed(this.id, forMs);
    });
    void this.#loop();
    return true;
  }

  /** Closes the writer. @throws OllmError SESSION_BUSY */
  async release(): Promise<void> {
    if (!this.isIdle) throw busy(this.id);
    await this.#alone(() => this.#close());
  }

  /** Resolves once nothing runs and nothing is promised. Rejects if the signal is aborted. */
  async settled(signal?: AbortSignal): Promise<void> {
    await this.#waiters.until(() => this.isIdle || this.#isEnding, signal);
  }

  /** Ends the turn in order, and closes the writer. Prompts that wait run after the next start. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const { users } = this.#options.hosting ?? {};
    const open = users?.openCalls() ?? [];
    if (open.length > 0) {
      const stored = this.#decisionsOn(open);
      users?.denyAll();
      await stored;
    }
    this.work?.controller.abort();
    for (const take of this.#takers) take();
    await this.#lane.idle();
    await this.#alone(async () => {
      await this.#close();
      await this.#writeRefusals();
    });
    this.#waiters.tell();
  }

  /** Ends the turn, and leaves the session. False: nothing was in it, and it is gone. @throws what closing throws */
  async close(leaving: Leaving): Promise<boolean> {
    this.#isEnding = true;
    this.work?.controller.abort();
    return this.#alone(async () => this.#held === undefined || this.#leave(this.#held, leaving));
  }

  // ── Prompts and their turns ──

  get #held(): HeldConversation | undefined {
    return 'held' in this.#state ? this.#state.held : undefined;
  }

  /** The session, once prompts can be stored in it so that a restart would find them. */
  async #openForPrompts(wish: AnswererWish = {}): Promise<Session> {
    for (;;) {
      const session = this.#sessionForPrompts;
      if (session !== undefined) return session;
      if (this.#isEnding) throw endedFirst(this.id);
      // The next session of one that is full takes them.
      if (this.#state.kind === 'moving') await this.#state.over;
      else if (this.#held === undefined || this.#hasFailed) await this.open(wish);
      else await this.#note?.store();
    }
  }

  get #sessionForPrompts(): Session | undefined {
    const isReady = !this.#isEnding && !this.#hasFailed && this.#note?.isStored !== false;
    return isReady ? this.#held?.conversation.session : undefined;
  }

  #promptOf(promptId: string): WaitingPrompt {
    const found = this.prompts.find((prompt) => prompt.promptId === promptId);
    if (found === undefined) throw noPrompt(this.id, promptId);
    return found;
  }

  async #loop(): Promise<void> {
    if (this.#isLooping) return;
    this.#isLooping = true;
    try {
      while (this.waiting.length > 0 && !this.#isEnding) {
        if ((await this.#alone(() => this.#takeNext())) === 'locked') await systemSleep(RETRY_MS);
      }
    } finally {
      this.#isLooping = false;
      this.#waiters.tell();
      this.#rest();
    }
  }

  /** Runs the turn of the next prompt. A failure of the opening costs the prompt, unless another process has it. */
  async #takeNext(): Promise<'taken' | 'locked'> {
    await this.#queue.stored();
    const first = this.waiting[0];
    if (first === undefined || this.#isEnding) return 'taken';
    let held: HeldConversation;
    try {
      held = await this.#open(first);
    } catch (error) {
      if (isOllmError(error) && (error.code === 'SESSION_LOCKED' || error.code === 'NOT_OWNER')) return 'locked';
      await this.#refuse(first.promptId, error);
      return 'taken';
    }
    const begun = await this.#queue.between(() => {
      // By then another process may have asked that prompt.
      const prompt = this.waiting[0];
      if (prompt === undefined || this.#reservation.isOn || this.#isEnding) return undefined;
      return { turn: this.#working(held, prompt.promptId, (signal) => this.#turn(held, prompt, signal)) };
    });
    await begun?.turn;
    return 'taken';
  }

  async #turn(opened: HeldConversation, prompt: WaitingPrompt, signal: AbortSignal): Promise<void> {
    const { promptId } = prompt;
    let problem: unknown;
    try {
      await this.#switch(opened, prompt);
      const held = await this.#moved(opened);
      // It had its turn there already, before a server was killed that had not taken it out of the full one yet.
      if (!this.#queue.has(promptId)) return;
      const input = await inputOf(held.using.app, held.conversation, prompt);
      const users = this.#options.hosting?.users.askedIn(prompt);
      problem = await this.#ask(held, promptId, { input }, { ...users, signal });
    } catch (error) {
      problem = error;
    }
    // What ended in order before its turn is asked after the next start.
    if (!this.#queue.has(promptId) || this.#isEnding) return;
    await this.#refuse(promptId, problem);
  }

  /** Resolves with the error that the turn ended with, if it did. */
  async #ask(
    held: HeldConversation,
    promptId: string,
    { input, conversation = held.conversation }: Asked,
    { steer, ...options }: AskOptions & { readonly signal: AbortSignal },
  ): Promise<OllmError | undefined> {
    const { app } = held.using;
    const { writer } = conversation.session;
    // The message that a prompt becomes is stored after the prompt.
    const steerStored =
      steer &&
      (async () => {
        const inputs = await steer();
        await this.#queue.stored();
        return inputs;
      });
    const turn = await this.#options.perform(app, conversation, input, { ...options, steer: steerStored });
    await this.#queue.stored();
    let end: TurnSignal | undefined;
    await new Promise<void>((resolve, reject) =>
      turn.subscribe({
        next: (signal) => {
          end = signal;
          this.#signal({ type: 'turn', promptId, signal, after: writer.head.seq });
        },
        error: reject,
        complete: resolve,
      }),
    );
    if (end !== undefined) this.#signal({ type: 'turn-end', how: end.type });
    // Nothing more can be stored by this writer: the next turn opens the session again.
    if (this.#hasFailed) await this.#closeWriter(held);
    return end?.type === 'error' ? end.error : undefined;
  }

  /** The prompt has no turn; its subscribers are told why. In the lane. */
  async #refuse(promptId: string, error: unknown): Promise<void> {
    await this.#queue.refuse(promptId, error === undefined ? undefined : this.#fail(promptId, error));
    await this.#writeRefusals();
  }

  /** Where the writer could not store them. Never rejects. */
  async #writeRefusals(): Promise<void> {
    if (this.#queue.isWritten) return;
    try {
      await this.#openWithoutModel();
    } catch (failure) {
      const fields = { service: 'lead', operation: 'queue', sessionId: this.id, error: failure };
      const action = 'Its next opening takes the prompt out.';
      this.#options.app.log.warn({ ...fields, action }, 'A session could not be opened for a prompt without a turn');
    }
  }

  async #switch(held: HeldConversation, { provider, model, thinking }: AnswererWish): Promise<void> {
    const { choice } = held.conversation;
    const isSame =
      (provider === undefined || provider === choice.provider.name) &&
      (model === undefined || model === choice.model) &&
      (thinking === undefined || thinking === choice.thinking);
    if (isSame) return;
    const { switchModel } = await import('../app/sessions/open/switch-model.ts');
    held.conversation = await switchModel(held.using.app, held.conversation, { provider, model, thinking });
  }

  /** The next session, with all that waits, where this one is full. In a turn. */
  async #moved(held: HeldConversation): Promise<HeldConversation> {
    const { work, id: before } = this;
    if (held.using.app.config.retention.maxItems === undefined || work === undefined) return held;
    const { nextWhenFull } = await import('./next-session.ts');
    await this.#queue.stored();
    this.#queue.rest(held.conversation.session);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#enter({ kind: 'moving', work, over });
    try {
      const next = await nextWhenFull(held, this.#options);
      if (next === undefined) return await this.#lead(held);
      const full = this.#note;
      this.#note = next.note;
      this.#id = next.held.conversation.session.id;
      this.#signal({ type: 'moved', before });
      held.stop();
      await this.#lead(next.held, next.held.conversation.notices);
      await next.leaveFull();
      full?.remove();
      return next.held;
    } catch (error) {
      if (this.#state.kind !== 'moving') throw error;
      // The next opening of the full session leads to the other one again.
      if (this.#options.hosting === undefined) await this.#lead(held);
      else await this.#closeWriter(held);
      throw error;
    } finally {
      resolve();
    }
  }

  /** Prompts that were typed ahead wait in the session that their user went to. Never rejects. */
  async #carry(from: Session, { using: { app }, conversation: { session } }: HeldConversation): Promise<void> {
    const added = from.states.queue.prompts.filter((prompt) => !isPromised(prompt));
    if (added.length === 0) return;
    try {
      await this.#queue.change(session, () => ({ added }));
      const { leaveQueue } = await import('./next-session.ts');
      const removed = added.map(({ promptId }) => promptId);
      if (await app.store.has(from.id)) await leaveQueue(app, from.id, removed);
    } catch (error) {
      app.log.warn({ service: 'lead', operation: 'queue', sessionId: from.id, error }, 'Prompts did not go along');
    }
  }

  // ── The writer ──

  /** A writer that failed, such as one that lost its lease, stores nothing more. A user sees it, and leaves. */
  get #hasFailed(): boolean {
    return this.#options.hosting !== undefined && this.#held?.conversation.session.writer.failure !== undefined;
  }

  #enter(state: State): void {
    if (this.#state.kind === 'open') clearTimeout(this.#state.closing);
    this.#state = state;
  }

  async #open(wish: AnswererWish): Promise<HeldConversation> {
    const held = this.#held;
    if (held !== undefined && this.#hasFailed) await this.#closeWriter(held);
    else if (held !== undefined) {
      if (this.#state.kind === 'open') this.#enter({ kind: 'open', held });
      return held;
    }
    await this.#reservation.requireOver(this.id);
    const { provider, model } = wish;
    const request = { kind: 'resume', reference: this.id, provider, model } as const;
    const opened = await openHeld(request, this.#options);
    return this.#lead(opened, opened.conversation.notices);
  }

  async #lead(held: HeldConversation, notices: readonly string[] = []): Promise<HeldConversation> {
    const { work } = this;
    this.#enter(work === undefined ? { kind: 'open', held } : { kind: 'running', held, work });
    for (const text of notices) this.#signal({ type: 'notice', text });
    await this.#queue.follow(held.conversation.session);
    return held;
  }

  /** Opens and closes the journal, without a model: open turns are closed, and refused prompts taken out. */
  async #openWithoutModel(): Promise<void> {
    const { app } = this.#options;
    if (this.#held !== undefined) await this.#closeWriter(this.#held);
    await this.#reservation.requireOver(this.id);
    const session = await openStored(app.store, this.id, sessionOptions(app));
    try {
      await this.#queue.follow(session);
    } finally {
      await session.close('exit');
      this.#queue.rest(session);
      if (this.promised.length === 0) this.#note?.remove();
    }
  }

  /** Closes the writer after a while, unless something happens. */
  #rest(): void {
    const state = this.#state;
    const { hosting } = this.#options;
    if (hosting === undefined || state.kind !== 'open' || !this.isIdle || this.#isEnding) return;
    const close = async (): Promise<void> => {
      await this.#queue.stored();
      if (this.isIdle) await this.#close();
    };
    const closing = setTimeout(() => void this.#alone(close), hosting.holdMs).unref();
    this.#enter({ kind: 'open', held: state.held, closing });
  }

  async #close(): Promise<void> {
    if (this.#held !== undefined) await this.#closeWriter(this.#held);
  }

  /** Never rejects: the next opening says what happened. */
  async #closeWriter(held: HeldConversation): Promise<void> {
    try {
      await this.#leave(held, { reason: 'exit' });
    } catch (error) {
      const fields = { service: 'lead', operation: 'close', sessionId: held.conversation.session.id, error };
      const action = 'Its next opening says what happened.';
      this.#options.app.log.error({ ...fields, action }, 'A session could not be closed');
    }
  }

  async #leave(held: HeldConversation, leaving: Leaving): Promise<boolean> {
    await this.#queue.stored();
    this.#queue.rest(held.conversation.session);
    this.#enter({ kind: 'closed' });
    try {
      return await closeHeld(held, leaving);
    } finally {
      if (this.promised.length === 0) this.#note?.remove();
      this.#signal({ type: 'activity' });
    }
  }

  // ── One thing at a time ──

  #alone<Result>(does: () => Promise<Result>): Promise<Result> {
    return this.use(() => this.#lane.run(does));
  }

  #lookAtRest(): void {
    if (this.isAtRest) this.#signal({ type: 'rest' });
  }

  async #working<Result>(
    held: HeldConversation,
    promptId: string,
    does: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const { app } = held.using;
    this.#problem = undefined;
    const since = new Date(app.clock.now()).toISOString();
    this.#enter({ kind: 'running', held, work: { promptId, since, controller } });
    this.#signal({ type: 'activity' });
    this.#signal({ type: 'queue' });
    try {
      // Without the note a turn that is cut off is closed when the session is next opened, and not before.
      await this.#note?.store().catch((error: unknown) => {
        app.log.warn({ service: 'lead', operation: 'note', sessionId: this.id, error }, 'A turn could not be noted');
      });
      return await does(controller.signal);
    } finally {
      if (this.#held !== undefined) this.#enter({ kind: 'open', held: this.#held });
      this.#signal({ type: 'activity' });
      for (const take of this.#takers) take();
      this.#rest();
      this.#waiters.tell();
    }
  }

  /** Resolves at the end of the turn that runs: work that is put into the lane then comes before the next prompt. */
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

  #signal(signal: LeadSignal): void {
    this.#options.onSignal(signal);
  }

  #fail(promptId: string, error: unknown): Problem {
    const known = isOllmError(error)
      ? error
      : new OllmError('INTERNAL', `The turn could not begin: ${String(error)}`, { cause: error });
    const { code, message, hint } = known;
    this.#problem = { code, message, at: new Date(this.#options.app.clock.now()).toISOString() };
    this.#signal({ type: 'problem', promptId, code, message, hint });
    return { code, message };
  }
}

function oneUser(app: App, options: Pick<LeaderOptions, 'perform' | 'onSignal'>): LeaderOptions {
  return { ...options, app, useApp: async () => ({ app, end() {} }) };
}
