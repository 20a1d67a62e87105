// What is there now of what an index remembers: one look at each journal, and at the names of the directory where it has
// changed since somebody found no others in it.
import { idOfJournal, JOURNAL_EXTENSION } from '../../../journal/paths.ts';
import { datesNames } from '../../../platform/disks/file-system-kind.ts';
import type { FileStat } from '../../../platform/files/file-system.ts';
import { GLANCE_LENGTH, millisecondsOf } from '../../../platform/files/glance.ts';
import { addStamp, isSameGlance, SETTLED_AFTER_MS, stampOf } from './list-index-file.ts';
import type { ListPlace } from './list-place.ts';
import type { PrintedIndex } from './printed-index.ts';
import { unlessRefused } from './unless-refused.ts';

/** What is in the directory besides the journals of the index. */
export interface Others {
  /** Ids. */
  readonly journals: readonly string[];
  /** Names of documents without a journal. */
  readonly documents: readonly string[];
}

const NO_OTHERS: Others = { journals: [], documents: [] };

/** What is there now. */
export interface Seen {
  readonly glances: Float64Array;
  /** 1 for each whose row holds. */
  readonly holds: Uint8Array;
  /** Where each id begins in the text of them; at last, where one more would. */
  readonly starts: Uint32Array;
  readonly changed: string[];
  readonly perhapsOpen: Set<string>;
}

const DOCUMENT_EXTENSION = '.json';
const ENDS_JOURNAL = JOURNAL_EXTENSION.charCodeAt(JOURNAL_EXTENSION.length - 1);
const ENDS_DOCUMENT = DOCUMENT_EXTENSION.charCodeAt(DOCUMENT_EXTENSION.length - 1);

/** Takes one id after the other from the text: ten thousand strings that stay would be carried through each collection. */
export function lookAtAll(
  { fileSystem, paths }: ListPlace,
  { count, idText, glances: then, closed }: PrintedIndex,
): Seen {
  const now = new Float64Array(then.length);
  const holds = new Uint8Array(count);
  const changed: string[] = [];
  const perhapsOpen = new Set<string>();
  const before = `${paths.sessions}/`;
  const starts = new Uint32Array(count + 1);
  for (let number = 0; number < count; number += 1) {
    const at = number * GLANCE_LENGTH;
    const start = starts[number]!;
    const end = number === count - 1 ? idText.length : idText.indexOf('\n', start);
    starts[number + 1] = end + 1;
    const id = idText.slice(start, end);
    const isThere = fileSystem.glance(before + id + JOURNAL_EXTENSION, now, at);
    if (isThere && isSameGlance(then, now, at)) {
      if (closed[number] === 1) {
        holds[number] = 1;
        continue;
      }
      perhapsOpen.add(id);
    }
    changed.push(id);
  }
  return { glances: now, holds, starts, changed, perhapsOpen };
}

/**
 * Nothing, where the directory is as it was when somebody found that. Otherwise the system reads the names, while we look at
 * the files of those that are known. `directory`: as it was before.
 */
export async function othersThere(
  place: ListPlace,
  directory: FileStat,
  { ids, file }: PrintedIndex,
): Promise<Others | undefined> {
  const { fileSystem, paths, clock } = place;
  const stamp = stampOf(directory);
  if (file.stamp === stamp) return NO_OTHERS;
  const isSettled = clock.now() - millisecondsOf(directory.changedNs) > SETTLED_AFTER_MS;
  const names = await fileSystem.readNamesBeside(paths.sessions).catch(() => undefined);
  if (names === undefined) return undefined;
  const others = othersIn(names, ids());
  if (isSettled && others.journals.length + others.documents.length === 0) {
    unlessRefused(() => {
      if (datesNames(fileSystem.space(paths.sessions).type)) addStamp(place, file, stamp);
    });
  }
  return others;
}

/** Both sorted by name. Of forty thousand names only the ends are looked at, and of those of journals the beginnings. */
function othersIn(names: readonly string[], ids: readonly string[]): Others {
  const journals: string[] = [];
  const documents: string[] = [];
  let next = 0;
  /** Of a document that came just before: its journal would be the next name, or near it. */
  let document = '';
  for (const name of names) {
    const end = name.charCodeAt(name.length - 1);
    if (end === ENDS_JOURNAL && name.endsWith(JOURNAL_EXTENSION)) {
      if (document !== '' && name.length === document.length + 1 && name.startsWith(document)) documents.pop();
      document = '';
      while (next < ids.length && !isJournalOf(name, ids[next]!) && ids[next]! + JOURNAL_EXTENSION < name) next += 1;
      if (next < ids.length && isJournalOf(name, ids[next]!)) {
        next += 1;
        continue;
      }
      const id = idOfJournal(name);
      if (id !== undefined) journals.push(id);
    } else if (end === ENDS_DOCUMENT && name.indexOf('.') === name.length - DOCUMENT_EXTENSION.length) {
      if (!name.endsWith(DOCUMENT_EXTENSION)) continue;
      document = name;
      documents.push(name);
    }
  }
  return { journals, documents };
}

function isJournalOf(name: string, id: string): boolean {
  return name.length === id.length + JOURNAL_EXTENSION.length && name.startsWith(id);
}
