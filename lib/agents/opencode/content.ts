// What parts of opencode's messages hold besides text: pictures as data: URLs.
import type { Part } from '../../messages/index.ts';
import type { Attachment, JsonObject } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import { nonEmpty, textIn } from '../members.ts';

export interface Content {
  readonly parts: Part[];
  readonly attachments: Attachment[];
}

export function noContent(): Content {
  return { parts: [], attachments: [] };
}

/** Takes in a file of a prompt, an answer or a result. False where no part can say it. */
export function addFile({ url, mime, source }: JsonObject, content: Content): boolean {
  const image = imageOfUrl(url);
  if (image !== undefined) {
    content.parts.push(image.part);
    content.attachments.push(image.attachment);
    return true;
  }
  // Text and directories that are named come again as text that the program read.
  const isRead = textIn(mime)?.startsWith('text/') === true || mime === 'application/x-directory';
  return isRead && (nonEmpty(url)?.startsWith('file:') === true || source !== undefined);
}

export function attachmentsOf({ attachments }: Content): readonly Attachment[] | undefined {
  return attachments.length === 0 ? undefined : attachments;
}
