// The events of a session of another program from pieces of its bytes, record by record, with what became of each. The
// same bytes give the same events, however they are divided.
import type { Agent, ForeignEvent, Source } from '../agents/agent.ts';
import type { Fidelity } from '../agents/fidelity.ts';
import { MAX_RECORD_BYTES, type RecordStep, recordsOfDocument, recordsOfLines } from '../agents/records.ts';
import { SourceTranslation, type TranslationCheckpoint } from '../agents/source-translation.ts';
import type { FileHandle, FileStat } from '../platform/index.ts';

const LINE_FEED = 0x0a;

interface TranslatedOptions {
  /** The form of the pieces: see SourceBytes. */
  readonly form: 'file' | 'rows';
  readonly fidelity?: Fidelity | undefined;
  /** Where the pieces begin, between two records of lines. */
  readonly from?: TranslationCheckpoint | undefined;
  /** Called after the last record. */
  readonly onEnd?: ((checkpoint: TranslationCheckpoint) => void) | undefined;
}

/** The events of each record that gives some, together. `bytes`: how many the record has. */
interface TranslatedRecord {
  readonly events: readonly ForeignEvent[];
  readonly bytes: number;
}

export async function* translatedRecords(
  agent: Agent,
  source: Source,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  { form, fidelity, from, onEnd }: TranslatedOptions,
): AsyncGenerator<TranslatedRecord, void, void> {
  const translation = new SourceTranslation(agent, source, { from });
  const stored = agent.stored(source);
  const steps =
    form === 'file' && stored.kind === 'document'
      ? documentSteps(pieces, (handle) => recordsOfDocument(handle, stored))
      : lineSteps(pieces, translation.offset);
  for await (const step of steps) {
    if (step.kind === 'pause') continue;
    const { events } = translation.take(step, fidelity);
    if (step.kind === 'record' && events.length > 0) yield { events, bytes: step.length };
  }
  onEnd?.(translation.checkpoint());
}

/** Whole lines as they come; one that has not ended is looked at last, and waited for unless it is a record. */
async function* lineSteps(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  from: number,
): AsyncGenerator<RecordStep, void, void> {
  let waiting: Buffer[] = [];
  let base = from;
  let bytes = 0;
  let isTooLong = false;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    bytes += piece.length;
    if (end === 0) {
      waiting.push(piece);
      if (bytes <= MAX_RECORD_BYTES) continue;
      waiting = [];
      isTooLong = true;
      continue;
    }
    const rest = piece.subarray(end);
    if (isTooLong) {
      const length = bytes - piece.length + piece.indexOf(LINE_FEED);
      yield tooLong(base, length);
      waiting = [Buffer.from(piece.subarray(piece.indexOf(LINE_FEED) + 1, end))];
      base += length + 1;
    } else waiting.push(piece.subarray(0, end));
    const lines = waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting);
    yield* linesIn(lines, base);
    base += lines.length;
    waiting = rest.length === 0 ? [] : [rest];
    bytes = rest.length;
    isTooLong = false;
  }
  if (!isTooLong) yield* linesIn(Buffer.concat(waiting), base);
}

function linesIn(bytes: Buffer, base: number): Iterable<RecordStep> {
  return recordsOfLines(handleOf(bytes, base), { from: base, to: base + bytes.length, isGrowing: true });
}

function tooLong(offset: number, length: number): RecordStep {
  const reason = `The line has more than ${MAX_RECORD_BYTES} bytes.`;
  return { kind: 'damage', damage: { kind: 'oversize', offset, length, line: 0, reason }, end: undefined };
}

async function* documentSteps(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  read: (handle: FileHandle) => Iterable<RecordStep>,
): AsyncGenerator<RecordStep, void, void> {
  const all: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    // A single byte more is enough to know that the record is too large.
    if (bytes <= MAX_RECORD_BYTES + 1) all.push(piece);
    else if (bytes - piece.length <= MAX_RECORD_BYTES) all.push(piece);
  }
  yield* read(handleOf(Buffer.concat(all), 0) as FileHandle);
}

function handleOf(bytes: Buffer, base: number): Pick<FileHandle, 'read' | 'stat'> {
  return {
    read: (target, position) => bytes.copy(target as Buffer, 0, position - base),
    stat: () => ({ size: bytes.length }) as FileStat,
  };
}
