// One machine of the lab and what must be true of it: a simulated disk, one or two processes with a store each, and the
// model, which is nothing but lists of what was acknowledged and of what may have happened. Every step ends with `check`.

import { isOllmError } from '../../lib/errors/index.ts';
import { openFileStore } from '../../lib/journal/file-store.ts';
import type {
  DurabilityLevel,
  JournalReader,
  JournalStore,
  JournalWriter,
  StoredEvent,
} from '../../lib/journal/types.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { countingIds } from '../../lib/platform/ids.ts';
import { silentLog } from '../../lib/platform/log.ts';
import { plainLines } from './plain-reader.ts';
import { type Random, seededRandom } from './random.ts';
import { MachineDied, type SimulatedDisk, simulatedDisk } from './simulated-disk.ts';

const DIRECTORY = '/home/sessions';

/** An event that the lab appended. `marker` is in its data, and nowhere else. */
interface Appended {
  readonly marker: string;
  readonly seq: number;
  readonly xxh64: string;
}

interface Expected extends Appended {
  level: DurabilityLevel;
}

/** A writer that failed before says so again. */
const ALWAYS_ALLOWED = ['JOURNAL_POISONED', 'JOURNAL_CLOSED'];

type Place = 'nowhere' | 'live' | 'trash';

interface SessionModel {
  readonly id: string;
  /** Where it is known to be; several after a crash in the middle of moving it. */
  places: Set<Place>;
  /** In the order of their seq. */
  acknowledged: Expected[];
  /** Appended with an unknown outcome: there at most once. */
  readonly uncertain: Set<string>;
  /** A creation failed: after a crash its file may be there again, with nothing whole in it. */
  wasBegun: boolean;
  /** Texts that the snapshot may have; undefined: none. */
  snapshots: Set<string | undefined>;
}

interface Process {
  readonly store: JournalStore;
  readonly writers: Map<string, JournalWriter>;
}

export interface Statistics {
  steps: number;
  crashes: number;
  kills: number;
  faults: number;
  acknowledged: number;
  checked: number;
  findings: number;
  refusals: number;
}

