// A text too long for a line of the journal goes to a file under blobs/; the message then carries the file and the
// beginning of the text. Nothing is lost, and a reader of the journal still sees its subject.
import { BLOB_THRESHOLD_BYTES } from '../journal/format.ts';
import type { Part } from '../messages/index.ts';

/** The name of the file that has a long text of a message. */
export const LONG_TEXT_NAME = 'answer.txt';
const EXCERPT_LENGTH = 1_000;

interface StoredText {
  /** The text, or its beginning with a word on where the rest is. */
  readonly excerpt: string;
  /** The parts of the message. */
  readonly parts: readonly Part[];
}

interface TextPlace {
  /** Stores an attachment of the session; its sha256 comes back. */
  readonly put: (bytes: Uint8Array) => Promise<string>;
  readonly fileName: string;
}

export async function storeText(text: string, { put, fileName }: TextPlace): Promise<StoredText> {
  // A string of n units takes at most 3n bytes: most texts are known to be short without being encoded.
  if (text.length * 3 <= BLOB_THRESHOLD_BYTES) return { excerpt: text, parts: [{ type: 'text', text }] };
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= BLOB_THRESHOLD_BYTES) return { excerpt: text, parts: [{ type: 'text', text }] };
  const blob = await put(bytes);
  return {
    excerpt: `${text.slice(0, EXCERPT_LENGTH).toWellFormed()}… [${bytes.length} bytes in all: the whole text is blobs/${blob}]`,
    parts: [{ type: 'file', name: fileName, mediaType: 'text/plain; charset=utf-8', blob }],
  };
}

/** The parts of an answer; each long text is in a file of its own. */
export async function storeLongTexts(parts: readonly Part[], put: TextPlace['put']): Promise<Part[]> {
  const stored: Part[] = [];
  for (const part of parts) {
    if (part.type === 'text') stored.push(...(await storeText(part.text, { put, fileName: LONG_TEXT_NAME })).parts);
    else stored.push(part);
  }
  return stored;
}
