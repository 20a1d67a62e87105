// Whether a session shows an image or a kept output by its hash: that of a message, or of the result of a call. Kept
// sources of an import and the old content of files are not shown, and count for nothing.
import { decodeEvent } from '../../../events/decode.ts';
import type { EventReader } from '../../../journal/types.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../find/find-session.ts';

/**
 * @example
 * await showsBlob(app, 'boat', sha256);
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function showsBlob(
  app: App,
  reference: string,
  sha256: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  const { read } = await findConversation(app, reference);
  return read((reader) => isShown(reader, sha256, signal));
}

async function isShown(
  reader: Pick<EventReader, 'outcomes'>,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for await (const batch of reader.outcomes({ signal })) {
    for (const outcome of batch) {
      if (outcome.kind === 'damage') continue;
      const decoded = decodeEvent(outcome.event);
      if (decoded.kind !== 'known') continue;
      const { type, data } = decoded.event;
      const images = type === 'message.added' ? data.parts : type === 'tool.finished' ? (data.result.images ?? []) : [];
      if (images.some((part) => part.type === 'image' && part.blob === sha256)) return true;
      if (type === 'tool.finished' && data.blob === sha256) return true;
    }
  }
  return false;
}
