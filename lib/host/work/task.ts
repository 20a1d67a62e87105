// What goes between the thread that serves and a worker. A task comes with a port of its own: by it the job is told to
// stop, and a stream sends its pieces, each when the reader asks for one more.
import type { MessagePort } from 'node:worker_threads';
import type { ConfigFlags } from '../../config/types.ts';
import { type ErrorCode, OllmError } from '../../errors/index.ts';
import type { OpenedKey } from '../../stores/sealing/unlock.ts';

export interface Task {
  readonly kind: 'job' | 'stream';
  readonly name: string;
  readonly input: unknown;
  readonly app: TaskApp;
  /** What opens the encrypted sessions that a passphrase has opened. */
  readonly keys: readonly OpenedKey[];
  readonly port: MessagePort;
}

/** The settings for the app of a worker. */
export interface TaskApp {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly flags?: ConfigFlags | undefined;
  readonly command: string;
}

/** To the worker. */
export type ToWorker = 'stop' | 'more';
/** To the reader of a stream. */
export type FromWorker = Uint8Array | 'end';

export type TaskResult =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly failure: TaskFailure };

export interface TaskFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

export function errorOf({ code, message, hint, data }: TaskFailure): OllmError {
  return new OllmError(code, message, { ...(hint === undefined ? {} : { hint }), data });
}
