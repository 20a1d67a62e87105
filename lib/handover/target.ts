// The port to a program that takes a conversation over: the path of a session, the content of its file, and the texts
// that the program would misread. A writer is pure: the same conversation gives the same bytes.
import type { CopyMark } from '../agents/agent.ts';
import type { HandedMessage, Picture } from './item.ts';

/** A message in which everything is text, or a picture where the program keeps those. */
export interface WrittenMessage {
  readonly kind: 'message';
  readonly role: 'user' | 'assistant';
  readonly pieces: readonly WrittenPiece[];
  /** RFC 3339, never earlier than the item before. */
  readonly at: string;
}

export type WrittenPiece = Exclude<HandedMessage['pieces'][number], { kind: 'missing' }>;

export interface WrittenCall {
  readonly kind: 'call';
  /** Number of the step: calls that one answer asked for together have the same. */
  readonly step: number;
  /** Our own id: at most 64 letters, digits and `_`. */
  readonly id: string;
  readonly name: string;
  readonly args: { readonly [member: string]: unknown };
  readonly result: string;
  readonly isError: boolean;
  readonly pictures: readonly Picture[];
  /** RFC 3339. */
  readonly at: string;
}

export type WrittenItem = WrittenMessage | WrittenCall;

/** What a session of a program is written from. */
export interface WrittenSession {
  /** A UUID. */
  readonly id: string;
  /** Where the program is to be started: an absolute real path. */
  readonly cwd: string;
  readonly items: readonly WrittenItem[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly title?: string | undefined;
  readonly mark: SourceMark;
  /** The folder of its project, as `Target.folder` gave it. */
  readonly folder: string;
}

/** Names, inside the file, the source of the copy. */
interface SourceMark extends CopyMark {
  readonly generation: number;
  readonly seq: number;
}

/** What a program says of its projects, where its folders have names of their own. */
export interface ProjectLooking {
  /** The text of a small file; undefined if there is none. */
  readSmall(path: string): string | undefined;
}

export interface Target {
  readonly name: string;
  /** Keeps pictures of messages and of results. */
  readonly hasPictures: boolean;
  /** Keeps one text for a message: its texts are written one under the other. */
  readonly joinsTexts?: true;
  /** Whether a result says by itself that the call failed. */
  readonly tellsFailures: boolean;
  /** Id of the session as the program knows it, made of a UUID. */
  idOf?(uuid: string): string;
  /** Id of the session in its address here. Default: as the program knows it. */
  listedAs?(session: Pick<WrittenSession, 'id' | 'startedAt'>): string;
  /** A result that the program, or its reader here, would take for more than text. */
  readonly resultMarker?: RegExp | undefined;
  /** The program takes no session in: the content is a document, and no reader here reads it back. */
  readonly isDocument?: true;
  /** Told before it is written. */
  readonly caution?: string | undefined;
  /**
   * The folder of a project below `place`, the directory that the program keeps sessions in; '' where it has none.
   */
  folder(cwd: string, place: string, looking: ProjectLooking): string;
  /** The path of the file below that directory. */
  pathOf(session: Pick<WrittenSession, 'id' | 'startedAt' | 'folder'>): string;
  contentOf(session: WrittenSession): string;
  /** Words of the command that continues with it. `path`: where the file is. */
  command(id: string, path: string): readonly string[];
  /** A command that comes first, where the program takes a file in. */
  takesIn?(path: string): readonly string[];
}
