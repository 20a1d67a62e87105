// A run of another agent in this host, with the prompts that wait in its journal. They are sent one after the other.
// The program is kept for a while after the last one.
import { concatMap, lastValueFrom, of } from 'rxjs';
import type { App } from '../../app/app.ts';
import { OllmError } from '../../errors/index.ts';
import { isPromised } from '../../lead/led-prompts.ts';
import { PromptQueue } from '../../lead/prompt-queue.ts';
import { noPrompt } from '../../lead/refusals.ts';
import type { AgentRun } from '../../lead/runs/agent-run.ts';
import type { RunChoice } from '../../lead/runs/open-runs.ts';
import type { RunPermissions } from '../../lead/runs/run-questions.ts';
import type { Work } from '../../lead/types.ts';
import { Waiters } from '../../platform/waiters.ts';
import type { WaitingPrompt } from '../../projections/queue.ts';
import type { AgentPrompt } from '../../runs/runner.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import type { Followers } from '../following/followers.ts';
import type { HostSignal } from '../port/followers.ts';
import type { Accepted, QueuedPrompt } from '../port/prompts.ts';
import { type SessionActivity, waitingFor } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import { joinedSignals } from '../sessions/joined-deltas.ts';
import { queuedOf } from '../sessions/prompt-forms.ts';
import { signalJson } from '../sessions/signal-json.ts';

interface HostedRunOptions {
  readonly app: Pick<App, 'redactor' | 'log'>;
  readonly run: AgentRun;
  readonly agent: string;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly idleMs: number;
  /** Reads the images of a prompt. @throws OllmError USAGE, IO_FAILED */
  readonly imagesOf: (paths: readonly string[]) => AgentPrompt['images'];
  readonly permissionsOf: (prompt: WaitingPrompt) => RunPermissions;
  readonly onEnd: (status: string) => void;
  /** Called at the end of a turn in which the agent went on in another session. */
  readonly onMoved: (address: string) => void;
  /** Called when its program has ended. `moved`: the session in which the agent went on, and its waiting prompts. */
  readonly onGone: (moved?: { readonly address: string; readonly prompts: readonly WaitingPrompt[] }) => void;
}

export class HostedRun {
  readonly #options: HostedRunOptions;
  readonly #queue: PromptQueue;
  readonly #waiters = new Waiters();
  #work: Work | undefined;
  #isSending = false;
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  /** When something last happened, by the clock of this process. */
  lastUsedMs = performance.now();

  constructor(options: HostedRunOptions) {
    this.#options = options;
    this.#queue = new PromptQueue({ app: options.app, onChange: () => this.#showQueue() });
    void options.run.exited.then(() => this.#closeUnasked('failed'));
  }

  /** The id of the journal. */
  get id(): string {
    return this.#options.run.id;
  }

  get address(): string {
    return this.#options.run.address;
  }

  get agent(): string {
    return this.#options.agent;
  }

  get workspace(): string {
    return this.#options.run.workspace;
  }

  get isIdle(): boolean {
    return this.#work === undefined && this.queued === 0;
  }

  /** It takes no more prompts. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  get queued(): number {
    return this.#prompts.length;
  }

  /** The prompts that wait. */
  get queue(): readonly QueuedPrompt[] {
    return this.#prompts.map(queuedOf);
  }

  /** The prompts that the agent is sent here. Those that wait at its end are for the next opening of the journal. */
  get #prompts(): readonly WaitingPrompt[] {
    return this.#closing === undefined ? this.#unsent : [];
  }

