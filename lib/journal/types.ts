// The journal's interface for everything above it: events in, outcomes out, a writer, a reader and the store of both.
import type { OllmError } from '../errors/index.ts';

/** Any JSON object. */
export type JsonObject = { readonly [member: string]: unknown };

/** An event as a caller hands it in. The journal adds seq, ts, prev and xxh64. */
export interface NewEvent {
  readonly type: string;
  readonly data: object;
  /** The turn it belongs to, from 1. */
  readonly turn?: number | undefined;
  /** Idempotency key: the same id is never appended twice; a second append resolves with the first one's receipt. */
  readonly id?: string | undefined;
  /** A reader that does not know `type` may skip it. */
  readonly ignorable?: true | undefined;
}

/** A place after an event. Only the reader that made it can interpret it. Plain JSON, so that it can be saved. */
export type Position = unknown;

/** An event of any conversation. */
export interface SessionEvent<At = Position> {
  readonly seq: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly ts: string;
  readonly type: string;
  readonly turn?: number | undefined;
  readonly id?: string | undefined;
  /** A reader that does not know `type` may skip it. */
  readonly ignorable?: true | undefined;
  readonly data: JsonObject;
  /** The place after it, where a later reading continues. */
  readonly position: At;
}

/** An event of a journal. `data` is parsed at its first use. */
export interface StoredEvent extends SessionEvent<Anchor> {
  /** 16 hex digits: the checksum of the line before. */
  readonly prev: string;
  /** 16 hex digits: the checksum of this line. */
  readonly xxh64: string;
  /** Where its line begins, in bytes. */
  readonly offset: number;
  /** Where the next line begins. */
  readonly end: number;
  /** The bytes of the line in the file, without LF. */
  readonly raw: Uint8Array;
}

/** A line of a journal that a snapshot, a state file or a fork refers to. */
export interface Anchor {
  readonly seq: number;
  /** Where the line after it begins, in bytes. */
  readonly offset: number;
  readonly xxh64: string;
}

/** The kinds of damage in the recovery table. docs/journal-format.md describes each. */
export type DamageKind =
  | 'unterminated'
  | 'torn-tail'
  | 'zero-tail'
  | 'bad-checksum'
  | 'not-json'
  | 'nul-run'
  | 'welded'
  | 'gap'
  | 'fork'
  | 'duplicate'
  | 'edited'
  | 'oversize'
  | 'bad-seal';

/** A place of a journal that is not as it was written, or out of order. */
export interface Damage {
  readonly kind: DamageKind;
  /** Where it begins, in bytes. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
  /** Number of the line, from 1, as a text editor counts; 0 where the reader did not start at the beginning. */
  readonly line: number;
  /** A sentence for people. */
  readonly reason: string;
  /** The seq that can still be read in the damaged bytes; the highest of several. */
  readonly seq?: number | undefined;
}

/** What a reader finds, in the order of the conversation. Damage never ends the reading. */
export type Outcome<Event extends SessionEvent = StoredEvent> =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'damage'; readonly damage: Damage };

/**
 * Outcomes in batches of at most 256 outcomes or 256 KiB; a longer event is a batch of its own. A loop over one batch
 * is synchronous. Between two batches the event loop gets a turn.
 */
export type Batches<Event extends SessionEvent = StoredEvent> = AsyncIterable<readonly Outcome<Event>[]>;

/**
 * `process`: survives the death of the process. `disk`: survives the death of the machine, as far as the disk keeps its
 * word.
 */
export type DurabilityLevel = 'process' | 'disk';

/**
 * When a writer syncs. `barrier`: where the caller asks for `disk`; `always`: at each append; `process`: at no append.
 */
export type DurabilityPolicy = 'always' | 'barrier' | 'process';

/** How safe an append must be. */
export interface AppendOptions {
  /** What must hold before the append is acknowledged. Default: `process`, and `disk` under the policy `always`. */
  readonly durability?: DurabilityLevel | undefined;
}

/** What an append was stored as. */
export interface Receipt {
  readonly seq: number;
  readonly xxh64: string;
  /** True if an event with this id was there already; seq and xxh64 are then its own. */
  readonly duplicate: boolean;
}

/** The process that holds a journal open for writing, as far as the journal says. */
export interface Holder {
  readonly pid: number | undefined;
  readonly host: string | undefined;
  readonly command: string | undefined;
  /** RFC 3339: since when. */
  readonly since: string | undefined;
}

/** Stores other data in the place of what a line is given, such as sealed data: also for the journal's own lines. */
export interface DataSeal {
  /** The JSON object to store, for data that is given as JSON. `head`: the part of the line before its data. */
  seal(json: string, line: { readonly seq: number; readonly type: string; readonly head: string }): string;
  /** A stored event with the data that was given; undefined if that cannot be brought back. */
  open(event: StoredEvent): StoredEvent | undefined;
}

