// `ollm append ID`: any program keeps a session by lines of JSON. Each line is answered in order, once it is on the
// device or refused; a bad line refuses itself and no other. Needs no provider and no state: only the journal's writer.
import { isOllmError, OllmError } from '../../../errors/index.ts';
import { MAX_WRITTEN_LINE_BYTES } from '../../../journal/format.ts';
import type { JournalWriter, NewEvent, StoredEvent } from '../../../journal/types.ts';
import { OFFLINE_MODEL } from '../../../providers/offline/provider.ts';
import { damagedPlaces, describeOpening } from '../../../session/describe-opening.ts';
import { isImport, refuseTurnsIn } from '../../../session/is-import.ts';
import { Pointers } from '../../../session/pointers.ts';
import { VERSION } from '../../../version.ts';
import type { App } from '../../app.ts';
import { resolveId } from '../../find/find-session.ts';
import { begunHere } from '../../repository/project-identity.ts';
import { readForeignEvent } from './foreign-event.ts';
import { type EventInputLine, inputLines } from './input-lines.ts';
import { createJsonLineParser, type ParseJsonLine } from './parse-json-line.ts';

export type Acknowledgement =
  | { readonly seq: number; readonly xxh64: string }
  /** `line` counts all lines of the input, from 1. */
  | { readonly line: number; readonly error: { readonly code: string; readonly message: string } };

interface AppendRequest {
  /** Make the session if there is none of exactly this id. */
  readonly create?: boolean | undefined;
  /** Ends the appending after the lines under way. */
  readonly signal: AbortSignal;
}

