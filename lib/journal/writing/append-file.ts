// The end of one journal file: one write at a time, after a check that the file is still ours, and what a failure
// means. After a full disk the file is as long as before, and a write may be tried again. After any other failure it is
// poisoned: the state of the pages is unknown then, and a second sync would claim more than is known.
import { OllmError, systemErrorCode } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FileHandle, FileStat, FileSystem } from '../../platform/files/file-system.ts';
import { stampOf, withOwnErrors } from '../files/journal-file.ts';
import { lineBefore } from '../reading/scan.ts';
import { type KnownEvent, readIds } from '../reading/survey.ts';
import type { JournalFile } from '../refusals.ts';
import type { DurabilityLevel, StoredEvent } from '../types.ts';

/** Makes appends last: writes at the end of one journal, and says how safe that is. */
export interface Committer {
  /** Why nothing more can be written, once that is so. */
  readonly failure: OllmError | undefined;
  /** Bytes that are known to be whole lines. */
  readonly length: number;
  /** As `JournalWriter.stamp`. */
  readonly stamp?: string | undefined;
  /** The most bytes that one append may have, and the error of a longer one. Default: no limit of its own. */
  readonly limit?: { readonly bytes: number; refusal(type: string, bytes: number): OllmError } | undefined;
  /**
   * Appends all of the bytes, or throws. Returns how safe they are then. `ends`: where each append ends in them. No
   * other write begins before this one is settled.
   */
  write(bytes: Uint8Array, ends: readonly number[]): DurabilityLevel | Promise<DurabilityLevel>;
  sync(what?: 'content' | 'all'): Promise<void>;
  /** The event that was stored with each idempotency key. */
  knownIds(): Promise<Map<string, KnownEvent>>;
  /** The event of the line that ends at this offset. */
  storedAt(end: number): Promise<StoredEvent | undefined>;
  close(): void | Promise<void>;
}

/**
 * Limit for the delay of a file system's clock, and for the duration of a write that is known by its time only. The
 * writer takes a change by another program within this time after a write for its own.
 */
const TICK_MS = 20;