/** What opening a journal for writing found and did. */
export interface OpeningReport {
  /** The damage in the part that was read, in file order. */
  readonly damage: readonly Damage[];
  /** Bytes that were cut off the end, if any. */
  readonly recovered:
    | {
        readonly kind: 'torn-tail' | 'zero-tail';
        readonly offset: number;
        readonly length: number;
        readonly quarantine: string;
      }
    | undefined;
  /** Whether the writer before this one closed in order. */
  readonly clean: boolean;
  /** 0 for a journal that was just created, 1 for its first opening, and so on. */
  readonly epoch: number;
  /** Whether the anchor held, so that only the lines after it were read. */
  readonly anchored: boolean;
}

/** A journal that is open for writing. A journal has one writer at a time, in any process. `await using` closes it. */
export interface JournalWriter extends AsyncDisposable {
  readonly id: string;
  readonly policy: DurabilityPolicy;
  readonly report: OpeningReport;
  /** The last line of the journal. */
  readonly head: Anchor;
  /** The last line that is known to be on the device. */
  readonly synced: Anchor;
  /** Why nothing more can be written, once that is so. */
  readonly failure: OllmError | undefined;
  /**
   * `JournalReader.stamp` as the last append left it; '' where another program has changed the bytes since the opening,
   * or before it, after they were known to be whole. Undefined where the store has no stamps.
   */
  readonly stamp?: string | undefined;
  /**
   * Appends one event or a batch, which is stored whole or not at all, in the order of the calls.
   * @throws OllmError EVENT_INVALID, EVENT_TOO_LARGE (nothing was written), JOURNAL_FULL (nothing stayed, may be tried
   *   again), JOURNAL_POISONED (outcome unknown: retry elsewhere with the same id), JOURNAL_CLOSED
   */
  append(events: NewEvent | readonly NewEvent[], options?: AppendOptions): Promise<readonly Receipt[]>;
  /** Whether an event with this id is stored. @throws OllmError JOURNAL_CLOSED */
  knows(id: string): Promise<boolean>;
  /** Waits until all earlier appends are on the device, under every policy. */
  sync(): Promise<void>;
  /** Calls back with each batch once it is acknowledged at level `process`. Returns how to stop. */
  subscribe(listener: (events: readonly StoredEvent[]) => void): () => void;
  /** Waits for appends under way, syncs, and releases the lock. May be called twice. */
  close(): Promise<void>;
}

