// What a look at the file of a journal says, without opening it.
import type { FileStat } from '../../platform/files/file-system.ts';
import type { JournalFileInfo } from '../types.ts';

export function journalFileInfo(
  id: string,
  { size, modifiedMs, kind, links, inode, changedNs }: FileStat,
): JournalFileInfo {
  return { id, isOrdinary: kind === 'file' && links === 1, bytes: size, modifiedMs, inode, changedNs };
}
