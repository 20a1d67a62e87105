// The end of the import of a long session, next to its journal in `<id>.import.json`: the next import, by any process,
// translates new records from there. Derived and disposable: it is bound to the last line of the journal and has a
// checksum, and if either does not match, the source is translated from its beginning. Only the journal has the record
// of the import. A short session has no such file, because a new translation of it is quick.
import type { Agent } from '../agents/agent.ts';
import type { TranslationCheckpoint } from '../agents/source-translation.ts';
import { isOllmError } from '../errors/index.ts';
import { checksum } from '../journal/line/checksum.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { Anchor, JournalStore, StoredEvent } from '../journal/types.ts';
import { parseObject } from '../platform/json.ts';
import { endOf, type KeptPart } from './kept-bytes.ts';

export interface Continuation {
  /** The last line of the journal, and how often it had been opened. */
  readonly anchor: Anchor;
  readonly epoch: number;
  /** The last parts of the newest generation: records that are not translated yet are in them. */
  readonly parts: readonly KeptPart[];
  /** The seq in the journal of each event of the source. */
  readonly stored: readonly number[];
  readonly checkpoint: TranslationCheckpoint;
}

/** Events in a row: the number of the first one in the source, and its seq in the journal. */
type Run = readonly [number: number, seq: number];

const FORMAT = 2;
const LEAST_BYTES = 256 * 1024;
const BEFORE = '{"import":';
const END_LENGTH = ',"xxh64":"0123456789abcdef"}\n'.length;

/** Undefined without a valid file, or if the journal has events of the source after it. */
export async function readContinuation(
  store: JournalStore,
  id: string,
  { version }: Pick<Agent, 'version'>,
): Promise<Continuation | undefined> {
  const continuation = decode(await store.readDocument(id, 'import'));
  if (continuation === undefined || continuation.parts.some(({ translator }) => translator !== version))
    return undefined;
  const { anchor } = continuation;
  using reader = store.openReader(id);
  if (!(await reader.holds(anchor))) return undefined;
  const isCurrent = await everyOutcome(
    reader.outcomes({ after: anchor }),
    (outcome) => outcome.kind === 'event' && !isOfSource(outcome.event),
  );
  return isCurrent ? continuation : undefined;
}

/** Whether it says something of the source: such an event moves the import on. */
export function isOfSource({ type, data }: StoredEvent): boolean {
  return type === 'source.kept' || data.origin !== undefined;
}

/** The journal must be on the device up to the anchor. Where this cannot be stored, the next import does without. */
export async function writeContinuation(store: JournalStore, id: string, continuation: Continuation): Promise<void> {
  const { parts } = continuation;
  const { offset } = continuation.checkpoint;
  // Bytes that an earlier generation has are found by all of its parts.
  const isPlain = parts.every(({ pieces, dictionary }) => pieces === undefined && dictionary === undefined);
  if (offset < LEAST_BYTES || !isPlain) return;
  const needed = parts.filter((part, index) => endOf(part) > offset || index === parts.length - 1);
  try {
    await store.writeDocument(id, 'import', encode({ ...continuation, parts: needed }));
  } catch (error) {
    if (!isOllmError(error)) throw error;
  }
}

function encode({ stored, ...rest }: Continuation): string {
  const runs = stored.flatMap((seq, number): Run[] => (seq === stored[number - 1]! + 1 ? [] : [[number, seq]]));
  return sealed(JSON.stringify({ format: FORMAT, events: stored.length, runs, ...rest }));
}

function decode(file: string | undefined): Continuation | undefined {
  if (file === undefined) return undefined;
  const text = file.slice(BEFORE.length, -END_LENGTH);
  const value = file === sealed(text) ? parseObject(text) : undefined;
  if (value?.format !== FORMAT) return undefined;
  const {
    format: _,
    events,
    runs,
    ...rest
  } = value as unknown as Omit<Continuation, 'stored'> & {
    readonly format: number;
    readonly events: number;
    readonly runs: readonly Run[];
  };
  const stored = runs.flatMap(([number, seq], index) =>
    Array.from({ length: (runs[index + 1]?.[0] ?? events) - number }, (_, place) => seq + place),
  );
  return { ...rest, stored };
}

function sealed(text: string): string {
  return `${BEFORE}${text},"xxh64":"${checksum(Buffer.from(text))}"}\n`;
}
