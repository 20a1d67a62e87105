// What a table of sessions is laid out from, in the order of a list: the lines that a pipe gets, and the size of each session,
// which is not in them. The same whether a session was read or is in the index of the list.
import { GLANCE_LENGTH } from '../../../platform/files/glance.ts';
import { askIndex, type IndexAnswer, type IndexQuestion } from './ask-index.ts';
import { inOrder } from './in-order.ts';
import { formed } from './list-forms.ts';
import type { ListPlace } from './list-place.ts';
import type { PrintedIndex } from './printed-index.ts';
import { printedAnswer } from './printed-list.ts';
import type { SessionRow } from './session-row.ts';

export interface ListedLines {
  /** Cells with tabs between them: id, activity, messages, model, title. Each line ends with a line feed. */
  readonly text: Uint8Array;
  readonly bytes: readonly number[];
  /** Lines, in an order in which ids that begin alike are neighbours. */
  readonly byName: Uint32Array;
}

const BYTES = 1;

/** Undefined where `listSessions` is to be asked, also because there is no session. */
export async function linesFromIndex(
  place: ListPlace,
  question: Omit<IndexQuestion, 'form'>,
): Promise<ListedLines | undefined> {
  const answer = await askIndex(place, { form: 'lines', ...question });
  if (answer === undefined) return undefined;
  const pieces = printedAnswer('lines', answer);
  if (pieces === undefined) return undefined;
  const text = Buffer.concat(pieces);
  return answer.rows.length === 0 ? { text, ...indexed(answer) } : { text, ...mixed(answer) };
}

export function linesOf(rows: readonly SessionRow[]): ListedLines {
  const bytes = rows.map((row) => row.bytes);
  return { text: Buffer.from(formed('lines', rows)), bytes, byName: sortedByName(rows.map(({ id }) => id)) };
}

/** The index has its sessions by name: nothing need be sorted. */
function indexed(answer: IndexAnswer): Omit<ListedLines, 'text'> {
  const { order, count } = answer.index;
  const bytes: number[] = [];
  /** Of each session its line, counted from 1. */
  const lines = new Uint32Array(count);
  for (const next of inOrder(answer)) {
    if (next.kind === 'read') continue;
    for (let rank = next.from; rank < next.to; rank += 1) {
      bytes.push(bytesThen(answer.index, rank));
      lines[order[rank]!] = bytes.length;
    }
  }
  return { bytes, byName: lines.filter((line) => line > 0).map((line) => line - 1) };
}

function mixed(answer: IndexAnswer): Omit<ListedLines, 'text'> {
  const known = answer.index.ids();
  const bytes: number[] = [];
  const ids: string[] = [];
  for (const next of inOrder(answer)) {
    if (next.kind === 'read') {
      bytes.push(next.row.bytes);
      ids.push(next.row.id);
      continue;
    }
    for (let rank = next.from; rank < next.to; rank += 1) {
      bytes.push(bytesThen(answer.index, rank));
      ids.push(known[answer.index.order[rank]!]!);
    }
  }
  return { bytes, byName: sortedByName(ids) };
}

function bytesThen({ glances, order }: PrintedIndex, rank: number): number {
  return glances[order[rank]! * GLANCE_LENGTH + BYTES]!;
}

function sortedByName(ids: readonly string[]): Uint32Array {
  return Uint32Array.from(ids.keys()).sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
}
