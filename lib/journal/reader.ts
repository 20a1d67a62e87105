// Reads one journal: takes no lock, writes nothing, never stops at damage and never hides it.
import type { FileSystem } from '../platform/file-system.ts';
import type { Log } from '../platform/log.ts';
import type { JournalReader } from './types.ts';

export interface OpenReaderOptions {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly log?: Log | undefined;
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export function openJournalReader(_fileSystem: FileSystem, options: OpenReaderOptions): JournalReader {
  throw new Error(`not written yet: ${options.path}`);
}
