// A thread beside this one, for work that only computes. What it is given and what it tells is copied between the two, but
// for shared memory. A thread that dies says so; it never just falls silent.
import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface WorkerEvents<Told> {
  onTold(told: Told): void;
  /** It is at its end, and was not told to be. `fault`: why, if it is not for having done its work. Nothing follows. */
  onEnd(fault: string | undefined): void;
}

/** How many threads the machine runs at once. */
export const machineCores: () => number = availableParallelism;

/** `entry`: a module that calls `runAsThread`. What comes back stops the thread wherever it is; nothing is heard of it then. */
export function startWorker<Told>(
  entry: URL,
  data: unknown,
  { onTold, onEnd }: WorkerEvents<Told>,
): () => Promise<void> {
  // What this process was told to load at its start is not for the thread.
  const worker = new Worker(entry, { workerData: data, execArgv: [] });
  let isStopped = false;
  let fault: string | undefined;
  worker.on('message', (told: Told) => {
    if (!isStopped) onTold(told);
  });
  worker.on('error', (error) => {
    fault = error instanceof Error ? error.message : String(error);
  });
  // The last that is heard: what was told before an error has arrived by then.
  worker.on('exit', (code) => {
    if (!isStopped) onEnd(fault ?? (code === 0 ? undefined : `the thread ended with code ${code}`));
  });
  return async () => {
    isStopped = true;
    await worker.terminate();
  };
}

/** In the thread itself. It ends when the work is done; whatever that throws ends it too, and the other side hears of it. */
export function runAsThread<Data, Told>(work: (data: Data, tell: (told: Told) => void) => Promise<void>): void {
  if (!parentPort) throw new Error('This module is for a worker thread.');
  const port = parentPort;
  void work(workerData as Data, (told) => port.postMessage(told));
}
