// The sessions of ours in this host, by id: made when something is done with one, forgotten once nothing of it is left.
import { setImmediate } from 'node:timers/promises';
import type { App } from '../../app/app.ts';
import { chooseProvider } from '../../app/providers/choose-provider.ts';
import { requireThinking } from '../../app/providers/thinking.ts';
import { leaveSession } from '../../app/sessions/open/leave-session.ts';
import { type Later, openSession } from '../../app/sessions/open/open-session.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { isSessionId } from '../../journal/format.ts';
import type { Holder } from '../../journal/types.ts';
import { THINKING_MODES, type ThinkingMode } from '../../providers/thinking.ts';
import type { Followers } from '../following/followers.ts';
import type { HostSignal } from '../port/followers.ts';
import type { HostLimits } from '../port/limits.ts';
import type { Accepted, PromptRequest, QueuedPrompt, StartRequest } from '../port/prompts.ts';
import type {
  HandOver,
  HandOverOptions,
  HostedSessionsPort,
  HostForkRequest,
  SessionCompacted,
} from '../port/sessions.ts';
import type { SessionActivity, SessionSnapshot, SnapshotOf } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import { announcedServer } from '../server-file.ts';
import type { AppInUse, Apps } from '../workspaces/apps.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { HostedSession } from './hosted-session.ts';
import { readSnapshot } from './read-snapshot.ts';
import { noPrompt } from './refusals.ts';
import { forgetTurn, notedTurns } from './running-turns.ts';
import { workspaceOf } from './workspace-of.ts';

interface HostedSessionsOptions {
  readonly app: App;
  /** Of this run of the server. */
  readonly instance: string;
  readonly apps: Apps;
  readonly workspaces: Workspaces;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly limits: Pick<HostLimits, 'holdMs' | 'queueLength'>;
  /** Called with the directory of each session that is made. */
  readonly onWorkspace: (path: string) => void;
}

/** How long the process that asked for a session is given to open it. */
const GIVEN_AWAY_MS = 10_000;
/** Sessions whose snapshots are listed after nothing of them is held any more. */
const REMEMBERED = 200;

export class HostedSessions implements HostedSessionsPort {
  readonly #options: HostedSessionsOptions;
  readonly #sessions = new Map<string, HostedSession>();
  /** Ids of those that were held since the start, the newest last. */
  readonly #seen = new Set<string>();
  readonly #ended: Record<string, number> = {};
  #appends = 0;
  readonly #synced = { prompts: 0, ms: 0 };
  /** Where full sessions go on, for clients that still name the full one. */
  readonly #moved = new Map<string, string>();
  #isClosing = false;
  /** What a killed server left open is closed before a session is used: a second writer would find the first's lock. */
  #recovery: Promise<void> = Promise.resolve();
  /** Old sessions are moved to the trash behind the answer to a start: there may be thousands. */
  #retention: Promise<unknown> = Promise.resolve();
  readonly #leaving = new AbortController();

  constructor(options: HostedSessionsOptions) {
    this.#options = options;
  }

