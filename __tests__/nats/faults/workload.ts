// Appends to one session until it is stopped, with any faults of the servers, and writes down the acknowledgements.
import { isOllmError } from '../../../lib/errors/index.ts';
import type { JournalStore, JournalWriter, StoredEvent } from '../../../lib/journal/types.ts';
import type { Operation } from './history.ts';

export interface Workload {
  readonly operations: readonly Operation[];
  /** How often the session had to be opened again. */
  readonly reopened: number;
  stop(): Promise<void>;
  /** Where it is another process. */
  signal?(signal: NodeJS.Signals): void;
}

/** Errors that promise that nothing was stored. */
const REFUSALS = ['JOURNAL_CLOSED', 'JOURNAL_FULL', 'JOURNAL_LOCKED'];

/** A clock for all processes of this machine. */
const now = () => Number(process.hrtime.bigint());
let texts = 0;

/** `together`: how many appends are under way at a time. */
export function startWorkload(
  store: JournalStore,
  id: string,
  {
    writer: name,
    together = 3,
    rest = 5,
    onEnd = () => {},
  }: {
    readonly writer: string;
    readonly together?: number;
    readonly rest?: number;
    /** Is told each operation that has its outcome. */
    readonly onEnd?: (operation: Operation) => void;
  },
): Workload {
  const operations: Operation[] = [];
  let isStopped = false;
  let reopened = -1;
  let refusals = 0;

  async function open(): Promise<JournalWriter | undefined> {
    reopened += 1;
    while (!isStopped) {
      try {
        return await store.openWriter(id);
      } catch (error) {
        if (!isOllmError(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    return undefined;
  }

  /** Whether to repeat it. Half of the refused appends are not repeated, so that a stored one is noticed. */
  async function attempt(writer: JournalWriter, text: string): Promise<boolean> {
    const operation: Operation = { writer: name, text, begun: now(), outcome: { kind: 'unknown' } };
    operations.push(operation);
    try {
      const [receipt] = await writer.append({ type: 'message.added', id: text, data: { text } });
      operation.outcome = { kind: 'stored', seq: receipt!.seq };
      return false;
    } catch (error) {
      if (!isOllmError(error)) throw error;
      if (!REFUSALS.includes(error.code)) return true;
      operation.outcome = { kind: 'refused' };
      refusals += 1;
      return refusals % 2 === 0;
    } finally {
      operation.ended = now();
      onEnd(operation);
    }
  }

  const running = (async () => {
    let writer = await open();
    while (writer && !isStopped) {
      const own: JournalWriter = writer;
      const batch = Array.from({ length: together }, () => `${name}-${++texts}`);
      const isFailed = await Promise.all(batch.map((text) => attempt(own, text)));
      let failed = batch.filter((_, index) => isFailed[index]);
      while (writer && (failed.length > 0 || writer.failure) && !isStopped) {
        await writer.close().catch(() => undefined);
        writer = await open();
        if (!writer) break;
        const again: JournalWriter = writer;
        const retried: string[] = [];
        for (const text of failed) if (await attempt(again, text)) retried.push(text);
        failed = retried;
      }
      await new Promise((resolve) => setTimeout(resolve, rest));
    }
    await writer?.close().catch(() => undefined);
  })();

  return {
    operations,
    get reopened() {
      return Math.max(reopened, 0);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

/** Everything that the journal holds; damage is an error. */
export async function readWhole(store: JournalStore, id: string): Promise<StoredEvent[]> {
  const reader = store.openReader(id);
  try {
    const events: StoredEvent[] = [];
    for await (const batch of reader.outcomes()) {
      for (const outcome of batch) {
        if (outcome.kind === 'damage') throw new Error(`damage: ${JSON.stringify(outcome.damage)}`);
        events.push(outcome.event);
      }
    }
    return events;
  } finally {
    reader.close();
  }
}
