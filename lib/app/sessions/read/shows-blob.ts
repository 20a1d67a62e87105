// Whether a session shows an image or a kept output by its hash: that of a message, or of the result of a call. Kept
// sources of an import and the old content of files are not shown, and count for nothing.
import { knownEvents } from '../../../events/known-events.ts';
import type { App } from '../../app.ts';
import { findConversation } from '../../find/find-session.ts';

/**
 * @example
 * await showsBlob(app, 'boat', { sha256 });
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_EMPTY, JOURNAL_UNREADABLE
 */
export async function showsBlob(
  app: App,
  reference: string,
  { sha256, signal }: { readonly sha256: string; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { read } = await findConversation(app, reference);
  return read(async (reader) => {
    for await (const { type, data } of knownEvents(reader.outcomes({ signal }), ['message.added', 'tool.finished'])) {
      const images = type === 'message.added' ? data.parts : (data.result.images ?? []);
      if (images.some((part) => part.type === 'image' && part.blob === sha256)) return true;
      if (type === 'tool.finished' && data.blob === sha256) return true;
    }
    return false;
  });
}
