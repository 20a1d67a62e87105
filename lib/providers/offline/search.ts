// The port by which the offline provider searches a project.
import type { FoundInProject, ProjectQuestion } from '../../discovery/types.ts';

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

export type FoundFiles = FoundInProject<FoundFile>;

export interface OfflineSearch {
  find(question: string, options: ProjectQuestion<FoundFile>): Promise<FoundFiles>;
  /** Ranks further texts, such as earlier messages: the indexes of those that answer a question, best first. */
  rank(question: string, texts: readonly string[]): Promise<readonly number[]>;
}
