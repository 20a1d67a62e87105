// The acknowledgements of a child process, and the oracle that compares a directory with them once the process is gone:
// every acknowledged event is there, once, unchanged, in order; the report of opening agrees with the bytes; the next
// append works; a second opening finds nothing more. Throws a Violation at the first difference.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOllmError } from '../../../lib/errors/index.ts';
import { openFileStore } from '../../../lib/file-store/file-store.ts';
import type { JournalStore } from '../../../lib/journal/types.ts';
import { nodeFileSystem, silentLog, systemClock, systemIds, thisProcess } from '../../../lib/platform/index.ts';
import { openSession } from '../../../lib/session/open.ts';
import { plainLines } from '../plain-reader.ts';

export interface Acknowledged {
  readonly marker: string;
  readonly seq: number;
  readonly xxh64: string;
}

export type Deed =
  | 'start'
  | 'create'
  | 'open'
  | 'append'
  | 'again'
  | 'save'
  | 'close'
  | 'repair'
  | 'trash'
  | 'restore'
  | 'purge'
  | 'all';

export type Statement =
  | { readonly did: 'append'; readonly id: string; readonly level: string; readonly events: readonly Acknowledged[] }
  | { readonly did: Exclude<Deed, 'append'>; readonly id: string }
  | { readonly doing: string; readonly id: string }
  | {
      readonly failed: string;
      readonly id: string;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
    };

/** The fault of the program. */
export class Violation extends Error {
  override name = 'Violation';
}

type Place = 'live' | 'trash' | 'gone';
const GOES_TO: Readonly<Record<string, Place>> = { create: 'live', trash: 'trash', restore: 'live', purge: 'gone' };

interface Expected {
  /** Several while it is being moved. */
  places: readonly Place[];
  acknowledged: (Acknowledged & { readonly level: string })[];
  /** A repair may give lines a new place in the chain. */
  wasRepaired: boolean;
}

/** All that is known of the sessions of one directory, over the lives of several processes. */
export class Ledger {
  readonly sessions = new Map<string, Expected>();

  /** A session that was there before the first process. */
  add(id: string, acknowledged: readonly Acknowledged[]): void {
    this.sessions.set(id, {
      places: ['live'],
      acknowledged: acknowledged.map((event) => ({ ...event, level: 'disk' })),
      wasRepaired: false,
    });
  }

  take(statements: readonly Statement[]): void {
    for (const statement of statements) this.#takeOne(statement);
  }

  /** After a cut of the power: what only ever was in memory, and is gone, is not looked for again. */
  forgetWhatIsLost(directory: string): void {
    for (const [id, session] of this.sessions) {
      const there = markersIn(bytesAt(directory, id, placeOf(directory, id)));
      session.acknowledged = session.acknowledged.filter(({ marker }) => there.has(marker));
    }
  }

  get size(): number {
    return [...this.sessions.values()].reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  #takeOne(statement: Statement): void {
    const session = this.#session(statement.id);
    if ('failed' in statement) return;
    if ('doing' in statement) {
      const goal = GOES_TO[statement.doing];
      if (goal) session.places = [...new Set([...session.places, goal])];
      session.wasRepaired ||= statement.doing === 'repair';
      return;
    }
    const goal = GOES_TO[statement.did];
    if (goal) session.places = [goal];
    if (statement.did !== 'append') return;
    const known = new Set(session.acknowledged.map(({ marker }) => marker));
    for (const event of statement.events) {
      if (!known.has(event.marker)) session.acknowledged.push({ ...event, level: statement.level });
    }
  }

  #session(id: string): Expected {
    const session = this.sessions.get(id) ?? { places: ['gone'], acknowledged: [], wasRepaired: false };
    this.sessions.set(id, session);
    return session;
  }
}

/** What a crash may have taken: nothing when a process died, the unsynced part when the machine did. */
export type Loss = 'nothing' | 'what was not synced';

