// The runs of other agents in this host, by the address of their session. A bounded number of programs is kept: the one
// that was used least lately goes when another one is needed.
import { importedId, parseAddress } from '../../agents/address.ts';
import { isAgentName } from '../../agents/registry.ts';
import { importFirst } from '../../app/import/import-first.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import type { RunWish } from '../../lead/runs/agent-run.ts';
import { openRun, requireAttended } from '../../lead/runs/open-run.ts';
import type { RunChoice } from '../../lead/runs/open-runs.ts';
import { promptImages } from '../../lead/runs/prompt-images.ts';
import type { RunPermissions } from '../../lead/runs/run-questions.ts';
import type { WaitingPrompt } from '../../projections/queue.ts';
import { RUN_AGENTS } from '../../runs/profiles.ts';
import type { HostParts } from '../parts.ts';
import type { HostSignal } from '../port/followers.ts';
import type { Accepted, QueuedPrompt } from '../port/prompts.ts';
import type { RunRequest } from '../port/runs.ts';
import type { SessionActivity, SessionSnapshot } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import { heldElsewhere, lockedError } from '../sessions/held-elsewhere.ts';
import { RecentlySeen } from '../sessions/recently-seen.ts';
import { workspaceOf } from '../sessions/workspace-of.ts';
import { HostedRun } from './hosted-run.ts';
import { runSnapshot } from './run-snapshot.ts';

type OpenedRun = Omit<RunWish, 'workspace' | 'permissions' | 'approver' | 'signal'>;

export class HostedRuns {
  readonly #options: HostParts;
  readonly #runs = new Map<string, HostedRun>();
  /** Addresses with their agents. */
  readonly #seen: RecentlySeen<string>;
  /** Openings under way, by address: two clients open a session once. */
  readonly #opening = new Map<string, Promise<HostedRun>>();
  /** Addresses to which agents of this host went by themselves: no other process writes to those. */
  readonly #ownMoves = new Set<string>();
  /** Turns that ended, by how. */
  readonly #ended: Record<string, number> = {};
  readonly #closing = new AbortController();

  constructor(options: HostParts) {
    this.#options = options;
    const { app, limits } = options;
    const isAtWork = (address: string) => this.#runs.get(address)?.isIdle === false;
    this.#seen = new RecentlySeen({ clock: app.clock, listedMs: limits.listedMs, isAtWork });
  }

