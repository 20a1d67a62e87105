// A list of another program's items, kept in a session: the part that all adapters share. Each item is stored as the
// events that say it, so that ollm lists, searches, shows and replays the conversation, and with them as the program
// has it, so that it comes back exactly. Taking back is an undo, clearing a reset: nothing leaves the disk. Messages
// that ollm itself adds to the session come back as items too.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { OllmError } from '../../errors/index.ts';
import { decodeEvent } from '../../events/decode.ts';
import type { EventData, NewOllmEvent, OllmEventOf } from '../../events/index.ts';
import { validateEvent } from '../../events/validate.ts';
import { everyEvent } from '../../journal/reading/outcomes.ts';
import type { Anchor, JournalStore, JournalWriter, NewEvent, StoredEvent } from '../../journal/types.ts';
import type { Native } from '../../messages/index.ts';
import { delimit } from '../../messages/untrusted.ts';
import { canonicalJson, defined } from '../../platform/json.ts';
import { Lanes } from '../../platform/lanes.ts';
import { type Branches, isOnActiveBranch, moveTo, noBranches } from '../../projections/branches.ts';
import { checkpointOf } from '../../projections/view.ts';
import { checkAppended } from '../../session/check-events.ts';
import { isImport, refuseTurnsIn } from '../../session/is-import.ts';
import { resetSession } from '../../session/reset.ts';
import { VERSION } from '../../version.ts';
import { copyItem, type PutBlob, packItem, unpackItem } from './native.ts';
import { patiently } from './patiently.ts';

/** Events that ollm itself adds to a conversation. */
export type SaidEvent = {
  [Type in 'message.added' | 'tool.requested' | 'tool.finished']: Pick<OllmEventOf<Type>, 'type' | 'data' | 'seq'>;
}['message.added' | 'tool.requested' | 'tool.finished'];

/** How the items of one program and events stand for each other. */
export interface ItemForm<Item> {
  readonly name: string;
  /** The events that say the item; none where it says nothing that ollm has an event for. */
  events(item: Item, put: PutBlob): Promise<readonly NewOllmEvent[]>;
  /** Events in a row that ollm added, as items of the program. `toolNames`: by call id. */
  items(said: readonly SaidEvent[], toolNames: ReadonlyMap<string, string>): readonly SaidItem<Item>[];
}

/** What some of the events say that ollm added, which follow on those of the item before. */
export interface SaidItem<Item> {
  /** Undefined where the program has none for them. */
  readonly item: Item | undefined;
  readonly events: number;
}

interface KeptListOptions<Item> {
  readonly store: JournalStore;
  readonly id: string;
  readonly form: ItemForm<Item>;
  /** Data of the first line, where the session is new. */
  readonly created: {
    readonly provider: string;
    readonly model: string;
    readonly title?: string | undefined;
    readonly kept?: EventData<'session.created'>['kept'];
  };
  /** Releases the session for other writers when nothing was written for a moment, and waits for theirs. */
  readonly shares?: boolean | undefined;
  /** Is told of each event as it is read, and of each beginning from the first one. */
  readonly follower?: { begin(): void; note(event: StoredEvent): void } | undefined;
}

/** Items to put in the place of those from an index on. */
interface Change<Item> {
  readonly from: number;
  readonly items: readonly Item[];
  /** Events that are no items, stored in the same batch. */
  readonly also?: readonly NewEvent[] | undefined;
}

/** An item, or several events that ollm added as one. */
interface ItemPiece<Item> {
  readonly first: number;
  readonly take: () => Promise<Item>;
}

const RELEASE_MS = 500;

/** A change that is made once, however often it is asked for. */
export interface Operation {
  readonly id: string;
  /** Tells the change from another one under the same id. */
  readonly content: unknown;
}

interface Entry {
  readonly event: StoredEvent;
  /** Only an item of the program has it. */
  readonly native?: Native | undefined;
  /** `prompt`: the system prompt of ollm, which no compaction covers. `said`: everything else that ollm added. */
  readonly kind: 'item' | 'prompt' | 'said' | 'summary';
  /** The calls that it makes, and those of which it has the result, by their ids. */
  readonly calls: string[];
  readonly results: string[];
}

type Checkpoint = ReturnType<typeof checkpointOf>;

/** The journal as it was read up to `position`. */
interface KnownJournal {
  position: Anchor | undefined;
  lastSeq: number;
  readonly entries: Entry[];
  readonly branches: Branches;
  checkpoints: Checkpoint[];
  /** seq of the last event of the newest item. */
  itemEnd: number;
  /** By the id of the call. */
  readonly toolNames: Map<string, string>;
  /** The ids of operations that were made. */
  readonly operations: Set<string>;
}

