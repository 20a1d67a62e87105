// A few bytes of the file of a session as they are stored, so that a damaged place can be looked at.
import { OllmError } from '../../../errors/index.ts';
import { readFile } from '../../../platform/files/io.ts';
import type { App } from '../../app.ts';
import type { FoundConversation } from '../../find/found.ts';

/**
 * Fewer than `length` where the file ends before.
 * @throws OllmError USAGE: its file has no lines of text, or it is in a store on servers; JOURNAL_UNREADABLE
 */
export async function readBytes(
  { fileSystem, servers }: Pick<App, 'fileSystem' | 'servers'>,
  found: FoundConversation,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  const path = found.kind === 'foreign' ? found.source.path : await found.read(async (reader) => reader.path);
  if (servers !== undefined || !path.endsWith('.jsonl')) {
    throw new OllmError('USAGE', `Session ${found.id} is not in a file of lines.`, { data: { id: found.id } });
  }
  try {
    return readFile(fileSystem, path, { from: offset, maxBytes: length });
  } catch (cause) {
    throw new OllmError('JOURNAL_UNREADABLE', `The file of session ${found.id} cannot be read: ${path}`, {
      hint: 'See whether it is there, and yours.',
      data: { id: found.id, path },
      cause,
    });
  }
}
