// The request and the answer of a search.
import type { Clock } from '../platform/clock.ts';
import type { CopyOf } from './copies.ts';
import type { Excerpt } from './hit-excerpt.ts';
import type { ImportedId } from './repeated-hits.ts';
import type { TextKind, TextRole } from './session-texts.ts';

/** Which sessions and messages are looked at. Of several values of one member any will do. */
export interface Narrowing {
  readonly agents?: readonly string[] | undefined;
  readonly projects?: readonly WantedProject[] | undefined;
  readonly roles?: readonly TextRole[] | undefined;
  /** Only calls of these and their outputs. `web*` is the beginning of a name. */
  readonly tools?: readonly string[] | undefined;
  /** Words side by side in a call of the session: the path of a file, or a part of one. */
  readonly paths?: readonly string[] | undefined;
  /** Words side by side in the title of the session, else in its first prompt. */
  readonly titles?: readonly string[] | undefined;
  /** Milliseconds since 1970: not before. */
  readonly sinceMs?: number | undefined;
}

export type WantedProject =
  | {
      /** Absolute: sessions in it or below it. */
      readonly directory: string;
      /** Further directories that count as this one. */
      readonly worktrees?: readonly string[] | undefined;
      /** Adds sessions in or below each directory in which a session works on this repository: see gitRemote. */
      readonly remote?: string | undefined;
    }
  /** Words side by side in its path. */
  | { readonly name: string };

export interface SearchRequest {
  /** Words as a person types them, or a regular expression. May be empty where something narrows the search. */
  readonly text: string;
  /** The line that `text` and `within` were read from, where it is another one: `didYouMean` is a change of it. */
  readonly typed?: string | undefined;
  readonly isRegex?: boolean | undefined;
  readonly agent?: string | undefined;
  /** A directory, absolute: sessions in it or below it. */
  readonly project?: string | undefined;
  /** Further directories that count as this one. */
  readonly worktrees?: readonly string[] | undefined;
  /** Adds sessions in or below each directory in which a session works on this repository: see gitRemote. */
  readonly remote?: string | undefined;
  readonly role?: TextRole | undefined;
  readonly tool?: string | undefined;
  readonly path?: string | undefined;
  readonly title?: string | undefined;
  /** Milliseconds since 1970: not before. */
  readonly sinceMs?: number | undefined;
  /** Holds together with all of the above. */
  readonly within?: Narrowing | undefined;
  /** Default: texts, calls and outputs. Reasoning and messages of programs are found where they are named here. */
  readonly kinds?: readonly TextKind[] | undefined;
  /** Sessions that are left out, as `agent:id`. */
  readonly without?: ReadonlySet<string> | undefined;
  /**
   * Ids of own journals that count as sessions of the program in `agent`, because they are imports of such sessions
   * and the catalogue does not know these. See `importsWithoutSource`.
   */
  readonly lastImports?: ReadonlySet<string> | undefined;
  /** Sessions that this home wrote as a copy of another one, by `agent:id`. */
  readonly copies?: ReadonlyMap<string, CopyOf> | undefined;
  /** Titles that the user gave to sessions of other programs, by `agent:id`. */
  readonly userTitles?: ReadonlyMap<string, string> | undefined;
  /** Default: 20. */
  readonly limit?: number | undefined;
  /** Whether nothing near is looked for where little has all of the words. */
  readonly isExact?: boolean | undefined;
  /** Whether all hits are counted. */
  readonly isCounted?: boolean | undefined;
}

/** A message that was found, or a session that was found by its name. */
export interface SearchHit {
  /** `agent:id#KEY`; of a session `agent:id`. */
  readonly address: string;
  readonly agent: string;
  readonly id: string;
  /** The id that its program takes, where the address has another one. */
  readonly programId: string | undefined;
  /** Undefined for a session, and so are `seq` and `role`. */
  readonly key: string | undefined;
  /** The event of the message. */
  readonly seq: number | undefined;
  readonly title: string | undefined;
  readonly project: string | undefined;
  readonly role: TextRole | undefined;
  readonly kind: TextKind | 'session';
  /** The place of the words: the text of the message, or a name of the session. `filter`: no words were asked for. */
  readonly why: 'text' | 'title' | 'branch' | 'project' | 'filter';
  /** RFC 3339; of a session, when it was used last. */
  readonly at: string | undefined;
  /** Higher is better; 0 where nothing was ranked. */
  readonly score: number;
  /** Whether it has most of the words, in any form, and not all of them as they were typed. */
  readonly isNear: boolean;
  /** Whether it counts in its session; false after an undo. */
  readonly live: boolean;
  /** Whether the source of its session has vanished. */
  readonly gone: boolean;
  /** Id of the journal that it was found in, where that is the import of a session whose source is not known. */
  readonly importId?: string | undefined;
  readonly excerpt: Excerpt;
}

/** Numbers of all hits, also of those beyond the limit. */
export interface HitCounts {
  readonly hits: number;
  readonly sessions: number;
  /** By role; hits of sessions have none. */
  readonly roles: Readonly<Partial<Record<TextRole, number>>>;
  /** Whether that is all: counting very common words stops. */
  readonly isWhole: boolean;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** There are more hits than were asked for. */
  readonly isCut: boolean;
  /** The line of the request with words that are in the index, where one of its own is in no text or name. */
  readonly didYouMean?: string | undefined;
  /** Places that were not looked at, one sentence each. */
  readonly leftOut: readonly string[];
  /** Where they were asked for, and there are more hits than were asked for. */
  readonly counts?: HitCounts | undefined;
}

export interface SearchLimits {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long a regular expression may take over all texts. Default: 10 s. */
  readonly regexMs?: number | undefined;
  /** Where it is given, a message of an import is left out if its source says the same. */
  readonly importedId?: ImportedId | undefined;
}

export const DEFAULT_LIMIT = 20;
