// The threads for work that takes long. Loaded and started with the first job; a thread that had nothing to do for a
// while ends. Streams have threads of their own: a thread whose reader is slow is missing to no job. So have lists, one
// thread, which remembers from one list to the next, and pages, one thread, so that no page waits for a search. A job
// that does not stop when it is told to loses its thread.
import { MessageChannel } from 'node:worker_threads';
import type { Tinypool } from 'tinypool';
import { OllmError } from '../../errors/index.ts';
import { workerFile } from '../../platform/processes/worker-file.ts';
import { onAbort } from '../../platform/waiting.ts';
import type { OpenedKey } from '../../stores/sealing/unlock.ts';
import type { HostLimits } from '../port/limits.ts';
import type { JobOptions, WorkerPool } from '../types.ts';
import type { JobInput, JobName, JobOutput, StreamInput, StreamName } from './jobs.ts';
import { Lane } from './lane.ts';
import { Pieces } from './pieces.ts';
import { errorOf, type Task, type TaskApp, type TaskResult, type ToWorker } from './task.ts';

interface StartedPool extends WorkerPool {
  readonly figures: { readonly running: number; readonly waiting: number; readonly refused: number };
  close(): Promise<void>;
}

type Kind = 'job' | 'list' | 'page';

const KINDS: Partial<Readonly<Record<JobName, Kind>>> = {
  // Each list reuses the memory of the one before.
  list: 'list',
  listPage: 'list',
  counts: 'list',
  directories: 'list',
  // Each of these takes a moment at most.
  history: 'page',
  messages: 'page',
  snapshot: 'page',
};
const JOB_MS = 30_000;
const STREAM_MS = 600_000;
const IDLE_MS = 60_000;
/** How long a job may take to stop. */
const STOP_MS = 1_000;

/** `keys`: what opens encrypted sessions, asked for at each job. */
export function createWorkerPool(
  app: TaskApp,
  limits: HostLimits,
  keys: () => readonly OpenedKey[] = () => [],
): StartedPool {
  const { threads, streams, waitingJobs, waitingPages, stalledMs } = limits;
  const streaming = new Lane({ places: streams, waiting: waitingJobs });
  const lanes: Readonly<Record<Kind, Lane>> = {
    job: new Lane({ places: threads, waiting: waitingJobs }),
    list: new Lane({ places: 1, waiting: waitingJobs }),
    page: new Lane({ places: 1, waiting: waitingPages }),
  };
  const pools = new Map<Kind, Promise<Tinypool>>();
  let isClosed = false;

  function requireOpen(): void {
    if (isClosed) throw new OllmError('SERVER_CLOSING', 'The server ends and takes no new work.');
  }

  function poolFor(kind: Kind): Promise<Tinypool> {
    const pool = pools.get(kind) ?? load(kind === 'job' ? threads + streams : 1);
    pools.set(kind, pool);
    return pool;
  }

  async function start(
    task: Omit<Task, 'app' | 'keys'>,
    limit: TaskLimits,
    { workspace, kind = 'job' }: { readonly workspace: string | undefined; readonly kind?: Kind },
  ): Promise<unknown> {
    requireOpen();
    const given: Task = { ...task, app: workspace === undefined ? app : { ...app, cwd: workspace }, keys: keys() };
    return runTask(await poolFor(kind), given, limit);
  }

  async function run<Name extends JobName>(
    name: Name,
    input: JobInput<Name>,
    { timeLimitMs = JOB_MS, signal, workspace }: JobOptions = {},
  ): Promise<JobOutput<Name>> {
    requireOpen();
    const { port1: own, port2: port } = new MessageChannel();
    own.unref();
    const stop = () => own.postMessage('stop' satisfies ToWorker);
    try {
      const task = { kind: 'job', name, input, port } as const;
      const kind = KINDS[name] ?? 'job';
      const value = await lanes[kind].run(
        () => start(task, { stop, signal, timeLimitMs }, { workspace, kind }),
        signal,
      );
      return value as JobOutput<Name>;
    } finally {
      own.close();
    }
  }

  async function* stream<Name extends StreamName>(
    name: Name,
    input: StreamInput<Name>,
    { timeLimitMs = STREAM_MS, signal, workspace }: JobOptions = {},
  ): AsyncGenerator<Uint8Array, void, void> {
    requireOpen();
    const { port1: own, port2: port } = new MessageChannel();
    const pieces = new Pieces(own, stalledMs);
    const stop = () => own.postMessage('stop' satisfies ToWorker);
    const task = { kind: 'stream', name, input, port } as const;
    const limit = { stop, signal, timeLimitMs, stalled: pieces.stalled };
    const ended = streaming.run(() => start(task, limit, { workspace }), signal);
    ended.catch(() => pieces.end());
    try {
      yield* pieces.read();
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
      const all = [streaming, ...Object.values(lanes)].map(({ figures }) => figures);
      const sum = (name: keyof (typeof all)[number]) => all.reduce((total, each) => total + each[name], 0);
      return { running: sum('running'), waiting: sum('waiting'), refused: sum('refused') };
    },
    async close() {
      isClosed = true;
      for (const pool of await Promise.all(pools.values())) await pool.destroy();
    },
  };
}

async function load(maxThreads: number): Promise<Tinypool> {
  const { Tinypool: Pool } = await import('tinypool');
  return new Pool({
    filename: workerFile('host/work/worker', import.meta.url),
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    useAtomics: false,
  });
}

interface TaskLimits {
  /** Tells the worker to stop. */
  readonly stop: () => void;
  readonly signal: AbortSignal | undefined;
  readonly timeLimitMs: number;
  /** Aborts when the reader of the stream takes nothing. */
  readonly stalled?: AbortSignal;
}

/** A task that is told to stop has a moment to do so: then its thread ends. */
async function runTask(
  pool: Tinypool,
  task: Task,
  { stop, signal, timeLimitMs, stalled }: TaskLimits,
): Promise<unknown> {
  const killing = new AbortController();
  let why: OllmError | undefined;
  let grace: NodeJS.Timeout | undefined;
  const end = (error: OllmError): void => {
    if (why !== undefined) return;
    why = error;
    stop();
    grace = setTimeout(() => killing.abort(), STOP_MS);
  };
  const limit = setTimeout(() => end(tooLong(timeLimitMs)), timeLimitMs);
  const stopListening = [
    signal && onAbort(signal, () => end(new OllmError('INTERRUPTED', 'The work was stopped.'))),
    stalled && onAbort(stalled, () => end(new OllmError('TIME_LIMIT', 'The reader took nothing for too long.'))),
  ];
  try {
    const result: TaskResult = await pool.run(task, { transferList: [task.port], signal: killing.signal });
    if (why !== undefined) throw why;
    if (result.kind === 'failed') throw errorOf(result.failure);
    return result.value;
  } catch (error) {
    throw why ?? (error instanceof OllmError ? error : broken(error));
  } finally {
    clearTimeout(limit);
    clearTimeout(grace);
    for (const each of stopListening) each?.();
  }
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
