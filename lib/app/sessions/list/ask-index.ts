// What the index of a list answers, newest activity first: each journal is looked at once, and of those that are what they
// were, the index holds the very bytes that are printed. Only what is new or has changed is read, and only for that is the
// store opened. Says the same as `listSessions`, and leaves to it what it is better at.
import { JOURNAL_EXTENSION } from '../../../journal/paths.ts';
import type { FileStat } from '../../../platform/files/file-system.ts';
import { GLANCE_LENGTH } from '../../../platform/files/glance.ts';
import { lookAtAll, othersThere, type Seen } from './compare-with-disk.ts';
import type { ListForm } from './list-forms.ts';
import type { ListPlace } from './list-place.ts';
import { openPrinted, type PrintedIndex } from './printed-index.ts';
import type { SessionRow } from './session-row.ts';
import { unlessRefused } from './unless-refused.ts';

/** What an index does not answer. */
export interface Unanswered {
  /** Journals, by their ids. */
  readonly journals: readonly string[];
  /** Those of them that are what they were: somebody may have them open. */
  readonly perhapsOpen: ReadonlySet<string>;
  /** Names of documents without a journal. */
  readonly documents: readonly string[];
}

export interface IndexQuestion {
  /** What the index is to have of each session. */
  readonly form: ListForm;
  readonly limit?: number | undefined;
  /** Reads what the index does not answer, in the order of a list. */
  readonly read: (unanswered: Unanswered) => Promise<readonly SessionRow[]>;
}

/** What is listed: rows of the index, and rows that were read. */
export interface IndexAnswer {
  readonly index: PrintedIndex;
  /** 1 for each row of the index that is listed, as far as the limit goes. */
  readonly holds: Uint8Array;
  /** In the order of a list. */
  readonly rows: readonly SessionRow[];
  readonly limit: number;
}

const OPEN_TO_OTHERS = 0o077;
const MODIFIED = 3;
/** Where more of the sessions have changed, it is quicker to list all of them anew. */
const MOST_CHANGED = 0.25;

/**
 * Undefined where `listSessions` is to be asked: there is no index, too much has changed, or something is wrong with the
 * directory.
 */
export async function askIndex(
  place: ListPlace,
  { form, limit = Number.POSITIVE_INFINITY, read }: IndexQuestion,
): Promise<IndexAnswer | undefined> {
  if (place.mode === 'ephemeral' || limit === 0) return undefined;
  const directory = unlessRefused(() => directoryOf(place));
  const index = directory && unlessRefused(() => openPrinted(place, form));
  if (directory === undefined || index === undefined) return undefined;
  const othersLater = othersThere(place, directory, index);
  const seen = unlessRefused(() => lookAtAll(place, index));
  const others = await othersLater;
  if (seen === undefined || others === undefined) return undefined;

  const { journals, documents } = others;
  const changed = [...seen.changed, ...journals];
  if (changed.length > MOST_CHANGED * index.count) return undefined;
  const mayBeLess = limit < index.count + journals.length;
  const needed = mayBeLess ? leaveTheNewest(place, { limit, index, seen, changed }) : changed;
  if (needed === undefined) return undefined;
  const isAll = needed.length + documents.length === 0;
  const rows = isAll ? [] : await read({ journals: needed, perhapsOpen: seen.perhapsOpen, documents });
  return { index, holds: seen.holds, rows, limit };
}

/** If it is ours alone. Anything else about it is told, or mended, by the store. */
function directoryOf({ fileSystem, paths, process }: ListPlace): FileStat | undefined {
  const stat = fileSystem.stat(paths.sessions);
  if (stat?.kind !== 'directory') return undefined;
  const isOurs = process.uid === undefined || (stat.uid === process.uid && (stat.mode & OPEN_TO_OTHERS) === 0);
  return isOurs ? stat : undefined;
}

interface Candidate {
  readonly id: string;
  readonly modifiedMs: number;
  /** In the index, if its row holds. */
  readonly number: number | undefined;
}

/**
 * As `listSessions` has it, the files that were written last are the newest sessions: lets go of all other rows, and says which
 * of the changed journals are among the newest.
 */
function leaveTheNewest(
  { fileSystem, paths }: ListPlace,
  { limit, index, seen, changed }: { limit: number; index: PrintedIndex; seen: Seen; changed: readonly string[] },
): readonly string[] | undefined {
  const candidates: Candidate[] = [];
  const refused = unlessRefused(() => {
    for (const id of changed) {
      const stat = fileSystem.stat(`${paths.sessions}/${id}${JOURNAL_EXTENSION}`);
      if (stat !== undefined) candidates.push({ id, modifiedMs: stat.modifiedMs, number: undefined });
    }
    return false;
  });
  if (refused !== false) return undefined;
  const { glances, holds, starts } = seen;
  const modified = (number: number) => glances[number * GLANCE_LENGTH + MODIFIED]!;
  // The newest are at least as new as the oldest of any so many. Those that come first in the list are nearly always they.
  const first = firstThatHold(index.order, holds, limit).map(modified);
  const least = first.length < limit ? Number.NEGATIVE_INFINITY : first.reduce((a, b) => Math.min(a, b));
  for (let number = 0; number < holds.length; number += 1) {
    if (holds[number] !== 1 || modified(number) < least) continue;
    const id = index.idText.slice(starts[number], starts[number + 1]! - 1);
    candidates.push({ id, modifiedMs: modified(number), number });
  }
  const newest = candidates.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.id < b.id ? -1 : 1)).slice(0, limit);
  holds.fill(0);
  for (const { number } of newest) if (number !== undefined) holds[number] = 1;
  return newest.flatMap(({ id, number }) => (number === undefined ? [id] : []));
}

/** Their numbers; all of them, where there are not so many. */
function firstThatHold(order: Uint32Array, holds: Uint8Array, limit: number): number[] {
  const numbers: number[] = [];
  for (let rank = 0; rank < order.length && numbers.length < limit; rank += 1) {
    if (holds[order[rank]!] === 1) numbers.push(order[rank]!);
  }
  return numbers;
}
