// The checkpoints of a graph, as records in the journal of its thread, and as they are read back. A value that has not
// changed since the checkpoint before is named and not stored again; of a list that has grown, the new elements are.
// Messages that the journal has as such are named by their keys.
import type { JournalStore, NewEvent, StoredEvent } from '../../journal/types.ts';
import type { Native } from '../../messages/index.ts';
import { copyItem, type PutBlob, packItem, unpackItem } from '../kept/native.ts';

const FORM = 'langgraph-checkpoint';
/** The form of the messages that are items. */
export const MESSAGE_FORM = 'langgraph';

/** A value as the serializer of the graph made it. */
export type Serialized = { readonly json: unknown } | { readonly type: string; readonly bytes: Uint8Array };

type Element = { readonly json: unknown } | { readonly key: string };

export type StoredValue =
  | Serialized
  /** The value that the channel has in another checkpoint. */
  | { readonly from: string }
  /** The first `take` elements of the list that the channel has in another checkpoint, and others. */
  | { readonly after?: string | undefined; readonly take?: number | undefined; readonly elements: readonly Element[] };

interface CheckpointRecord {
  readonly kind: 'checkpoint';
  readonly ns: string;
  readonly id: string;
  readonly parent?: string | undefined;
  /** Without the values of the channels. */
  readonly checkpoint: Serialized;
  readonly values: Readonly<Record<string, StoredValue>>;
  readonly metadata: Serialized;
}

export interface WritesRecord {
  readonly kind: 'writes';
  readonly ns: string;
  readonly checkpoint: string;
  readonly task: string;
  readonly path: string;
  readonly writes: readonly { readonly channel: string; readonly index: number; readonly value: Serialized }[];
}

type ThreadRecord = CheckpointRecord | WritesRecord;

/** A write that waits for the next step. */
interface PendingWrite {
  readonly task: string;
  readonly path: string;
  readonly channel: string;
  readonly index: number;
  readonly value: () => Promise<Serialized>;
}

interface ReadCheckpoint {
  readonly ns: string;
  readonly id: string;
  readonly parent?: string | undefined;
  /** The names of its channels. */
  readonly channels: readonly string[];
  readonly load: () => Promise<CheckpointRecord>;
}

/** An event of its own, which no fold reads. */
export async function recordEvent(record: ThreadRecord, put: PutBlob): Promise<NewEvent> {
  const native = await packItem(copyItem(record), { form: FORM, data: {}, events: 1, put });
  return { type: 'item.kept', data: { native: { ...native } }, ignorable: true };
}

/** The records of a thread, as far as its journal was read. */
export class ThreadRecords {
  readonly #readBlob: JournalStore['readBlob'];
  readonly #checkpoints = new Map<string, ReadCheckpoint>();
  readonly #writes = new Map<string, Map<string, PendingWrite>>();
  readonly #messages = new Map<string, () => Promise<unknown>>();

  constructor(readBlob: JournalStore['readBlob']) {
    this.#readBlob = readBlob;
  }

  begin(): void {
    for (const map of [this.#checkpoints, this.#writes, this.#messages]) map.clear();
  }

  note({ data }: StoredEvent): void {
    const { native } = data as { readonly native?: Native };
    if (native === undefined) return;
    const load = once(() => unpackItem(native, data, this.#readBlob));
    if (native.form === MESSAGE_FORM) {
      const { key } = native.item as { readonly key: string };
      if (!this.#messages.has(key)) {
        this.#messages.set(key, async () => ((await load()) as { readonly message: unknown }).message);
      }
    } else if (native.form === FORM) {
      const record = native.item as unknown as ThreadRecord;
      if (record.kind === 'checkpoint') this.#noteCheckpoint(record, load);
      else this.#noteWrites(record, load);
    }
  }

  /** The checkpoints of a namespace, or all; the newest first. */
  checkpoints(ns?: string): readonly ReadCheckpoint[] {
    const all = [...this.#checkpoints.values()].filter((checkpoint) => ns === undefined || checkpoint.ns === ns);
    return all.sort((one, other) => (one.ns < other.ns ? -1 : one.ns > other.ns ? 1 : one.id < other.id ? 1 : -1));
  }

  /** The newest of the namespace where no id is given. */
  checkpoint(ns: string, id?: string | undefined): ReadCheckpoint | undefined {
    return id === undefined ? this.checkpoints(ns)[0] : this.#checkpoints.get(placeOf(ns, id));
  }

  /** In the order in which a run applies them. */
  writes(ns: string, id: string): readonly PendingWrite[] {
    return [...(this.#writes.get(placeOf(ns, id))?.values() ?? [])].sort(
      (one, other) =>
        compareCodePoints(one.path, other.path) || compareCodePoints(one.task, other.task) || one.index - other.index,
    );
  }

  /** The value of a channel; undefined if the checkpoint has none. */
  async valueOf({ ns, id }: Pick<ReadCheckpoint, 'ns' | 'id'>, channel: string): Promise<Serialized | undefined> {
    const later: { readonly take: number; readonly elements: readonly Element[] }[] = [];
    let from: string | undefined = id;
    while (from !== undefined) {
      const value: StoredValue | undefined = (await this.#checkpoints.get(placeOf(ns, from))?.load())?.values[channel];
      if (value === undefined) return undefined;
      if ('from' in value) from = value.from;
      else if ('elements' in value) {
        later.push({ take: value.take ?? 0, elements: value.elements });
        from = value.after;
      } else return value;
    }
    const list: unknown[] = [];
    for (const { take, elements } of later.reverse()) {
      list.length = take;
      for (const element of elements) list.push(await this.#elementOf(element));
    }
    return { json: list };
  }

  async #elementOf(element: Element): Promise<unknown> {
    return 'json' in element ? element.json : await this.#messages.get(element.key)?.();
  }

  #noteCheckpoint({ ns, id, parent, values }: CheckpointRecord, load: () => Promise<unknown>): void {
    const read = { ns, id, parent, channels: Object.keys(values), load: load as () => Promise<CheckpointRecord> };
    this.#checkpoints.set(placeOf(ns, id), read);
  }

  /** The first write of a task at a place counts; those of errors and interrupts are replaced. */
  #noteWrites({ ns, checkpoint, task, path, writes }: WritesRecord, load: () => Promise<unknown>): void {
    const place = placeOf(ns, checkpoint);
    const known = this.#writes.get(place) ?? new Map<string, PendingWrite>();
    this.#writes.set(place, known);
    for (const [at, { channel, index }] of writes.entries()) {
      const key = JSON.stringify([task, index]);
      if (index >= 0 && known.has(key)) continue;
      const value = async () => ((await load()) as WritesRecord).writes[at]!.value;
      known.set(key, { task, path, channel, index, value });
    }
  }
}

function placeOf(ns: string, id: string): string {
  return JSON.stringify([ns, id]);
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/** By code points, as Python orders texts, and not by the units of UTF-16. */
function compareCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8'));
}
