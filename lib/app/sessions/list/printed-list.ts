// What a list prints for programs, newest activity first, put together of the bytes that the index of the list holds and of the
// rows that were read.
import { askIndex, type IndexAnswer, type IndexQuestion } from './ask-index.ts';
import { inOrder, textOf } from './in-order.ts';
import { FORMS, type ListForm } from './list-forms.ts';
import type { ListPlace } from './list-place.ts';

/**
 * The bytes in pieces, to be printed one behind the other; undefined where `listSessions` is to be asked, also because there is
 * no session.
 *
 * @example
 * const pieces = await printedList(place, { form: 'lines', read: async (unanswered) => readRows(await openApp(), unanswered) });
 */
export async function printedList(
  place: ListPlace,
  question: IndexQuestion,
): Promise<readonly Uint8Array[] | undefined> {
  const answer = await askIndex(place, question);
  return answer && printedAnswer(question.form, answer);
}

/** The same of what the index has answered. */
export function printedAnswer(form: ListForm, answer: IndexAnswer): readonly Uint8Array[] | undefined {
  const { open, between, close } = FORMS[form];
  const parts = [...bytesOf(form, answer)];
  const text = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (text.length === 0) return undefined;
  return [Buffer.from(open), text.subarray(0, text.length - between.length), Buffer.from(close)];
}

function* bytesOf(form: ListForm, answer: IndexAnswer): Generator<Uint8Array, void, void> {
  const { of, between } = FORMS[form];
  for (const next of inOrder(answer)) {
    if (next.kind === 'read') yield Buffer.from(`${of(next.row)}${between}`);
    else yield textOf(answer.index, next);
  }
}
