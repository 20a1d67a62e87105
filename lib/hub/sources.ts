// Where sessions come from: ollm's own store, and the programs whose sessions it can read. One list of places, in which
// each has the same form, so that whatever goes over all sessions knows none of them by name.
import type { TextSource } from '../catalog/text-source.ts';

/** The sessions of one agent at one place. */
export interface SessionPlace {
  /** `ollm`, or the name of another program. */
  readonly agent: string;
  readonly directory: string;
  /**
   * The fate of a session in the catalogue whose source is gone: one of ollm was deleted by its user and is removed;
   * one of another program may have been lost, and stays with a mark.
   */
  readonly vanished: 'remove' | 'keep';
  /** Whether `list` returns only some of the sessions. The others must not count as gone. */
  readonly isPart?: boolean | undefined;
  /** Every session that is there now, without opening it, and what cannot be looked at. */
  list(): Promise<ListedSources>;
}

export interface ListedSources {
  readonly sources: readonly TextSource[];
  readonly skipped: readonly SkippedSource[];
  /** Paths of which nothing is known now: a session below them that is not among the sources need not be gone. */
  readonly unlisted: readonly string[];
}

/** A session or a place that is left out. `reason`: one sentence without its subject. */
export interface SkippedSource {
  readonly address: string;
  readonly reason: string;
  /** The code of an error of ollm: `SESSION_ENCRYPTED` for a session that is left out on purpose. */
  readonly code?: string | undefined;
}