/** How many acknowledged events were looked for and found. */
export async function checkLedger(ledger: Ledger, directory: string, loss: Loss = 'nothing'): Promise<number> {
  const store = openStore(directory);
  let checked = 0;
  for (const [id, expected] of ledger.sessions) {
    const place = placeOf(directory, id);
    if (
      !expected.places.includes(place) &&
      !(loss !== 'nothing' && place === 'gone' && expected.acknowledged.length === 0)
    ) {
      throw new Violation(`${id} should be ${expected.places.join(' or ')}, and is ${place}.`);
    }
    checked += checkEvents(id, expected, bytesAt(directory, id, place), loss);
    if (place === 'trash') await store.restore(id);
    if (place !== 'gone') await checkOpening(store, directory, id, expected);
    else if (expected.places.includes('live'))
      await (await store.create(id, { model: 'm', provider: 'p', ollm: '0' })).close();
  }
  checkLeftovers(directory);
  return checked;
}

export function openStore(directory: string): JournalStore {
  return openFileStore(
    {
      fileSystem: nodeFileSystem,
      clock: systemClock,
      ids: systemIds,
      process: thisProcess('ollm lab'),
      log: silentLog,
    },
    { directory },
  );
}

function placeOf(directory: string, id: string): Place {
  const isLive = existsSync(join(directory, `${id}.jsonl`));
  const isTrashed = trashedFile(directory, id) !== undefined;
  if (isLive && isTrashed) throw new Violation(`${id} is both live and in the trash.`);
  return isLive ? 'live' : isTrashed ? 'trash' : 'gone';
}

function trashedFile(directory: string, id: string): string | undefined {
  const trash = join(directory, 'trash');
  if (!existsSync(trash)) return undefined;
  return readdirSync(trash)
    .filter((name) => name.startsWith(`${id}.`))
    .map((name) => join(trash, name, `${id}.jsonl`))
    .find((path) => existsSync(path));
}

function bytesAt(directory: string, id: string, place: Place): Buffer {
  if (place === 'gone') return Buffer.alloc(0);
  return readFileSync(place === 'live' ? join(directory, `${id}.jsonl`) : trashedFile(directory, id)!);
}

function checkEvents(id: string, { acknowledged, wasRepaired, places }: Expected, bytes: Buffer, loss: Loss): number {
  if (places.includes('gone') && bytes.length === 0) return 0;
  const found = new Map<string, { seq: number; xxh64: string; count: number; index: number }>();
  plainLines(bytes).forEach(({ data, seq, xxh64 }, index) => {
    const marker = markerOf(data);
    if (marker === undefined) return;
    const count = (found.get(marker)?.count ?? 0) + 1;
    if (count > 1) throw new Violation(`${id}: ${marker} is there ${count} times.`);
    found.set(marker, { seq, xxh64, count, index });
  });
  let before = -1;
  let checked = 0;
  let lost: string | undefined;
  for (const { marker, seq, xxh64, level } of acknowledged) {
    const line = found.get(marker);
    if (!line) {
      if (loss === 'nothing' || level === 'disk')
        throw new Violation(`${id}: ${marker} (${level}) was acknowledged and is lost.`);
      lost = marker;
      continue;
    }
    // A disk may forget the end of a file, never an earlier part.
    if (lost) throw new Violation(`${id}: ${marker} is there, and ${lost} before it is not.`);
    if (!wasRepaired && (line.seq !== seq || line.xxh64 !== xxh64))
      throw new Violation(`${id}: ${marker} is another line.`);
    if (line.index <= before) throw new Violation(`${id}: ${marker} stands before one that was acknowledged earlier.`);
    before = line.index;
    checked += 1;
  }
  return checked;
}

function markersIn(bytes: Buffer): Set<string> {
  return new Set(plainLines(bytes).flatMap(({ data }) => markerOf(data) ?? []));
}

function markerOf(data: Record<string, unknown>): string | undefined {
  const [part] = Array.isArray(data.parts) ? (data.parts as { text?: unknown }[]) : [];
  return typeof part?.text === 'string' ? /^m[\d-]+/.exec(part.text)?.[0] : undefined;
}

