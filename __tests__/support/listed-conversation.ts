// A conversation that is not a journal: events in a list, with positions that only this reader understands. As of
// another program's session there are no lines, no checksums and no offsets.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Damage, EventReader, NewEvent, Outcome, SessionEvent } from '../../lib/journal/types.ts';

const START_MS = Date.UTC(2026, 0, 1);
const BATCH = 100;

type Listed = SessionEvent<string>;

export interface ListedConversation {
  readonly reader: EventReader<Listed>;
  readonly events: readonly Listed[];
  append(...events: readonly (NewOllmEvent | NewEvent)[]): void;
}

/** Damage is where the list has it. */
export function listedConversation(
  entries: readonly (NewOllmEvent | NewEvent | Damage)[],
  { id = 'elsewhere' }: { readonly id?: string } = {},
): ListedConversation {
  const outcomes: Outcome<Listed>[] = [];
  const places = new Map<string, number>();
  let wake = () => {};
  let isClosed = false;

  function add(entry: NewOllmEvent | NewEvent | Damage): void {
    if ('kind' in entry) {
      outcomes.push({ kind: 'damage', damage: entry });
      return;
    }
    const seq = outcomes.length;
    // Neither a number nor in any order.
    const position = `record:${((seq * 7919) % 1_000_003).toString(36)}`;
    const ts = new Date(START_MS + seq * 1000).toISOString();
    outcomes.push({ kind: 'event', event: { ...entry, data: entry.data as Listed['data'], seq, ts, position } });
    places.set(position, outcomes.length);
  }
  function indexBehind(after: string | undefined): number {
    if (after === undefined) return 0;
    const index = places.get(after);
    if (index === undefined) throw new Error(`This is not a position of ${id}: ${JSON.stringify(after)}`);
    return index;
  }
  function requireOpen(): void {
    if (isClosed) throw new OllmError('JOURNAL_CLOSED', `The reader of ${id} is closed.`, { hint: 'Open it again.' });
  }
  for (const entry of entries) add(entry);

  const reader: EventReader<Listed> = {
    id,
    first: async () => {
      const found = outcomes.find((outcome) => outcome.kind === 'event');
      return found?.kind === 'event' ? found.event : undefined;
    },
    async *outcomes({ after, signal } = {}) {
      const end = outcomes.length;
      for (let index = indexBehind(after); ; index += BATCH) {
        signal?.throwIfAborted();
        requireOpen();
        if (index >= end) return;
        yield outcomes.slice(index, Math.min(end, index + BATCH));
        await setImmediate();
      }
    },
    async *follow({ after, signal }) {
      for (let index = indexBehind(after); !signal.aborted; ) {
        const batch = outcomes.slice(index, index + BATCH);
        index += batch.length;
        if (batch.length > 0) yield batch;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      }
    },
    close() {
      isClosed = true;
    },
    [Symbol.dispose]: () => reader.close(),
  };
  return {
    reader,
    get events() {
      return outcomes.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
    },
    append(...added) {
      for (const entry of added) add(entry);
      wake();
    },
  };
}