/** Where a reading starts, and what ends it early. */
export interface ReadOptions<At = Anchor> {
  /** Starts after this place, not at the beginning. In a journal, check it with `holds` before. */
  readonly after?: At | undefined;
  /** An abort ends the reading between two batches: it rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Where a following starts, what ends it, and how it waits. */
export interface FollowingOptions<At = Anchor> extends ReadOptions<At> {
  readonly signal: AbortSignal;
  /** Waits until there may be more, at most `ms` milliseconds. Default: that long. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

/**
 * A conversation, open for reading: a journal, or the session of another program. Any number of readers may be open,
 * also together with a writer. It has the methods for projections, exports and commands; those that only a journal has
 * are in `JournalReader`. `using` closes it.
 */
export interface EventReader<Event extends SessionEvent = SessionEvent> extends Disposable {
  readonly id: string;
  /** The first event, if it can be read. Reads no more than it must. */
  first(): Promise<Event | undefined>;
  /**
   * Every outcome up to the end as it is when the reading starts.
   * @throws OllmError JOURNAL_CLOSED if the reader is closed before the end
   */
  outcomes(options?: ReadOptions<Event['position']>): Batches<Event>;
  /** Outcomes as they come, until `signal` ends it, without an error. An event is shown when it is complete. */
  follow(options: FollowingOptions<Event['position']>): Batches<Event>;
  /** Events that were read stay valid. */
  close(): void;
}

/** A journal that is open for reading. */
export interface JournalReader extends EventReader<StoredEvent> {
  readonly path: string;
  /** Bytes of the journal now. */
  size(): Promise<number>;
  /**
   * A text that is different whenever a byte of the journal may have been changed, by any program. Undefined, or the
   * method missing, in a store that does not know: then nothing is compared with it.
   */
  stamp?(): Promise<string | undefined>;
  /** Whether a line ends at this offset with this seq and checksum. */
  holds(anchor: Anchor): Promise<boolean>;
  /** seq of the last event, where that takes no more than reading the last line; else undefined. */
  lastSeq(): Promise<number | undefined>;
  /**
   * A place not far before the event of this seq, found without reading all that is before it: for `after`. Undefined
   * where that is the beginning.
   */
  placeBefore(seq: number): Promise<Anchor | undefined>;
  /** Whether a process holds it open for writing: then an incomplete last line is in flight, and not damage. */
  isBeingWritten(): Promise<boolean>;
  /**
   * In a store that decrypts: a reader of the lines as they are stored, while their key is not known. To read with this
   * one would ask for the key. Undefined where no key is missing.
   */
  sealed(): Promise<JournalReader | undefined>;
  /** The outcomes from the end to the beginning: the newest first. `seq` and `prev` are checked between neighbours. */
  backwards(options?: Pick<ReadOptions, 'signal'>): Batches;
  /** Checks every line without parsing its data, faster than `outcomes`: the same findings in the same order. */
  verify(options?: VerifyOptions): Promise<Verification>;
}

export interface VerifyOptions extends Pick<ReadOptions, 'signal'> {
  readonly onDamage?: ((damage: Damage) => void) | undefined;
}

/** The result of verifying a whole journal. */
export interface Verification {
  /** Ends of lines, and an incomplete last line. */
  readonly lines: number;
  readonly events: number;
  readonly bytes: number;
  /** How many findings were reported. */
  readonly damaged: number;
  /** The last line that holds; undefined if none does. */
  readonly head: Anchor | undefined;
}

/** The file of a journal, without opening it. */
export interface JournalFileInfo {
  readonly id: string;
  /** Whether it is a file with one name, and not a link, device or directory: it can be a journal. */
  readonly isOrdinary: boolean;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  /** Which file it is, and when it last changed, as in `FileStat`. Undefined where the system does not say. */
  readonly inode?: bigint | undefined;
  readonly changedNs?: bigint | undefined;
}

/** A session in the trash. */
export interface TrashEntry {
  /** The session's id. */
  readonly id: string;
  /** Name of its folder under trash/. */
  readonly entry: string;
  readonly bytes: number;
  /** RFC 3339: when it was deleted. */
  readonly deletedAt: string;
}

/** How a journal is opened for writing. */
export interface OpenWriterOptions {
  readonly policy?: DurabilityPolicy | undefined;
  /** Starts reading after this line, if it is still valid, not at the beginning. */
  readonly anchor?: Anchor | undefined;
  /** The stamp of the journal when everything up to the anchor was known to be whole. */
  readonly anchorStamp?: string | undefined;
  /** `OpeningReport.epoch` of the writer at the anchor; without it, opening searches for it. */
  readonly anchorEpoch?: number | undefined;
  /** Called with each event that opening reads: all of them, or those after the anchor. Valid until the next one. */
  readonly onEvent?: ((event: StoredEvent) => void) | undefined;
  readonly seal?: DataSeal | undefined;
}

/** The beginning of a journal that is made of something else. */
export interface Beginning {
  /** The data of the first line. */
  readonly created: object;
  /** Appends the lines up to the last one, a `session.closed`. No other process can open the session meanwhile. */
  readonly fill: (writer: JournalWriter) => Promise<void>;
  readonly seal?: DataSeal | undefined;
}

/** A journal that takes the place of another. `seal` is read after `created` was called. */
export interface Successor extends Omit<Beginning, 'created'> {
  /** A part of the old one's name under archive/ that says why it is there. */
  readonly suffix: string;
  /** The data of the first line; `archive`: how the old one will be called. */
  readonly created: (archive: string) => object | Promise<object>;
  /**
   * Name under archive/ of an earlier journal of this session, which is needed no more once the new one is in place. A
   * store may remove it then.
   */
  readonly supersedes?: string | undefined;
}

/** The files derived from a journal: `<id>.json`, `<id>.state.json` and `<id>.import.json`. */
export type DocumentKind = 'snapshot' | 'state' | 'import';

/** Methods that change nothing. Any other method writes, so that a guard cannot overlook one. */
export type ReadingMethod =
  | 'location'
  | 'list'
  | 'ids'
  | 'info'
  | 'has'
  | 'openReader'
  | 'holder'
  | 'readDocument'
  | 'listTrash'
  | 'readBlob';
/** Methods that take in new content. A store that redacts or seals must implement each of them. */
export type TakingMethod = Exclude<
  keyof JournalStore,
  | ReadingMethod
  | 'removeDocument'
  | 'setAsideDocument'
  | 'archive'
  | 'archiveDocument'
  | 'repair'
  | 'trash'
  | 'restore'
  | 'purge'
>;

/** All sessions of one place: one contract for directory, memory and servers (lib/contracts.ts). */
export interface JournalStore {
  /** Where it is, for people. */
  readonly location: string;
  /** All journals, only by their files; nothing is opened. Sorted by id. */
  list(): Promise<readonly JournalFileInfo[]>;
  /** Ids of all journals, by their names: no file is looked at. Sorted. */
  ids(): Promise<readonly string[]>;
  /** The size of one journal and when it changed; no other is looked at. Undefined if there is none. */
  info(id: string): Promise<Pick<JournalFileInfo, 'bytes' | 'modifiedMs'> | undefined>;
  has(id: string): Promise<boolean>;
  /** @throws OllmError SESSION_EXISTS, SESSION_ID_INVALID, JOURNAL_READ_ONLY, JOURNAL_FULL */
  create(
    id: string,
    created: object,
    options?: { readonly policy?: DurabilityPolicy | undefined; readonly seal?: DataSeal | undefined },
  ): Promise<JournalWriter>;
  /**
   * Makes a journal that begins with more than its first line, closed. A crash or a failure leaves all of it there, or
   * nothing.
   * @throws OllmError SESSION_EXISTS, SESSION_ID_INVALID, JOURNAL_LOCKED, JOURNAL_READ_ONLY, JOURNAL_FULL, and what
   * `fill` throws
   */
  createFilled(id: string, beginning: Beginning): Promise<void>;
  /**
   * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_NEWER_FORMAT,
   * JOURNAL_EDITED, JOURNAL_READ_ONLY
   */
  openWriter(id: string, options?: OpenWriterOptions): Promise<JournalWriter>;
  /**
   * `archive`: the name of an earlier journal of the session under archive/, as `replace` and `archive` return it.
   * @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE: here, or at the first use of the reader
   */
  openReader(id: string, archive?: string): JournalReader;
  /** The process that has it open for writing; undefined if none has. */
  holder(id: string): Promise<Holder | undefined>;

