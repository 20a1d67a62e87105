// A worker: does one job after the other, each with the app of its workspace, which is made once. Started by the pool;
// nothing imports it.
import type { MessagePort } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import type { App } from '../../app/app.ts';
import { createApp } from '../../app/compose.ts';
import { isOllmError } from '../../errors/index.ts';
import { once } from '../../platform/once.ts';
import { Waiters } from '../../platform/waiters.ts';
import type { ReadyJson } from '../reading/ready-json.ts';
import { JOBS, STREAMS, type WorkerApp } from './jobs.ts';
import type { Task, TaskApp, TaskFailure, TaskResult, ToWorker } from './task.ts';

type AnyJob = (app: WorkerApp, input: unknown, signal: AbortSignal) => Promise<unknown>;
type AnyStream = (app: App, input: unknown, signal: AbortSignal) => AsyncIterable<Uint8Array>;

const MOST_APPS = 4;
const apps = new Map<string, Promise<WorkerApp>>();

export default async function work(task: Task): Promise<TaskResult> {
  const { kind, name, input, port } = task;
  const reader = new Reader(port);
  try {
    const app = await appFor(task.app);
    app.keyring.take(task.keys);
    if (kind === 'stream') {
      await send((STREAMS as Record<string, AnyStream>)[name]!(app, input, reader.signal), port, reader);
      return { kind: 'done', value: undefined };
    }
    return moved(await (JOBS as unknown as Record<string, AnyJob>)[name]!(app, input, reader.signal));
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) };
  } finally {
    port.close();
  }
}

/** A text is transferred, not copied. */
function moved(value: unknown): TaskResult {
  const result: TaskResult = { kind: 'done', value };
  const { json } = (value ?? {}) as Partial<ReadyJson<unknown>>;
  if (!(json instanceof Uint8Array)) return result;
  const handed = { [Tinypool.transferableSymbol]: json.buffer, [Tinypool.valueSymbol]: result };
  return Tinypool.move(handed as never) as never;
}

async function send(pieces: AsyncIterable<Uint8Array>, port: MessagePort, reader: Reader): Promise<void> {
  for await (const piece of pieces) {
    await reader.wantsMore();
    if (reader.signal.aborted) return;
    // A copy: the exporter writes the next piece into the same memory.
    const copy = new Uint8Array(piece);
    port.postMessage(copy, [copy.buffer]);
  }
  port.postMessage('end');
}

/** The other end of the port. */
class Reader {
  readonly #stopping = new AbortController();
  #wanted = 0;
  readonly #waiters = new Waiters();

  constructor(port: MessagePort) {
    port.on('message', (message: ToWorker) => {
      if (message === 'more') this.#wanted += 1;
      else this.#stopping.abort();
      this.#waiters.tell();
    });
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Waits until the reader asks for a piece, or stops. */
  async wantsMore(): Promise<void> {
    await this.#waiters.until(() => this.#wanted > 0 || this.signal.aborted);
    this.#wanted -= 1;
  }
}

function appFor(start: TaskApp): Promise<WorkerApp> {
  const key = JSON.stringify([start.cwd, start.flags]);
  const known = apps.get(key);
  if (known !== undefined) return known;
  const [oldest] = apps.keys();
  if (apps.size === MOST_APPS && oldest !== undefined) {
    // The failure of an opening is its caller's: it was reported there.
    apps
      .get(oldest)
      ?.then((app) => app.close())
      .catch(() => {});
    apps.delete(oldest);
  }
  const made = createApp({ ...start, parts: { askPassphrase: () => undefined } }).then(withListMemory);
  apps.set(key, made);
  made.catch(() => apps.delete(key));
  return made;
}

function withListMemory(app: App): WorkerApp {
  const listMemory = once(async () => (await import('../../app/list/list-memory.ts')).openListMemory(app));
  return Object.assign(app, { listMemory });
}

function failureOf(error: unknown): TaskFailure {
  if (!isOllmError(error)) return { code: 'INTERNAL', message: `The work failed: ${String(error)}`, data: {} };
  const { code, message, hint, data } = error;
  return { code, message, hint, data: plain(data) };
}

/** What can be sent to another thread. */
function plain(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
