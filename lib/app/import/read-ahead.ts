// Reads sessions of other programs in a thread while this one stores them: parsing and translating take as long as the
// tables and the index do. The thread reads them in the order in which they are stored, and a bounded amount ahead.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Source } from '../../agents/agent.ts';
import { readSession } from '../../catalog/session-reading.ts';
import type {
  SessionEnd,
  SessionPart,
  SessionReading,
  TextReadingOptions,
  TextSource,
} from '../../catalog/text-source.ts';
import { type ErrorCode, OllmError } from '../../errors/index.ts';
import type { ReadAhead } from '../../hub/sync.ts';
import { workerFile } from '../../platform/processes/worker-file.ts';

export interface SourceData {
  readonly agent: string;
  readonly source: Source;
}

export interface ReadAheadData {
  readonly sources: readonly SourceData[];
  readonly outputs: boolean;
  /** Undefined where texts are stored with their secrets. */
  readonly secretValues: readonly string[] | undefined;
  readonly uid: number | undefined;
  readonly othersMayOwn: readonly string[];
}

/** A message of the thread. It is answered with the `size` of each part that was taken. */
export type FromReader =
  | { readonly kind: 'part'; readonly tag: string; readonly size: number; readonly part: SessionPart }
  | { readonly kind: 'end'; readonly tag: string; readonly end: SessionEnd }
  | { readonly kind: 'failed'; readonly tag: string; readonly code: ErrorCode | undefined; readonly message: string };

export function tagOf({
  agent,
  path,
  id,
}: {
  readonly agent: string;
  readonly path: string;
  readonly id: string;
}): string {
  return [agent, path, id].join('\0');
}

/** By default, the thread has twice as much for new objects, and the peak of a sync is 50 MB higher. */
const YOUNG_MB = 24;

/** Undefined where a second thread has no processor of its own. */
export function readAhead(
  sources: readonly TextSource[],
  data: Omit<ReadAheadData, 'sources' | 'outputs'>,
  options: TextReadingOptions,
): ReadAhead | undefined {
  return availableParallelism() < 2 ? undefined : new ThreadAhead(sources, data, options);
}

class ThreadAhead implements ReadAhead {
  readonly #worker: Worker;
  readonly #options: TextReadingOptions;
  readonly #expected: Set<string>;
  readonly #messages: FromReader[] = [];
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(
    sources: readonly TextSource[],
    data: Omit<ReadAheadData, 'sources' | 'outputs'>,
    options: TextReadingOptions,
  ) {
    this.#options = options;
    this.#expected = new Set(sources.map(tagOf));
    const workerData: ReadAheadData = {
      ...data,
      sources: sources.map(({ asData }) => asData as object as SourceData),
      outputs: options.outputs,
    };
    this.#worker = new Worker(workerFile('app/import/read-worker', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker.on('message', (message: FromReader) => {
      this.#messages.push(message);
      this.#wake();
    });
    // The sessions that a broken thread left are read here.
    for (const event of ['error', 'exit'] as const) this.#worker.on(event, () => this.#end());
  }

  next(source: TextSource): SessionReading | undefined {
    const tag = tagOf(source);
    if (!this.#expected.delete(tag)) return undefined;
    let end: SessionEnd | undefined;
    let own: SessionReading | undefined;
    const parts = async function* (this: ThreadAhead): AsyncGenerator<SessionPart> {
      let isBegun = false;
      for (;;) {
        const message = await this.#take(tag);
        this.#options.signal?.throwIfAborted();
        if (message === undefined && isBegun) throw new Error('The thread that read it broke down.');
        if (message === undefined) {
          own = await readSession(source, this.#options);
          yield* own.parts();
          return;
        }
        if (message.kind === 'failed') throw failureOf(message);
        if (message.kind === 'end') {
          end = message.end;
          for (const key of end.insides) if (source.inside) this.#expected.add(tagOf(source.inside(key)));
          return;
        }
        isBegun = true;
        try {
          yield message.part;
        } finally {
          this.#worker.postMessage(message.size);
        }
      }
    };
    return {
      continued: false,
      parts: () => parts.call(this),
      end: () => own?.end() ?? end!,
      close: () => own?.close(),
    };
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  /** The next message about this session. Those before it are about sessions that were not taken. */
  async #take(tag: string): Promise<FromReader | undefined> {
    for (;;) {
      const message = this.#messages.shift();
      if (message?.tag === tag) return message;
      if (message?.kind === 'part') this.#worker.postMessage(message.size);
      if (message !== undefined) continue;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #end(): void {
    this.#hasEnded = true;
    this.#wake();
  }
}

function failureOf({ code, message }: Extract<FromReader, { kind: 'failed' }>): Error {
  return code === undefined ? new Error(message) : new OllmError(code, message);
}
