// Pictures in records: the part of a message that names one by the sha256 of its content, and the content itself.
import { hash } from 'node:crypto';
import type { ImagePart } from '../messages/index.ts';
import type { Attachment } from './given.ts';
import { textIn } from './members.ts';

export interface FoundImage {
  readonly part: ImagePart;
  readonly attachment: Attachment;
}

const MEDIA_TYPE = /^image\/[a-z0-9.+-]{1,100}$/i;

/** Undefined where the two do not describe a picture. */
export function imageOf(mediaType: unknown, base64: unknown): FoundImage | undefined {
  const type = textIn(mediaType);
  const text = textIn(base64);
  if (type === undefined || !MEDIA_TYPE.test(type) || text === undefined || text === '') return undefined;
  const blob = hash('sha256', Buffer.from(text, 'base64'), 'hex');
  return { part: { type: 'image', mediaType: type, blob }, attachment: { blob, base64: text } };
}

/** The image of a `data:` URL. The image of any other URL is not available here. */
export function imageOfUrl(url: unknown): FoundImage | undefined {
  const [, mediaType, base64] = /^data:([^;,]+)(?:;[^,]*)?;base64,(.*)$/s.exec(textIn(url)?.slice() ?? '') ?? [];
  return imageOf(mediaType, base64);
}
