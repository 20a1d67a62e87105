// The threads for work that takes long. Loaded and started with the first job; a thread that had nothing to do for a
// minute ends. A job that does not stop when it is told to loses its thread.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Tinypool } from 'tinypool';
import { OllmError } from '../../errors/index.ts';
import { workerFile } from '../../platform/processes/worker-file.ts';
import type { HostLimits, JobOptions, WorkerPool } from '../types.ts';
import type { JobInput, JobName, JobOutput, StreamInput, StreamName } from './jobs.ts';
import { errorOf, type FromWorker, type Task, type TaskApp, type TaskResult } from './task.ts';

export interface StartedPool extends WorkerPool {
  readonly figures: { readonly running: number; readonly waiting: number; readonly refused: number };
  close(): Promise<void>;
}

const JOB_MS = 30_000;
const STREAM_MS = 600_000;
const IDLE_MS = 60_000;
/** How long a job may take to stop. */
const STOP_MS = 1_000;

export function createWorkerPool(
  app: TaskApp,
  { threads, waitingJobs }: Pick<HostLimits, 'threads' | 'waitingJobs'>,
): StartedPool {
  let loading: Promise<Tinypool> | undefined;
  /** Jobs that were taken and have not ended. */
  let taken = 0;
  let refused = 0;
  let isClosed = false;
  /** Milliseconds that the last jobs took, the newer the heavier. */
  let usualMs = 1_000;

  const load = async (): Promise<Tinypool> => {
    const { Tinypool: Pool } = await import('tinypool');
    return new Pool({
      filename: workerFile('host/work/worker', import.meta.url),
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      useAtomics: false,
    });
  };

  function requireRoom(): void {
    if (isClosed) throw new OllmError('SERVER_CLOSING', 'The server ends and takes no new work.');
    if (taken < threads + waitingJobs) return;
    refused += 1;
    const retryAfterMs = Math.round(Math.max(1_000, (usualMs * waitingJobs) / threads / 2));
    throw new OllmError('BUSY', `${taken} jobs run or wait, which is as many as may.`, {
      hint: 'Ask again later.',
      data: { retryAfterMs },
    });
  }

  /** `port`: the end that the worker is given. */
  async function start(
    task: Omit<Task, 'app' | 'port'>,
    { port, stop }: { readonly port: MessagePort; readonly stop: () => void },
    { signal, timeLimitMs, workspace }: JobOptions & { readonly timeLimitMs: number },
  ): Promise<unknown> {
    requireRoom();
    taken += 1;
    const killing = new AbortController();
    let why: OllmError | undefined;
    let grace: NodeJS.Timeout | undefined;
    const end = (error: OllmError): void => {
      if (why !== undefined) return;
      why = error;
      stop();
      grace = setTimeout(() => killing.abort(), STOP_MS);
    };
    const interrupt = () => end(new OllmError('INTERRUPTED', 'The work was stopped.'));
    const limit = setTimeout(() => end(tooLong(timeLimitMs)), timeLimitMs);
    const startedMs = performance.now();
    try {
      loading ??= load();
      const pool = await loading;
      if (signal?.aborted) interrupt();
      else signal?.addEventListener('abort', interrupt, { once: true });
      const given: Task = { ...task, app: workspace === undefined ? app : { ...app, cwd: workspace }, port };
      const result: TaskResult = await pool.run(given, { transferList: [port], signal: killing.signal });
      if (why !== undefined) throw why;
      if (result.kind === 'failed') throw errorOf(result.failure);
      usualMs = usualMs * 0.9 + (performance.now() - startedMs) * 0.1;
      return result.value;
    } catch (error) {
      throw why ?? (error instanceof OllmError ? error : broken(error));
    } finally {
      clearTimeout(limit);
      clearTimeout(grace);
      signal?.removeEventListener('abort', interrupt);
      taken -= 1;
    }
  }

  async function run<Name extends JobName>(
    name: Name,
    input: JobInput<Name>,
    { timeLimitMs = JOB_MS, ...options }: JobOptions = {},
  ): Promise<JobOutput<Name>> {
    const { port1: own, port2: port } = new MessageChannel();
    own.unref();
    try {
      const stop = () => own.postMessage('stop');
      const value = await start({ kind: 'job', name, input }, { port, stop }, { ...options, timeLimitMs });
      return value as JobOutput<Name>;
    } finally {
      own.close();
    }
  }

  async function* stream<Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    { timeLimitMs = STREAM_MS, ...options }: JobOptions = {},
  ): AsyncGenerator<Uint8Array, void, void> {
    const { port1: own, port2: port } = new MessageChannel();
    const pieces: Uint8Array[] = [];
    let wake: (() => void) | undefined;
    let hasEnded = false;
    const stop = () => own.postMessage('stop');
    const end = (): void => {
      hasEnded = true;
      wake?.();
    };
    own.on('message', (piece: FromWorker) => {
      if (piece === 'end') return end();
      pieces.push(piece);
      wake?.();
    });
    own.unref();
    const ended = start({ kind: 'stream', name, input }, { port, stop }, { ...options, timeLimitMs });
    ended.catch(end);
    try {
      for (;;) {
        own.postMessage('more');
        while (pieces.length === 0 && !hasEnded) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const piece = pieces.shift();
        if (piece === undefined) break;
        yield piece;
      }
      await ended;
    } finally {
      stop();
      own.close();
    }
  }

  return {
    run,
    stream,
    get figures() {
      return { running: Math.min(taken, threads), waiting: Math.max(0, taken - threads), refused };
    },
    async close() {
      isClosed = true;
      await (await loading)?.destroy();
    },
  };
}

function tooLong(timeLimitMs: number): OllmError {
  return new OllmError('TIME_LIMIT', `The work took longer than ${timeLimitMs / 1000} s.`, {
    hint: 'Ask for less at once.',
    data: { timeLimitMs },
  });
}

function broken(error: unknown): OllmError {
  return new OllmError('INTERNAL', `The work broke down: ${String(error)}`, { cause: error });
}