export class KeptList<Item> implements AsyncDisposable {
  readonly #options: KeptListOptions<Item>;
  #known = nothingKnown();
  #writer: JournalWriter | undefined;
  readonly #calls = new Lanes(1);
  #release: NodeJS.Timeout | undefined;

  constructor(options: KeptListOptions<Item>) {
    this.#options = options;
  }

  get id(): string {
    return this.#options.id;
  }

  /** The newest `limit` items, oldest first, or all of them. Each call gives values of its own. */
  list(limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    return this.#inTurn(async () => {
      await this.#read();
      const pieces = this.#pieces(this.#entries());
      return taken(pieces.slice(Math.max(0, pieces.length - Math.max(0, limit))));
    });
  }

  /** Stored, and on the device, when it resolves. @throws OllmError EVENT_INVALID, JOURNAL_LOCKED, JOURNAL_FULL, … */
  append(items: readonly Item[], also: readonly NewEvent[] = []): Promise<void> {
    const copies = items.map(copyOf);
    return this.#inTurn(async () => {
      const events = [...(await this.#eventsOf(copies)), ...also];
      if (events.length > 0) await this.#append(events);
    });
  }

  /**
   * Puts other items in the place of those from an index on, whole or not at all. `plan` sees the items that are there.
   * @throws OllmError USAGE: the operation was made with other content
   */
  change(plan: (there: readonly Item[]) => Change<Item>, operation?: Operation): Promise<void> {
    return this.#inTurn(async () => {
      const writer = await this.#open();
      await this.#read();
      const id = operation === undefined ? undefined : this.#idOf(operation);
      if (id !== undefined && this.#known.operations.has(id)) return;
      const entries = this.#entries();
      const { from, items, also = [] } = plan(await taken(this.#pieces(entries)));
      const events = [...(await this.#replacing(entries, from, items.map(copyOf))), ...also];
      // An operation that changes nothing is remembered by a move to where the list is.
      if (events.length === 0 && id !== undefined) events.push(continueAfter(writer.head.seq));
      const [first, ...rest] = events;
      if (first !== undefined) await this.#append([id === undefined ? first : { ...first, id }, ...rest]);
    });
  }

  /** Makes these the items: those at the beginning that are the same stay, all others take the place of the rest. */
  save(items: readonly Item[], also?: readonly NewEvent[]): Promise<void> {
    const copies = items.map(copyOf);
    return this.change((there) => {
      const differs = copies.findIndex((item, index) => !isDeepStrictEqual(item, copyOf(there[index] ?? null)));
      const from = differs < 0 ? copies.length : differs;
      return { from, items: copies.slice(from), also };
    });
  }

  /** Takes the newest item back: an undo. Undefined where there is none. */
  pop(): Promise<Item | undefined> {
    return this.#inTurn(async () => {
      const { store, id } = this.#options;
      if (!(await store.has(id))) return undefined;
      await this.#open();
      await this.#read();
      const entries = this.#entries();
      const pieces = this.#pieces(entries);
      const [item] = await taken(pieces.slice(-1));
      if (item !== undefined) await this.#append(await this.#replacing(entries, pieces.length - 1, []));
      return item;
    });
  }

  /** Puts these items in the place of all that were there, which a checkpoint covers: they stay in the journal. */
  compact(items: readonly Item[]): Promise<void> {
    const copies = items.map(copyOf);
    return this.#inTurn(async () => {
      const { head } = await this.#open();
      await this.#append([checkpoint(head.seq), ...(await this.#eventsOf(copies))]);
    });
  }

  /** Begins again under the same id: a reset. The old journal goes to archive/. */
  clear(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, id } = this.#options;
      if (!(await store.has(id))) return;
      await this.#open();
      await this.#read();
      if (this.#known.entries.length === 0) return;
      await this.#leave();
      await resetSession(store, id, { reason: 'reset', keepPrompt: false, created: { ollm: VERSION } });
      this.#forget();
    });
  }

  /** Releases the session for other writers. A later call opens it again. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#leave());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs one call after the other, in their order. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#calls.run(async () => {
      clearTimeout(this.#release);
      try {
        return await work();
      } finally {
        if (this.#options.shares && this.#writer !== undefined) {
          this.#release = setTimeout(() => void this.close().catch(() => {}), RELEASE_MS).unref();
        }
      }
    });
  }

  async #open(): Promise<JournalWriter> {
    // A writer that failed once takes nothing more.
    if (this.#writer?.failure) await this.#leave();
    this.#writer ??= await (this.#options.shares ? patiently(() => this.#opened()) : this.#opened());
    return this.#writer;
  }

  async #opened(): Promise<JournalWriter> {
    const { store, id, created } = this.#options;
    if (await store.has(id)) {
      if (await isImport(store, id)) throw refuseTurnsIn(id);
      return store.openWriter(id, { anchor: this.#known.position });
    }
    const { title, kept, ...names } = created;
    const optional = { ...defined({ title, kept }) };
    return store.create(id, { ...names, ollm: VERSION, ...optional });
  }

  async #leave(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    this.#writer = undefined;
    try {
      if (!writer.failure) {
        await writer.append({ type: 'session.closed', data: { reason: 'exit' } }, { durability: 'disk' });
      }
    } finally {
      await writer.close();
    }
  }

  async #append(events: readonly NewEvent[]): Promise<void> {
    checkAppended(events);
    const writer = await this.#open();
    await writer.append(events, { durability: 'disk' });
  }

  /** Reads the new events, or all of them where another journal has taken the place of the one that was read. */
  async #read(): Promise<void> {
    const { store, id, form, follower } = this.#options;
    if (!(await store.has(id))) {
      this.#forget();
      return;
    }
    using reader = store.openReader(id);
    const { position } = this.#known;
    if (position !== undefined && !(await reader.holds(position))) this.#forget();
    await everyEvent(reader.outcomes({ after: this.#known.position }), (event) => {
      note(this.#known, event, form.name);
      follower?.note(event);
    });
  }

  #forget(): void {
    this.#known = nothingKnown();
    this.#options.follower?.begin();
  }

  /** The items that count, oldest first. A summary of what a compaction of ollm covers is one of them. */
  #entries(): readonly Entry[] {
    const { entries, branches } = this.#known;
    const last = this.#checkpoint();
    const isActive = ({ event }: Entry) => isOnActiveBranch(branches, event.seq);
    if (last === undefined) return entries.filter((entry) => entry.kind !== 'summary' && isActive(entry));
    const prompt = entries.slice(0, 1).filter((entry) => entry.kind === 'prompt');
    const summary = entries.filter((entry) => entry.kind === 'summary' && entry.event.seq === last.seq);
    const kept = entries.filter(
      (entry) => isActive(entry) && entry.kind !== 'summary' && entry.event.seq >= last.keptFrom,
    );
    return [...prompt, ...summary, ...kept];
  }

  #checkpoint(): Checkpoint | undefined {
    const { checkpoints, branches } = this.#known;
    return checkpoints.findLast(({ seq }) => isOnActiveBranch(branches, seq));
  }

  /** Events in a row that ollm added are as many items as the program has for them. */
  #pieces(entries: readonly Entry[]): readonly ItemPiece<Item>[] {
    const { store, form } = this.#options;
    const pieces: ItemPiece<Item>[] = [];
    for (let index = 0; index < entries.length; ) {
      const first = index;
      const { event, native } = entries[first]!;
      if (native !== undefined) {
        const read = (sha256: string) => store.readBlob(sha256);
        pieces.push({ first, take: async () => (await unpackItem(native, event.data, read)) as Item });
        index += 1;
        continue;
      }
      while (index < entries.length && entries[index]?.native === undefined) index += 1;
      const said = entries.slice(first, index).map(({ event, kind }) => saidIn(event, kind));
      let from = first;
      for (const { item, events } of form.items(said, this.#known.toolNames)) {
        if (item !== undefined) pieces.push({ first: from, take: async () => item });
        from += events;
      }
    }
    return pieces;
  }

  /** Events that put these items in the place of those from an index on. */
  async #replacing(entries: readonly Entry[], index: number, items: readonly Item[]): Promise<NewEvent[]> {
    const from = this.#pieces(entries)[index]?.first;
    if (from === undefined) return this.#eventsOf(items);
    const cut = cutBefore(entries, from);
    const { event, kind } = entries[cut]!;
    // A move to before a checkpoint would bring the covered items back.
    const isCovered = event.seq < (this.#checkpoint()?.seq ?? -1) && kind !== 'summary';
    const kept = await taken(this.#pieces(entries.slice(isCovered ? 0 : cut, from)));
    const move = isCovered ? checkpoint(this.#known.lastSeq) : continueAfter(event.seq - 1);
    return [move, ...(await this.#eventsOf([...kept, ...items]))];
  }

  async #eventsOf(items: readonly Item[]): Promise<NewEvent[]> {
    const { store, id, form } = this.#options;
    const put = (bytes: Uint8Array) => store.putBlob(bytes, id);
    const all: NewEvent[] = [];
    for (const item of items) {
      const said = await form.events(item, put);
      const isSound = said.every(({ type, data }) => validateEvent(type, data).length === 0);
      // An item that is not as this version of the form knows it is kept without events that say it.
      const [first = KEPT, ...rest] = isSound ? said : [];
      const native = await packItem(item, { form: form.name, data: first.data, events: 1 + rest.length, put });
      all.push({ ...first, data: { ...first.data, native } }, ...rest);
    }
    return all;
  }

  /** @throws OllmError USAGE */
  #idOf({ id, content }: Operation): string {
    const prefix = `operation-${hash('sha256', id)}-`;
    const whole = prefix + hash('sha256', canonicalJson(content));
    const other = [...this.#known.operations].find((known) => known.startsWith(prefix) && known !== whole);
    if (other === undefined) return whole;
    throw new OllmError('USAGE', `The operation ${JSON.stringify(id)} was made before, with other content.`, {
      hint: 'Nothing was written. Give each change an id of its own.',
    });
  }
}

function taken<Item>(pieces: readonly ItemPiece<Item>[]): Promise<Item[]> {
  return Array.fromAsync(pieces, ({ take }) => take());
}

function saidIn(event: StoredEvent, kind: Entry['kind']): SaidEvent {
  return kind === 'summary' ? summaryMessage(event) : (event as unknown as SaidEvent);
}

/** The event of an item that no other event says. */
const KEPT = { type: 'item.kept', data: {}, ignorable: true } as const;

function copyOf<Item>(item: Item): Item {
  return copyItem(item) as Item;
}

function continueAfter(head: number): NewEvent {
  return { type: 'branch.moved', data: { head, reason: 'undo' } };
}

/**
 * Where a call and its result stay on one side, at `index` or before: a call that is kept without its result has to be
 * said again, since it has one where it was said.
 */
function cutBefore(entries: readonly Entry[], index: number): number {
  const results = new Set(entries.slice(index).flatMap((entry) => entry.results));
  const call = entries.findIndex(({ calls }, at) => at < index && calls.some((id) => results.has(id)));
  return call < 0 ? index : cutBefore(entries, call);
}

/** Covers all up to `head`. The events after it take its place. */
function checkpoint(head: number): NewEvent {
  const place = { covers: { from: 0, to: Math.max(0, head - 1) }, keptFrom: head, messages: [] };
  return {
    type: 'compaction.completed',
    data: { strategy: 'provider', ...place, tokensBefore: 0, tokensAfter: 0, by: 'provider' },
  };
}

function nothingKnown(): KnownJournal {
  return {
    position: undefined,
    lastSeq: -1,
    entries: [],
    branches: noBranches(),
    checkpoints: [],
    itemEnd: -1,
    toolNames: new Map(),
    operations: new Set(),
  };
}

function note(known: KnownJournal, event: StoredEvent, form: string): void {
  known.position = event.position;
  known.lastSeq = event.seq;
  if (event.id?.startsWith('operation-')) known.operations.add(event.id);
  const decoded = decodeEvent(event);
  if (decoded.kind !== 'known') return;
  const { type, data } = decoded.event;
  switch (type) {
    case 'branch.moved':
      moveTo(known.branches, event.seq, data.head);
      return;
    case 'compaction.completed':
      known.checkpoints.push(checkpointOf(event.seq, data));
      if (data.summary !== undefined) known.entries.push({ event, kind: 'summary', calls: [], results: [] });
      return;
    case 'compaction.undone':
      known.checkpoints = known.checkpoints.filter(({ seq }) => seq !== data.seq);
      return;
    case 'message.added':
    case 'item.kept':
      noteItem(known, event, data.native, form);
      return;
    case 'tool.requested':
      known.toolNames.set(data.callId, data.name);
      noteItem(known, event, data.native, form)?.calls.push(data.callId);
      return;
    case 'tool.finished':
      noteItem(known, event, data.native, form)?.results.push(data.callId);
      return;
    default:
      return;
  }
}

/**
 * The entry that the event is a part of. An item of another program is what ollm says of it here, as far as it says
 * something.
 */
function noteItem(
  known: KnownJournal,
  event: StoredEvent,
  native: Native | undefined,
  form: string,
): Entry | undefined {
  if (event.seq <= known.itemEnd) return known.entries.at(-1);
  const lists = { calls: [], results: [] };
  if (native?.form === form) {
    known.itemEnd = event.seq + (native.events ?? 1) - 1;
    known.entries.push({ event, native, kind: 'item', ...lists });
  } else if (event.type === 'item.kept') {
    return undefined;
  } else {
    const isPrompt = known.entries.length === 0 && event.type === 'message.added' && event.data.role === 'system';
    known.entries.push({ event, kind: isPrompt ? 'prompt' : 'said', ...lists });
  }
  return known.entries.at(-1);
}

function summaryMessage({ data, seq }: StoredEvent): SaidEvent {
  const text = delimit(String(data.summary), { what: 'summary of what was said before' });
  return { type: 'message.added', seq, data: { role: 'user', parts: [{ type: 'text', text }], trusted: true } };
}
