// Rewrites the history of a conversation for a provider that refused it: without the refused parts, which words replace
// where the model would miss them. Pure. The parts of the newest question stay as far as possible.
import { hash } from 'node:crypto';
import { joined, ownText, type RequestText } from '../messages/untrusted.ts';
import { callsInWords } from '../providers/calls-in-words.ts';
import type { HistoryForm } from '../providers/refused-history.ts';
import type { RequestMessage, RequestPart } from './assembled.ts';

/** The position of a message. */
interface MessagePlace {
  /** Whether it belongs to a question that is finished. */
  readonly isEarlier: boolean;
  readonly provider: string;
}

const NO_REASONING = 'The reasoning of this step was not recorded.';
const ID_DIGITS = 8;

type SaidMessage = Exclude<RequestMessage, { role: 'context' }>;

export function inForm(message: RequestMessage, form: HistoryForm, place: MessagePlace): RequestMessage {
  if (message.role === 'context') return message;
  const changed = withShortIds(withAttachments(withReasoning(message, form, place), form, place), form);
  // All text of it is made of texts that may go to a model.
  return form.calls === 'words' ? (callsInWords(changed) as RequestMessage) : changed;
}

function withReasoning(message: SaidMessage, form: HistoryForm, place: MessagePlace): SaidMessage {
  if (message.role !== 'assistant' || form.reasoning === undefined) return message;
  const { isEarlier, provider } = place;
  if (form.reasoning === 'filled') {
    const isThere = message.parts.some((part) => part.type === 'reasoning' && part.text !== undefined);
    if (isThere || message.parts.length + message.toolCalls.length === 0) return message;
    return { ...message, parts: [{ type: 'reasoning', text: NO_REASONING, provider }, ...message.parts] };
  }
  if (form.reasoning === 'current' && !isEarlier) return message;
  return { ...message, parts: message.parts.filter(({ type }) => type !== 'reasoning') };
}

/**
 * Images and documents. Those that a tool brought are gone from the newest question too: the user cannot take them
 * back.
 */
function withAttachments(message: SaidMessage, form: HistoryForm, { isEarlier }: MessagePlace): SaidMessage {
  if (form.attachments === undefined || message.role === 'assistant') return message;
  if (message.role === 'user') return isEarlier ? { ...message, parts: message.parts.map(toldInWords) } : message;
  return {
    ...message,
    results: message.results.map(({ images = [], ...result }) => ({
      ...result,
      content: joined([result.content, ...images.map(leftOut)]),
    })),
  };
}

function toldInWords(part: RequestPart): RequestPart {
  const isShown = part.type === 'image' || (part.type === 'file' && part.mediaType === 'application/pdf');
  return isShown ? { type: 'text', text: leftOut(part) } : part;
}

function leftOut({ mediaType }: { readonly mediaType: string }): RequestText {
  return ownText(`[an attachment (${mediaType}) that was left out: the provider refused it]`);
}

function withShortIds(message: SaidMessage, form: HistoryForm): SaidMessage {
  if (form.callIds !== 'short' || message.role === 'user') return message;
  const short = <Call extends { readonly callId: string }>(call: Call): Call => ({
    ...call,
    callId: shortId(call.callId),
  });
  if (message.role === 'tool') return { ...message, results: message.results.map(short) };
  return { ...message, toolCalls: message.toolCalls.map(short) };
}

/** Nine letters and digits, the form that the strictest server accepts. */
function shortId(callId: string): string {
  const digits = BigInt(`0x${hash('sha256', callId, 'hex')}`).toString(36);
  return `c${digits.slice(0, ID_DIGITS)}`;
}
