// The work of the pool in this thread.
import type { App } from '../app/app.ts';
import type { WorkerPool } from '../host/types.ts';
import { JOBS, STREAMS } from '../host/work/jobs.ts';

export function inThread(app: App): WorkerPool {
  const never = new AbortController().signal;
  return {
    run: (name, input, { signal = never } = {}) => JOBS[name](app, input as never, signal) as never,
    stream: (name, input, { signal = never } = {}) => STREAMS[name](app, input as never, signal),
  };
}
