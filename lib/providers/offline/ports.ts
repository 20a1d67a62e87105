// What the search is handed: the project's texts, and the past of the session. It opens nothing itself.
import type { Query } from './words.ts';

export type { ProjectDocument, ProjectFiles, ProjectListing, SkipReason } from '../../discovery/types.ts';

export interface PastMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly turn?: number | undefined;
}

export interface HistoryHit extends PastMessage {
  readonly score: number;
}

export interface HistorySearch {
  /** The best of the past messages, best first; for a query without words, the last ones of the user. */
  search(
    query: Query,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly HistoryHit[]>;
}