  /**
   * The text of a derived file, or what its first `maxBytes` bytes hold of it; undefined if there is none. A character
   * that is cut through comes as U+FFFD.
   */
  readDocument(id: string, kind: DocumentKind, maxBytes?: number): Promise<string | undefined>;
  /** Replaces it as a whole: readers see the old one or the new one. Bytes are UTF-8. */
  writeDocument(id: string, kind: DocumentKind, text: string | Iterable<string | Uint8Array>): Promise<void>;
  removeDocument(id: string, kind: DocumentKind): Promise<void>;
  /** Renames one that cannot be trusted to `<name>.<stamp>.suspect` and says how it is called now. */
  setAsideDocument(id: string, kind: DocumentKind): Promise<string>;

  /** Moves the journal to archive/ and removes its derived files. Returns the name under archive/. */
  archive(id: string, suffix?: string): Promise<string>;
  /**
   * Gives the snapshot of a session without a journal a second name under archive/, and returns that. A name that an
   * interrupted attempt left is used again.
   */
  archiveDocument(id: string): Promise<string>;
  /**
   * Replaces this journal by a new one; the old one goes to archive/, and its derived files are removed. A crash leaves
   * one of the two, whole; a failure leaves the old one. Returns its name under archive/.
   */
  replace(id: string, successor: Successor): Promise<string>;
  /** Writes a repaired copy in place of a damaged journal, which goes to archive/. */
  repair(
    id: string,
  ): Promise<{ readonly archive: string; readonly kept: number; readonly findings: readonly Damage[] }>;
  /** Moves the session to trash/. A crash in the middle leaves it wholly here or wholly there. */
  trash(id: string): Promise<TrashEntry>;
  /** Newest first. `deletedBeforeMs`: only sessions deleted before; no others are read. */
  listTrash(options?: { readonly deletedBeforeMs?: number | undefined }): Promise<readonly TrashEntry[]>;
  /** Brings the newest trashed session of this id back. */
  restore(id: string): Promise<void>;
  /** Removes a trashed entry permanently. */
  purge(entry: string): Promise<void>;

  /**
   * Stores content under its sha256 (64 hex digits) and returns that; on the device before it returns. `sessionId`:
   * whose it is, for a store that seals what belongs to a sealed session.
   */
  putBlob(bytes: Uint8Array, sessionId?: string): Promise<string>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
}

/**
 * The bytes of journals, unchanged: for copies from one place to another. Sealed data stays sealed, and nothing is
 * redacted again.
 */
export interface JournalBytes {
  /** Every byte, up to the end as it is when the reading starts. @throws OllmError SESSION_NOT_FOUND */
  readBytes(id: string): AsyncIterable<Uint8Array>;
  /**
   * Makes a journal of these bytes: all of it, or nothing. @throws OllmError SESSION_EXISTS, JOURNAL_LOCKED,
   * JOURNAL_FULL
   */
  writeBytes(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
}
