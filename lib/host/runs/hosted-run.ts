// A run of another agent in this host, with the prompts that wait for it. They are sent one after the other. The
// program is kept for a while after the last one.
import { concatMap, lastValueFrom, of } from 'rxjs';
import { OllmError } from '../../errors/index.ts';
import type { AgentRun } from '../../lead/runs/agent-run.ts';
import type { RunChoice } from '../../lead/runs/open-runs.ts';
import type { RunPermissions } from '../../lead/runs/run-questions.ts';
import { Waiters } from '../../platform/waiters.ts';
import type { AgentPrompt } from '../../runs/runner.ts';
import type { TurnSignal } from '../../turn/signals.ts';
import type { Followers } from '../following/followers.ts';
import type { HostSignal } from '../port/followers.ts';
import type { Accepted, QueuedPrompt } from '../port/prompts.ts';
import { type SessionActivity, waitingFor } from '../port/snapshots.ts';
import type { Questions } from '../questions.ts';
import { joinedSignals } from '../sessions/joined-deltas.ts';
import { signalJson } from '../sessions/signal-json.ts';

/** A prompt for an agent. */
export interface RunPrompt {
  readonly promptId: string;
  readonly text: string;
  readonly permissions: RunPermissions;
  /** Images, by path. */
  readonly attachments: readonly string[];
  /** RFC 3339. */
  readonly queuedAt: string;
}

interface HostedRunOptions {
  readonly run: AgentRun;
  readonly agent: string;
  readonly followers: Followers;
  readonly questions: Questions;
  readonly idleMs: number;
  /** Reads the images of a prompt. @throws OllmError USAGE, IO_FAILED */
  readonly imagesOf: (paths: readonly string[]) => AgentPrompt['images'];
  readonly onEnd: (status: string) => void;
  /** Called at the end of a turn in which the agent went on in another session. */
  readonly onMoved: (address: string) => void;
  /** Called when its program has ended. `moved`: the session in which the agent went on, and its waiting prompts. */
  readonly onGone: (moved?: { readonly address: string; readonly prompts: readonly RunPrompt[] }) => void;
}

export class HostedRun {
  readonly #options: HostedRunOptions;
  readonly #queue: RunPrompt[] = [];
  readonly #waiters = new Waiters();
  #work: { readonly promptId: string; readonly since: string; readonly controller: AbortController } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  /** When something last happened, by the clock of this process. */
  lastUsedMs = performance.now();

  constructor(options: HostedRunOptions) {
    this.#options = options;
    void options.run.exited.then(() => this.close('failed'));
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
    return this.#work === undefined && this.#queue.length === 0;
  }

  /** It takes no more prompts. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** The prompts that wait. */
  get queue(): readonly QueuedPrompt[] {
    return this.#queue.map(({ attachments: _, ...prompt }) => prompt);
  }

  get activity(): SessionActivity {
    if (this.#work === undefined) return { kind: 'free' };
    const { promptId, since } = this.#work;
    return { promptId, since, queued: this.#queue.length, ...waitingFor(this.#options.questions.list(this.id)) };
  }

  /** Takes up prompts that are stored already. */
  restore(prompts: readonly RunPrompt[]): void {
    this.#queue.push(...prompts);
    this.#showQueue();
    void this.#pump();
  }

  /** Takes a prompt out that waits. @throws OllmError PROMPT_NOT_FOUND */
  async remove(promptId: string): Promise<QueuedPrompt> {
    const place = this.#queue.findIndex((prompt) => prompt.promptId === promptId);
    const removed = this.queue[place];
    if (removed === undefined)
      throw new OllmError('PROMPT_NOT_FOUND', `No prompt ${promptId} waits in ${this.address}.`);
    this.#queue.splice(place, 1);
    this.#showQueue();
    await this.#options.run.leaveQueue([promptId]);
    return removed;
  }

  /** Resolves once the prompt is on the disk. */
  async enqueue(prompt: RunPrompt): Promise<Accepted> {
    clearTimeout(this.#idle);
    if (this.#closing !== undefined) throw gone(this.address);
    const ahead = this.#queue.length + (this.#work === undefined ? 0 : 1);
    const { promptId, text, permissions, attachments } = prompt;
    const more = { permissions, ...(attachments.length > 0 && { attachments: [...attachments] }) };
    const seq = await this.#options.run.enqueue(promptId, text, more);
    this.#queue.push(prompt);
    if (ahead > 0) this.#showQueue();
    void this.#pump();
    return { sessionId: this.address, promptId, ahead, seq };
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

  async #close(reason: 'idle' | 'stopped' | 'failed'): Promise<void> {
    clearTimeout(this.#idle);
    const { run, questions, onGone } = this.#options;
    // Prompts wait in the journal, and are taken up when the session is opened again.
    const prompts = this.#queue.splice(0);
    const address = run.movedTo;
    this.#waiters.tell();
    questions.closeAll(this.id);
    // A program that died ends its turn by that: it was not stopped.
    if (reason !== 'failed') this.#work?.controller.abort();
    await this.#waiters.until(() => this.#work === undefined);
    try {
      if (address !== undefined) await run.leaveQueue(prompts.map(({ promptId }) => promptId));
      await run.close(reason);
    } finally {
      onGone(address === undefined ? undefined : { address, prompts });
      this.#showActivity({ kind: 'not-held' });
    }
  }

  async #pump(): Promise<void> {
    if (this.#work !== undefined) return;
    const hasMoved = () => this.#options.run.movedTo !== undefined;
    for (let next = this.#queue.shift(); next !== undefined; next = hasMoved() ? undefined : this.#queue.shift()) {
      await this.#turn(next);
    }
    if (hasMoved()) return void this.close('idle');
    this.lastUsedMs = performance.now();
    if (this.#closing !== undefined) return;
    this.#idle = setTimeout(() => void this.close('idle'), this.#options.idleMs);
    this.#idle.unref();
  }

  async #turn({ promptId, text, permissions, attachments }: RunPrompt): Promise<void> {
    const { run, onEnd, onMoved, imagesOf } = this.#options;
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
      const options = { promptId, signal: controller.signal, permissions, images, isStored: true };
      const last = await lastValueFrom(run.ask(text, options).pipe(concatMap(tell)));
      onEnd(last.type);
    } catch (error) {
      const known = error instanceof OllmError ? error : new OllmError('INTERNAL', String(error), { cause: error });
      const { code, message, hint } = known;
      this.#signal({ type: 'problem', promptId, code, message, hint });
      await run.leaveQueue([promptId]).catch(() => undefined);
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

function gone(address: string): OllmError {
  return new OllmError('SESSION_BUSY', `The agent of ${address} is being ended.`, { hint: 'Try again in a moment.' });
}
