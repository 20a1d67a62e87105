// A request whose history the provider refuses, made again with that history in another form: without the refused
// parts, or with them in words. A form is tried once; the accepted form is stored, and later turns begin with it.
import { isDeepStrictEqual } from 'node:util';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { type HistoryForm, nextForm, type RefusedPiece } from '../../providers/refused-history.ts';
import type { Turn } from '../turn.ts';
import type { RequestStep } from './record-reply.ts';
import { assembledFor, request } from './request.ts';

const NOTICES: Readonly<Record<RefusedPiece, string>> = {
  reasoning: 'The provider refuses the reasoning of earlier answers: it is asked again without that.',
  'missing reasoning': 'The provider wants reasoning that earlier answers do not have: it is asked again with a note.',
  attachments: 'The provider refuses an image or a document: it is asked again without those of earlier messages.',
  'call ids': 'The provider refuses the ids of earlier calls: it is asked again with shorter ones.',
  calls: 'The provider refuses the calls of the conversation: it is asked again with the calls in words.',
};

/** Shows the answer as `request` does. */
export async function requestInForms(turn: Turn, step: RequestStep): Promise<void> {
  const before = turn.form;
  for (;;) {
    try {
      await request(turn, step);
      if (turn.form !== before && !turn.cancelled.aborted) await storeForm(turn);
      return;
    } catch (refusal) {
      const { pieces, calls } = step.reply;
      const piece = pieces.length + calls.length === 0 && step.isSent ? refusedBy(refusal) : undefined;
      const form = piece && otherForm(turn, piece);
      if (turn.cancelled.aborted) throw refusal;
      if (piece === 'attachments' && form === undefined) throw withoutAttachment(refusal);
      if (piece === undefined || form === undefined) throw refusal;
      turn.form = form;
      turn.retries += 1;
      turn.show({ type: 'notice', text: NOTICES[piece] });
    }
  }
}

/** The newest question holds it: without it the question would be another one, so the user decides. */
function withoutAttachment(refusal: unknown): unknown {
  if (!isOllmError(refusal)) return refusal;
  const { code, message, data, cause } = refusal;
  return new OllmError(code, message, {
    hint: 'An image or document of this question is refused. The next question is sent without it: send it smaller or in another format, or ask another model (/model).',
    data,
    cause,
  });
}

async function storeForm({ session, dependencies: { provider, model }, number, form }: Turn): Promise<void> {
  const data = { provider: provider.name, model, ...form };
  await session.append({ type: 'history.adapted', turn: number, ignorable: true, data });
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