const FULL_CODES: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export class AppendFile implements Committer {
  failure: OllmError | undefined;
  length: number;

  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #file: JournalFile;
  readonly #handle: FileHandle;
  readonly #source: Pick<FileHandle, 'read' | 'stat'>;
  readonly #identity: FileStat;
  readonly #whenSyncFails: () => void;
  /** The time of change that the last write left, or the one before it while `#writtenMs` is set. */
  #changedNs: bigint | undefined;
  /** When the last write was begun, if the system was not asked for the time of change that it left. */
  #writtenMs: number | undefined;
  /** Whether another program has changed the file. */
  #isForeign = false;
  /** Whether the file system dates a write by the clock that we read. */
  #isSameClock: boolean | undefined;
  /** The sync under way; there is never more than one. */
  #syncing: Promise<void> | undefined;

  constructor(
    { fileSystem, clock }: { readonly fileSystem: FileSystem; readonly clock: Clock },
    file: JournalFile,
    handle: FileHandle,
    whenSyncFails: () => void,
  ) {
    this.#fileSystem = fileSystem;
    this.#clock = clock;
    this.#file = file;
    this.#handle = handle;
    this.#source = withOwnErrors(file, handle);
    this.#whenSyncFails = whenSyncFails;
    this.#identity = handle.stat();
    this.length = this.#identity.size;
    this.#changedNs = this.#identity.changedNs;
  }

  get stamp(): string | undefined {
    if (this.#writtenMs !== undefined) this.#compare(this.#ownStat());
    if (this.#changedNs === undefined) return undefined;
    return this.#isForeign ? '' : stampOf({ inode: this.#identity.inode, changedNs: this.#changedNs });
  }

  /** `known`: its stamp when its bytes were known to be whole. With another one, a program may have changed them. */
  compareStamp(known: string | undefined): void {
    if (this.stamp !== known) this.#isForeign = true;
  }

  /**
   * Appends all of the bytes, or throws. After JOURNAL_FULL none of them is left in the file, which is certain once
   * `sync('all')` came back.
   * @throws OllmError JOURNAL_FULL, JOURNAL_POISONED
   */
  write(bytes: Uint8Array): DurabilityLevel {
    if (this.failure) throw this.failure;
    this.#checkFence();
    const begunMs = this.#clock.now();
    let written: number;
    try {
      written = this.#handle.write(bytes);
    } catch (error) {
      const code = systemErrorCode(error);
      if (!FULL_CODES.includes(code)) throw this.#poison(`a write failed (${code ?? 'unknown'})`, error);
      throw this.#takeBack(code!, error);
    }
    if (written < bytes.length) throw this.#takeBack(`only ${written} of ${bytes.length} bytes were taken`);
    this.length += written;
    this.#renew(begunMs);
    return 'process';
  }

  /** Cuts off everything after `length`. */
  truncate(length: number): void {
    try {
      this.#handle.truncate(length);
    } catch (error) {
      throw this.#poison(`cutting off bytes failed (${systemErrorCode(error) ?? 'unknown'})`, error);
    }
    this.length = length;
    this.#renew();
  }

  /**
   * Waits until the file is on the device: its content, or all that belongs to it.
   * @throws OllmError JOURNAL_POISONED
   */
  async sync(what: 'content' | 'all' = 'content'): Promise<void> {
    while (this.#syncing) await this.#syncing.catch(() => undefined);
    if (this.failure) throw this.failure;
    try {
      this.#syncing = what === 'all' ? this.#handle.sync() : this.#handle.dataSync();
      await this.#syncing;
    } catch (error) {
      this.#whenSyncFails();
      throw this.#poison(`the disk did not confirm what was written (${systemErrorCode(error) ?? 'unknown'})`, error);
    } finally {
      this.#syncing = undefined;
    }
  }

  /** @throws OllmError JOURNAL_UNREADABLE; so does the next */
  read(target: Uint8Array, position: number): number {
    return this.#source.read(target, position);
  }

  stat(): FileStat {
    return this.#source.stat();
  }

  knownIds(): Promise<Map<string, KnownEvent>> {
    return readIds(this);
  }

  storedAt(end: number): Promise<StoredEvent | undefined> {
    return lineBefore(this, end);
  }

  close(): void {
    this.#handle.close();
  }

  /** Whether the file at the path is still the opened one, with a single name and the expected length. */
  #checkFence(): void {
    let named: FileStat | undefined;
    try {
      named = this.#fileSystem.stat(this.#file.path);
    } catch (error) {
      throw this.#poison(`its path cannot be examined (${systemErrorCode(error) ?? 'unknown'})`, error);
    }
    const { device, inode } = this.#identity;
    if (!named) throw this.#poison('its file was removed or renamed');
    if (named.device !== device || named.inode !== inode) throw this.#poison('another file is in its place');
    if (named.links !== 1) throw this.#poison('its file was given a second name');
    if (named.size !== this.length) {
      throw this.#poison(`its file has ${named.size} bytes instead of ${this.length}: another program changed it`);
    }
    this.#compare(named);
  }

  /** Notes whether the file is as our last write left it. */
  #compare(found: FileStat | undefined): void {
    if (this.#changedNs === undefined || this.#isForeign) return;
    const isByUs = found && this.#writtenMs !== undefined && isWrittenAt(this.#writtenMs, found);
    if (isByUs) this.#changedNs = found.changedNs;
    this.#writtenMs = undefined;
    this.#isForeign = found?.changedNs !== this.#changedNs;
  }

  /**
   * After a write that was begun at this time. The system is asked for the time of change only where it does not follow
   * from that: a question after each write costs a tenth of an append.
   */
  #renew(begunMs?: number): void {
    this.#writtenMs = undefined;
    if (this.#changedNs === undefined || this.#isForeign) return;
    const isShort = begunMs !== undefined && this.#clock.now() <= begunMs + TICK_MS;
    if (isShort && this.#isSameClock) {
      this.#writtenMs = begunMs;
      return;
    }
    const left = this.#ownStat();
    if (isShort && left) this.#isSameClock ??= isWrittenAt(begunMs, left);
    if (left) this.#changedNs = left.changedNs;
    else this.#isForeign = true;
  }

  #ownStat(): FileStat | undefined {
    try {
      return this.#handle.stat();
    } catch {
      // The bytes are in the file. Without a stamp the next opening checks all lines.
      return undefined;
    }
  }

  #takeBack(why: string, cause?: unknown): OllmError {
    try {
      this.#handle.truncate(this.length);
      this.#renew();
    } catch (error) {
      return this.#poison(`the disk is full, and taking back an unfinished write failed`, error);
    }
    const { id, path } = this.#file;
    return new OllmError('JOURNAL_FULL', `There is no room for more in journal ${id} (${why}): ${path}`, {
      hint: 'Nothing of this append stayed, and everything before it is there. Free some space and try again.',
      data: { id, path },
      cause,
    });
  }

  #poison(what: string, cause?: unknown): OllmError {
    const { id, path } = this.#file;
    this.failure ??= new OllmError('JOURNAL_POISONED', `Journal ${id} cannot be written any more: ${what}. ${path}`, {
      hint: 'Whether the last append is stored is not known. Check the disk, then open the session again: what is in the file is read, and the same id appends nothing twice.',
      data: { id, path, code: systemErrorCode(cause) },
      cause,
    });
    return this.failure;
  }
}

/** Whether a file was last changed by a short write that was begun at this time. */
function isWrittenAt(begunMs: number, { changedNs }: FileStat): boolean {
  return changedNs !== undefined && Math.abs(Number(changedNs) / 1e6 - begunMs) <= TICK_MS;
}
