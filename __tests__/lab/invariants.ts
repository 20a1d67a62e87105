// What must be true of a session's files after every step, as sentences: I1 to I4, I7 and I8 of docs/reliability.md.
// They look at the disk through a store of their own, as another program would. (I5 and I6 are acts: see
// World.recover.)
import type { JournalReader, JournalStore, StoredEvent } from '../../lib/journal/types.ts';
import { decodeState } from '../../lib/session/saved/state-file.ts';
import type { Session } from '../../lib/session/session.ts';
import { createKeeper, followJournal } from '../../lib/session/states.ts';
import { ANY_SNAPSHOT, type Model, type SessionModel, Violation } from './model.ts';
import { type PlainLine, plainLines } from './plain-reader.ts';

export const DIRECTORY = '/home/me/sessions';

export interface Looked {
  /** Acknowledged events that were looked for. */
  readonly checked: number;
  readonly findings: number;
}

/** Looks at a session that is live. */
export async function checkLive(
  model: Model,
  session: SessionModel,
  store: JournalStore,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Looked> {
  const bytes = files.get(`${DIRECTORY}/${session.id}.jsonl`) ?? new Uint8Array(0);
  const reader = openOrFail(session, store);
  try {
    const { events, findings, broken, doubted, owed } = await everyByteIsAnEventOrReported(
      model,
      session,
      reader,
      bytes,
    );
    // A block that was given out and never written may hold a whole old line, among bytes that are reported as damage.
    const outside = events.filter(({ offset }) => !broken.some(([from, to]) => offset >= from && offset < to));
    const undoubted = outside.filter((event) => !doubted.has(event));
    noOtherReaderFindsMore(session, events, bytes.subarray(0, owed));
    await theOtherReadingsAgree(session, reader, events, findings);
    const checked = everyAcknowledgedEventIsThereOnceAndInOrder(session, events, undoubted);
    nothingElseIsThere(session, undoubted);
    noSeqIsGivenTwice(session, outside, doubted);
    await whatIsDerivedStandsOnTheJournal(session, store, reader, events);
    return { checked, findings: findings.length };
  } finally {
    reader.close();
  }
}

/** I8: everything that was moved out of the way is in its new place. */
export function checkKept(model: Model, session: SessionModel, files: ReadonlyMap<string, Uint8Array>): number {
  let checked = 0;
  if (session.archived.length > 0) {
    const kept = new Set<string>();
    for (const [path, bytes] of files) {
      const isOfSession = path.startsWith(`${DIRECTORY}/`) && path.includes(`/${session.id}.`);
      if (isOfSession && path.endsWith('.jsonl')) for (const { xxh64 } of plainLines(bytes)) kept.add(xxh64);
    }
    for (const { events } of session.archived) {
      for (const { marker, xxh64 } of events) {
        checked++;
        if (!kept.has(xxh64)) throw new Violation('loss', `${session.id}: ${marker} is in no archive`);
      }
    }
  }
  for (const [path, expected] of model.evidence) {
    const found = files.get(path);
    if (!found || Buffer.compare(found, expected) !== 0) {
      throw new Violation('loss', `what was put aside as ${path} is ${found ? 'changed' : 'gone'}`);
    }
  }
  return checked;
}

function openOrFail(session: SessionModel, store: JournalStore): JournalReader {
  try {
    return store.openReader(session.id);
  } catch (error) {
    throw new Violation('loss', `${session.id}: cannot be read: ${String(error)}`);
  }
}

/** I3, first half; and no finding where nothing can be wrong. */
async function everyByteIsAnEventOrReported(
  model: Model,
  session: SessionModel,
  reader: JournalReader,
  bytes: Uint8Array,
) {
  const { id } = session;
  const events: StoredEvent[] = [];
  const findings: string[] = [];
  const broken: [number, number][] = [];
  const doubted = new Set<StoredEvent>();
  const promised = new Set(session.acknowledged.map(({ xxh64 }) => xxh64));
  const covered: [number, number][] = [];
  let reported = true;
  let highest = -1;
  let reportedEnd = 0;
  let before: StoredEvent | undefined;
  for (const outcome of (await Array.fromAsync(reader.outcomes())).flat()) {
    if (outcome.kind === 'damage') {
      const { kind, offset, length, reason, seq = -1 } = outcome.damage;
      highest = Math.max(highest, seq);
      findings.push(`${kind} ${offset}`);
      covered.push([offset, offset + length + 1]);
      if (kind === 'welded' || kind === 'nul-run') broken.push([offset, offset + length]);
      reportedEnd = Math.max(reportedEnd, offset + length + 1);
      reported = true;
      if (!model.wasHurt) throw new Violation('false alarm', `${id}: ${kind} at ${offset}: ${reason}`);
      if (offset < session.soundBytes && !session.known.has(offset)) {
        throw new Violation('loss', `${id}: ${kind} at ${offset}, among bytes on the device: ${reason}`);
      }
      session.known.add(offset);
      continue;
    }
    const { event } = outcome;
    covered.push([event.offset, event.end]);
    // After damage, seq continues from the highest that can be read, in an event or in a report.
    const goesOn = event.seq === (before?.seq ?? -1) + 1 || event.seq === highest + 1;
    const follows = goesOn && event.prev === (before?.xxh64 ?? '0'.repeat(16));
    const isEcho = event.seq <= highest;
    highest = Math.max(highest, event.seq);
    // A whole line inside a damaged one is shown after its report, and more of the line may be lost after that.
    if (!follows && !reported && reportedEnd < event.offset) {
      throw new Violation('undetected damage', `${id}: seq ${event.seq} does not follow, and is not reported`);
    }
    // Old blocks bring back lines that follow one another; where one was promised, what follows it is in its place.
    const isPromised = promised.has(event.xxh64) && !isEcho;
    const isDoubted = !follows || isEcho || (before !== undefined && doubted.has(before) && !isPromised);
    if (isDoubted) doubted.add(event);
    reported = false;
    before = event;
    events.push(event);
  }
  let end = 0;
  for (const [from, to] of covered.sort((a, b) => a[0] - b[0])) {
    if (from > end) throw new Violation('undetected damage', `${id}: bytes ${end} to ${from} are passed over`);
    end = Math.max(end, to);
  }
  // While a journal is being written, a line is not there before its LF is.
  const owed = (await reader.isBeingWritten()) ? Buffer.from(bytes).lastIndexOf(0x0a) + 1 : bytes.length;
  if (end < owed) throw new Violation('undetected damage', `${id}: bytes ${end} to ${owed} are passed over`);
  return { events, findings, broken, doubted, owed };
}

/** What any program finds that follows the page on the format, ours finds. */
function noOtherReaderFindsMore(session: SessionModel, events: readonly StoredEvent[], bytes: Uint8Array): void {
  const found = new Set(events.map(({ xxh64, seq }) => `${seq} ${xxh64}`));
  const missed = plainLines(bytes).find((line: PlainLine) => !found.has(`${line.seq} ${line.xxh64}`));
  if (missed) throw new Violation('loss', `${session.id}: seq ${missed.seq} at ${missed.offset} is not found`);
}

async function theOtherReadingsAgree(
  { id }: SessionModel,
  reader: JournalReader,
  events: readonly StoredEvent[],
  findings: readonly string[],
): Promise<void> {
  const verified: string[] = [];
  await reader.verify({ onDamage: ({ kind, offset }) => verified.push(`${kind} ${offset}`) });
  if (verified.join() !== findings.join()) {
    throw new Violation('undetected damage', `${id}: verifying finds [${verified}], reading finds [${findings}]`);
  }
  if (findings.length > 0) return;
  const seqs: number[] = [];
  for (const outcome of (await Array.fromAsync(reader.backwards())).flat())
    if (outcome.kind === 'event') seqs.push(outcome.event.seq);
  if (seqs.reverse().join() !== events.map(({ seq }) => seq).join()) {
    throw new Violation('undetected damage', `${id}: read backwards, it holds other events`);
  }
}

/** I1 and I4. A line that an old block brought back next to reported damage is not a second event. */
function everyAcknowledgedEventIsThereOnceAndInOrder(
  session: SessionModel,
  events: readonly StoredEvent[],
  undoubted: readonly StoredEvent[],
): number {
  const { id, acknowledged } = session;
  const found = new Map<string, StoredEvent>();
  for (const event of undoubted) {
    const marker = markerOf(event);
    if (marker === undefined) continue;
    if (found.has(marker)) throw new Violation('broken promise', `${id}: ${marker} is there twice`);
    found.set(marker, event);
  }
  for (const event of events) {
    const marker = markerOf(event);
    if (marker !== undefined && !found.has(marker)) found.set(marker, event);
  }
  const first = events.find(({ seq }) => seq === 0);
  if (session.firstLine !== undefined && first?.xxh64 !== session.firstLine) {
    throw new Violation('loss', `${id}: the first line is another one`);
  }
  let lastOffset = -1;
  for (const { marker, seq, xxh64, level } of acknowledged) {
    const event = found.get(marker);
    if (!event) throw new Violation('loss', `${id}: ${marker} (seq ${seq}, ${level}) is gone`);
    if (event.seq !== seq || event.xxh64 !== xxh64) {
      throw new Violation('broken promise', `${id}: ${marker} is not as it was acknowledged`);
    }
    if (event.offset <= lastOffset) throw new Violation('broken promise', `${id}: ${marker} is out of order`);
    lastOffset = event.offset;
  }
  return acknowledged.length;
}

/** I2: an unacknowledged event is there whole, or not at all; a refused one is not. */
function nothingElseIsThere(session: SessionModel, events: readonly StoredEvent[]): void {
  const known = new Set(session.acknowledged.map(({ marker }) => marker));
  for (const event of events) {
    const marker = markerOf(event);
    if (marker === undefined || known.has(marker) || session.uncertain.has(marker)) continue;
    const what = session.refused.has(marker) ? 'was refused, and is there' : 'was never appended here';
    throw new Violation('broken promise', `${session.id}: ${marker} ${what}`);
  }
}

function noSeqIsGivenTwice(
  session: SessionModel,
  events: readonly StoredEvent[],
  doubted: ReadonlySet<StoredEvent>,
): void {
  const acknowledged = new Map(session.acknowledged.map(({ seq, xxh64 }) => [seq, xxh64]));
  const passed = new Set<number>();
  for (const event of events) {
    const { seq, xxh64 } = event;
    const expected = acknowledged.get(seq);
    if (expected === undefined) continue;
    if (expected === xxh64) passed.add(seq);
    // A removed line, from an old block after the line that took its number.
    else if (!(doubted.has(event) && passed.has(seq))) {
      throw new Violation('broken promise', `${session.id}: seq ${seq} was given to two events`);
    }
  }
}

/**
 * What had streamed when a session was killed is a message once it is open again: whole, in one message, and once. Not
 * looked at where the journal is damaged, because a state file may know pieces that are not there any more.
 */
export async function streamedTextIsSaidOnce(id: string, store: JournalStore): Promise<void> {
  const reader = store.openReader(id);
  try {
    let streamed = '';
    for (const outcome of (await Array.fromAsync(reader.outcomes())).flat()) {
      if (outcome.kind === 'damage') return;
      const { event } = outcome;
      const { role, parts } = event.data as { role?: string; parts?: readonly { text?: string }[] };
      const text = parts?.map((part) => part.text ?? '').join('') ?? '';
      if (event.type === 'message.streamed') streamed += text;
      if (event.type !== 'message.added' || role !== 'assistant') continue;
      if (markerOf(event) === undefined && text !== streamed) {
        throw new Violation('broken promise', `${id}: seq ${event.seq} is not the text that had streamed`);
      }
      streamed = '';
    }
    if (streamed !== '') throw new Violation('loss', `${id}: text that had streamed is in no message`);
  } finally {
    reader.close();
  }
}

/** I7, the part of it that is on disk. */
async function whatIsDerivedStandsOnTheJournal(
  session: SessionModel,
  store: JournalStore,
  reader: JournalReader,
  events: readonly StoredEvent[],
): Promise<void> {
  const { id, snapshots } = session;
  const text = await store.readDocument(id, 'snapshot');
  const isKnown = snapshots.has(text) || (text !== undefined && snapshots.has(ANY_SNAPSHOT) && isJson(text));
  // A file with events that were not promised is set aside by the opening that sees it.
  if (!isKnown && !(text === undefined && session.derivedMayDiffer)) {
    throw new Violation('broken promise', `${id}: the snapshot is neither old nor new: ${String(text).slice(0, 80)}`);
  }
  if (session.derivedMayDiffer) return;
  // The highest, and not that of the last line, which an old block may have brought back.
  const last = events.reduce((highest, { seq }) => Math.max(highest, seq), -1);
  const covered = text === undefined ? undefined : (JSON.parse(text) as { journal?: { seq: number } }).journal;
  if (covered && covered.seq > last) {
    throw new Violation('false alarm', `${id}: the snapshot is ahead of its journal (${covered.seq} > ${last})`);
  }
  const saved = await store.readDocument(id, 'state');
  if (saved === undefined) return;
  const state = decodeState(saved);
  if (!state) throw new Violation('broken promise', `${id}: the state file cannot be read`);
  if (state.anchor.seq > last) {
    throw new Violation('false alarm', `${id}: the state file is ahead of its journal (${state.anchor.seq} > ${last})`);
  }
  if (state.synced.seq >= 0 && !(await reader.holds(state.synced))) {
    throw new Violation('loss', `${id}: seq ${state.synced.seq} was on the device and is not there`);
  }
}

/** I7: states that went on from a saved file are those that the whole journal gives. */
export async function checkStates(session: Session, store: JournalStore): Promise<void> {
  const fresh = createKeeper();
  await followJournal(fresh, store, session.id);
  const { lastSeq, position, format, counts } = fresh.replay;
  const live = createKeeper({ from: { states: structuredClone(session.states), lastSeq, position, format, counts } });
  // Items that no window reaches may have been trimmed at a different moment.
  for (const keeper of [fresh, live]) keeper.trim();
  if (stable(fresh.states) !== stable(live.states)) {
    throw new Violation('broken promise', `${session.id}: the states are not what a replay gives`);
  }
}

/** JSON with the members of each object in order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export function markerOf({ data }: Pick<StoredEvent, 'data'>): string | undefined {
  return typeof data.marker === 'string' ? data.marker : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
