// The port by which the offline provider searches a project.
import type { SkipReason } from '../../discovery/types.ts';

/** A passage of a file, and the part of it that is quoted. */
export interface FoundFile {
  /** `path:line` of the whole passage. */
  readonly place: string;
  /** The lines of the whole passage, from 1. */
  readonly lines: readonly [first: number, last: number] | undefined;
  readonly text: string;
  readonly score: number;
  /** Words of the question that are in it or in its path. */
  readonly words: readonly string[];
  /** The question that this passage answers, if it describes its project as a whole. */
  readonly answers?: string | undefined;
  /** `best`: the line that says most, `first`: the first one that is quoted, both from 0 in the passage. */
  readonly quote: { readonly best: number; readonly first: number; readonly text: string };
}

export interface FoundFiles {
  /** Best first, one of each file. */
  readonly passages: readonly FoundFile[];
  /** Words of the question that are in no file. */
  readonly missing: readonly string[];
  /** How many files there are, and their paths. */
  readonly files: number;
  readonly paths: readonly string[];
  /** Whether there are more files than may be searched. */
  readonly isCut: boolean;
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>;
  /** Files that wait for the next question. */
  readonly left: number;
}

export interface OfflineSearch {
  find(
    question: string,
    options: {
      readonly limit: number;
      readonly signal: AbortSignal;
      readonly isLeftOut?: ((passage: FoundFile) => boolean) | undefined;
    },
  ): Promise<FoundFiles>;
  /** Ranks further texts, such as earlier messages: the indexes of those that answer a question, best first. */
  rank(question: string, texts: readonly string[]): Promise<readonly number[]>;
}