  get #unsent(): readonly WaitingPrompt[] {
    return this.#queue.prompts.filter((prompt) => isPromised(prompt) && prompt.promptId !== this.#work?.promptId);
  }

  get activity(): SessionActivity {
    if (this.#work === undefined) return { kind: 'free' };
    const { promptId, since } = this.#work;
    return { promptId, since, queued: this.queued, ...waitingFor(this.#options.questions.list(this.id)) };
  }

  /** Takes up the prompts that wait in the journal. */
  async begin(): Promise<void> {
    await this.#queue.follow(this.#options.run.queueJournal);
    this.#showQueue();
    void this.#send();
  }

  /** Takes a prompt out that waits. @throws OllmError PROMPT_NOT_FOUND */
  async remove(promptId: string): Promise<QueuedPrompt> {
    let removed: WaitingPrompt | undefined;
    await this.#queue.change(this.#options.run.queueJournal, () => {
      removed = this.#prompts.find((prompt) => prompt.promptId === promptId);
      if (removed === undefined) throw noPrompt(this.address, promptId);
      return { removed: [promptId] };
    });
    this.#waiters.tell();
    return queuedOf(removed!);
  }

  /** Resolves once the prompt is on the disk. */
  async enqueue(prompt: WaitingPrompt): Promise<Accepted> {
    clearTimeout(this.#idle);
    if (this.#closing !== undefined) throw gone(this.address);
    const { queueJournal, journal } = this.#options.run;
    const { promptId } = prompt;
    let ahead = 0;
    try {
      const seq = await this.#queue.change(queueJournal, () => {
        ahead = this.queued + (this.#work === undefined ? 0 : 1);
        return { added: [prompt] };
      });
      return { sessionId: this.address, promptId, ahead, seq };
    } catch (error) {
      // The journal may have it nevertheless: its caller was told that it was not taken.
      if (journal.writer.failure !== undefined) await this.#queue.refuse(promptId);
      throw error;
    } finally {
      void this.#send();
    }
  }

  change(choice: RunChoice): Promise<void> {
    if (this.#closing !== undefined) throw gone(this.address);
    return this.#options.run.change(choice);
  }

  async rename(title: string): Promise<void> {
    if (this.#closing !== undefined) throw gone(this.address);
    await this.#options.run.journal.append([{ type: 'session.titled', data: { title, by: 'user' } }]);
  }

  /** Cancels the turn that runs, and waits for its end. */
  async stop(): Promise<boolean> {
    const work = this.#work;
    if (work === undefined) return false;
    work.controller.abort();
    await this.#waiters.until(() => this.#work !== work);
    return true;
  }

  /** Resolves once nothing runs and nothing waits. */
  wait(signal?: AbortSignal): Promise<void> {
    return this.#waiters.until(() => this.isIdle, signal);
  }

  /** Ends the turn and the program. */
  close(reason: 'idle' | 'stopped' | 'failed' = 'stopped'): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  /** No caller waits: the log has a failure, such as a full disk, and other sessions go on. */
  #closeUnasked(reason: 'idle' | 'failed'): void {
    this.close(reason).catch((error: unknown) => {
      const fields = { service: 'runs', operation: 'close', sessionId: this.id, error };
      const action = 'Its next opening says what happened.';
      this.#options.app.log.error({ ...fields, action }, 'The end of a run could not be stored');
    });
  }

  async #close(reason: 'idle' | 'stopped' | 'failed'): Promise<void> {
    clearTimeout(this.#idle);
    const { run, questions, onGone } = this.#options;
    const { queueJournal } = run;
    const address = run.movedTo;
    // From now on the agent is sent nothing more, and no prompt is taken or taken out.
    let prompts: readonly WaitingPrompt[] = [];
    this.#waiters.tell();
    questions.closeAll(this.id);
    // A program that died ends its turn by that: it was not stopped.
    if (reason !== 'failed') this.#work?.controller.abort();
    await this.#waiters.until(() => this.#work === undefined);
    try {
      prompts = await this.#queue.between(() => this.#unsent);
      const removed = prompts.map(({ promptId }) => promptId);
      if (address !== undefined && removed.length > 0) await this.#queue.change(queueJournal, () => ({ removed }));
      this.#queue.rest(queueJournal);
      await run.close(reason);
    } finally {
      onGone(address === undefined ? undefined : { address, prompts });
      this.#showActivity({ kind: 'not-held' });
    }
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const hasMoved = () => this.#options.run.movedTo !== undefined;
    while (this.queued > 0 && !hasMoved()) {
      const begun = await this.#queue.between(() => {
        const [next] = this.#prompts;
        return next && { turn: this.#turn(next) };
      });
      await begun?.turn;
    }
    this.#isSending = false;
    if (hasMoved()) return this.#closeUnasked('idle');
    this.lastUsedMs = performance.now();
    if (this.#closing !== undefined) return;
    this.#idle = setTimeout(() => this.#closeUnasked('idle'), this.#options.idleMs);
    this.#idle.unref();
  }

  /** From its call on the prompt is not one that waits. */
  async #turn(prompt: WaitingPrompt): Promise<void> {
    const { run, onEnd, onMoved, imagesOf, permissionsOf } = this.#options;
    const { promptId, text, attachments = [] } = prompt;
    const controller = new AbortController();
    this.#work = { promptId, since: new Date().toISOString(), controller };
    this.#showActivity(this.activity);
    this.#showQueue();
    const joined = joinedSignals((_, passing, after) =>
      this.#signal({ type: 'turn', promptId, signal: signalJson(passing) }, after),
    );
    const tell = (passing: TurnSignal) => {
      joined.take({ type: 'turn', promptId, signal: passing, after: run.journal.writer.head.seq });
      return of(passing);
    };
    try {
      const images = imagesOf(attachments);
      const permissions = permissionsOf(prompt);
      const options = { promptId, signal: controller.signal, permissions, images, isStored: true };
      const last = await lastValueFrom(run.ask(text, options).pipe(concatMap(tell)));
      // It was not sent, as images to an agent that takes none are not.
      if (this.#closing === undefined && this.#queue.has(promptId)) {
        const { code, message } = last.type === 'error' ? last.error : NOT_SENT;
        await this.#queue.refuse(promptId, { code, message });
      }
      onEnd(last.type);
    } catch (error) {
      const known = error instanceof OllmError ? error : new OllmError('INTERNAL', String(error), { cause: error });
      const { code, message, hint } = known;
      this.#signal({ type: 'problem', promptId, code, message, hint });
      await this.#queue.refuse(promptId, { code, message });
      onEnd('error');
    } finally {
      joined.flush();
      if (run.movedTo !== undefined) onMoved(run.movedTo);
      this.#work = undefined;
      this.#waiters.tell();
      this.#showActivity(this.activity);
    }
  }

  #showQueue(): void {
    this.#signal({ type: 'queue', queue: this.queue });
  }

  #showActivity(activity: SessionActivity): void {
    this.#signal({ type: 'activity', activity });
  }

  #signal(signal: HostSignal, behind?: number): void {
    this.#options.followers.signal(this.id, signal, behind);
  }
}

const NOT_SENT = { code: 'INTERRUPTED', message: 'The turn ended before the prompt was sent.' } as const;

function gone(address: string): OllmError {
  return new OllmError('SESSION_BUSY', `The agent of ${address} is being ended.`, { hint: 'Try again in a moment.' });
}
