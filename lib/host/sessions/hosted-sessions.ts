// The requests of this host's clients: each finds its session, and asks the session's leader.
import { setImmediate } from 'node:timers/promises';
import type { App } from '../../app/app.ts';
import type { Conversation, ProviderChoice } from '../../app/conversation.ts';
import { type AnswererWish, chooseProvider } from '../../app/providers/choose-provider.ts';
import { requireThinking } from '../../app/providers/thinking.ts';
import type { ForkSessionRequest } from '../../app/sessions/change/fork-session.ts';
import type { RevertedFile } from '../../app/sessions/change/revert-files.ts';
import type { ShownFile } from '../../app/sessions/change/revert-shown.ts';
import { leaveSession } from '../../app/sessions/open/leave-session.ts';
import { type Later, openSession } from '../../app/sessions/open/open-session.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import type { Holder } from '../../journal/types.ts';
import type { Leader } from '../../lead/leader.ts';
import { noPrompt } from '../../lead/refusals.ts';
import type { AppInUse } from '../../lead/types.ts';
import { Lanes } from '../../platform/lanes.ts';
import type { WaitingPrompt } from '../../projections/queue.ts';
import { THINKING_MODES, type ThinkingMode } from '../../providers/thinking.ts';
import { isImport } from '../../session/is-import.ts';
import { waitingPrompts } from '../../session/waiting-prompts.ts';
import type { HostParts } from '../parts.ts';
import type { HostSignal } from '../port/followers.ts';
import type { Accepted, PromptRequest, QueuedPrompt, StartRequest } from '../port/prompts.ts';
import type { HandOver, SessionCompacted } from '../port/sessions.ts';
import type { SessionActivity, SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import { announcedServer } from '../server-file.ts';
import { heldElsewhere, lockedError } from './held-elsewhere.ts';
import { Leaders } from './leaders.ts';
import { queuedOf, waitingOf } from './prompt-forms.ts';
import { readSnapshot } from './read-snapshot.ts';
import { setMode } from './set-mode.ts';
import { workspaceOf } from './workspace-of.ts';

interface HostedSessionsOptions extends HostParts {
  /** Called with the directory of each session that is made. */
  readonly onWorkspace: (path: string) => void;
}

/** How long the process that asked for a session is given to open it. */
const GIVEN_AWAY_MS = 10_000;

/**
 * Own sessions in this host. An `id` is the full id of a session of ollm. The writer of a session is held while a turn
 * runs or waits, and 30 s after; it is opened when it is needed.
 *
 * Every method that writes throws SESSION_LOCKED if another process holds the journal, with `data.holder` (pid,
 * command, since), and NOT_OWNER with `data.instance` and `data.address` if that process is a server;
 * SESSION_NOT_FOUND; SERVER_CLOSING; and the errors of the journal (JOURNAL_FULL, JOURNAL_DAMAGED, …).
 */
export class HostedSessions {
  readonly #options: HostedSessionsOptions;
  readonly #leaders: Leaders;
  /** What a killed server left open is closed before a session is used: a second writer would find the first's lock. */
  #recovery: Promise<void> = Promise.resolve();
  /** Old sessions are moved to the trash after the answer to a start: there may be thousands. */
  readonly #retention = new Lanes(1);
  readonly #leaving = new AbortController();

  constructor(options: HostedSessionsOptions) {
    this.#options = options;
    this.#leaders = new Leaders({ ...options, useAppOf: (id) => this.#useAppOf(id) });
  }

  get figures() {
    return this.#leaders.figures;
  }

  /** How a session is now, for a new subscriber. */
  async now(id: string): Promise<readonly HostSignal[]> {
    const elsewhere = await this.queueElsewhere(id);
    const queued = elsewhere.filter(({ queue }) => queue.length > 0);
    const leader = this.#leaders.get(id);
    if (leader === undefined) return queued;
    const activity = this.activity(id);
    const queue = leader.queued.map(queuedOf);
    return [
      ...(activity.kind === 'not-held' ? [] : [{ type: 'activity', activity } as const]),
      ...(leader.isOpen && queue.length > 0 ? [{ type: 'queue', queue } as const] : queued),
      ...this.#options.questions.list(id).map((question) => ({ type: 'question', question }) as const),
    ];
  }

  /** The queue as the journal has it; nothing of a session that is open here, whose leader sends it. Never rejects. */
  async queueElsewhere(id: string): Promise<readonly Extract<HostSignal, { readonly type: 'queue' }>[]> {
    if (!isSessionId(id) || this.#leaders.get(id)?.isOpen) return [];
    try {
      return [{ type: 'queue', queue: await this.queue(id) }];
    } catch {
      // Subscribers are sent the damage of the journal by its follower.
      return [];
    }
  }

  /**
   * Makes a session and begins its first turn. Resolves once the session exists and its writer is held. Throws faults
   * of the model or the workspace; later events come by a subscription.
   * @throws OllmError WORKSPACE_NOT_ALLOWED, SESSION_EXISTS, SESSION_ID_INVALID, USAGE (empty prompt, attachments),
   * PROVIDER_*, MODEL_NOT_FOUND, THINKING_MODE_NOT_SUPPORTED, UNATTENDED_NOT_ALLOWED
   */
  async start(request: StartRequest): Promise<Accepted> {
    this.#requireOpen();
    this.#requirePrompt(request);
    const { apps, workspaces, app, onWorkspace } = this.#options;
    const path = await workspaces.resolve(request.workspace ?? app.cwd);
    const using = await apps.use(path);
    try {
      const { id: wanted, name, provider, model, thinking, toolMode } = request;
      if (thinking !== undefined) await requireThinking(await chooseProvider(using.app, { provider, model }), thinking);
      const later: Later[] = [];
      const wish = { kind: 'new', id: wanted, name, provider, model, toolMode } as const;
      const conversation = await openSession(using.app, wish, { later: (work) => later.push(work) });
      const { id } = conversation.session;
      onWorkspace(path);
      const accepted = await this.#leaders.use(id, async (leader) => {
        try {
          await leader.adopt(conversation, using);
        } catch (error) {
          await leaveSession(using.app, conversation, { reason: 'exit' });
          throw error;
        }
        return this.#accepted(leader, request);
      });
      this.#afterwards(path, later);
      return accepted;
    } catch (error) {
      using.end();
      throw error;
    }
  }

  /**
   * The next turn of a session that is there; it waits in the queue while one runs. `id` may also be the address of a
   * session of another program (`claude:…`): it is imported, and its fork continues.
   * `insteadOf`: an event of a turn that this one takes the place of. That turn and what followed are aside then.
   * @throws OllmError as `start`, and QUEUE_FULL (64 prompts wait); with `insteadOf` SESSION_BUSY, SEQ_NOT_FOUND
   */
  async prompt(
    reference: string,
    request: PromptRequest,
    { insteadOf }: { readonly insteadOf?: number | undefined } = {},
  ): Promise<Accepted> {
    this.#requirePrompt(request);
    return this.#lead(this.#leaders.current(reference), async (leader) => {
      this.#requireRoom(leader);
      // While a turn runs, a fault of the model shows when this prompt's turn comes.
      if (leader.isIdle) await leader.open(request);
      await setMode(leader, request.toolMode);
      if (insteadOf !== undefined) await this.#makeRoomFor(leader, insteadOf);
      return this.#accepted(leader, request);
    });
  }

  /** The turn of this event, and all later ones, are aside from here on. */
  async #makeRoomFor(leader: Leader, seq: number): Promise<void> {
    const { continueBefore } = await import('../../app/sessions/change/continue-before.ts');
    await leader.run(this.#newId(), (app, conversation) => continueBefore(app, conversation, seq));
  }

  /** The prompts that wait, the next one first, also those of another process. @throws OllmError SESSION_NOT_FOUND */
  async queue(id: string): Promise<readonly QueuedPrompt[]> {
    const known = this.#leaders.current(id);
    const leader = this.#leaders.get(known);
    const prompts = leader?.isOpen ? leader.queued : await waitingPrompts(this.#options.app.store, known);
    return prompts.map(queuedOf);
  }

  /** Changes one that waits. @throws OllmError PROMPT_NOT_FOUND: it runs already, ended or never was */
  async editQueued(id: string, promptId: string, { text }: Pick<PromptRequest, 'text'>): Promise<QueuedPrompt> {
    this.#requireOpen();
    this.#requirePrompt({ text });
    return this.#changeQueued(id, promptId, (leader) => leader.edit(promptId, text));
  }

  /** Takes one out that waits. @throws OllmError PROMPT_NOT_FOUND */
  async removeQueued(id: string, promptId: string): Promise<QueuedPrompt> {
    this.#requireOpen();
    return this.#changeQueued(id, promptId, (leader) => leader.remove(promptId));
  }

  /** A session is not opened for a prompt that does not wait there. */
  async #changeQueued(
    id: string,
    promptId: string,
    change: (leader: Leader) => Promise<WaitingPrompt>,
  ): Promise<QueuedPrompt> {
    const leader = this.#leaders.get(this.#leaders.current(id));
    const prompts = leader?.isOpen ? leader.prompts : await this.queue(id);
    const isThere = prompts.some((prompt) => prompt.promptId === promptId);
    if (!isThere) throw noPrompt(id, promptId);
    return queuedOf(await this.#leaders.use(this.#leaders.current(id), change));
  }

  /** Cancels the turn that runs; resolves once its end is stored. `stopped`: whether one ran. The queue continues. */
  async stop(id: string): Promise<{ readonly stopped: boolean }> {
    const leader = this.#leaders.get(this.#leaders.current(id));
    if (leader?.isOpen) return { stopped: await leader.stop() };
    const { app } = this.#options;
    const holder = await app.store.holder(await this.#ownId(this.#leaders.current(id)));
    if (holder === undefined) return { stopped: false };
    throw heldElsewhere(app, id, holder);
  }

  /** Takes back the last turn, and returns its text; undefined if there is none. @throws OllmError SESSION_BUSY */
  async undo(id: string): Promise<{ readonly text: string } | undefined> {
    const { undoTurn } = await import('../../app/sessions/change/undo-turn.ts');
    const taken = await this.#run(id, undoTurn);
    return taken && { text: taken.text };
  }

  /**
   * Returns to a branch that was undone; resolves with the event that the conversation continues after.
   * @throws OllmError SESSION_BUSY, SEQ_NOT_FOUND, USAGE (the event was not undone)
   */
  async returnToBranch(id: string, seq: number): Promise<number> {
    const { returnToBranch } = await import('../../app/sessions/change/return-to-branch.ts');
    return this.#run(id, (app, conversation) => returnToBranch(app, conversation, seq));
  }

  /**
   * Puts files back that tools changed, as they were shown.
   * @throws OllmError SESSION_BUSY, USAGE (no tool changed such a file)
   */
  async revert(id: string, shown: readonly ShownFile[]): Promise<readonly RevertedFile[]> {
    const { revertShown } = await import('../../app/sessions/change/revert-shown.ts');
    return this.#run(id, (app, conversation) => revertShown(app, conversation, shown));
  }

  /** Makes room in the window now. @throws OllmError SESSION_BUSY, COMPACTION_FAILED */
  async compact(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<SessionCompacted> {
    const { compactConversation } = await import('../../app/sessions/change/compact-conversation.ts');
    const result = await this.#run(id, (app, conversation, stopped) => {
      const either = signal === undefined ? stopped : AbortSignal.any([stopped, signal]);
      return compactConversation(app, conversation, { signal: either });
    });
    if (result.kind === 'failed') throw result.error;
    if (result.kind === 'nothing-to-do') return { seq: undefined, tokensBefore: undefined, tokensAfter: undefined };
    const { seq, tokensBefore, tokensAfter } = result;
    return { seq, tokensBefore, tokensAfter };
  }

  /** A new session that begins like this one. Only reads it, so that it works while any process holds it. */
  async fork(
    id: string,
    request: Pick<ForkSessionRequest, 'at' | 'name'> = {},
  ): Promise<{ readonly sessionId: string; readonly at: number }> {
    this.#requireOpen();
    const { forkSession } = await import('../../app/sessions/change/fork-session.ts');
    const own = isSessionId(id) && (await this.#options.app.store.has(id));
    const using = own ? await this.#useAppOf(id) : undefined;
    try {
      const { id: sessionId, at } = await forkSession(using?.app ?? this.#options.app, id, request);
      return { sessionId, at };
    } catch (error) {
      // The locked session is the one that has this name: the copied one is only read.
      throw isOllmError(error, 'JOURNAL_LOCKED') && request.name !== undefined ? nameTaken(request.name, error) : error;
    } finally {
      using?.end();
    }
  }

  /** Names it. @throws OllmError SESSION_ID_INVALID (a secret in it) */
  async rename(id: string, title: string): Promise<void> {
    const { titleSession } = await import('../../app/sessions/change/title-session.ts');
    await this.#lead(id, (leader) => leader.beside((app, conversation) => titleSession(app, conversation, title)));
  }

  /** Moves it to the trash. @throws OllmError SESSION_BUSY: a turn runs or waits */
  async remove(id: string): Promise<void> {
    this.#requireOpen();
    const { app, followers } = this.#options;
    const known = await this.#ownId(id);
    await this.#leaders.get(known)?.release();
    const { deleteSession } = await import('../../app/sessions/change/delete-session.ts');
    try {
      await deleteSession(app, known);
    } catch (error) {
      throw isOllmError(error, 'JOURNAL_LOCKED') ? lockedError(app, known, error) : error;
    }
    this.#leaders.forget(known);
    followers.end(known, 'gone');
  }

  /** Closes its writer, if it is held. @throws OllmError SESSION_BUSY: a turn runs or waits */
  async release(id: string): Promise<void> {
    await this.#leaders.get(id)?.release();
  }

  /**
   * Which model answers from the next turn on, in this run and all later ones. Stored as `model.changed`.
   * @throws OllmError MODEL_NOT_FOUND, PROVIDER_*
   */
  async setModel(
    id: string,
    model: string,
    provider?: string,
  ): Promise<{ readonly provider: string; readonly model: string }> {
    const chosen = await this.#change(id, { provider, model });
    return { provider: chosen.provider.name, model: chosen.model };
  }

  /** Sets how much a model thinks, like `setModel`. @throws OllmError THINKING_MODE_NOT_SUPPORTED */
  async setThinking(id: string, mode: ThinkingMode): Promise<void> {
    requireMode(mode);
    await this.#change(id, { thinking: mode });
  }

  /**
   * How the session is, from its journal, and from this host where it holds it. The same before and after a restart.
   * @throws OllmError SESSION_NOT_FOUND
   */
  async snapshot(reference: string): Promise<SessionSnapshot> {
    const { id, ...here } = await this.snapshotOf(await this.#ownId(reference));
    return readSnapshot(this.#options.app, id, here);
  }

  /** How the session was when the prompt was stored: its status is never a final one. */
  async snapshotAt({ sessionId, seq }: Accepted): Promise<SessionSnapshot> {
    const { id, ...here } = await this.snapshotOf(sessionId);
    const { instance, app } = this.#options;
    return readSnapshot(app, id, { ...here, instanceId: instance, problem: undefined, upTo: seq });
  }

  /** What a snapshot says that is in no journal: for the jobs `snapshot` and `snapshots`. */
  async snapshotOf(id: string): Promise<SnapshotOf> {
    const leader = this.#leaders.get(id);
    const activity = this.activity(id);
    const waiting = leader?.promised.map(({ promptId, queuedAt }) => ({ promptId, queuedAt })) ?? [];
    const { problem } = leader ?? {};
    return { id, activity, waiting, problem, instanceId: await this.#instanceThatHolds(id, activity) };
  }

  /** The server that holds it now; undefined if none does. */
  async #instanceThatHolds(id: string, activity: SessionActivity): Promise<string | undefined> {
    const { app, instance } = this.#options;
    if (activity.kind !== 'not-held') return instance;
    const pid = (await app.store.holder(id))?.pid;
    return pid === undefined || pid === app.process.pid ? undefined : announcedServer(app, pid)?.instance;
  }

  /** Ids of sessions that this host leads, or led in the last 15 minutes: 200 at most, the last one first. */
  lately(): readonly string[] {
    return this.#leaders.lately();
  }

  /** Resolves with the snapshot once no turn runs or waits in the queue. Rejects if `signal` is aborted. */
  async wait(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<SessionSnapshot> {
    const known = await this.#ownId(this.#leaders.current(id));
    await this.#leaders.get(known)?.settled(signal);
    return this.snapshot(this.#leaders.current(known));
  }

  /** The other process that has it open for writing, as far as its journal says. */
  async holder(id: string): Promise<Holder | undefined> {
    const { store } = this.#options.app;
    if (this.activity(id).kind !== 'not-held' || !isSessionId(id) || !(await store.has(id))) return undefined;
    return store.holder(id);
  }

  /** What this host does with it. Reads nothing from the disk. */
  activity(id: string): SessionActivity {
    return this.#leaders.activity(id);
  }

  /**
   * Gives the session to a process of the same user that wants to write it, such as `ollm repl --resume`. If the
   * session is free, its writer is closed, and kept closed until that process has opened it, for 10 s at most:
   * meanwhile a prompt is refused with SESSION_LOCKED, and `retryAfterMs` in its data. If a turn runs, answers with
   * that turn; with `wait`, resolves with `free` once that turn has ended, before the next prompt of the queue: queued
   * prompts wait until the other process has closed the session.
   */
  async handOver(
    id: string,
    { wait = false, signal }: { readonly wait?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<HandOver> {
    const leader = this.#leaders.get(id);
    if (leader === undefined || leader.isAtRest) return { kind: 'free' };
    if (await leader.giveAway({ wait, signal, forMs: GIVEN_AWAY_MS })) return { kind: 'free' };
    const activity = this.activity(leader.id);
    return 'promptId' in activity ? { kind: 'busy', activity } : { kind: 'free' };
  }

  /** Closes the turns that a server left open which was killed, and continues with what waited. Never rejects. */
  closeInterrupted(): Promise<void> {
    this.#recovery = this.#leaders.recover(this.#leaving.signal);
    return this.#recovery;
  }

  /** Ends running work, in order. */
  async close(): Promise<void> {
    this.#leaving.abort();
    await Promise.all([this.#retention.idle(), this.#leaders.end()]);
  }

  /** Runs the works in order; work that a stop leaves undone is done after the next start. */
  #afterwards(path: string, works: readonly Later[]): void {
    const { signal } = this.#leaving;
    const retain = async (): Promise<void> => {
      const using = await this.#options.apps.use(path);
      await setImmediate();
      for (const work of works) if (!signal.aborted) await work(signal);
      using.end();
    };
    // A workspace whose settings cannot be read any more fails the next request there, which says so.
    this.#retention.run(retain).catch(() => undefined);
  }

  async #accepted(leader: Leader, request: PromptRequest): Promise<Accepted> {
    this.#requireRoom(leader);
    const promptId = this.#newId();
    const queuedAt = new Date(this.#options.app.clock.now()).toISOString();
    this.#leaders.see(leader.id);
    const { ahead, seq } = await leader.add(waitingOf({ ...request, promptId, queuedAt }));
    return { sessionId: leader.id, promptId, ahead, ...(seq === undefined ? {} : { seq }) };
  }

  async #useAppOf(id: string): Promise<AppInUse> {
    const { app, apps, workspaces } = this.#options;
    const directory = await workspaceOf(app, id);
    // For a session without a recorded directory: the one where the server was started, if it may work there.
    const path = await workspaces.resolve(directory ?? app.cwd);
    return directory === undefined ? { app, end: () => {} } : apps.use(path);
  }

  /**
   * The id of the session to continue. A session of another program is imported and forked first, in the app of its own
   * workspace.
   */
  async #ownId(reference: string): Promise<string> {
    await this.#recovery;
    const { app } = this.#options;
    if (this.#leaders.get(reference) !== undefined) return reference;
    if (isSessionId(reference) && (await app.store.has(reference)) && !(await isImport(app.store, reference))) {
      return reference;
    }
    const { ownSession } = await import('../../app/sessions/open/own-session.ts');
    return (await ownSession(app, reference)).id;
  }

  /** Does something with the leader of a session, which is made a session of ollm first. */
  async #lead<Result>(reference: string, does: (leader: Leader) => Promise<Result>): Promise<Result> {
    this.#requireOpen();
    return this.#leaders.use(await this.#ownId(reference), does);
  }

  #run<Result>(
    id: string,
    does: (app: App, conversation: Conversation, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    return this.#lead(id, (leader) => leader.run(this.#newId(), does));
  }

  async #change(id: string, wish: AnswererWish): Promise<ProviderChoice> {
    const { switchModel } = await import('../../app/sessions/open/switch-model.ts');
    const { choice } = await this.#lead(id, (leader) =>
      leader.change((app, conversation) => switchModel(app, conversation, wish)),
    );
    return choice;
  }

  #requireOpen(): void {
    if (!this.#leaving.signal.aborted) return;
    throw new OllmError('SERVER_CLOSING', 'The server ends and takes no new work.', { hint: 'Ask again later.' });
  }

  /** @throws OllmError USAGE, THINKING_MODE_NOT_SUPPORTED, UNATTENDED_NOT_ALLOWED */
  #requirePrompt({ text, thinking, permissions }: Pick<PromptRequest, 'text' | 'thinking' | 'permissions'>): void {
    if (text.trim() === '') throw new OllmError('USAGE', 'A prompt has at least one character.');
    if (thinking !== undefined) requireMode(thinking);
    if (permissions !== 'allow' || this.#options.app.config.server.allowUnattended) return;
    throw new OllmError('UNATTENDED_NOT_ALLOWED', 'This server runs no turn that asks no user.', {
      hint: 'Leave permissions out, set them to "deny", or set server.allowUnattended in your own configuration.',
    });
  }

  #requireRoom({ waiting, id }: Leader): void {
    const { queueLength } = this.#options.limits;
    if (waiting.length < queueLength) return;
    throw new OllmError('QUEUE_FULL', `${waiting.length} prompts wait in ${id}.`, {
      hint: 'Wait for some of them, or remove some.',
      data: { id },
    });
  }

  #newId(): string {
    return this.#options.app.ids.uuid();
  }
}

function nameTaken(name: string, cause: OllmError): OllmError {
  return new OllmError('SESSION_EXISTS', `There is a session ${JSON.stringify(name)} already, and it is open.`, {
    hint: 'Choose another name.',
    data: { name },
    cause,
  });
}

/** A program may name any. @throws OllmError THINKING_MODE_NOT_SUPPORTED */
function requireMode(mode: ThinkingMode): void {
  if (THINKING_MODES.includes(mode)) return;
  throw new OllmError('THINKING_MODE_NOT_SUPPORTED', `There is no mode of thinking ${JSON.stringify(mode)}.`, {
    hint: `Choose one of: ${THINKING_MODES.join(', ')}.`,
    data: { mode, modes: THINKING_MODES },
  });
}