  get figures() {
    const all = [...this.#sessions.values()];
    const kinds = all.map(({ activity }) => activity.kind);
    return {
      held: all.filter(({ isHeld }) => isHeld).length,
      turns: {
        running: kinds.filter((kind) => kind === 'running').length,
        waiting: kinds.filter((kind) => kind === 'waiting').length,
        queued: all.reduce((sum, { queue }) => sum + queue.length, 0),
      },
      ended: { ...this.#ended },
      appends: this.#appends,
      synced: { ...this.#synced },
    };
  }

  /** How a session is now, for a new subscriber. */
  now(id: string): readonly HostSignal[] {
    const session = this.#sessions.get(id);
    if (session === undefined) return [];
    const { activity } = session;
    return [
      ...(activity.kind === 'not-held' ? [] : [{ type: 'activity', activity } as const]),
      ...(session.queue.length > 0 ? [{ type: 'queue', queue: [...session.queue] } as const] : []),
      ...this.#options.questions.list(id).map((question) => ({ type: 'question', question }) as const),
    ];
  }

  async start(request: StartRequest): Promise<Accepted> {
    this.#requireOpen();
    this.#requirePrompt(request);
    const { apps, workspaces, app, onWorkspace } = this.#options;
    const path = await workspaces.resolve(request.workspace ?? app.cwd);
    const using = await apps.use(path);
    try {
      const { id: wanted, name, provider, model, thinking } = request;
      if (thinking !== undefined) await requireThinking(await chooseProvider(using.app, { provider, model }), thinking);
      const later: Later[] = [];
      const wish = { kind: 'new', id: wanted, name, provider, model } as const;
      const conversation = await openSession(using.app, wish, { later: (work) => later.push(work) });
      const { id } = conversation.session;
      onWorkspace(path);
      const accepted = await this.#use(id, async (session) => {
        try {
          await session.adopt(conversation, using);
        } catch (error) {
          await leaveSession(using.app, conversation, { reason: 'exit' });
          throw error;
        }
        return this.#accepted(session, request);
      });
      this.#afterwards(path, later);
      return accepted;
    } catch (error) {
      using.end();
      throw error;
    }
  }

  async prompt(reference: string, request: PromptRequest): Promise<Accepted> {
    this.#requireOpen();
    this.#requirePrompt(request);
    return this.#use(await this.#ownId(this.#current(reference)), async (session) => {
      this.#requireRoom(session);
      // Where a turn runs, what is wrong with the model shows when this one's turn comes.
      if (session.isIdle) await session.hold(request);
      return this.#accepted(session, request);
    });
  }

  queue(id: string): readonly QueuedPrompt[] {
    return [...(this.#sessions.get(this.#current(id))?.queue ?? [])];
  }

  async editQueued(id: string, promptId: string, { text }: Pick<PromptRequest, 'text'>): Promise<QueuedPrompt> {
    this.#requirePrompt({ text });
    const session = this.#sessions.get(this.#current(id));
    if (session === undefined) throw noPrompt(id, promptId);
    return session.edit(promptId, text);
  }

  async removeQueued(id: string, promptId: string): Promise<QueuedPrompt> {
    const session = this.#sessions.get(this.#current(id));
    if (session === undefined) throw noPrompt(id, promptId);
    return session.remove(promptId);
  }

  async stop(id: string): Promise<{ readonly stopped: boolean }> {
    const session = this.#sessions.get(this.#current(id));
    if (session !== undefined && session.activity.kind !== 'not-held') return { stopped: await session.stop() };
    const holder = await this.#options.app.store.holder(await this.#ownId(this.#current(id)));
    if (holder === undefined) return { stopped: false };
    throw this.#lockedBy(id, holder);
  }

  async undo(id: string): Promise<{ readonly text: string } | undefined> {
    this.#requireOpen();
    const { undoTurn } = await import('../../app/sessions/change/undo-turn.ts');
    const taken = await this.#use(await this.#ownId(id), (session) => session.run(this.#newId(), undoTurn));
    return taken && { text: taken.text };
  }

  async returnToBranch(id: string, seq: number): Promise<number> {
    this.#requireOpen();
    const { returnToBranch } = await import('../../app/sessions/change/return-to-branch.ts');
    return this.#use(await this.#ownId(id), (session) =>
      session.run(this.#newId(), (app, conversation) => returnToBranch(app, conversation, seq)),
    );
  }

  async compact(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<SessionCompacted> {
    this.#requireOpen();
    const { compactConversation } = await import('../../app/sessions/change/compact-conversation.ts');
    const result = await this.#use(await this.#ownId(id), (session) =>
      session.run(this.#newId(), (app, conversation, stopped) => {
        const either = signal === undefined ? stopped : AbortSignal.any([stopped, signal]);
        return compactConversation(app, conversation, { signal: either });
      }),
    );
    if (result.kind === 'failed') throw result.error;
    if (result.kind === 'nothing-to-do') return { seq: undefined, tokensBefore: undefined, tokensAfter: undefined };
    const { seq, tokensBefore, tokensAfter } = result;
    return { seq, tokensBefore, tokensAfter };
  }

  async fork(id: string, request: HostForkRequest = {}): Promise<{ readonly sessionId: string; readonly at: number }> {
    this.#requireOpen();
    const { forkSession } = await import('../../app/sessions/change/fork-session.ts');
    const own = isSessionId(id) && (await this.#options.app.store.has(id));
    const using = own ? await this.#useAppOf(id) : undefined;
    try {
      const { id: sessionId, at } = await forkSession(using?.app ?? this.#options.app, id, request);
      return { sessionId, at };
    } catch (error) {
      // What is locked is the session that has this name: the one that is copied is only read.
      throw isOllmError(error, 'JOURNAL_LOCKED') && request.name !== undefined ? nameTaken(request.name, error) : error;
    } finally {
      using?.end();
    }
  }

  async rename(id: string, title: string): Promise<void> {
    this.#requireOpen();
    const { titleSession } = await import('../../app/sessions/change/title-session.ts');
    await this.#use(await this.#ownId(id), (session) =>
      session.beside((app, conversation) => titleSession(app, conversation, title)),
    );
  }

  async remove(id: string): Promise<void> {
    this.#requireOpen();
    const { app, followers } = this.#options;
    const known = await this.#ownId(id);
    await this.#sessions.get(known)?.release();
    const { deleteSession } = await import('../../app/sessions/change/delete-session.ts');
    try {
      await deleteSession(app, known);
    } catch (error) {
      throw isOllmError(error, 'JOURNAL_LOCKED') ? this.#locked(known, error) : error;
    }
    this.#seen.delete(known);
    followers.end(known, 'gone');
  }

  /** Closes its writer, if it is held. @throws OllmError SESSION_BUSY: a turn runs or waits */
  async release(id: string): Promise<void> {
    await this.#sessions.get(id)?.release();
  }

  async setModel(
    id: string,
    model: string,
    provider?: string,
  ): Promise<{ readonly provider: string; readonly model: string }> {
    this.#requireOpen();
    const { switchModel } = await import('../../app/sessions/open/switch-model.ts');
    const { choice } = await this.#use(await this.#ownId(id), (session) =>
      session.change((app, conversation) => switchModel(app, conversation, { provider, model })),
    );
    return { provider: choice.provider.name, model: choice.model };
  }

  async setThinking(id: string, mode: ThinkingMode): Promise<void> {
    this.#requireOpen();
    requireMode(mode);
    const { switchModel } = await import('../../app/sessions/open/switch-model.ts');
    await this.#use(await this.#ownId(id), (session) =>
      session.change((app, conversation) => switchModel(app, conversation, { thinking: mode })),
    );
  }

  async snapshot(reference: string): Promise<SessionSnapshot> {
    const { id, ...here } = await this.snapshotOf(await this.#ownId(reference));
    return readSnapshot(this.#options.app, id, here);
  }

  async snapshotAt({ sessionId, seq }: Accepted): Promise<SessionSnapshot> {
    const { id, ...here } = await this.snapshotOf(sessionId);
    const { instance, app } = this.#options;
    return readSnapshot(app, id, { ...here, instanceId: instance, problem: undefined, upTo: seq });
  }

  async snapshotOf(id: string): Promise<SnapshotOf> {
    const session = this.#sessions.get(id);
    const activity = this.activity(id);
    const waiting = session?.waiting.map(({ promptId, queuedAt }) => ({ promptId, queuedAt })) ?? [];
    const { problem } = session ?? {};
    return { id, activity, waiting, problem, instanceId: await this.#instanceThatHolds(id, activity) };
  }

  /** The server that alone controls it now; undefined where none holds it. */
  async #instanceThatHolds(id: string, activity: SessionActivity): Promise<string | undefined> {
    const { app, instance } = this.#options;
    if (activity.kind !== 'not-held') return instance;
    const pid = (await app.store.holder(id))?.pid;
    return pid === undefined || pid === app.process.pid ? undefined : announcedServer(app, pid)?.instance;
  }

  lately(): readonly string[] {
    return [...this.#seen].reverse();
  }

  async wait(id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<SessionSnapshot> {
    const known = await this.#ownId(this.#current(id));
    await this.#sessions.get(known)?.wait(signal);
    return this.snapshot(this.#current(known));
  }

  async holder(id: string): Promise<Holder | undefined> {
    const { store } = this.#options.app;
    if (this.activity(id).kind !== 'not-held' || !isSessionId(id) || !(await store.has(id))) return undefined;
    return store.holder(id);
  }

  activity(id: string): SessionActivity {
    return this.#sessions.get(id)?.activity ?? { kind: 'not-held' };
  }

  async handOver(id: string, { wait = false, signal }: HandOverOptions = {}): Promise<HandOver> {
    const session = this.#sessions.get(id);
    if (session === undefined || session.isAtRest) return { kind: 'free' };
    if (await session.giveAway({ wait, signal, forMs: GIVEN_AWAY_MS })) return { kind: 'free' };
    const { activity } = session;
    return 'promptId' in activity ? { kind: 'busy', activity } : { kind: 'free' };
  }

  /** Closes the turns that a server left open which was killed, and continues with what waited. Never rejects. */
  closeInterrupted(): Promise<void> {
    this.#recovery = this.#closeInterrupted();
    return this.#recovery;
  }

  async #closeInterrupted(): Promise<void> {
    const { app } = this.#options;
    for (const id of notedTurns(app)) {
      if (this.#isClosing) return;
      if (this.#sessions.has(id)) continue;
      try {
        if (!(await app.store.has(id))) forgetTurn(app, id);
        else if ((await app.store.holder(id)) === undefined) await this.#use(id, (session) => session.goOn(app));
      } catch (error) {
        const fields = { service: 'host', operation: 'recover', sessionId: id, error };
        app.log.warn({ ...fields, action: 'Its next opening closes it.' }, 'An interrupted turn could not be closed');
      }
    }
  }

  /** Ends what runs, in order. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#leaving.abort();
    await Promise.all([this.#retention, ...[...this.#sessions.values()].map((session) => session.end())]);
  }

  /** One after the other; what a stop leaves undone is done behind the next start. */
  #afterwards(path: string, works: readonly Later[]): void {
    const { signal } = this.#leaving;
    const before = this.#retention;
    const retain = async (): Promise<void> => {
      const using = await this.#options.apps.use(path);
      await Promise.all([before, setImmediate()]);
      for (const work of works) if (!signal.aborted) await work(signal);
      using.end();
    };
    // A workspace whose settings cannot be read any more fails the next request there, which says so.
    this.#retention = retain().catch(() => undefined);
  }

  async #accepted(session: HostedSession, request: PromptRequest): Promise<Accepted> {
    this.#requireRoom(session);
    const promptId = this.#newId();
    const queuedAt = new Date(this.#options.app.clock.now()).toISOString();
    this.#see(session.id);
    const { ahead, seq } = await session.enqueue({ ...request, promptId, queuedAt });
    return { sessionId: session.id, promptId, ahead, ...(seq === undefined ? {} : { seq }) };
  }

  #sessionOf(id: string): HostedSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const { app, followers, questions, limits } = this.#options;
    const session: HostedSession = new HostedSession(id, {
      store: app.store,
      place: app,
      followers,
      questions,
      holdMs: limits.holdMs,
      allowUnattended: app.config.server.allowUnattended,
      useApp: () => this.#useAppOf(session.id),
      lockedError: (error) => this.#locked(session.id, error),
      onEnd: (how) => {
        this.#ended[how] = (this.#ended[how] ?? 0) + 1;
      },
      onAppend: (events) => {
        this.#appends += events;
      },
      onStored: (ms) => {
        this.#synced.prompts += 1;
        this.#synced.ms += ms;
      },
      onRest: () => {
        if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
      },
      onMove: (before) => {
        this.#sessions.delete(before);
        this.#sessions.set(session.id, session);
        this.#moved.set(before, session.id);
        const [oldest] = this.#moved.keys();
        if (this.#moved.size > REMEMBERED && oldest !== undefined) this.#moved.delete(oldest);
        this.#see(session.id);
      },
    });
    this.#sessions.set(id, session);
    return session;
  }

  #use<Result>(id: string, work: (session: HostedSession) => Promise<Result>): Promise<Result> {
    const session = this.#sessionOf(id);
    return session.use(() => work(session));
  }

  #see(id: string): void {
    this.#seen.delete(id);
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }

  async #useAppOf(id: string): Promise<AppInUse> {
    const { app, apps, workspaces } = this.#options;
    const directory = await workspaceOf(app, id);
    // Of a session that does not say where it was begun: where the server was started, if it may work there.
    const path = await workspaces.resolve(directory ?? app.cwd);
    return directory === undefined ? { app, end: () => {} } : apps.use(path);
  }

  /** Where a session goes on that was full; else the same. */
  #current(id: string): string {
    let current = id;
    for (let next = this.#moved.get(current); next !== undefined; next = this.#moved.get(current)) current = next;
    return current;
  }

  /**
   * The id of the session to continue. A session of another program is imported and forked first, in the app of its own
   * workspace.
   */
  async #ownId(reference: string): Promise<string> {
    await this.#recovery;
    const { app } = this.#options;
    if (this.#sessions.has(reference)) return reference;
    if (isSessionId(reference) && (await app.store.has(reference)) && !(await isImported(app, reference))) {
      return reference;
    }
    const { ownSession } = await import('../../app/sessions/open/own-session.ts');
    return (await ownSession(app, reference)).id;
  }

  #locked(id: string, error: OllmError): OllmError {
    return this.#lockedBy(id, (error.data.holder ?? {}) as Holder, error);
  }

  #lockedBy(id: string, holder: Holder, cause?: OllmError): OllmError {
    const { app } = this.#options;
    const server = holder.pid === undefined ? undefined : announcedServer(app, holder.pid);
    const by = holder.pid === undefined ? 'another process' : `process ${holder.pid} (${holder.command ?? 'unknown'})`;
    if (server === undefined || server.pid === app.process.pid) {
      return new OllmError('SESSION_LOCKED', `Session ${id} is held by ${by}.`, {
        hint: 'Close it there, or go on with it there.',
        data: { id, holder },
        cause,
      });
    }
    const { address, instance } = server;
    return new OllmError('NOT_OWNER', `Session ${id} is held by another server, at ${address}.`, {
      hint: 'Ask that server.',
      data: { id, holder, address, instance },
      cause,
    });
  }

  #requireOpen(): void {
    if (!this.#isClosing) return;
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

  #requireRoom({ queue, id }: HostedSession): void {
    const { queueLength } = this.#options.limits;
    if (queue.length < queueLength) return;
    throw new OllmError('QUEUE_FULL', `${queue.length} prompts wait in ${id}.`, {
      hint: 'Wait for some of them, or remove some.',
      data: { id },
    });
  }

  #newId(): string {
    return this.#options.app.ids.uuid();
  }
}

async function isImported({ store }: App, id: string): Promise<boolean> {
  const { isImport } = await import('../../session/is-import.ts');
  return isImport(store, id);
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
