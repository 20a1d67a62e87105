// Reads a session of another program in place, as if it were one of ollm's own: the port that every conversation has,
// over the agent's module. Writes nothing, holds no file open between two readings, and takes no lock. A source that
// was rewritten begins a new generation, in which seq begins at 0.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isOllmError, OllmError } from '../errors/index.ts';
import type { EventReader, FollowingOptions, Outcome, ReadOptions } from '../journal/types.ts';
import { readInto } from '../platform/files/io.ts';
import { type Sleep, systemSleep } from '../platform/waiting.ts';
import { formatAddress } from './address.ts';
import type { Agent, ForeignEvent, ForeignPosition, Source, SourceForm } from './agent.ts';
import { Fidelity, type FidelityReport } from './fidelity.ts';
import { filesAround, type SourceFiles, type SourceHandle } from './open-source.ts';
import { openStored } from './open-stored.ts';
import { type RecordStep, recordsOfDocument, recordsOfLines, recordsOfRows } from './records.ts';
import { contentIn, type SessionContent } from './session-content.ts';
import { SourceTranslation, type TranslationCheckpoint } from './source-translation.ts';
import { type OpenedDatabase, openDatabase } from './sqlite.ts';

/** How far a reading has come, so that a later one, also of another process, continues there. */
export interface ForeignCheckpoint extends TranslationCheckpoint {
  /** The version of the agent's module: another one reads everything again. */
  readonly version: number;
  readonly generation: number;
  /** Says whether the source still begins as it did. */
  readonly digest: string;
}

/** A session of another program, open for reading. */
interface ForeignOptions extends SourceFiles {
  /** Where an earlier reader of the same source was. */
  readonly from?: ForeignCheckpoint | undefined;
  /** Whether `content` is asked for. */
  readonly notesContent?: boolean | undefined;
  readonly sleep?: Sleep | undefined;
}

type ForeignOutcome = Outcome<ForeignEvent>;

const POLL_MS = 250;
const DIGEST_BYTES = 4096;
const MAX_OUTCOMES = 256;
const MAX_BYTES = 256 * 1024;

/**
 * A session of another program, open for reading.
 *
 * @example
 * const reader = openForeign(await loadAgent('claude'), source, { fileSystem: nodeFileSystem, uid });
 * for await (const batch of reader.outcomes()) for (const outcome of batch) show(outcome);
 */
export function openForeign(agent: Agent, source: Source, options: ForeignOptions): ForeignReader {
  return new ForeignReader(agent, source, options);
}

class ForeignReader implements EventReader<ForeignEvent> {
  readonly id: string;
  readonly source: Source;
  readonly #agent: Agent;
  readonly #options: ForeignOptions;
  #last: ForeignCheckpoint | undefined;
  #generation: number;
  #content: SessionContent | undefined;
  #isClosed = false;

  constructor(agent: Agent, source: Source, options: ForeignOptions) {
    this.id = formatAddress(source);
    this.source = source;
    this.#agent = agent;
    this.#options = options;
    const { from } = options;
    this.#last = from?.version === agent.version ? from : undefined;
    this.#generation = from === undefined || this.#last !== undefined ? (from?.generation ?? 0) : from.generation + 1;
  }

  /** How far the last reading that went to the end has come. */
  checkpoint(): ForeignCheckpoint | undefined {
    return this.#last;
  }

  /**
   * The content that the last reading to the end found. Undefined for a session outside of a database for many, and
   * where another process wrote into that database meanwhile.
   */
  content(): SessionContent | undefined {
    return this.#content;
  }

