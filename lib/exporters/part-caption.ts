// What an export shows in place of a part of a message that is not text.
import type { Part } from '../messages/index.ts';

export function partCaption(part: Part): string {
  switch (part.type) {
    case 'image':
      return `[image, ${part.mediaType}, blobs/${part.blob}]`;
    case 'file':
      return `[file ${part.name}, ${part.mediaType}, blobs/${part.blob}]`;
    case 'reasoning':
      return '[reasoning that the provider keeps closed]';
    case 'text':
      return part.text;
  }
}
