// A request whose history the provider refuses, made again with that history in another form: without what it refuses,
// or with it told in words. A form is tried once in a turn, and the turn stays with the one that was taken.
import { isDeepStrictEqual } from 'node:util';
import { isOllmError } from '../../errors/index.ts';
import { type HistoryForm, nextForm, type RefusedPiece } from '../../providers/refused-history.ts';
import type { Turn } from '../turn.ts';
import type { Step } from './record-reply.ts';
import { assembledFor, request } from './request.ts';

const NOTICES: Readonly<Record<RefusedPiece, string>> = {
  reasoning: 'The provider refuses the reasoning of earlier answers: it is asked again without that.',
  'missing reasoning': 'The provider wants reasoning that earlier answers do not have: it is asked again with a note.',
  attachments: 'The provider refuses an image or a document: it is asked again without those of earlier messages.',
  'call ids': 'The provider refuses the ids of earlier calls: it is asked again with shorter ones.',
  calls: 'The provider refuses the calls of the conversation: it is asked again with the calls in words.',
};

/** Shows the answer as `request` does. */
export async function requestInForms(turn: Turn, step: Step): Promise<void> {
  for (;;) {
    try {
      return await request(turn, step);
    } catch (refusal) {
      const { pieces, calls } = step.reply;
      const piece = pieces.length + calls.length === 0 && step.isSent ? refusedBy(refusal) : undefined;
      const form = piece && otherForm(turn, piece);
      if (piece === undefined || form === undefined || turn.cancelled.aborted) throw refusal;
      turn.form = form;
      turn.retries += 1;
      turn.show({ type: 'notice', text: NOTICES[piece] });
    }
  }
}

function refusedBy(error: unknown): RefusedPiece | undefined {
  return isOllmError(error) ? (error.data as { readonly refused?: RefusedPiece } | undefined)?.refused : undefined;
}

/** The next form in which the messages differ from those that were refused. */
function otherForm(turn: Turn, piece: RefusedPiece): HistoryForm | undefined {
  const { messages: refused } = assembledFor(turn);
  for (let form = nextForm(piece, turn.form); form !== undefined; form = nextForm(piece, form))
    if (!isDeepStrictEqual(assembledFor(turn, form).messages, refused)) return form;
  return undefined;
}
