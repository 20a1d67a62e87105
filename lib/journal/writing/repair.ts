// Writes a new journal from a damaged one, which it only reads. Every event that can be read is in it with its bytes
// and its time; seq and prev are changed only where the chain is broken. The new file is whole and on the device before
// this returns; the caller holds the lock and puts it in the place of the old one.
import { dirname } from 'node:path';
import { OllmError } from '../../errors/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';
import { readInto, writeAll } from '../../platform/files/io.ts';
import { openingError, openJournalFile } from '../files/journal-file.ts';
import { NO_PREVIOUS, OWN_TYPES } from '../format.ts';
import { LineBuffer, toJson } from '../line/buffer.ts';
import { bytesBetweenSeqAndPrev, readLine } from '../line/codec.ts';
import { eachEvent } from '../reading/outcomes.ts';
import { ForwardReading } from '../reading/scan.ts';
import { surveyJournal } from '../reading/survey.ts';
import type { Damage, DamageKind, StoredEvent } from '../types.ts';

const FLUSH_BYTES = 1024 * 1024;
const MAX_FINDINGS_STORED = 100;
/** How many lost lines get a line in their place, so that later lines keep their seq and references to it hold. */
const MAX_LINES_FILLED = 1000;

interface RepairOptions {
  readonly id: string;
  /** The damaged journal. */
  readonly path: string;
  /** Where to write the new one: in the same directory, must not exist. Removed again if the repair fails. */
  readonly target: string;
  /** The name of the damaged journal under archive/; goes into `journal.repaired`. */
  readonly archive: string;
}

interface RepairResult {
  /** Events taken over. */
  readonly kept: number;
  /** All that was wrong, in file order. */
  readonly findings: readonly Damage[];
}

/** @throws OllmError JOURNAL_DAMAGED if no event can be read, JOURNAL_FULL, JOURNAL_READ_ONLY, and those of reading */
export async function repairJournal(
  dependencies: { readonly fileSystem: FileSystem; readonly clock: Clock },
  options: RepairOptions,
): Promise<RepairResult> {
  const { fileSystem } = dependencies;
  using source = openJournalFile(fileSystem, options, 'read');
  const { damage: findings, last } = await surveyJournal(source, {});
  if (!last) throw nothingToRepair(options);
  const target = openTarget(fileSystem, options);
  try {
    const kept = await writeRepaired(dependencies, options, source, target, findings);
    await target.sync();
    await fileSystem.syncDirectory(dirname(options.target));
    return { kept, findings };
  } catch (error) {
    fileSystem.unlink(options.target);
    throw openingError({ id: options.id, path: options.target }, error, 'append');
  } finally {
    target.close();
  }
}

/** Where a line is in the file. */
interface CopyPlace {
  readonly offset: number;
  readonly bytes: number;
}

interface PlacedLine extends CopyPlace {
  readonly seq: number;
  readonly prev: string;
  readonly xxh64: string;
}

const CHAIN_KINDS: readonly DamageKind[] = ['gap', 'fork', 'duplicate'];
/** Where lines may be lost. */
const LOST_KINDS: readonly DamageKind[] = ['bad-checksum', 'not-json', 'nul-run', 'welded', 'oversize'];

function eventsIn(source: FileHandle): AsyncGenerator<StoredEvent, void, void> {
  return eachEvent(new ForwardReading(source, { isBeingWritten: () => false }).batches());
}

/** Where the lines are, in the order of the chain; undefined if that is the order of the file. */
async function orderOf(source: FileHandle, findings: readonly Damage[]): Promise<readonly CopyPlace[] | undefined> {
  const has = (kinds: readonly DamageKind[]) => findings.some(({ kind }) => kinds.includes(kind));
  return has(CHAIN_KINDS) ? orderOfChain(source, has(LOST_KINDS)) : undefined;
}

/**
 * Lines that were only moved or doubled go back to where their seq and prev say, with gaps where other lines were lost.
 * Where those contradict each other, each line keeps its place, except the first line of the journal.
 */
async function orderOfChain(source: FileHandle, hasLost: boolean): Promise<readonly CopyPlace[] | undefined> {
  const lines = new Map<string, PlacedLine>();
  for await (const { seq, prev, xxh64, offset, raw } of eventsIn(source)) {
    if (!lines.has(xxh64)) lines.set(xxh64, { seq, prev, xxh64, offset, bytes: raw.length });
  }
  const inFile = [...lines.values()];
  const bySeq = inFile.toSorted((one, other) => one.seq - other.seq);
  const isOneChain = bySeq.every(({ seq, prev }, index) => {
    const before = bySeq[index - 1] ?? { seq: -1, xxh64: NO_PREVIOUS };
    return seq === before.seq + 1 ? prev === before.xxh64 : hasLost && seq > before.seq;
  });
  if (isOneChain) return bySeq;
  const first = inFile.findIndex(({ seq, prev }) => seq === 0 && prev === NO_PREVIOUS);
  return first > 0 ? [inFile[first]!, ...inFile.toSpliced(first, 1)] : undefined;
}

