// The port to another program that records conversations: their places, their storage, and the translation of a record
// into events. A module for it holds only the particulars of one program. It opens no file itself, reads no environment
// and no clock, and translates record by record without ever waiting for a later one.
import type { JsonObject, SessionEvent } from '../journal/types.ts';
import type { DirectoryEntry } from '../platform/index.ts';
import type { AgentState, Attachment, Given } from './given.ts';
import type { LeftOut } from './left-out.ts';

export type { JsonObject };

/** What a program's places depend on. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory, absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Directories of projects that are known, for the programs with sessions in them: see `Agent.isInProjects`. */
  readonly projects?: readonly string[] | undefined;
}

/** A session of another program, found without being opened. Plain JSON. */
export interface Source {
  /** The agent's name. */
  readonly agent: string;
  /** The text after `agent:` in an address: the program's own id of it, unless `ownId` gives another. */
  readonly id: string;
  /** The program's own id, where another file has the same one, or no address can have it. */
  readonly ownId?: string | undefined;
  /** The path of its file, which may hold several sessions. */
  readonly path: string;
  /** For a subagent, the id of the session whose call started it; '' if no place names it. */
  readonly parent?: string | undefined;
  /** The key of a subagent whose records are in the file of its parent. See inside.ts. */
  readonly inside?: string | undefined;
  /** RFC 3339: when it began, where no record says so. Must stay the same while the source grows. */
  readonly startedAt?: string | undefined;
  /**
   * What else the module needs to translate it. Must stay the same while the source grows. The head says `cwd` and
   * `title` too, where no record does.
   */
  readonly facts?: JsonObject | undefined;
}

/** As a module finds one. */
export type DiscoveredSession = Omit<Source, 'agent'>;

/** What discovery came across: a session, or a place that could not be looked at. */
export type ListedSource =
  | { readonly kind: 'source'; readonly source: Source }
  /** `reason`: as the end of a sentence that begins with the path. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly reason: string };

/** How sessions are looked for. Throws nothing. */
export interface Looking {
  /**
   * The entries of a directory; empty if it does not exist. An unreadable one is reported by itself. A link counts as
   * its target; a link to a directory above it, or to one that another link led to, counts only as a link.
   */
  entries(path: string): readonly DirectoryEntry[];
  /** Whether a file is there: its directory need not be read. A link to one is none, and is reported by itself. */
  hasFile(path: string): boolean;
  /** The text of a file of at most 1 MiB, opened as safely as the sessions are; undefined if it cannot be read. */
  readSmall(path: string): string | undefined;
  /** The lines of a text file of at most 64 MiB that begin so; none if it cannot be read. */
  linesFrom(path: string, beginning: string): readonly string[];
  /** What `read` finds in a database; undefined if that cannot be read, which is reported by itself. */
  query<Result>(path: string, columns: Columns, read: (database: ForeignDatabase) => Result): Result | undefined;
}

/** The columns that may be read, by table. A table or column that a version does not have is not an error. */
export type Columns = Readonly<Record<string, readonly string[]>>;

/** A database of another program, open for queries of named columns of plain tables. */
export interface ForeignDatabase extends Disposable {
  /** Whether this version of the database has the column, and it may be read. */
  has(table: string, column: string): boolean;
  /**
   * Every row of a query, all of them together: ask for ranges of a key that take at most 50 ms. Bytes are base64.
   * @throws OllmError IO_FAILED
   */
  all(sql: string, ...parameters: readonly (string | number)[]): readonly JsonObject[];
  close(): void;
}

/** Rows of a table that belong to one session: those for which a condition in SQL is true. */
export interface OwnRows {
  readonly table: string;
  readonly where: string;
  readonly parameters: readonly string[];
}

/**
 * How the records of a source are stored.
 * - `lines`: one JSON object a line, appended; `packed`: the file as a whole is compressed
 * - `document`: one JSON object, rewritten whole: first a record of its `header` members, then one for each element of
 *   its array `list`
 * - `rows`: rows of a database, each one JSON object, in an order in which new ones come last
 * - `files`: several files around the one of the source, in an order in which new records come last
 */
export type SourceForm =
  | { readonly kind: 'lines'; readonly packed?: 'zstd' | undefined }
  | { readonly kind: 'document'; readonly header: readonly string[]; readonly list: string }
  | {
      readonly kind: 'rows';
      readonly columns: Columns;
      rows(database: ForeignDatabase, source: Source): Iterable<JsonObject>;
      /** The head of the session, from a few of its rows. */
      head(database: ForeignDatabase, source: Source): HeadDraft;
      /**
       * At least all rows that `rows` and `head` read of a session, of each table in `columns`: as long as no value in
       * them changes, the session is the same, whatever happens to others in the database. Absent where a session has a
       * database of its own.
       */
      own?(source: Source): readonly OwnRows[];
    }
  | {
      readonly kind: 'files';
      records(files: FilesAround, source: Source): Iterable<JsonObject>;
      head(files: FilesAround, source: Source): HeadDraft;
    };

/** The files that a session is in together. A file that cannot be read is as one that is not there. */
export type FilesAround = Pick<Looking, 'entries' | 'readSmall'>;