  /** Runs with a turn that runs or waits, by agent. */
  get active(): Readonly<Record<string, number>> {
    const active: Record<string, number> = {};
    for (const agent of RUN_AGENTS) active[agent] = 0;
    for (const run of this.#runs.values()) if (!run.isIdle) active[run.agent] = (active[run.agent] ?? 0) + 1;
    return active;
  }

  get ended(): Readonly<Record<string, number>> {
    return { ...this.#ended };
  }

  /** How a session is now, for a new subscriber. `id`: of its journal. */
  now(id: string): readonly HostSignal[] {
    const run = this.#byId(id);
    if (run === undefined) return [];
    const questions = this.#options.questions.list(id).map((question) => ({ type: 'question', question }) as const);
    const queue = run.queued === 0 ? [] : [{ type: 'queue', queue: run.queue } as const];
    return [{ type: 'activity', activity: run.activity }, ...queue, ...questions];
  }

  /** Undefined of a session that is not led here. `id`: of its journal. */
  activity(id: string): SessionActivity | undefined {
    return this.#byId(id)?.activity;
  }

  /** The journal of a session, by its id, where this host leads it or did so. */
  journalOf(address: string): string | undefined {
    return this.#seen.get(address) === undefined ? undefined : keptAt(address).journal;
  }

  /** The addresses of an agent's sessions of this host, of now and of the last minutes, the newest first. */
  lately(agent: string): readonly string[] {
    return this.#seen.list().flatMap(([address, of]) => (of === agent ? [address] : []));
  }

  /**
   * Starts the agent in a new session. Resolves once the prompt is on the disk.
   * @throws OllmError as `openRun`; WORKSPACE_NOT_ALLOWED, BUSY, SERVER_CLOSING, USAGE
   */
  async start(request: RunRequest): Promise<Accepted> {
    const { workspaces, app } = this.#options;
    this.#requirePrompt(request);
    const workspace = await workspaces.resolve(request.workspace ?? app.cwd);
    promptImages(this.#options.app, request.attachments ?? []);
    const { agent, model, thinking, id } = request;
    return this.#enqueue(await this.#open(workspace, { agent, model, thinking, id }), request);
  }

  /** The next prompt of a session, in which its agent goes on. @throws OllmError as `start`; QUEUE_FULL */
  async prompt(address: string, request: RunRequest): Promise<Accepted> {
    this.#requirePrompt(request);
    promptImages(this.#options.app, request.attachments ?? []);
    const { model, thinking } = request;
    const run = await this.#running(address, request.force);
    if (model !== undefined || thinking !== undefined) await run.change({ model, thinking });
    return this.#enqueue(run, request);
  }

  /**
   * Has the agent of a session work otherwise from its next turn on; one that does not run is started.
   * @throws OllmError as `start`; MODEL_NOT_FOUND, MODEL_SWITCH_NOT_SUPPORTED, THINKING_MODE_NOT_SUPPORTED
   */
  async change(address: string, choice: RunChoice): Promise<void> {
    this.#closing.signal.throwIfAborted();
    await (await this.#running(address)).change(choice);
  }

  /** `id`: of its journal. False where no run here has that. */
  async rename(id: string, title: string): Promise<boolean> {
    const run = this.#byId(id);
    await run?.rename(title);
    return run !== undefined;
  }

  async #running(address: string, forced?: boolean): Promise<HostedRun> {
    const force = forced === true || this.#ownMoves.has(address);
    const known = this.#runs.get(address) ?? (await this.#opening.get(address));
    if (known?.isClosing === false) return known;
    // The program has ended: the next one goes on.
    await known?.close();
    const { agent } = keptAt(address);
    const opening = this.#workspaceOf(address).then((workspace) =>
      this.#open(workspace, { agent, resume: address, force }),
    );
    this.#opening.set(address, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(address);
    }
  }

  /** Cancels the turn that runs, and waits for its end. @throws OllmError NOT_OWNER */
  async stop(address: string): Promise<{ readonly stopped: boolean }> {
    const run = this.#runs.get(address);
    if (run !== undefined) return { stopped: await run.stop() };
    const { journal } = keptAt(address);
    const { store } = this.#options.app;
    const holder = (await store.has(journal)) ? await store.holder(journal) : undefined;
    if (holder === undefined) return { stopped: false };
    throw heldElsewhere(this.#options.app, address, holder);
  }

  /** Takes a prompt out that waits. @throws OllmError PROMPT_NOT_FOUND */
  async removeQueued(address: string, promptId: string): Promise<QueuedPrompt> {
    const run = this.#runs.get(address);
    if (run !== undefined) return run.remove(promptId);
    throw new OllmError('PROMPT_NOT_FOUND', `No prompt ${promptId} waits in ${address}.`);
  }

  /** Resolves once nothing runs and nothing waits in the session. */
  async wait(address: string, signal: AbortSignal): Promise<void> {
    await this.#runs.get(address)?.wait(signal);
  }

  /** `upTo`: the event that stored a prompt, which waits then. @throws OllmError SESSION_NOT_FOUND */
  snapshot(address: string, upTo?: number): Promise<SessionSnapshot> {
    const { app, instance } = this.#options;
    const { agent, journal } = keptAt(address);
    const instanceId = this.#runs.has(address) ? instance : undefined;
    return runSnapshot(app, journal, { agent, address, instanceId, upTo });
  }

  /** Ends all of them, with their programs. */
  async close(): Promise<void> {
    this.#closing.abort(new OllmError('SERVER_CLOSING', 'The server ends and takes no new work.'));
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#runs.values()].map((run) => run.close()));
  }

  async #open(workspace: string, wish: OpenedRun): Promise<HostedRun> {
    const { apps, followers, questions } = this.#options;
    const { agent } = wish;
    await this.#makeRoom();
    const using = await apps.use(workspace);
    try {
      let id = '';
      const approver = {
        ask: (...asked: Parameters<ReturnType<Questions['approver']>['ask']>) => questions.approver(id).ask(...asked),
      };
      const run = await openRun(using.app, {
        ...wish,
        workspace,
        permissions: 'ask',
        approver,
        signal: this.#closing.signal,
      });
      id = run.id;
      const following = await followers.use(id);
      const stopListening = run.journal.writer.subscribe(() => following.follower.hint());
      const hosted = new HostedRun({
        ...{ app: this.#options.app, run, agent, followers, questions },
        idleMs: this.#options.app.config.runs.idleSeconds * 1000,
        imagesOf: (paths) => promptImages(this.#options.app, paths),
        permissionsOf: (prompt) => this.#permissionsOf(prompt),
        onEnd: (status) => {
          this.#ended[status] = (this.#ended[status] ?? 0) + 1;
          this.#seen.see(hosted.address, agent);
        },
        onMoved: (address) => void this.#ownMoves.add(address),
        onGone: (moved) => {
          this.#runs.delete(hosted.address);
          if (moved !== undefined) this.#follow(hosted, moved);
          stopListening();
          following.end();
          using.end();
        },
      });
      this.#runs.set(hosted.address, hosted);
      this.#seen.see(hosted.address, agent);
      await hosted.begin();
      return hosted;
    } catch (error) {
      using.end();
      const { resume } = wish;
      const isHeld =
        resume !== undefined && isOllmError(error, 'SESSION_BUSY') && isOllmError(error.cause, 'JOURNAL_LOCKED');
      throw isHeld ? lockedError(this.#options.app, resume, error.cause as OllmError) : error;
    }
  }

  /** Tells clients the session in which the agent went on. Waiting prompts have their turn there. */
  #follow(
    left: HostedRun,
    { address, prompts }: { readonly address: string; readonly prompts: readonly WaitingPrompt[] },
  ): void {
    this.#options.followers.signal(left.id, { type: 'moved', to: address });
    if (this.#closing.signal.aborted) return;
    const follow = async () => {
      const run = await this.#running(address);
      for (const prompt of prompts) await run.enqueue(prompt);
    };
    follow().catch((error: unknown) => {
      const fields = { service: 'runs', operation: 'move', sessionId: left.id, error };
      this.#options.app.log.warn({ ...fields, action: 'They are in the session that it left.' }, 'Prompts had no turn');
    });
  }

  /** Where a session works, if this server may. Its import is made, or brought up to date. */
  async #workspaceOf(address: string): Promise<string> {
    const { app, workspaces } = this.#options;
    const id = await importFirst(app, address);
    const directory = id === undefined ? undefined : await workspaceOf(app, id);
    return workspaces.resolve(directory ?? app.cwd);
  }

  /** @throws OllmError BUSY */
  async #makeRoom(): Promise<void> {
    const { processes } = this.#options.app.config.runs;
    if (this.#runs.size < processes) return;
    const [oldest] = [...this.#runs.values()]
      .filter(({ isIdle }) => isIdle)
      .sort((one, other) => one.lastUsedMs - other.lastUsedMs);
    if (oldest !== undefined) return oldest.close('idle');
    throw new OllmError('BUSY', `As many agents are at work here as may: ${processes}.`, {
      hint: 'Wait until one of them is done, or stop one. runs.processes says how many may.',
      data: { retryAfterMs: 5_000 },
    });
  }

  #enqueue(run: HostedRun, { text, permissions = 'ask', attachments = [] }: RunRequest): Promise<Accepted> {
    const { app, limits } = this.#options;
    if (run.queued >= limits.queueLength) {
      throw new OllmError('QUEUE_FULL', `${run.queued} prompts wait in ${run.address}.`, { hint: 'Wait for some.' });
    }
    this.#seen.see(run.address, run.agent);
    const asked = permissions === 'guest' ? 'ask' : permissions;
    const queuedAt = new Date(app.clock.now()).toISOString();
    const images = attachments.length > 0 && { attachments: [...attachments] };
    return run.enqueue({ promptId: app.ids.uuid(), text, permissions: asked, queuedAt, ...images });
  }

  #requirePrompt({ text, permissions }: RunRequest): void {
    this.#closing.signal.throwIfAborted();
    if (text.trim() === '') throw new OllmError('USAGE', 'A prompt has at least one character.');
    if (permissions === 'allow') requireAttended(this.#options.app, permissions);
  }

  /** A call that the owner allowed while the prompt waited is asked about if the owner no longer allows it. */
  #permissionsOf({ permissions = 'ask' }: WaitingPrompt): RunPermissions {
    const { allowUnattended } = this.#options.app.config.server;
    return permissions === 'deny' || (permissions === 'allow' && allowUnattended) ? permissions : 'ask';
  }

  #byId(id: string): HostedRun | undefined {
    return [...this.#runs.values()].find((run) => run.id === id);
  }
}

/** Whose session this is, and the id of its journal here. @throws OllmError SESSION_NOT_FOUND */
function keptAt(address: string): { readonly agent: string; readonly journal: string } {
  const { agent, id } = parseAddress(address) ?? {};
  if (agent !== undefined && id !== undefined && isAgentName(agent)) return { agent, journal: importedId(agent, id) };
  throw new OllmError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(address)}.`);
}
