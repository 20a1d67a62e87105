// Outcomes as they come. Growth is noticed by asking for the size; a line is shown once its LF is there.
// Survives a tail that is cut off, a journal that is taken back to an earlier length, and a new file in its place.
import { setImmediate } from 'node:timers/promises';
import type { FileHandle, FileStat, FileSystem } from '../../platform/files/file-system.ts';
import type { Log } from '../../platform/log.ts';
import { type Sleep, systemSleep } from '../../platform/waiting.ts';
import { openingError, openJournalFile, withOwnErrors } from '../files/journal-file.ts';
import type { Anchor, Outcome, StoredEvent } from '../types.ts';
import { Examiner, partsAtOnce, partsOf } from './examine.ts';
import { ForwardLines } from './lines.ts';
import { eventsOf } from './outcomes.ts';
import { anchorEvent, inBatches, type JournalSource, type ReadingStep, withPauses } from './scan.ts';

const POLL_MS = 60;
/** More lines than a write that is taken back is likely to have. */
const REMEMBERED_LINES = 1000;

interface FollowOptions {
  readonly id: string;
  readonly path: string;
  readonly after?: Anchor | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly sleep?: Sleep | undefined;
}

export async function* followJournal(
  fileSystem: FileSystem,
  options: FollowOptions,
): AsyncGenerator<Outcome[], void, void> {
  const { signal, log, sleep = systemSleep } = options;
  let handle = openJournalFile(fileSystem, options, 'read');
  let place = new FollowerPlace(options.after);
  try {
    while (!signal.aborted) {
      const source = withOwnErrors(options, handle);
      const replacement = openReplacement(fileSystem, source, options);
      if (replacement) {
        log.info({ service: 'journal', operation: 'follow', id: options.id }, 'Another file is at the path now.');
        handle.close();
        handle = replacement;
        continue;
      }
      // Asked once: a file that is cut back between two answers would pass for one that was read to its end.
      const { size } = source.stat();
      if (!(await place.isStillThere(source, size))) place = await place.newestThatHolds(source);
      for await (const batch of withPauses(inBatches(source, place.advance(size)), setImmediate)) {
        if (batch.length > 0) yield batch;
        if (signal.aborted) return;
      }
      await sleep(POLL_MS, signal);
    }
  } finally {
    handle.close();
  }
}

/** How far a follower has read. */
export class FollowerPlace {
  readonly #examiner: Examiner;
  /** The last lines that were shown, the newest last: where to continue when lines are taken back. */
  readonly #shown: Anchor[];
  /** Where the next line begins. */
  #offset: number;
  /** How many lines were read; undefined if not from the beginning. */
  #lines: number | undefined;
  /** The size at which nothing more could be shown. */
  #exhaustedAt = -1;

  constructor(anchor: Anchor | undefined, shown: Anchor[] = anchor ? [anchor] : []) {
    this.#examiner = new Examiner(anchor);
    this.#shown = shown;
    this.#offset = anchor?.offset ?? 0;
    this.#lines = anchor ? undefined : 0;
  }

  async isStillThere(source: JournalSource, size: number): Promise<boolean> {
    if (size === this.#exhaustedAt) return true;
    const last = this.#shown.at(-1);
    return size >= this.#offset && (last === undefined || (await anchorEvent(source, last)) !== undefined);
  }

  /** The place after the newest line that was shown and is still there; the beginning if there is none. */
  async newestThatHolds(source: JournalSource): Promise<FollowerPlace> {
    for (let index = this.#shown.length - 1; index >= 0; index -= 1) {
      const anchor = this.#shown[index]!;
      if (await anchorEvent(source, anchor)) return new FollowerPlace(anchor, this.#shown.slice(0, index + 1));
    }
    return new FollowerPlace(undefined);
  }

  /** Every outcome up to the last LF within the first `size` bytes. */
  *advance(size: number): Generator<ReadingStep, void, void> {
    if (size === this.#exhaustedAt) return;
    const lines = new ForwardLines(this.#offset, size);
    for (let step = lines.step(); step !== 'end'; step = lines.step()) {
      if (step === 'more' || step === 'passing') {
        yield step === 'more' ? lines : [];
        continue;
      }
      if (!lines.terminated) break;
      this.#offset = lines.end;
      if (this.#lines !== undefined) this.#lines += 1;
      const parts = partsAtOnce(lines, step) ?? (yield* partsOf(lines, step));
      const outcomes = this.#examiner.examine(parts, this.#lines ?? 0);
      for (const event of eventsOf(outcomes)) this.#remember(event);
      yield outcomes;
    }
    this.#exhaustedAt = size;
  }

  #remember({ seq, end, xxh64 }: StoredEvent): void {
    this.#shown.push({ seq, offset: end, xxh64 });
    if (this.#shown.length > 2 * REMEMBERED_LINES) this.#shown.splice(0, REMEMBERED_LINES);
  }
}

/** Opens the file at the path, if it was replaced. Waits for a missing file. */
function openReplacement(
  fileSystem: FileSystem,
  source: Pick<FileHandle, 'stat'>,
  options: FollowOptions,
): FileHandle | undefined {
  const opened = source.stat();
  const named = statAtPath(fileSystem, options);
  if (!named || (named.device === opened.device && named.inode === opened.inode)) return undefined;
  try {
    return openJournalFile(fileSystem, options, 'read');
  } catch {
    return undefined;
  }
}

function statAtPath(fileSystem: FileSystem, options: FollowOptions): FileStat | undefined {
  try {
    return fileSystem.stat(options.path);
  } catch (error) {
    throw openingError(options, error, 'read');
  }
}