/**
 * Opening reports the state of the bytes, twice; saved states equal the content of the journal; appending continues.
 */
async function checkOpening(
  store: JournalStore,
  directory: string,
  id: string,
  { acknowledged }: Expected,
): Promise<void> {
  const path = join(directory, `${id}.jsonl`);
  const bytes = readFileSync(path);
  const truth = describeBytes(bytes);
  if (truth.lines === 0) {
    if (acknowledged.length > 0) throw new Violation(`${id} holds no line.`);
    await refuses(store, id, 'JOURNAL_EMPTY');
    await (await store.create(id, { model: 'm', provider: 'p', ollm: '0' })).close();
    return;
  }
  const opened = await openSession(store, id, { log: silentLog });
  const { damage, recovered } = opened.writer.report;
  const cut = recovered?.length ?? 0;
  if (cut !== truth.tail) throw new Violation(`${id}: ${truth.tail} bytes were torn, and ${cut} were reported.`);
  const others = damage.filter(({ kind }) => kind !== 'torn-tail' && kind !== 'zero-tail').length;
  if (others !== truth.bad) throw new Violation(`${id}: ${truth.bad} bad lines, and ${others} were reported.`);
  if (recovered) {
    const kept = readFileSync(join(directory, 'quarantine', recovered.quarantine));
    if (!kept.equals(bytes.subarray(-truth.tail))) throw new Violation(`${id}: the quarantine holds other bytes.`);
  }
  const spoken = opened.report.notices.length;
  if ((cut > 0 || others > 0) && spoken === 0) throw new Violation(`${id}: the damage is not reported.`);
  const summary = JSON.stringify(opened.states.summary);
  await opened.append({ type: 'session.titled', data: { title: 'after', by: 'user' } }, { durability: 'disk' });
  await opened.close('exit');

  await store.removeDocument(id, 'state');
  const again = await openSession(store, id, { log: silentLog });
  const { report } = again.writer;
  if (!report.clean || report.recovered) throw new Violation(`${id}: a second opening found something to do.`);
  if (report.damage.length !== truth.bad) throw new Violation(`${id}: a second opening found other damage.`);
  const replayed = JSON.stringify({ ...again.states.summary, title: undefined });
  if (truth.bad === 0 && !hasSameTurns(summary, replayed))
    throw new Violation(`${id}: saved states differ from a replay.`);
  await again.close('exit');
}

function hasSameTurns(one: string, other: string): boolean {
  const counts = (text: string) => {
    const { messageCount, turnCount, model } = JSON.parse(text) as Record<string, unknown>;
    return `${messageCount} ${turnCount} ${model}`;
  };
  return counts(one) === counts(other);
}

async function refuses(store: JournalStore, id: string, code: string): Promise<void> {
  try {
    await (await store.openWriter(id)).close();
  } catch (error) {
    if (isOllmError(error) && error.code === code) return;
    throw error;
  }
  throw new Violation(`${id} was opened, instead of ${code}.`);
}

/** With a reader of our own: whole lines, bad ones that end in LF, and bytes after the last LF. */
function describeBytes(bytes: Buffer): { lines: number; bad: number; tail: number } {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const all = bytes.subarray(0, end).toString('latin1').split('\n').length - 1;
  const lines = plainLines(bytes.subarray(0, end)).length;
  // A last line that lacks nothing but its LF is not a torn one.
  const isUnterminated = plainLines(bytes.subarray(end)).length === 1;
  return { lines: lines + (isUnterminated ? 1 : 0), bad: all - lines, tail: isUnterminated ? 0 : bytes.length - end };
}

function checkLeftovers(directory: string): void {
  const left = readdirSync(directory).filter((name) => name.endsWith('.tmp'));
  if (left.length > 0) throw new Violation(`Half-written files stay: ${left.join(', ')}`);
}