/** What the lab found wrong with the program. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Violation';
  }
}

export class World {
  readonly disk: SimulatedDisk;
  readonly statistics: Statistics = {
    steps: 0,
    crashes: 0,
    kills: 0,
    faults: 0,
    acknowledged: 0,
    checked: 0,
    findings: 0,
    refusals: 0,
  };
  readonly #clock = manualClock();
  readonly #ids = countingIds();
  readonly #random: Random;
  readonly #sessions = new Map<string, SessionModel>();
  #processes: (Process | undefined)[] = [undefined, undefined];
  #nextMarker = 1;
  #nextPid = 1000;
  /** Whether anything has happened that may damage a file: before that, not one finding is allowed. */
  #wasHurt = false;
  /** Whether a fault may strike now, so that failing is allowed. */
  #mayFail = false;

  constructor(seed: number, options: { readonly capacityBytes?: number } = {}) {
    this.#random = seededRandom(seed);
    this.disk = simulatedDisk({ now: () => this.#clock.now(), ...options });
  }

  // What a schedule can do. Each returns when it is over, and has told the model what it knows.

  async create(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    // A new session may have the name of a trashed one; the model keeps to one of each name.
    if (session.places.has('trash')) return;
    await this.#attempt(async () => {
      const writer = await this.#process(process).store.create(id, { model: 'm', provider: 'p', ollm: '0' });
      this.#process(process).writers.set(id, writer);
      session.places = new Set(['live']);
    }, () => {
      if (session.places.has('live')) return;
      session.wasBegun = true;
      session.places.add('live');
      session.places.add('nowhere');
    }, ['SESSION_EXISTS', 'JOURNAL_LOCKED']);
  }

  async append(process: number, id: string, batches: readonly Batch[]): Promise<void> {
    const writer = await this.#writer(process, id);
    if (!writer) return;
    const session = this.#session(id);
    await Promise.all(
      batches.map(async ({ count, bytes, level }) => {
        const markers = Array.from({ length: count }, () => `m${this.#nextMarker++}`);
        for (const marker of markers) session.uncertain.add(marker);
        await this.#attempt(async () => {
          const receipts = await writer.append(
            markers.map((marker) => ({ type: 'lab.noted', data: { marker, text: this.#text(bytes) } })),
            { durability: level },
          );
          receipts.forEach(({ seq, xxh64 }, index) => {
            const marker = markers[index] ?? '';
            session.uncertain.delete(marker);
            session.acknowledged.push({ marker, seq, xxh64, level });
            this.statistics.acknowledged++;
          });
        });
      }),
    );
    session.acknowledged.sort((a, b) => a.seq - b.seq);
    if (writer.failure) await this.#close(process, id);
  }

  async sync(process: number, id: string): Promise<void> {
    const writer = this.#processes[process]?.writers.get(id);
    if (!writer) return;
    const session = this.#session(id);
    const before = [...session.acknowledged];
    await this.#attempt(async () => {
      await writer.sync();
      for (const event of before) event.level = 'disk';
    });
  }

  async close(process: number, id: string): Promise<void> {
    if (this.#processes[process]?.writers.has(id)) await this.#close(process, id);
  }

  async snapshot(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (!this.#isOnly(session, 'live')) return;
    const text = JSON.stringify({ id, version: this.#nextMarker++, text: this.#text(700) });
    const before = new Set(session.snapshots);
    session.snapshots.add(text);
    await this.#attempt(async () => {
      await this.#process(process).store.writeDocument(id, 'snapshot', text);
      session.snapshots = new Set([text]);
    });
    if (session.snapshots.size > 1) for (const each of before) session.snapshots.add(each);
  }

  async trash(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (!this.#isOnly(session, 'live')) return;
    await this.#move(session, 'live', 'trash', () => this.#process(process).store.trash(id));
  }

  async restore(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (!this.#isOnly(session, 'trash')) return;
    await this.#move(session, 'trash', 'live', () => this.#process(process).store.restore(id));
  }

  async purge(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (!this.#isOnly(session, 'trash')) return;
    const { store } = this.#process(process);
    await this.#move(session, 'trash', 'nowhere', async () => {
      const entry = store.listTrash().find((each) => each.id === id);
      if (entry) await store.purge(entry.entry);
    });
    if (this.#isOnly(session, 'nowhere')) this.#forget(session);
  }

  async repair(process: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (!this.#isOnly(session, 'live')) return;
    await this.#attempt(async () => {
      await this.#process(process).store.repair(id);
      this.#relearn(session);
    }, () => {}, ['JOURNAL_LOCKED', 'JOURNAL_EMPTY']);
  }

  /** Ends one process without a word. */
  kill(process: number): void {
    // The disk knows processes only as one: both end.
    this.disk.kill();
    this.#processes = [undefined, undefined];
    this.statistics.kills++;
    void process;
    this.#wasHurt = true;
  }

  /** Ends the machine, and with it what was not on the device. */
  crash(): void {
    this.#crash();
  }

  /** Plants a fault that strikes in one of the next calls. */
  plant(fault: Parameters<SimulatedDisk['fault']>[0]): void {
    this.disk.fault(fault);
    this.statistics.faults++;
    this.#mayFail = true;
    this.#wasHurt = true;
  }

  heal(): void {
    this.disk.heal();
    this.#mayFail = false;
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  // What must hold after each step.

  /** Looks at everything through a store of its own, as another program would. */
  async check(): Promise<void> {
    this.statistics.steps++;
    const faultsWereOn = this.#mayFail;
    this.disk.heal();
    this.#mayFail = false;
    for (const session of this.#sessions.values()) this.#checkSession(session);
    if (faultsWereOn) for (const process of this.#processes) if (process) this.#dropFailed(process);
  }

  /** Opens every session for writing twice: recovery does its work once, and then has nothing to do. */
  async recoverAll(): Promise<void> {
    this.heal();
    // A disk that was full has room again.
    this.disk.capacityBytes = Number.MAX_SAFE_INTEGER;
    this.#processes = [undefined, undefined];
    this.disk.kill();
    for (const session of this.#sessions.values()) {
      this.#settlePlaces(session);
      if (!session.places.has('live')) continue;
      const first = await this.#openFor(session);
      if (!first) continue;
      const { report } = first;
      await first.close();
      this.#checkSession(session);
      const second = await this.#process(0).store.openWriter(session.id);
      if (second.report.recovered) throw new Violation(`${session.id}: a second recovery found something to recover`);
      const left = (kinds: typeof report.damage) =>
        kinds.filter(({ kind }) => kind !== 'torn-tail' && kind !== 'zero-tail' && kind !== 'unterminated').length;
      if (left(second.report.damage) !== left(report.damage)) {
        throw new Violation(`${session.id}: a second opening reports other damage than the first`);
      }
      const [receipt] = await second.append(
        { type: 'lab.noted', data: { marker: 'after', text: '' } },
        { durability: 'disk' },
      );
      if (!receipt) throw new Violation(`${session.id}: the append after a recovery gave no receipt`);
      await second.close();
    }
  }

  #checkSession(session: SessionModel): void {
    this.#settlePlaces(session);
    if (!session.places.has('live')) return;
    const store = this.#storeOfACheck();
    let reader: JournalReader;
    try {
      reader = store.openReader(session.id);
    } catch (error) {
      throw new Violation(`${session.id}: cannot be read: ${String(error)}`);
    }
    const events: StoredEvent[] = [];
    const covered: [number, number][] = [];
    for (const outcome of reader.outcomes()) {
      if (outcome.kind === 'event') {
        events.push(outcome.event);
        covered.push([outcome.event.offset, outcome.event.end]);
      } else {
        this.statistics.findings++;
        const { damage } = outcome;
        covered.push([damage.offset, damage.offset + damage.length + 1]);
        if (!this.#wasHurt)
          throw new Violation(`${session.id}: false alarm: ${damage.kind} at ${damage.offset}: ${damage.reason}`);
      }
    }
    const inFlight = reader.isBeingWritten();
    reader.close();
    const bytes = this.disk.files().get(`${DIRECTORY}/${session.id}.jsonl`) ?? new Uint8Array(0);
    this.#checkCovered(session, covered, bytes, inFlight);
    this.#checkAgainstPlainReader(session, events, bytes);
    this.#checkEvents(session, events);
    this.#checkSnapshot(session, store);
  }

  /** Every byte is part of an event or of a finding. */
  #checkCovered(session: SessionModel, covered: [number, number][], bytes: Uint8Array, inFlight: boolean): void {
    let end = 0;
    for (const [from, to] of covered.sort((a, b) => a[0] - b[0])) {
      if (from > end) throw new Violation(`${session.id}: bytes ${end} to ${from} are neither event nor finding`);
      end = Math.max(end, to);
    }
    const lastLineFeed = Buffer.from(bytes).lastIndexOf(0x0a) + 1;
    const owed = inFlight ? lastLineFeed : bytes.length;
    if (end < owed)
      throw new Violation(`${session.id}: bytes ${end} to ${owed} at the end are neither event nor finding`);
  }

  #checkAgainstPlainReader(session: SessionModel, events: readonly StoredEvent[], bytes: Uint8Array): void {
    const found = new Set(events.map(({ xxh64, seq }) => `${seq} ${xxh64}`));
    for (const line of plainLines(bytes)) {
      if (!found.has(`${line.seq} ${line.xxh64}`)) {
        throw new Violation(`${session.id}: a plain reader finds seq ${line.seq} at ${line.offset}, ours does not`);
      }
    }
  }

  #checkEvents(session: SessionModel, events: readonly StoredEvent[]): void {
    const noted = events.filter(({ type }) => type === 'lab.noted');
    const byMarker = new Map<string, StoredEvent>();
    for (const event of noted) {
      const marker = String(event.data.marker);
      if (marker !== 'after' && byMarker.has(marker)) throw new Violation(`${session.id}: ${marker} is there twice`);
      byMarker.set(marker, event);
    }
    let lastOffset = -1;
    for (const expected of session.acknowledged) {
      this.statistics.checked++;
      const event = byMarker.get(expected.marker);
      if (!event)
        throw new Violation(`${session.id}: lost: ${expected.marker} (seq ${expected.seq}, ${expected.level})`);
      if (event.seq !== expected.seq || event.xxh64 !== expected.xxh64) {
        throw new Violation(`${session.id}: ${expected.marker} is not as it was acknowledged`);
      }
      if (event.offset <= lastOffset) throw new Violation(`${session.id}: ${expected.marker} is out of order`);
      lastOffset = event.offset;
    }
    const known = new Set(session.acknowledged.map(({ marker }) => marker));
    for (const marker of byMarker.keys()) {
      if (marker !== 'after' && !known.has(marker) && !session.uncertain.has(marker)) {
        throw new Violation(`${session.id}: ${marker} was never appended here`);
      }
    }
  }

  #checkSnapshot(session: SessionModel, store: JournalStore): void {
    const text = store.readDocument(session.id, 'snapshot');
    if (!session.snapshots.has(text)) {
      throw new Violation(
        `${session.id}: the snapshot is neither the old one nor the new one: ${String(text).slice(0, 60)}`,
      );
    }
  }

  /** After a crash, looks where the session is, and that it is in one of the places where it may be. */
  #settlePlaces(session: SessionModel): void {
    const store = this.#storeOfACheck();
    const live = store.has(session.id);
    const trashed = store.listTrash().some(({ id }) => id === session.id);
    if (live && trashed) throw new Violation(`${session.id}: is here and in the trash`);
    const place: Place = live ? 'live' : trashed ? 'trash' : 'nowhere';
    if (!session.places.has(place)) {
      throw new Violation(`${session.id}: is ${place}, and should be ${[...session.places].join(' or ')}`);
    }
    if (session.places.size > 1) {
      session.places = new Set([place]);
      if (place !== 'live') session.snapshots = new Set([undefined]);
      else session.snapshots.add(undefined);
      if (place === 'nowhere') this.#forget(session);
    }
  }

  async #move(session: SessionModel, from: Place, to: Place, action: () => Promise<unknown>): Promise<void> {
    const snapshots = new Set(session.snapshots);
    await this.#attempt(async () => {
      await action();
      session.places = new Set([to]);
      session.snapshots = new Set([undefined]);
      for (const event of session.acknowledged) if (to === 'live') void event;
    }, () => {
      session.places = new Set([from, to]);
      session.snapshots = new Set([...snapshots, undefined]);
    }, ['JOURNAL_LOCKED']);
  }

  /** After a repair: the same events, under new numbers. */
  #relearn(session: SessionModel): void {
    const reader = this.#storeOfACheck().openReader(session.id);
    const found = new Map<string, StoredEvent>();
    for (const outcome of reader.outcomes()) {
      if (outcome.kind === 'damage')
        throw new Violation(`${session.id}: a repaired journal has ${outcome.damage.kind}`);
      if (outcome.event.type === 'lab.noted') found.set(String(outcome.event.data.marker), outcome.event);
    }
    reader.close();
    session.acknowledged = session.acknowledged.map((expected) => {
      const event = found.get(expected.marker);
      if (!event) throw new Violation(`${session.id}: the repair lost ${expected.marker}`);
      return { marker: expected.marker, seq: event.seq, xxh64: event.xxh64, level: 'disk' };
    });
  }

  async #openFor(session: SessionModel): Promise<JournalWriter | undefined> {
    try {
      return await this.#process(0).store.openWriter(session.id);
    } catch (error) {
      if (isOllmError(error, 'JOURNAL_EMPTY')) {
        if (session.acknowledged.length > 0)
          throw new Violation(`${session.id}: is empty, and held acknowledged events`);
        return undefined;
      }
      throw new Violation(`${session.id}: cannot be opened again: ${String(error)}`);
    }
  }

  /**
   * Does something that may fail. What fails has to fail with an error of ours, and only when something may: a fault
   * was planted, or one of the codes is what the schedule asks for. `unsure` tells the model that it may have happened.
   */
  async #attempt(
    action: () => Promise<void>,
    unsure: () => void = () => {},
    allowed: readonly string[] = [],
  ): Promise<void> {
    try {
      await action();
      // Whoever died may have caught its own death.
      if (this.disk.isDead) throw new MachineDied('a call');
    } catch (error) {
      if (error instanceof Violation) throw error;
      unsure();
      if (error instanceof MachineDied || this.disk.isDead) {
        this.#crash();
        return;
      }
      if (!isOllmError(error)) throw new Violation(`an error that is none of ours: ${(error as Error).stack}`);
      const full = this.#isSmall() ? ['JOURNAL_FULL'] : [];
      if (!this.#mayFail && ![...ALWAYS_ALLOWED, ...allowed, ...full].includes(error.code)) {
        throw new Violation(`refused without a reason: ${error.code}: ${error.message}`);
      }
      this.statistics.refusals++;
    }
  }

  #isSmall(): boolean {
    return this.disk.capacityBytes < Number.MAX_SAFE_INTEGER;
  }

  #crash(): void {
    this.heal();
    this.disk.crash(this.#random);
    this.#processes = [undefined, undefined];
    this.#wasHurt = true;
    this.statistics.crashes++;
    for (const session of this.#sessions.values()) {
      if (session.wasBegun && session.places.has('nowhere')) session.places.add('live');
      // Only what was promised to be on the device has to be there.
      const kept = session.acknowledged.filter(({ level }) => level === 'disk');
      for (const { marker, level } of session.acknowledged) if (level === 'process') session.uncertain.add(marker);
      session.acknowledged = kept;
    }
  }

  async #writer(process: number, id: string): Promise<JournalWriter | undefined> {
    const session = this.#session(id);
    const open = this.#process(process).writers.get(id);
    if (open) return open;
    if (!this.#isOnly(session, 'live')) return undefined;
    let opened: JournalWriter | undefined;
    await this.#attempt(async () => {
      opened = await this.#process(process).store.openWriter(id);
      this.#process(process).writers.set(id, opened);
    }, () => {}, ['JOURNAL_LOCKED', 'JOURNAL_EMPTY']);
    return opened;
  }

  async #close(process: number, id: string): Promise<void> {
    const writer = this.#processes[process]?.writers.get(id);
    if (!writer) return;
    const session = this.#session(id);
    const before = [...session.acknowledged];
    await this.#attempt(async () => {
      await writer.close();
      if (!writer.failure) for (const event of before) event.level = 'disk';
    });
    this.#processes[process]?.writers.delete(id);
  }

  #dropFailed(process: Process): void {
    for (const [id, writer] of process.writers) if (writer.failure) process.writers.delete(id);
  }

  #process(index: number): Process {
    const there = this.#processes[index];
    if (there) return there;
    const store = this.disk.undisturbed(() => this.#openStore(this.#nextPid++));
    const started: Process = { store, writers: new Map() };
    this.#processes[index] = started;
    return started;
  }

  #storeOfACheck(): JournalStore {
    return this.#openStore(1);
  }

  #openStore(pid: number): JournalStore {
    return openFileStore(
      {
        fileSystem: this.disk.mount(),
        clock: this.#clock,
        ids: this.#ids,
        log: silentLog,
        process: { pid, host: 'lab', command: 'lab', uid: process.getuid?.(), isAlive: () => false },
      },
      { directory: DIRECTORY },
    );
  }

  #session(id: string): SessionModel {
    let session = this.#sessions.get(id);
    if (!session) {
      session = {
        id,
        places: new Set(['nowhere']),
        acknowledged: [],
        uncertain: new Set(),
        wasBegun: false,
        snapshots: new Set([undefined]),
      };
      this.#sessions.set(id, session);
    }
    return session;
  }

  #isOnly(session: SessionModel, place: Place): boolean {
    return session.places.size === 1 && session.places.has(place);
  }

  #forget(session: SessionModel): void {
    session.acknowledged = [];
    session.uncertain.clear();
    session.snapshots = new Set([undefined]);
  }

  #text(bytes: number): string {
    const alphabet = [...'abcdefgh 日é🙂\n"\\'];
    let text = '';
    while (text.length < bytes) text += alphabet[Math.floor(this.#random() * alphabet.length)];
    return text;
  }
}

export interface Batch {
  readonly count: number;
  readonly bytes: number;
  readonly level: DurabilityLevel;
}
