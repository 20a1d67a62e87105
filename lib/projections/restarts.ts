// Folds that begin afresh now and then, such as that of the loop guard with each message of the user. In a replay a search
// goes over the journal in their place: for the last event behind which nothing that came before shows. They go over the rest.
import { toHex } from '../journal/line/checksum.ts';
import type { Anchor, JournalLine } from '../journal/types.ts';
import type { Fold, Restarts } from './projection.ts';
import type { Folds } from './replayer.ts';

export interface RestartSearch {
  readonly name: string;
  /** The fold that is spared. */
  readonly fold: Fold<unknown>;
  /** To be told of each line once it was applied. */
  look(line: JournalLine): void;
  /** The last line behind which the fold begins afresh; undefined if there was none. */
  readonly anchor: Anchor | undefined;
}

export interface Searches {
  readonly searches: readonly RestartSearch[];
  /** The folds, with the search in place of each that is spared. It leaves the state alone. */
  readonly folds: Folds;
}

export function searchesFor(folds: Folds): Searches {
  const searches: RestartSearch[] = [];
  const searching = Object.entries(folds).map(([name, fold]) => {
    if (fold.restarts === undefined) return [name, fold] as const;
    const { search, standIn } = searchFor(name, fold, fold.restarts);
    searches.push(search);
    return [name, standIn] as const;
  });
  return { searches, folds: Object.fromEntries(searching) };
}

function searchFor(name: string, fold: Fold<unknown>, { among, skips, at }: Restarts<Fold<unknown>['reads'][number]>) {
  let isFound = false;
  let last: { readonly seq: number; readonly end: number; readonly hash: bigint } | undefined;
  const standIn: Fold<unknown> = {
    name: `${fold.name}-restarts`,
    version: fold.version,
    reads: among,
    ...(skips === undefined ? {} : { skips }),
    initial: () => fold.initial(),
    apply(state, event) {
      isFound = at(event);
      return state;
    },
  };
  const search: RestartSearch = {
    name,
    fold,
    look({ seq, end, hash }) {
      if (!isFound) return;
      isFound = false;
      last = { seq, end, hash };
    },
    get anchor() {
      return last && { seq: last.seq, offset: last.end, xxh64: toHex(last.hash) };
    },
  };
  return { search, standIn };
}
