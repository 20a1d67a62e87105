// Appends lines to one journal, which it alone may write. Never changes a byte that was acknowledged.
import type { Clock } from '../platform/clock.ts';
import type { FileSystem } from '../platform/file-system.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/process-info.ts';
import type { DurabilityPolicy, JournalWriter, OpenWriterOptions } from './types.ts';

/** The ports that a writer stands on. */
export interface WriterDependencies {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly process: ProcessInfo;
  readonly log: Log;
}

/** Where a journal and what belongs to it lie. Their directories exist, but for the quarantine's. */
export interface JournalPlace {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly quarantineDirectory: string;
}

/** @throws OllmError SESSION_EXISTS, JOURNAL_LOCKED, JOURNAL_NOT_A_FILE, JOURNAL_READ_ONLY, JOURNAL_FULL, JOURNAL_POISONED */
export async function createJournalWriter(
  _dependencies: WriterDependencies,
  options: JournalPlace & {
    /** The data of `session.created`. The journal adds format, sessionId, pid, host and command. */
    readonly created: object;
    readonly policy?: DurabilityPolicy | undefined;
  },
): Promise<JournalWriter> {
  throw new Error(`not written yet: ${options.path}`);
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_EMPTY, JOURNAL_NOT_A_FILE, JOURNAL_NEWER_FORMAT, JOURNAL_EDITED, JOURNAL_READ_ONLY */
export async function openJournalWriter(
  _dependencies: WriterDependencies,
  options: JournalPlace & OpenWriterOptions,
): Promise<JournalWriter> {
  throw new Error(`not written yet: ${options.path}`);
}
