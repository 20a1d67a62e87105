// Derived files that know a later line than their journal has: evidence that acknowledged events were lost.
import type { Anchor, DocumentKind, JournalStore } from '../journal/types.ts';
import { readSnapshotAnchor } from './snapshot.ts';
import { readStateHead } from './state-head.ts';

export interface Evidence {
  readonly kind: DocumentKind;
  /** The line that the file knows. */
  readonly known: Anchor;
}

/** Of the derived files of a session those whose line `isAhead`. */
export function evidenceOfLoss(store: JournalStore, id: string, isAhead: (known: Anchor) => boolean): Evidence[] {
  const anchors: readonly (readonly [DocumentKind, Anchor | undefined])[] = [
    ['state', readStateHead(store, id)?.anchor],
    ['snapshot', readSnapshotAnchor(store, id)],
  ];
  return anchors.flatMap(([kind, known]) => (known !== undefined && isAhead(known) ? [{ kind, known }] : []));
}
