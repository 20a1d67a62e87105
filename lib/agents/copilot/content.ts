// Content of a prompt or a result of Copilot CLI in addition to its text: pictures, and text that the user selected.
// Larger bytes are in a record of their own, before the one that names them.
import type { JsonObject } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectsIn, saysSomething, textIn } from '../members.ts';
import { addUserMessage } from '../said.ts';
import { type CopilotGiven, remember, shortId } from './state.ts';

/** Attachments of a prompt. For a file or directory that is only named, the content is not in the record. */
export function readAttachments(list: unknown, content: Content, given: CopilotGiven): void {
  for (const one of objectsIn(list)) {
    if (one.type === 'blob' && content.addImage(imageOf(one.mimeType, one.data))) continue;
    const text = one.type === 'selection' ? textIn(one.text) : undefined;
    if (saysSomething(text)) content.addText(`${textIn(one.filePath) ?? ''}\n${text}`);
    else if (!isSaid(one, given)) given.left.push(`data.attachments[${textIn(one.type) ?? ''}]`);
  }
}

function isSaid({ assetId }: JsonObject, { state }: CopilotGiven): boolean {
  const id = shortId(assetId);
  return id !== undefined && state.assets.includes(id);
}

/** The pictures that a tool brought back. */
export function readImages(list: unknown, given: CopilotGiven): Content {
  const content = new Content();
  for (const one of objectsIn(list)) {
    if (!content.addImage(imageOf(one.mimeType, one.data))) given.left.push('data.result.binaryResultsForLlm');
  }
  return content;
}

/** Bytes that the next record names. Between a call and its result they are the result's, and stay in the source. */
export function readAsset({ assetId, mimeType, data }: JsonObject, given: CopilotGiven): void {
  const content = new Content();
  const id = shortId(assetId);
  if (id === undefined || given.state.calls.length > 0 || !content.addImage(imageOf(mimeType, data))) {
    if (nonEmpty(data) !== undefined) given.left.push('data.data');
    return;
  }
  remember(given.state.assets, id);
  addUserMessage({ content, isSynthetic: true }, given);
}