async function* eventsToKeep(source: FileHandle, findings: readonly Damage[]): AsyncGenerator<StoredEvent, void, void> {
  const order = await orderOf(source, findings);
  if (order) {
    for (const place of order) yield lineAt(source, place);
    return;
  }
  const hasDoubles = findings.some(({ kind }) => kind === 'duplicate');
  const seen = new Set<string>();
  for await (const event of eventsIn(source)) {
    if (seen.has(event.xxh64)) continue;
    if (hasDoubles) seen.add(event.xxh64);
    yield event;
  }
}

function lineAt(source: FileHandle, { offset, bytes }: CopyPlace): StoredEvent {
  const buffer = Buffer.alloc(bytes);
  readInto(source, buffer, offset);
  const event = readLine({ buffer, start: 0, stop: bytes, offset, end: offset + bytes });
  if (event === undefined) throw new Error(`The line at byte ${offset} was there a moment ago.`);
  return event;
}

async function writeRepaired(
  { clock }: { readonly clock: Clock },
  { archive }: RepairOptions,
  source: FileHandle,
  target: FileHandle,
  found: readonly Damage[],
): Promise<number> {
  const copy = new RepairedCopy(target);
  let kept = 0;
  const keep = (event: StoredEvent, next?: StoredEvent) => {
    const missing = event.seq - copy.nextSeq;
    const goesOn = next === undefined || next.prev === event.xxh64;
    if (missing > 0 && goesOn && copy.filled + missing <= MAX_LINES_FILLED) {
      const data = { archive, kept, findings: [], findingsTotal: 0 };
      for (let index = 0; index < missing; index += 1) copy.fill(event.ts, data);
    }
    copy.add(event);
    kept += 1;
  };
  // Each event waits for the next one, which shows whether the chain continues there.
  let held: StoredEvent | undefined;
  for await (const event of eventsToKeep(source, found)) {
    if (held) keep(held, event);
    held = event;
  }
  if (held) keep(held);
  const findings = found
    .slice(0, MAX_FINDINGS_STORED)
    .map(({ kind, offset, length, reason }) => ({ kind, offset, length, reason }));
  const lastMs = Date.parse(copy.lastTs) || 0;
  const ts = new Date(Math.max(clock.now(), lastMs)).toISOString();
  copy.note(ts, { archive, kept, findings, findingsTotal: found.length });
  copy.flush();
  return kept;
}

/** The new file. A line that fits into its chain is copied byte for byte. */
class RepairedCopy {
  nextSeq = 0;
  lastTs = '';
  /** Lines in the place of lost ones. */
  filled = 0;
  readonly #target: FileHandle;
  readonly #buffer = new LineBuffer();
  #prev = NO_PREVIOUS;

  constructor(target: FileHandle) {
    this.#target = target;
  }

  add(event: StoredEvent): void {
    const seq = this.nextSeq++;
    if (event.seq === seq && event.prev === this.#prev) {
      this.#buffer.addRaw(event.raw);
      this.#prev = event.xxh64;
    } else {
      const raw = Buffer.from(event.raw.buffer, event.raw.byteOffset, event.raw.byteLength);
      const between = bytesBetweenSeqAndPrev(raw);
      this.#prev = between
        ? this.#buffer.addRenumbered(between, seq, this.#prev)
        : this.#buffer.addMembers(JSON.parse(raw.toString()), seq, this.#prev);
    }
    if (event.ts > this.lastTs) this.lastTs = event.ts;
    if (this.#buffer.length >= FLUSH_BYTES) this.flush();
  }

  /** Puts a line in the place of one that is lost. */
  fill(ts: string, data: object): void {
    this.filled += 1;
    this.note(ts, data);
  }

  note(ts: string, data: object): void {
    const line = { seq: this.nextSeq++, ts, type: OWN_TYPES.repaired, json: toJson(data) };
    this.#prev = this.#buffer.add(line, this.#prev);
  }

  flush(): void {
    writeAll(this.#target, this.#buffer.bytes);
    this.#buffer.clear();
  }
}

function openTarget(fileSystem: FileSystem, { id, target }: RepairOptions): FileHandle {
  try {
    return fileSystem.open(target, 'create', 0o600);
  } catch (error) {
    throw openingError({ id, path: target }, error, 'append');
  }
}

function nothingToRepair({ id, path }: RepairOptions): OllmError {
  return new OllmError('JOURNAL_DAMAGED', `No event can be read in journal ${id}: ${path}`, {
    hint: 'There is nothing that a repair could keep. The file was left as it is.',
    data: { id, path },
  });
}
