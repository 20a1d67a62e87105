// Content of opencode's message parts other than text: pictures as data: URLs.
import type { JsonObject } from '../agent.ts';
import { imageOfUrl } from '../attachments.ts';
import type { Content } from '../content.ts';
import { nonEmpty, textIn } from '../members.ts';

/** Takes in a file of a prompt, an answer or a result. False where no part can say it. */
export function addFile({ url, mime, source }: JsonObject, content: Content): boolean {
  if (content.addImage(imageOfUrl(url))) return true;
  // Text and directories that are named come again as text that the program read.
  const isRead = textIn(mime)?.startsWith('text/') === true || mime === 'application/x-directory';
  return isRead && (nonEmpty(url)?.startsWith('file:') === true || source !== undefined);
}