export interface Appending {
  readonly writer: JournalWriter;
  readonly created: boolean;
  /** What a person should know of how the journal was opened, one sentence each. */
  readonly notices: readonly string[];
  /** Places of the journal that are damaged, and stay so. */
  readonly damaged: number;
  /**
   * The answers to the lines of `input`, batch by batch. Pull the next one when the last is delivered: nothing is read
   * before.
   * @throws OllmError JOURNAL_FULL, JOURNAL_POISONED, …: after the answers to the lines that it hit
   */
  answers(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Acknowledgement[], void, void>;
  /** Ends the session in order and gives up the lock. */
  close(): Promise<void>;
}

const FAULTS_OF_A_LINE: readonly string[] = ['EVENT_INVALID', 'EVENT_TOO_LARGE', 'EVENT_CONFLICT'];

interface Target {
  readonly writer: JournalWriter;
  /** Targets in the journal. */
  readonly pointers: Pointers;
}

interface Candidate {
  readonly line: number;
  readonly event: NewEvent;
}

/** @throws OllmError SESSION_*, JOURNAL_* */
export async function openForAppending(
  app: App,
  reference: string,
  { create = false, signal }: AppendRequest,
): Promise<Appending> {
  const pointers: Pointers = new Pointers({
    knows: (id) => writer.knows(id),
    hasBlob: async (sha256) => (await app.store.readBlob(sha256)) !== undefined,
  });
  const { writer, created } = await openOrCreate(app, reference, create, (event) => pointers.note(event));
  pointers.reach(writer.head.seq);
  writer.subscribe((events) => {
    for (const event of events) pointers.note(event);
  });
  const target: Target = { writer, pointers };
  return {
    writer,
    created,
    notices: created ? [] : describeOpening(writer.id, writer.report),
    damaged: damagedPlaces(writer.report.damage),
    async *answers(input) {
      const parse = createJsonLineParser();
      for await (const lines of inputLines(input, { maxBytes: MAX_WRITTEN_LINE_BYTES })) {
        const { answers, failure } = await appendLines(target, lines, parse);
        if (answers.length > 0) yield answers;
        if (failure) throw failure;
        if (signal.aborted) return;
      }
    },
    async close() {
      const reason = signal.aborted ? 'signal' : 'eof';
      try {
        if (!writer.failure) await writer.append({ type: 'session.closed', data: { reason } }, { durability: 'disk' });
      } finally {
        await writer.close();
      }
    },
  };
}

async function openOrCreate(
  app: App,
  reference: string,
  create: boolean,
  onEvent: (event: StoredEvent) => void,
): Promise<{ writer: JournalWriter; created: boolean }> {
  const { store } = app;
  const policy = app.config.services.session.durability;
  if (create && !(await store.has(reference)) && !reference.startsWith('@')) {
    const writer = await store.create(reference, { ...answering(app), ollm: VERSION, ...begunHere(app) }, { policy });
    return { writer, created: true };
  }
  const id = await resolveId(app, reference);
  if (await isImport(store, id)) throw refuseTurnsIn(id);
  return { writer: await store.openWriter(id, { policy, onEvent }), created: false };
}

/** The model that would answer next here; the program that keeps the session says by model.changed which one spoke. */
function answering({ config: { provider, model } }: App): { provider: string; model: string } {
  return provider && model ? { provider, model } : { provider: 'offline', model: OFFLINE_MODEL };
}

async function appendLines(
  target: Target,
  lines: readonly EventInputLine[],
  parse: ParseJsonLine,
): Promise<{ answers: Acknowledgement[]; failure: OllmError | undefined }> {
  const answers = new Map<number, Acknowledgement>();
  const candidates: Candidate[] = [];
  // Events of one batch may point at each other.
  const expected = target.pointers.copy();
  for (const line of lines) {
    const read = readLine(line, parse);
    if (read === undefined) continue;
    const refused = 'event' in read ? await danglingRefusal(read, expected) : read;
    if (refused !== undefined) answers.set(line.line, refused);
    else if ('event' in read) candidates.push(read);
  }
  const failure = await appendCandidates(target, candidates, answers);
  return { answers: [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer), failure };
}

/** Undefined for a blank line. */
function readLine(input: EventInputLine, parse: ParseJsonLine): Candidate | Acknowledgement | undefined {
  if (input.kind === 'too-long') {
    return refusal(input.line, new OllmError('EVENT_TOO_LARGE', 'The line is longer than 16 MiB.'));
  }
  if (isBlank(input.bytes)) return undefined;
  try {
    return { line: input.line, event: readForeignEvent(input.bytes, parse) };
  } catch (error) {
    if (isOllmError(error)) return refusal(input.line, error);
    throw error;
  }
}

async function danglingRefusal({ line, event }: Candidate, expected: Pointers): Promise<Acknowledgement | undefined> {
  const fault = await expected.expect(event);
  return fault && refusal(line, fault);
}

/** All in one batch; where the writer refuses it, one by one, so that only the line that is to blame is refused. */
async function appendCandidates(
  target: Target,
  candidates: readonly Candidate[],
  answers: Map<number, Acknowledgement>,
): Promise<OllmError | undefined> {
  if (candidates.length === 0) return undefined;
  try {
    const receipts = await target.writer.append(
      candidates.map(({ event }) => event),
      { durability: 'disk' },
    );
    receipts.forEach(({ seq, xxh64 }, index) => {
      answers.set(candidates[index]!.line, { seq, xxh64 });
    });
    return undefined;
  } catch (error) {
    if (!isOllmError(error)) throw error;
    const isLinesFault = FAULTS_OF_A_LINE.includes(error.code);
    if (!isLinesFault || candidates.length === 1) {
      for (const { line } of candidates) answers.set(line, refusal(line, error));
      return isLinesFault ? undefined : error;
    }
  }
  for (const [index, candidate] of candidates.entries()) {
    // It may have pointed at one that was refused.
    const refused = await danglingRefusal(candidate, target.pointers.copy());
    if (refused !== undefined) {
      answers.set(candidate.line, refused);
      continue;
    }
    const failure = await appendCandidates(target, [candidate], answers);
    if (failure === undefined) continue;
    for (const { line } of candidates.slice(index + 1)) answers.set(line, refusal(line, failure));
    return failure;
  }
  return undefined;
}

function refusal(line: number, { code, message }: OllmError): Acknowledgement {
  return { line, error: { code, message } };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
