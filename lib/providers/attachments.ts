// A file or an image of a message as text: its content if it is text, else a note. All providers do the same, so that a
// model always knows which parts it was not shown.
import type { FilePart, ImagePart } from '../messages/index.ts';
import { delimit } from '../messages/untrusted.ts';
import type { QuotedFile } from './provider.ts';

/** A file goes in as text where it is text; of any other, the model learns that it is there. */
export function fileText(part: FilePart | QuotedFile, content: Uint8Array | undefined): string {
  const { name, mediaType } = part;
  if (!content) return `[the file ${name} (${mediaType}) is no longer there]`;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return 'isQuoted' in part ? delimit(text, { what: `file ${name}` }) : `${name}:\n${text}`;
  } catch {
    return `[the file ${name} (${mediaType}, ${content.length} bytes) is not text]`;
  }
}

export function missingImage({ mediaType }: ImagePart): string {
  return `[an image (${mediaType}) that is no longer there]`;
}

export function unseenImage({ mediaType }: ImagePart): string {
  return `[an image (${mediaType}) that this model cannot be shown]`;
}
