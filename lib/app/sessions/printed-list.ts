// What a list prints for programs, newest activity first, from the index of the list: each journal is looked at once, and of
// those that are what they were, the index holds the very bytes that are printed. Only what is new or has changed is read, and
// only for that is the store opened. Says the same as `listSessions`, and leaves to it what it is better at.
import { isOllmError, systemErrorCode } from '../../errors/index.ts';
import { idOfJournal, JOURNAL_EXTENSION } from '../../journal/paths.ts';
import type { FileStat } from '../../platform/file-system.ts';
import { datesNames } from '../../platform/file-system-kind.ts';
import { GLANCE_LENGTH, millisecondsOf } from '../../platform/glance.ts';
import type { App } from '../app.ts';
import { FORMS, type ListForm } from './list-forms.ts';
import {
  addStamp,
  type IndexFile,
  isSameGlance,
  linesOf,
  numbersOf,
  readIndexFile,
  SETTLED_AFTER_MS,
  type Section,
  stampOf,
  textOf,
} from './list-index-file.ts';
import { activityOf, compareActivity, type SessionRow } from './session-row.ts';

/** What is known before a store is opened. */
export type ListPlace = Pick<App, 'fileSystem' | 'paths' | 'process' | 'mode' | 'clock'>;

/** What an index does not answer. */
export interface Unanswered {
  /** Journals, by their ids. */
  readonly journals: readonly string[];
  /** Those of them that are what they were: somebody may have them open. */
  readonly perhapsOpen: ReadonlySet<string>;
  /** Names of documents without a journal. */
  readonly documents: readonly string[];
}

export interface PrintedListOptions {
  readonly form: ListForm;
  readonly limit?: number | undefined;
  /** Reads what the index does not answer, in the order of a list. */
  readonly read: (unanswered: Unanswered) => Promise<readonly SessionRow[]>;
}

interface PrintedIndex {
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

/** What is in the directory besides the journals of the index. */
type Others = Pick<Unanswered, 'journals' | 'documents'>;

const NO_OTHERS: Others = { journals: [], documents: [] };

/** What is there now. */
interface Seen {
  readonly glances: Float64Array;
  /** 1 for each whose row holds. */
  readonly holds: Uint8Array;
  /** Where each id begins in the text of them; at last, where one more would. */
  readonly starts: Uint32Array;
  readonly changed: string[];
  readonly perhapsOpen: Set<string>;
}

const OPEN_TO_OTHERS = 0o077;
const DOCUMENT_EXTENSION = '.json';
const ENDS_JOURNAL = JOURNAL_EXTENSION.charCodeAt(JOURNAL_EXTENSION.length - 1);
const ENDS_DOCUMENT = DOCUMENT_EXTENSION.charCodeAt(DOCUMENT_EXTENSION.length - 1);
const MODIFIED = 3;
/** Where more of the sessions have changed, it is quicker to list all of them anew. */
const MOST_CHANGED = 0.25;

/**
 * The bytes in pieces, to be printed one behind the other; undefined where `listSessions` is to be asked: there is no index, or
 * no session, too much has changed, or something is wrong with the directory.
 *
 * @example
 * const pieces = await printedList(place, { form: 'lines', read: async (unanswered) => readRows(await openApp(), unanswered) });
 */
export async function printedList(
  place: ListPlace,
  { form, limit = Number.POSITIVE_INFINITY, read }: PrintedListOptions,
): Promise<readonly Uint8Array[] | undefined> {
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
  return pieces(form, index, seen.holds, rows, limit);
}

/** If it is ours alone. Anything else about it is told, or mended, by the store. */
function directoryOf({ fileSystem, paths, process }: ListPlace): FileStat | undefined {
  const stat = fileSystem.stat(paths.sessions);
  if (stat?.kind !== 'directory') return undefined;
  const isOurs = process.uid === undefined || (stat.uid === process.uid && (stat.mode & OPEN_TO_OTHERS) === 0);
  return isOurs ? stat : undefined;
}

function unlessRefused<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (systemErrorCode(error) === undefined && !isOllmError(error)) throw error;
    return undefined;
  }
}

function openPrinted(place: ListPlace, form: ListForm): PrintedIndex | undefined {
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

/** Takes one id after the other from the text: ten thousand strings that stay would be carried through each collection. */
function lookAtAll({ fileSystem, paths }: ListPlace, { count, idText, glances: then, closed }: PrintedIndex): Seen {
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
async function othersThere(
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

/** The rows of the index that hold, and those that were read, in the order of a list. Undefined if there are none. */
function pieces(
  form: ListForm,
  index: PrintedIndex,
  holds: Uint8Array,
  rows: readonly SessionRow[],
  limit: number,
): readonly Uint8Array[] | undefined {
  const { open, between, close } = FORMS[form];
  const isWhole = rows.length === 0 && limit >= index.count && !holds.includes(0);
  const text = isWhole ? index.text : Buffer.concat([...mixed(form, index, holds, rows, limit)]);
  if (text.length === 0) return undefined;
  return [Buffer.from(open), text.subarray(0, text.length - between.length), Buffer.from(close)];
}

function* mixed(
  form: ListForm,
  { ids, order, activities, ends, text }: PrintedIndex,
  holds: Uint8Array,
  rows: readonly SessionRow[],
  limit: number,
): Generator<Uint8Array, void, void> {
  const { of, between } = FORMS[form];
  const [times, names] = rows.length === 0 ? [[], []] : [activities(), ids()];
  let left = limit;
  let next = 0;
  /** Bytes of neighbours, which are copied together. */
  let from = 0;
  let to = 0;
  for (let rank = 0; rank < order.length && left > 0; rank += 1) {
    const number = order[rank]!;
    if (holds[number] !== 1) continue;
    for (; left > 0 && next < rows.length; next += 1, left -= 1) {
      const row = rows[next]!;
      if (compareActivity(activityOf(row), row.id, times[rank] ?? '', names[number]!) > 0) break;
      yield text.subarray(from, to);
      from = to;
      yield Buffer.from(`${of(row)}${between}`);
    }
    if (left === 0) break;
    const start = rank === 0 ? 0 : ends[rank - 1]!;
    if (start !== to) {
      yield text.subarray(from, to);
      from = start;
    }
    to = ends[rank]!;
    left -= 1;
  }
  yield text.subarray(from, to);
  for (const row of rows.slice(next, next + left)) yield Buffer.from(`${of(row)}${between}`);
}
