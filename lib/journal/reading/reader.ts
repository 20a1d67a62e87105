// Reads one journal: takes no lock, writes nothing, never stops at damage and never hides it. Every reading goes to the
// end as it was when the reading began. A line that a writer is in the middle of is not there yet.

import type { FileSystem } from '../../platform/files/file-system.ts';
import { type Log, silentLog } from '../../platform/log.ts';
import type { Sleep } from '../../platform/waiting.ts';
import { openJournalFile, withOwnErrors } from '../files/journal-file.ts';
import { isLocked } from '../files/lock.ts';
import type { Anchor, Damage, Outcome, ReadOptions, StoredEvent, Verification } from '../types.ts';
import { followJournal } from './follow.ts';
import {
  anchorHolds,
  readBackwards,
  readBackwardsInSteps,
  readFirst,
  readForwards,
  readForwardsInSteps,
} from './scan.ts';
import { verifyInSteps, verifyJournal } from './verify.ts';

export interface OpenReaderOptions {
  readonly id: string;
  readonly path: string;
  readonly lockPath: string;
  readonly log?: Log | undefined;
  readonly sleep?: Sleep | undefined;
}

/** One journal, read synchronously: for the journal itself. Stores give out the asynchronous `JournalReader`. */
export interface LocalReader {
  readonly id: string;
  readonly path: string;
  size(): number;
  holds(anchor: Anchor): boolean;
  isBeingWritten(): boolean;
  first(): StoredEvent | undefined;
  outcomes(options?: Pick<ReadOptions, 'after'>): Generator<Outcome, void, void>;
  /** The same with pauses inside of a line that is too long to hold. */
  outcomesInSteps(options?: Pick<ReadOptions, 'after'>): Generator<Outcome | undefined, void, void>;
  backwards(): Generator<Outcome, void, void>;
  backwardsInSteps(): Generator<Outcome | undefined, void, void>;
  verify(onDamage?: (damage: Damage) => void): Verification;
  /** The same with a pause after each 256 KiB or so. */
  verifyInSteps(onDamage?: (damage: Damage) => void): Generator<void, Verification, void>;
  follow(options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<Outcome[], void, void>;
  close(): void;
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export function openJournalReader(fileSystem: FileSystem, options: OpenReaderOptions): LocalReader {
  const { id, path, lockPath, log = silentLog } = options;
  const handle = openJournalFile(fileSystem, options, 'read');
  const source = withOwnErrors(options, handle);
  const isBeingWritten = () => isLocked(fileSystem, lockPath);

  return {
    id,
    path,
    size: () => source.stat().size,
    holds: (anchor) => anchorHolds(source, anchor),
    isBeingWritten,
    first: () => readFirst(source),
    outcomes: (asked) => readForwards(source, { ...asked, isBeingWritten }),
    outcomesInSteps: (asked) => readForwardsInSteps(source, { ...asked, isBeingWritten }),
    backwards: () => readBackwards(source, isBeingWritten),
    backwardsInSteps: () => readBackwardsInSteps(source, isBeingWritten),
    verify: (onDamage) => verifyJournal(source, { isBeingWritten, onDamage }),
    verifyInSteps: (onDamage) => verifyInSteps(source, { isBeingWritten, onDamage }),
    follow: ({ after, signal }) => followJournal(fileSystem, { ...options, after, signal, log }),
    close: () => handle.close(),
  };
}
