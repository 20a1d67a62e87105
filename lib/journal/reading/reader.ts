// Reads one journal: takes no lock, writes nothing, never stops at damage and never hides it. Every reading goes to the
// end as it was when the reading began. A line that a writer is in the middle of is not there yet. Between two batches
// the event loop gets a turn, and the signal is looked at.
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../../errors/index.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { type Log, silentLog } from '../../platform/log.ts';
import type { Sleep } from '../../platform/waiting.ts';
import { openJournalFile, stampOf, withOwnErrors } from '../files/journal-file.ts';
import { isLocked } from '../files/lock.ts';
import type { JournalReader, Outcome } from '../types.ts';
import { followJournal } from './follow.ts';
import {
  anchorEvent,
  ForwardReading,
  inBatches,
  lineBefore,
  placeBefore,
  readBackwards,
  readFirst,
  withPauses,
} from './scan.ts';
import { verifyJournal } from './verify.ts';

interface OpenReaderOptions {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly log?: Log | undefined;
  readonly sleep?: Sleep | undefined;
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export function openJournalReader(fileSystem: FileSystem, options: OpenReaderOptions): JournalReader {
  const { id, path, lockPath, log = silentLog } = options;
  const handle = openJournalFile(fileSystem, options, 'read');
  const source = withOwnErrors(options, handle);
  const isBeingWritten = () => isLocked(fileSystem, lockPath);
  const guard = readerGuard({ id, path });
  return {
    id,
    path,
    size: async () => source.stat().size,
    stamp: async () => stampOf(source.stat()),
    holds: async (anchor) => (await anchorEvent(source, anchor)) !== undefined,
    lastSeq: async () => (await lineBefore(source, source.stat().size))?.seq,
    placeBefore: (seq) => placeBefore(source, seq),
    isBeingWritten: async () => isBeingWritten(),
    sealed: async () => undefined,
    first: () => readFirst(source),
    outcomes: ({ after, signal } = {}) =>
      guard.batches(() => new ForwardReading(source, { after, isBeingWritten }).batches(), signal),
    backwards: ({ signal } = {}) =>
      guard.batches(() => inBatches(source, readBackwards(source, isBeingWritten)), signal),
    follow: ({ after, signal, sleep = options.sleep }) =>
      followJournal(fileSystem, { ...options, after, signal, sleep, log }),
    async verify({ onDamage, signal } = {}) {
      signal?.throwIfAborted();
      return verifyJournal(source, { isBeingWritten, onDamage, pause: () => guard.pause(signal) });
    },
    close,
    [Symbol.dispose]: close,
  };

  function close(): void {
    guard.close();
    handle.close();
  }
}

/** What every reader of a journal does between two batches: looks whether it was closed, and at the signal. */
export function readerGuard({ id, path }: Pick<JournalReader, 'id' | 'path'>) {
  let isClosed = false;

  function requireOpen(): void {
    if (!isClosed) return;
    throw new OllmError('JOURNAL_CLOSED', `The reader of journal ${id} was closed while it was being read.`, {
      hint: 'Close a reader after the last batch.',
      data: { id, path },
    });
  }
  async function pause(signal: AbortSignal | undefined): Promise<void> {
    await setImmediate();
    signal?.throwIfAborted();
    requireOpen();
  }
  async function* batches(
    read: () => AsyncGenerator<Outcome[], void, void>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Outcome[], void, void> {
    signal?.throwIfAborted();
    requireOpen();
    for await (const batch of withPauses(read(), () => pause(signal))) {
      if (batch.length > 0) yield batch;
      requireOpen();
    }
  }
  function close(): void {
    isClosed = true;
  }
  return { pause, requireOpen, batches, close };
}
