// The row of a session of another program while a list is made: facts from its directory and the catalogue, and the
// part that is left to read in its file.
import type { Source } from '../../agents/agent.ts';
import type { CataloguedSession } from '../../catalog/listed-sessions.ts';
import type { FoundSources } from '../../hub/find-sources.ts';
import type { HeadSource } from './listed-head.ts';
import type { SessionRow } from './session-row.ts';

/** A row that may lack what only a look into the file tells. */
export interface RowDraft {
  readonly row: SessionRow;
  /** The source that is still to be read. */
  readonly unread?: UnreadSource | undefined;
  /** The file as it was when it was looked at; undefined where there is none. */
  readonly looked?: Looked | undefined;
  /** The row of the catalogue, and the directory, of a session whose source has vanished. */
  readonly remembered?: { readonly directory: string; readonly known: CataloguedSession } | undefined;
}

/** A key that no other session of the program has, not even one with the same id. */
export function draftKey({ row, looked, remembered }: RowDraft): string {
  return looked === undefined ? goneKey(remembered?.directory ?? '', row.id) : sourceKey(looked.source);
}

export function sourceKey({ path, id }: Pick<Source, 'path' | 'id'>): string {
  return `${path}\0${id}`;
}

export function goneKey(directory: string, id: string): string {
  return `\0${directory}\0${id}`;
}

/** The results of an earlier look, for one that repeats only the changed part. */
export interface LookBefore {
  /** By `draftKey`. */
  readonly drafts: ReadonlyMap<string, RowDraft>;
  /** Undefined if the catalogue has changed since. */
  readonly catalogued: FoundDrafts['catalogued'] | undefined;
  /** Whether the directory, or the database, may have changed since. */
  isChanged(path: string): boolean;
}

/** The findings for one program. */
export interface FoundDrafts {
  /** The name of the program. */
  readonly agent: string;
  readonly drafts: readonly RowDraft[];
  /** Their ids. */
  readonly subagents: readonly string[];
  /** The rows of the catalogue of each directory, by their ids. */
  readonly catalogued: ReadonlyMap<string, ReadonlyMap<string, CataloguedSession>>;
  readonly unreadable: FoundSources['unreadable'];
}

export interface Looked extends HeadSource {
  readonly known: CataloguedSession | undefined;
}

export interface UnreadSource extends HeadSource {
  /** Once the file was read, unless it may have changed meanwhile. */
  row?: SessionRow | undefined;
}
