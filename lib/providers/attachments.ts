// What becomes of a file or an image of a message: its text where it has one, a note where there is nothing to show.
// The same for each provider, so that a model is never left to guess what it was not shown.
import type { FilePart, ImagePart } from '../messages/index.ts';

/** A file goes in as text where it is text; of any other, the model learns that it is there. */
export function fileText({ name, mediaType }: FilePart, content: Uint8Array | undefined): string {
  if (!content) return `[the file ${name} (${mediaType}) is no longer there]`;
  try {
    return `${name}:\n${new TextDecoder('utf-8', { fatal: true }).decode(content)}`;
  } catch {
    return `[the file ${name} (${mediaType}, ${content.length} bytes) is no text]`;
  }
}

export function missingImage({ mediaType }: ImagePart): string {
  return `[an image (${mediaType}) that is no longer there]`;
}

export function unseenImage({ mediaType }: ImagePart): string {
  return `[an image (${mediaType}) that this model cannot be shown]`;
}
