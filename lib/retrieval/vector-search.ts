// Asks a thread which passages are nearest. The thread is started with the first question, and ends when it had nothing
// to do for a minute.
import type { Tinypool } from 'tinypool';
import { workerFile } from '../platform/processes/worker-file.ts';
import type { VectorAnswer, VectorQuestion } from './compare-vectors.ts';

const IDLE_MS = 60_000;

export class VectorSearch {
  #loading: Promise<Tinypool> | undefined;

  /** `file`: that of the passages. @throws the error of SQLite, or of a thread that cannot be started */
  async ask(file: string, question: VectorQuestion): Promise<VectorAnswer> {
    this.#loading ??= load();
    return (await this.#loading).run({ ...question, file }) as Promise<VectorAnswer>;
  }

  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading)?.destroy();
  }
}

async function load(): Promise<Tinypool> {
  const { Tinypool: Pool } = await import('tinypool');
  const filename = workerFile('retrieval/compare-worker', import.meta.url);
  return new Pool({ filename, minThreads: 0, maxThreads: 1, idleTimeout: IDLE_MS, useAtomics: false });
}
