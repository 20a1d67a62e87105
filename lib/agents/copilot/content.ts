// What a prompt or a result of Copilot CLI holds besides its text: pictures, and text that the user selected. Larger
// bytes are in a record of their own, before the one that names them.
import type { ImagePart, Part } from '../../messages/index.ts';
import type { Attachment, JsonObject } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { nonEmpty, objectsIn, saysSomething, textIn } from '../members.ts';
import { type CopilotGiven, remember, shortText } from './state.ts';

export interface Content {
  readonly parts: readonly Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

/** What is attached to a prompt. Of a file or directory that is only named, the content is not in the record. */
export function readAttachments(list: unknown, given: CopilotGiven): Content {
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const one of objectsIn(list)) {
    const image = one.type === 'blob' ? imageOf(one.mimeType, one.data) : undefined;
    const text = one.type === 'selection' ? textIn(one.text) : undefined;
    if (image !== undefined) {
      parts.push(image.part);
      attachments.push(image.attachment);
    } else if (saysSomething(text)) {
      parts.push({ type: 'text', text: `${textIn(one.filePath) ?? ''}\n${text}` });
    } else if (!isSaid(one, given)) {
      given.left.push(`data.attachments[${textIn(one.type) ?? ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

function isSaid({ assetId }: JsonObject, { state }: CopilotGiven): boolean {
  const id = shortText(assetId);
  return id !== undefined && state.assets.includes(id);
}

/** The pictures that a tool brought back. */
export function readImages(
  list: unknown,
  given: CopilotGiven,
): { readonly images: readonly ImagePart[]; readonly attachments: readonly Attachment[] | undefined } {
  const found = objectsIn(list).flatMap((one) => {
    const image = imageOf(one.mimeType, one.data);
    if (image === undefined) given.left.push('data.result.binaryResultsForLlm');
    return image === undefined ? [] : [image];
  });
  const attachments = found.map(({ attachment }) => attachment);
  return { images: found.map(({ part }) => part), attachments: attachments.length === 0 ? undefined : attachments };
}

/** Bytes that the next record names. Between a call and its result they are the result's, and stay in the source. */
export function readAsset({ assetId, mimeType, data }: JsonObject, given: CopilotGiven): void {
  const image = imageOf(mimeType, data);
  const id = shortText(assetId);
  if (image === undefined || id === undefined || given.state.calls.length > 0) {
    if (nonEmpty(data) !== undefined) given.left.push('data.data');
    return;
  }
  remember(given.state.assets, id);
  given.add({
    type: 'message.added',
    data: { role: 'user', parts: [image.part], trusted: false, synthetic: true },
    attachments: [image.attachment],
  });
}
