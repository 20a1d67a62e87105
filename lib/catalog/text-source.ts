// A session that can be indexed, and what a reading of it gives: plain data, which another thread can send.
import type { EventReader, JsonObject, Position } from '../journal/types.ts';
import type { TakeOutSecrets } from './both-ends.ts';
import type { PreparedChange } from './changes.ts';
import type { StoredMark } from './copies.ts';
import type { CountRow } from './session-counts.ts';
import type { TextRow } from './session-texts.ts';

/** A file as it is now. Which one it is, and when it changed, as in `FileStat`. */
export interface SourceFile {
  readonly inode: bigint;
  readonly size: number;
  readonly changedNs: bigint;
}

/** A session that can be indexed, of any agent. */
export interface TextSource {
  /** `ollm`, or the name of another program. */
  readonly agent: string;
  /** Where sessions of the agent are, so that the same id at two places is two sessions. */
  readonly directory: string;
  readonly id: string;
  readonly path: string;
  /** Undefined where no file says whether the session has changed: then it is read each time. */
  readonly file: SourceFile | undefined;
  /** The version of the reader. If it changes, the same source may give other events. */
  readonly version: string;
  /** What no event says. */
  readonly parent?: string | undefined;
  /** For a second file with the id of another session: that session's id, and the difference between the two. */
  readonly copyOf?: { readonly id: string; contradiction(): Promise<string | undefined> } | undefined;
  /** What another thread reads it by: plain data. Undefined where only this one can read it. */
  readonly asData?: JsonObject | undefined;
  /** The session of a subagent in the same file, by what `OpenTextSource.insides` says. */
  inside?(key: string): TextSource;
  /** Whether the source still exists. Asked before each write, so that a session purged meanwhile stays away. */
  isThere(): boolean;
  /**
   * A hash of all that it is read from now, for one of many sessions in a file: as long as that is the same, the
   * session is, too. Undefined where only the file says whether it has changed.
   */
  content?(): string | undefined;
  /** `saved`: what `checkpoint` of an earlier reading gave. */
  open(saved: JsonObject | undefined): Promise<OpenTextSource>;
}

export interface ReadContent {
  readonly hash: string;
  /** Whether another session gives another hash in any case. Otherwise only where the file had settled before. */
  readonly isCertain: boolean;
}

export interface OpenTextSource {
  readonly reader: EventReader;
  /** Whether a reading may continue after this place. */
  holds(position: Position): Promise<boolean>;
  /** The session of which it began as a copy: its id where another program made the copy, its marks where ollm did. */
  copied(): { readonly forkedFrom?: string | undefined; readonly marks?: readonly StoredMark[] | undefined };
  /** The id that its program prints, where the address has another one. */
  programId(): string | undefined;
  /** Reads the attachment with the whole of an output that was cut; undefined if it is not there. */
  readBlob?(sha256: string): Promise<Uint8Array | undefined>;
  /** Once all was read: the subagents whose sessions are in the same file. */
  insides?(): readonly string[];
  /** Once all was read: the hash that `TextSource.content` gives as long as nothing changes, and how sure that is. */
  content?(): ReadContent | undefined;
  /** Data for another process to continue after the last event, in addition to its position. */
  checkpoint(): JsonObject | undefined;
}

export interface TextReadingOptions {
  readonly clean: TakeOutSecrets;
  /** Whether outputs of tools are stored. */
  readonly outputs: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A text as the tables have it. */
export interface PreparedRow extends Omit<TextRow, 'text'> {
  /** Packed. */
  readonly text: string | Uint8Array;
  /** Characters of the text. */
  readonly size: number;
  /** The text as the index takes it, in UTF-8. */
  readonly words: Uint8Array;
}

/** What one batch of events gives. */
export interface SessionPart {
  readonly rows: readonly PreparedRow[];
  readonly changes: readonly PreparedChange[];
  readonly counts: readonly CountRow[];
}

/** The facts about a session that are known once all of it was read. */
export interface SessionEnd {
  /** Values of its columns, without `remote`. */
  readonly row: readonly (string | number | Uint8Array | null)[];
  /** As the columns of `names`. */
  readonly names: readonly string[];
  readonly project: string | undefined;
  readonly remote: string | undefined;
  readonly lastSeq: number;
  /** Packed. */
  readonly progress: string | Uint8Array;
  /** Places that could not be read. */
  readonly damaged: number;
  /** It depends on events before those that were read. */
  readonly isIncomplete: boolean;
  /** Keys of the subagents in the same file. */
  readonly insides: readonly string[];
  readonly content: ReadContent | undefined;
}

export interface SessionReading {
  /** Whether it continues where an earlier one had ended. */
  readonly continued: boolean;
  /** Once. */
  parts(): AsyncIterable<SessionPart>;
  /** After the last part. */
  end(): SessionEnd | Promise<SessionEnd>;
  close(): void;
}
