// Idempotency: an id names one event of a journal permanently. Appended again with the same content, the event is not
// stored again; with another content, it is refused.
import { isDeepStrictEqual } from 'node:util';
import { OllmError } from '../../errors/index.ts';
import type { NewLine } from '../line/buffer.ts';
import type { KnownEvent } from '../reading/survey.ts';
import type { DataSeal, StoredEvent } from '../types.ts';
import type { Committer } from './append-file.ts';

/** An event that may be stored, with its data as JSON. */
export type PreparedEvent = Omit<NewLine, 'seq' | 'ts'>;

export class KnownIds {
  readonly #committer: Committer;
  readonly #seal: DataSeal | undefined;
  #ids: Map<string, KnownEvent> | undefined;
  /**
   * Stored events that share an id with events to write, as they were given. Undefined if the seal of one was broken,
   * which a reader reports as damage.
   */
  readonly #stored = new Map<string, StoredEvent | undefined>();

  constructor(committer: Committer, seal: DataSeal | undefined) {
    this.#committer = committer;
    this.#seal = seal;
  }

  /** The known ids of the whole journal, read at the first event that has one. */
  async all(): Promise<ReadonlyMap<string, KnownEvent>> {
    if (this.#ids) return this.#ids;
    const read = await this.#committer.knownIds();
    // A concurrent call may have been first, and ids may have been added since.
    this.#ids ??= read;
    return this.#ids;
  }

  /** Reads what `get` and `conflictIn` must know of these events. */
  async lookUp(events: readonly PreparedEvent[]): Promise<void> {
    this.#stored.clear();
    for (const { id } of events) {
      if (id === undefined || this.#stored.has(id)) continue;
      const known = (await this.all()).get(id);
      if (!known) continue;
      const stored = await this.#committer.storedAt(known.end);
      this.#stored.set(id, stored && this.#seal ? this.#seal.open(stored) : stored);
    }
  }

  get(id: string | undefined): KnownEvent | undefined {
    return id === undefined ? undefined : this.#ids?.get(id);
  }

  add(ids: ReadonlyMap<string, KnownEvent>): void {
    for (const [id, known] of ids) this.#ids?.set(id, known);
  }

  /** Why none of these events may be stored. `unwritten`: events of the same write, by id. */
  conflictIn(events: readonly PreparedEvent[], unwritten: ReadonlyMap<string, PreparedEvent>): OllmError | undefined {
    const own = new Map<string, PreparedEvent>();
    for (const event of events) {
      if (event.id === undefined) continue;
      const waiting = own.get(event.id) ?? unwritten.get(event.id);
      const named = waiting ? { ...waiting, data: JSON.parse(waiting.json) } : this.#stored.get(event.id);
      if (named && !isSameEvent(named, event)) return conflictOf(event, waiting ? undefined : this.get(event.id)?.seq);
      own.set(event.id, event);
    }
    return undefined;
  }
}

function isSameEvent(
  { type, turn, ignorable, data }: Pick<StoredEvent, 'type' | 'turn' | 'ignorable' | 'data'>,
  other: PreparedEvent,
): boolean {
  const isLike = type === other.type && turn === other.turn && ignorable === other.ignorable;
  if (!isLike) return false;
  const given = JSON.parse(other.json);
  // A copy of an event has the time of its original too.
  return isDeepStrictEqual(data, given.at === undefined && data.at !== undefined ? { ...given, at: data.at } : given);
}

function conflictOf({ id, type }: PreparedEvent, seq: number | undefined): OllmError {
  const where = seq === undefined ? 'in the same append' : `as event ${seq}`;
  return new OllmError('EVENT_CONFLICT', `The id ${JSON.stringify(id)} is that of another event, ${where}.`, {
    hint: 'Nothing was written. Append the same event again with its id, or another event with a new one.',
    data: { id, type, seq },
  });
}
