// What the index of a list has for one form: the very bytes that are printed, and what is needed to tell which of them hold.
import type { ListForm } from './list-forms.ts';
import { type IndexFile, linesOf, numbersOf, readIndexFile, type Section, textOf } from './list-index-file.ts';
import type { ListPlace } from './list-place.ts';

export interface PrintedIndex {
  /** How many sessions. */
  readonly count: number;
  /** By the names of their journals: a line for each. */
  readonly idText: string;
  readonly ids: () => readonly string[];
  readonly glances: Float64Array;
  readonly closed: Uint8Array;
  /** Number of each in `ids`, in the order of a list; so are the next three. */
  readonly order: Uint32Array;
  readonly activities: () => readonly string[];
  readonly ends: Uint32Array;
  readonly text: Uint8Array;
  readonly file: Pick<IndexFile, 'stamp' | 'inode' | 'length' | 'size'>;
}

/** Undefined if there is none that can be used. */
export function openPrinted(place: ListPlace, form: ListForm): PrintedIndex | undefined {
  const names = ['glances', 'ids', 'closed', 'order', 'activities', `${form}Ends`, form] as const satisfies Section[];
  const file = readIndexFile(place, names);
  if (file === undefined) return undefined;
  const { sections } = file;
  return {
    file,
    count: sections.closed.length,
    idText: textOf(sections.ids),
    ids: once(() => linesOf(sections.ids)),
    glances: numbersOf(sections.glances, Float64Array),
    closed: sections.closed,
    order: numbersOf(sections.order, Uint32Array),
    activities: once(() => linesOf(sections.activities)),
    ends: numbersOf(sections[`${form}Ends`], Uint32Array),
    text: sections[form],
  };
}

/** Nearly always nobody asks. */
function once<Result>(make: () => Result): () => Result {
  let made: Result | undefined;
  return () => (made ??= make());
}
