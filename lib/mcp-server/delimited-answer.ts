// What a client is given of stored text: without secrets, at most 32 KiB, and between delimiters that say it is a
// quotation.
import type { App } from '../app/app.ts';
import { delimit, type Quoted } from '../messages/untrusted.ts';

/** UTF-8 bytes of the text of one answer. */
export const MAX_ANSWER_BYTES = 32 * 1024;
const CUT = '\n[… cut here: ask for less, or read on from where this ends]';

/** `what`: a few words for the delimiters. */
export async function quotedAnswer(app: App, text: string, what: string): Promise<Quoted> {
  const redact = await app.redactor({ onRequest: true });
  return delimit(bounded(redact(text).text), { what });
}

function bounded(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= MAX_ANSWER_BYTES) return text;
  // A character that is cut in two is left out.
  const kept = new TextDecoder().decode(bytes.subarray(0, MAX_ANSWER_BYTES - CUT.length), { stream: true });
  return `${kept}${CUT}`;
}