/** What a record says of itself, next to the events that it gives. */
export interface RecordFacts {
  /** The program's own id of the record: the text after `#` in the address of a message. */
  readonly record?: string | undefined;
  /** When it happened, as the record has it: RFC 3339, or milliseconds since 1970. */
  readonly at?: string | number | undefined;
  /** The type of the record, where the session that is read decides it. Default: see `Agent.typeOf`. */
  readonly type?: string | undefined;
}

/** Facts about the whole session in the record of the first event. '' means unknown too. */
export interface SessionBeginning {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly title?: string | undefined;
  /** Absolute. */
  readonly cwd?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  /** See gitRemote. */
  readonly remote?: string | undefined;
  /** Id of the session of which it began as a copy. */
  readonly forkedFrom?: string | undefined;
}

/** The source of a session that ollm wrote for a program, as that session itself names it. */
export interface CopyMark {
  /** Address of the source, or its id where it is one of ollm. */
  readonly from: string;
  /** RFC 3339: of the first and the last item that were carried. Absent where the source has no times. */
  readonly began?: string | undefined;
  readonly until?: string | undefined;
  /** The mark of the source, if that was a handed-over session too. */
  readonly before?: CopyMark | undefined;
}

/** What a list says of a session. */
export interface Head {
  readonly id: string;
  readonly title?: string | undefined;
  /** The id that the program prints, where its files have only a part of it. */
  readonly printedId?: string | undefined;
  /** Where it works, absolute. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly branch?: string | undefined;
  /** The repository that it works in: see gitRemote. */
  readonly remote?: string | undefined;
  /** Id of the session of which it began as a copy. */
  readonly forkedFrom?: string | undefined;
  /** The conversation that ollm wrote into it. */
  readonly copyMark?: CopyMark | undefined;
  /** RFC 3339. */
  readonly startedAt?: string | undefined;
  /** RFC 3339. */
  readonly lastActivity?: string | undefined;
  /** The first thing that the user said, at most 500 characters. */
  readonly firstPrompt?: string | undefined;
  /** The version of the program that wrote it last. */
  readonly version?: string | undefined;
}

export type HeadDraft = { -readonly [Member in Exclude<keyof Head, 'id'>]?: Head[Member] };

/** A program. */
export interface Agent<State extends AgentState = AgentState> {
  /** Short, lower case: the text before `:` in an address. */
  readonly name: string;
  /** As its maker writes it. */
  readonly title: string;
  /** Raised when the same records give different events. */
  readonly version: number;
  /** Whether its sessions are in the directories of projects, of which it has no list. */
  readonly isInProjects?: boolean | undefined;
  /** The directories that its sessions are in, whether they exist or not. */
  places(surroundings: Surroundings): readonly string[];
  /** The sessions in one of these places. */
  discover(place: string, looking: Looking): Iterable<DiscoveredSession>;
  /**
   * If the program prints other ids than `discover` gives: the beginning of the ids of sessions that a printed id, or
   * the beginning of one, may mean. `Head.printedId` decides between them.
   */
  startOfId?(printed: string): string | undefined;
  stored(source: Source): SourceForm;
  /** The file that the program keeps locked, by `flock`, while it has a session open. */
  lockOf?(source: Source, surroundings: Surroundings): string;
  /** The command of the program that continues a session, to be run in its directory; undefined where it has none. */
  resume?(id: string): readonly string[] | undefined;
  /** The memory between two records, before the first one: plain JSON, at most 64 KiB at any time. */
  initial(source: Source): State;
  /**
   * Adds the events of a record to `given`: they depend only on the record and the state in it, which may be changed in
   * place. Never throws, for any record.
   */
  translate(record: JsonObject, given: Given<State>): RecordFacts;
  /** Keys of the subagents in the file of a session, as far as it was read: see `Source.inside`. */
  insides?(state: State): readonly string[];
  /**
   * Facts that the state does not have under these names: its members with them are the beginning otherwise. Called
   * with the record that gave the first event, and the state after it.
   */
  begin?(record: JsonObject, state: State): SessionBeginning;
  /** What a record is counted as: `user`, `system/compact_boundary`. */
  typeOf(record: JsonObject): string;
  /**
   * For each type, the members that events contain or that are not part of the conversation, by their paths:
   * `message.content`. A type that is not named stays only in the source.
   */
  readonly said: Readonly<Record<string, readonly string[]>>;
  /** Known types and members that stay in the source by decision. All others that no event says are not understood. */
  readonly leftOut: LeftOut;
  /** Takes in one of the first records for the head. True once the beginning has no more to say. */
  headFromStart(record: JsonObject, head: HeadDraft): boolean;
  /** Reads the head from the last records, the newest first. */
  headFromEnd(record: JsonObject, head: HeadDraft): boolean;
}

/** A place after an event of a foreign session. It is valid as long as the source is not rewritten. */
export interface ForeignPosition {
  /** Which reading of a source that may be rewritten, from 0. seq begins at 0 in each. */
  readonly generation: number;
  /** The event before it. */
  readonly seq: number;
}

/** An event of a foreign session. */
export interface ForeignEvent extends SessionEvent<ForeignPosition> {
  /** What its parts name by their sha256. */
  readonly attachments?: readonly Attachment[] | undefined;
}