  /** The subagents inside of the file that were seen until the end of the last reading: see `Source.inside`. */
  insides(): readonly string[] {
    const state = this.#last?.translator.state;
    return state === undefined ? [] : (this.#agent.insides?.(state) ?? []);
  }

  async first(): Promise<ForeignEvent | undefined> {
    this.#requireOpen();
    using reading = new Reading(this.#agent, this.source, this.#options, { generation: this.#generation });
    for (const batch of reading.batches()) {
      const found = batch.find((outcome) => outcome.kind === 'event');
      if (found !== undefined) return found.event;
    }
    return undefined;
  }

  /** How much of the source its events say. Reads all of it. */
  async fidelity({ signal }: Pick<ReadOptions, 'signal'> = {}): Promise<FidelityReport> {
    signal?.throwIfAborted();
    this.#requireOpen();
    const counted = new Fidelity(this.#agent);
    using reading = new Reading(this.#agent, this.source, this.#options, { generation: this.#generation });
    for (const _ of reading.batches(counted)) {
      await setImmediate();
      signal?.throwIfAborted();
      this.#requireOpen();
    }
    return counted.report();
  }

  /** Whether the source still has the same content up to there. If not, it is read from its beginning. */
  async holds({ generation, seq }: ForeignPosition): Promise<boolean> {
    this.#requireOpen();
    this.#begin({})[Symbol.dispose]();
    if (generation !== this.#generation) return false;
    return seq < (this.#last?.translator.seq ?? 0);
  }

  async *outcomes({ after, signal }: ReadOptions<ForeignPosition> = {}): AsyncGenerator<ForeignOutcome[]> {
    signal?.throwIfAborted();
    this.#requireOpen();
    yield* this.#read({ after, signal, isGrowing: false });
  }

  async *follow({
    after,
    signal,
    sleep = this.#options.sleep ?? systemSleep,
  }: FollowingOptions<ForeignPosition>): AsyncGenerator<ForeignOutcome[]> {
    this.#requireOpen();
    let place = after;
    let seen: string | undefined;
    while (!signal.aborted) {
      const now = this.#look();
      if (now !== undefined && now !== seen) {
        try {
          for await (const batch of this.#read({ after: place, isGrowing: true })) {
            const last = batch.findLast((outcome) => outcome.kind === 'event');
            if (last !== undefined) place = last.event.position;
            yield batch;
            if (signal.aborted) return;
          }
          seen = now;
        } catch (error) {
          // Gone since it was looked at: waited for.
          if (!isOllmError(error, 'SESSION_NOT_FOUND')) throw error;
        }
      }
      await sleep(POLL_MS, signal);
      if (!signal.aborted) this.#requireOpen();
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async *#read(options: {
    readonly after?: ForeignPosition | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly isGrowing: boolean;
  }): AsyncGenerator<ForeignOutcome[]> {
    const { signal } = options;
    this.#content = undefined;
    using reading = this.#begin(options);
    const batches = reading.batches();
    for (let next = batches.next(); !next.done; ) {
      if (next.value.length > 0) yield next.value;
      this.#requireOpen();
      next = batches.next();
      if (next.done) break;
      await setImmediate();
      signal?.throwIfAborted();
      this.#requireOpen();
    }
    this.#last = reading.checkpoint();
    if (this.#options.notesContent) this.#content = reading.content();
  }

  /** Where the last reading ended, if that is where this one is to begin, or else at the beginning. */
  #begin({
    after,
    isGrowing,
  }: {
    readonly after?: ForeignPosition | undefined;
    readonly isGrowing?: boolean;
  }): Reading {
    const reading = new Reading(this.#agent, this.source, this.#options, {
      generation: this.#generation,
      from: this.#last,
      after,
      isGrowing,
    });
    if (reading.generation !== this.#generation) {
      this.#generation = reading.generation;
      this.#last = undefined;
    }
    return reading;
  }

  /** What changes when the source does; undefined while it is not there. */
  #look(): string | undefined {
    const paths = [this.source.path, `${this.source.path}-wal`];
    const stats = paths.map((path) => {
      try {
        return this.#options.fileSystem.stat(path);
      } catch {
        return undefined;
      }
    });
    if (stats[0] === undefined) return undefined;
    return stats.map((stat) => `${stat?.inode} ${stat?.size} ${stat?.modifiedMs} ${stat?.changedNs}`).join(' ');
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new OllmError('JOURNAL_CLOSED', `The reader of ${this.id} was closed while it was being read.`, {
      hint: 'Close a reader after the last batch.',
      data: { id: this.id },
    });
  }
}

interface Beginning {
  readonly generation: number;
  readonly from?: ForeignCheckpoint | undefined;
  readonly after?: ForeignPosition | undefined;
  readonly isGrowing?: boolean | undefined;
}

/** A pass over a source, as long as it was when it was opened. */
class Reading {
  readonly generation: number;
  readonly #agent: Agent;
  readonly #source: Source;
  readonly #stored: SourceForm;
  readonly #files: SourceFiles;
  /** The handle of a file. A database has none: closing a file would release every lock that this process has on it. */
  readonly #handle: SourceHandle | undefined;
  readonly #database: OpenedDatabase | undefined;
  readonly #translation: SourceTranslation;
  readonly #size: number;
  /** Events up to this seq are not shown. */
  readonly #after: number;
  readonly #isGrowing: boolean;
  /** Hash of the records until now, for a source that is not read by its bytes. */
  #hash = createHash('sha256');

  constructor(
    agent: Agent,
    source: Source,
    files: SourceFiles,
    { generation, from, after, isGrowing = false }: Beginning,
  ) {
    this.#agent = agent;
    this.#source = source;
    this.#files = files;
    this.#isGrowing = isGrowing;
    this.#stored = agent.stored(source);
    if (this.#stored.kind === 'rows') this.#database = openDatabase(files, source.path, this.#stored.columns);
    else this.#handle = openStored(files, source, this.#stored);
    this.#size = this.#handle?.stat().size ?? 0;
    const isSame = from === undefined || this.#compare(from);
    this.generation = isSame ? generation : generation + 1;
    const isAfter = after !== undefined && after.generation === this.generation;
    this.#after = isAfter ? after.seq : -1;
    const canContinue =
      isSame && from !== undefined && this.#stored.kind === 'lines' && from.translator.seq <= this.#after + 1;
    this.#translation = new SourceTranslation(agent, source, {
      generation: this.generation,
      from: canContinue ? from : undefined,
    });
  }

  /** As those of a journal: see `Batches`. An empty one is a pause: nothing was found in the last 256 KiB or so. */
  *batches(counted?: Fidelity): Generator<ForeignOutcome[], void, void> {
    let batch: ForeignOutcome[] = [];
    const translation = this.#translation;
    let begun = translation.offset;
    for (const step of this.#steps()) {
      const isPause = step.kind === 'pause';
      if (isPause || translation.offset - begun > MAX_BYTES) {
        yield batch;
        batch = [];
        begun = translation.offset;
      }
      if (isPause) continue;
      const { events, damage } = translation.take(step, counted);
      if (step.kind === 'record') this.#hashIn(step);
      if (damage !== undefined && (step.kind === 'record' || translation.seq > this.#after)) {
        batch.push({ kind: 'damage', damage });
      }
      for (const event of events) if (event.seq > this.#after) batch.push({ kind: 'event', event });
      while (batch.length >= MAX_OUTCOMES) yield batch.splice(0, MAX_OUTCOMES);
    }
    if (batch.length > 0) yield batch;
  }

  checkpoint(): ForeignCheckpoint {
    const { version } = this.#agent;
    const { generation } = this;
    const { offset, translator } = this.#translation.checkpoint();
    return { version, generation, offset, digest: this.#digestAt(offset), translator };
  }

  content(): SessionContent | undefined {
    return this.#database && contentIn(this.#database, this.#stored, this.#source);
  }

  [Symbol.dispose](): void {
    this.#handle?.close();
    this.#database?.close();
  }

  #steps(): Iterable<RecordStep> {
    if (this.#stored.kind === 'rows') return recordsOfRows(this.#stored.rows(this.#database!, this.#source));
    if (this.#stored.kind === 'files') {
      return recordsOfRows(this.#stored.records(filesAround(this.#files), this.#source));
    }
    if (this.#stored.kind === 'document') return recordsOfDocument(this.#handle!, this.#stored);
    return recordsOfLines(this.#handle!, {
      from: this.#translation.offset,
      to: this.#size,
      isGrowing: this.#isGrowing,
    });
  }

  #hashIn({ json, position }: RecordStep & { kind: 'record' }): void {
    if (json !== undefined) this.#hash.update(`${position} ${json}\n`);
  }

  #compare(from: ForeignCheckpoint): boolean {
    try {
      return this.#isAsItWas(from);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  #isAsItWas({ offset, digest }: ForeignCheckpoint): boolean {
    if (this.#stored.kind === 'lines') return this.#size >= offset && this.#digestAt(offset) === digest;
    for (const step of this.#steps()) {
      if (step.kind !== 'record' || step.end > offset) break;
      this.#hashIn(step);
    }
    const now = this.#digestAt(offset);
    this.#hash = createHash('sha256');
    return now === digest;
  }

  /** Hash of the last bytes before the place in a file of lines; of all records up to it in other sources. */
  #digestAt(offset: number): string {
    if (this.#stored.kind !== 'lines') return this.#hash.copy().digest('hex');
    const bytes = Buffer.alloc(Math.min(DIGEST_BYTES, offset));
    const length = readInto(this.#handle!, bytes, offset - bytes.length);
    return createHash('sha256').update(bytes.subarray(0, length)).digest('hex');
  }
}
