// Derived files that know a later line than their journal has: evidence that acknowledged events were lost.
import type { Anchor, DocumentKind, JournalStore } from '../../journal/types.ts';
import { readSnapshotAnchor, readSnapshotBeginning } from './snapshot.ts';
import { readStateHead } from './state-file.ts';

interface Evidence {
  readonly kind: DocumentKind;
  /** The line that the file knows. */
  readonly known: Anchor;
}

/**
 * The derived files of a session that know a line after the `last` one of its journal. Both its number and its offset
 * have to be greater: a digit that a disk has changed is not evidence.
 */
export async function evidenceOfLoss(store: JournalStore, id: string, last: Anchor | undefined): Promise<Evidence[]> {
  const isAhead = ({ seq, offset }: Anchor) => seq > (last?.seq ?? -1) && offset > (last?.offset ?? 0);
  const named = await readSnapshotBeginning(store, id);
  const anchors: readonly (readonly [DocumentKind, Anchor | undefined])[] = [
    ['state', (await readStateHead(store, id))?.anchor],
    // All of it is read only where it would be evidence: whole, or else none.
    ['snapshot', named === undefined || isAhead(named) ? await readSnapshotAnchor(store, id) : named],
  ];
  return anchors.flatMap(([kind, known]) => (known !== undefined && isAhead(known) ? [{ kind, known }] : []));
}
