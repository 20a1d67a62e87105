// Asks a thread which passages are nearest. The thread is started with the first question, and ends when it had nothing
// to do for a minute.
import type { Tinypool } from 'tinypool';
import { workerFile } from '../platform/processes/worker-file.ts';
import type { NearestAnswer, NearestQuestion } from './nearest-in.ts';

const IDLE_MS = 60_000;

export class Nearest {
  #loading: Promise<Tinypool> | undefined;

  /** @throws the error of SQLite, or of a thread that cannot be started */
  async ask(question: NearestQuestion): Promise<NearestAnswer> {
    this.#loading ??= load();
    return (await this.#loading).run(question) as Promise<NearestAnswer>;
  }

  /** Why vectors cannot be compared on this machine, as the end of a sentence; undefined if they can. */
  async obstacle(): Promise<string | undefined> {
    this.#loading ??= load();
    return (await this.#loading).run(undefined, { name: 'obstacle' }) as Promise<string | undefined>;
  }

  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading)?.destroy();
  }
}

async function load(): Promise<Tinypool> {
  const { Tinypool: Pool } = await import('tinypool');
  const filename = workerFile('retrieval/nearest-worker', import.meta.url);
  return new Pool({ filename, minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS, useAtomics: false });
}
