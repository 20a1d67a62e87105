// A machine of the lab: a simulated disk, two processes with a store each, followers, and the model of the promises. A
// step tells the model its results; invariants.ts lists the conditions after it.
import { setImmediate as breathe } from 'node:timers/promises';
import { isOllmError } from '../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { isLocked } from '../../lib/journal/files/lock.ts';
import { ForwardReading } from '../../lib/journal/reading/scan.ts';
import type {
  DurabilityLevel,
  DurabilityPolicy,
  JournalStore,
  JournalWriter,
  NewEvent,
  StoredEvent,
} from '../../lib/journal/types.ts';
import { manualClock } from '../../lib/platform/clock.ts';
import { countingIds } from '../../lib/platform/ids.ts';
import { silentLog } from '../../lib/platform/log.ts';
import { createSession } from '../../lib/session/create.ts';
import { forkSession } from '../../lib/session/fork.ts';
import { openSession } from '../../lib/session/open.ts';
import { resetSession } from '../../lib/session/reset.ts';
import { planRetention } from '../../lib/session/retention.ts';
import type { Session } from '../../lib/session/session.ts';
import { stepsAtOnce } from '../support/at-once.ts';
import { checkKept, checkLive, checkStates, DIRECTORY, markerOf, streamedTextIsSaidOnce } from './invariants.ts';
import {
  ANY_SNAPSHOT,
  type Appended,
  beginAnew,
  type Expected,
  forgetSession,
  forgetUnsynced,
  type Model,
  newModel,
  newSession,
  type Place,
  type SessionModel,
  unsure,
  Violation,
} from './model.ts';
import { plainLines } from './plain-reader.ts';
import { type Random, seededRandom } from './random.ts';
import { type Fault, type SimulatedDisk, type SimulatedProcess, simulatedDisk } from './simulated-disk.ts';

export interface Batch {
  readonly count: number;
  readonly bytes: number;
  readonly level: DurabilityLevel;
  readonly kind: 'noted' | 'message' | 'tool' | 'piece' | 'answer';
  /** With a key, so that it may be tried again. */
  readonly isKeyed: boolean;
}

export interface Statistics {
  steps: number;
  crashStates: number;
  kills: number;
  faults: number;
  acknowledged: number;
  checked: number;
  findings: number;
  refusals: number;
}

export function newStatistics(): Statistics {
  return { steps: 0, crashStates: 0, kills: 0, faults: 0, acknowledged: 0, checked: 0, findings: 0, refusals: 0 };
}

interface Open {
  readonly writer: JournalWriter;
  readonly session: Session | undefined;
}

interface Process {
  readonly machine: SimulatedProcess;
  readonly store: JournalStore;
  readonly open: Map<string, Open>;
}

interface Follower {
  readonly id: string;
  readonly machine: SimulatedProcess;
  readonly shown: StoredEvent[];
  readonly controller: AbortController;
  polls: number;
  failure: unknown;
}

/** Decides when something that waits goes on. */
export interface Turns {
  wait(label: string): Promise<unknown>;
  /** Lets others go on until this is done. */
  until<Result>(work: Promise<Result>): Promise<Result>;
}

const AT_ONCE: Turns = { wait: async () => {}, until: (work) => work };

/** Copies of a crashed disk that are looked at in addition to the one that the schedule goes on with. */
const STATES_PER_CRASH = 5;
const WRITER_IS_DONE = ['JOURNAL_POISONED', 'JOURNAL_CLOSED'];
const CREATED = { model: 'm', provider: 'p', ollm: '0' } as const;

export interface WorldOptions {
  readonly seed: number;
  readonly capacityBytes?: number | undefined;
  readonly turns?: Turns | undefined;
}

export class World {
  readonly statistics: Statistics;
  readonly #disk: SimulatedDisk;
  readonly #model: Model;
  readonly #random: Random;
  readonly #turns: Turns;
  readonly #clock = manualClock();
  readonly #ids = countingIds();
  readonly #processes: (Process | undefined)[] = [undefined, undefined];
  #followers: Follower[] = [];
  /** More than one step is under way: who holds a lock may change at any time. */
  #isBusy = false;

  constructor(
    options: WorldOptions,
    copied?: { readonly disk: SimulatedDisk; readonly model: Model; statistics: Statistics },
  ) {
    this.#random = seededRandom(options.seed);
    this.#turns = options.turns ?? AT_ONCE;
    this.#model = copied?.model ?? newModel();
    this.statistics = copied?.statistics ?? newStatistics();
    const { capacityBytes } = options;
    this.#disk =
      copied?.disk ??
      simulatedDisk({
        now: () => this.#clock.now(),
        random: this.#random,
        wait: (label) => this.#turns.wait(label),
        ...(capacityBytes === undefined ? {} : { capacityBytes }),
      });
    if (copied) for (let made = this.#model.nextPid; made > 0; made -= 1) this.#ids.token();
  }

  /** Whether the machine died in this step: nothing else happens in it. */
  get isDead(): boolean {
    return this.#disk.isDead;
  }

  // What a schedule can do.

  async create(index: number, id: string, as: 'writer' | 'session', policy: DurabilityPolicy): Promise<void> {
    const session = this.#session(id);
    if (session.places.has('trash')) return;
    const process = this.#process(index);
    const already = session.place === 'live' || session.places.has('live') ? ['SESSION_EXISTS'] : [];
    await this.#attempt(
      process,
      async () => {
        const open =
          as === 'writer'
            ? { writer: await process.store.create(id, CREATED, { policy }), session: undefined }
            : sessionOpen(
                await createSession(
                  process.store,
                  { id, created: CREATED, system: SYSTEM },
                  { log: silentLog, policy },
                ),
              );
        process.open.set(id, open);
        this.#isAt(session, 'live');
        session.firstLine = this.#firstLine(id);
        session.isOnDevice = policy !== 'process';
        if (policy === 'process') session.places.add('nowhere');
      },
      {
        allowed: [...already, ...this.#lockedBy(id)],
        failed: () => this.#mayBeAt(session, 'live', 'nowhere'),
      },
    );
  }

  async append(index: number, id: string, batches: readonly Batch[]): Promise<void> {
    const process = this.#process(index);
    const open = await this.#opened(process, id);
    if (!open) return;
    const session = this.#session(id);
    await Promise.all(
      batches.map((batch) => {
        const events = Array.from({ length: batch.count }, () => this.#newEvent(batch));
        return this.#appendTo(process, open, session, events, batch.level);
      }),
    );
    session.acknowledged.sort((a, b) => a.seq - b.seq);
    if (open.writer.failure) await this.close(index, id);
  }

  /** Appends again what may not have been stored, and the newest event that was: each is stored once. */
  async retry(index: number, id: string): Promise<void> {
    const session = this.#session(id);
    const stored = session.acknowledged.findLast(({ given }) => given?.key !== undefined)?.given;
    const unsettled = [...session.uncertain.values()].filter((event) => event.key !== undefined && event !== stored);
    const again = stored === undefined ? unsettled : [...unsettled, stored];
    if (again.length === 0) return;
    const process = this.#process(index);
    const open = await this.#opened(process, id);
    if (!open) return;
    await this.#appendTo(process, open, session, again, 'disk');
    session.acknowledged.sort((a, b) => a.seq - b.seq);
  }

  async sync(index: number, id: string): Promise<void> {
    const process = this.#processes[index];
    const open = process?.open.get(id);
    if (!process || !open) return;
    const session = this.#session(id);
    const before = [...session.acknowledged];
    await this.#attempt(process, async () => {
      await open.writer.sync();
      this.#onDevice(session, open, before);
    });
  }

  async open(index: number, id: string, as: 'writer' | 'session', policy: DurabilityPolicy): Promise<void> {
    const process = this.#process(index);
    const session = this.#session(id);
    if (session.place !== 'live' || process.open.has(id)) return;
    if (as === 'session' && session.firstLine === undefined) return;
    await this.#attempt(
      process,
      async () => {
        const open =
          as === 'writer'
            ? { writer: await process.store.openWriter(id, { policy }), session: undefined }
            : sessionOpen(await openSession(process.store, id, { log: silentLog, policy }));
        this.#tookUp(process, session, open);
        if (open.session) await this.#undisturbedly(() => streamedTextIsSaidOnce(id, this.#storeOfACheck()));
      },
      { allowed: this.#refusalsOfOpening(session) },
    );
  }

  async save(index: number, id: string): Promise<void> {
    const process = this.#processes[index];
    const live = process?.open.get(id)?.session;
    if (!process || !live) return;
    const { snapshots } = this.#session(id);
    snapshots.add(ANY_SNAPSHOT);
    await this.#attempt(process, () => live.save({ snapshot: 'now' }));
  }

  async close(index: number, id: string): Promise<void> {
    const process = this.#processes[index];
    const open = process?.open.get(id);
    if (!process || !open) return;
    const session = this.#session(id);
    const before = [...session.acknowledged];
    if (open.session) session.snapshots.add(ANY_SNAPSHOT);
    await this.#attempt(process, async () => {
      if (open.session) await open.session.close('exit');
      else await open.writer.close();
      if (!open.writer.failure) this.#onDevice(session, open, before);
    });
    process.open.delete(id);
  }

  async snapshot(index: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (session.place !== 'live') return;
    const process = this.#process(index);
    const text = JSON.stringify({ id, version: this.#model.nextMarker++, text: this.#text(700) });
    session.snapshots.add(text);
    await this.#attempt(process, async () => {
      await process.store.writeDocument(id, 'snapshot', text);
      if (!this.#isBusy) session.snapshots = new Set([text]);
    });
  }

  async trash(index: number, id: string): Promise<void> {
    await this.#move(index, id, 'live', 'trash', ({ store }) => store.trash(id));
  }

  async restore(index: number, id: string): Promise<void> {
    await this.#move(index, id, 'trash', 'live', ({ store }) => store.restore(id));
  }

  /** Permanently: other parts of the session elsewhere are removed with it. */
  async purge(index: number, id: string): Promise<void> {
    const purged = this.#session(id);
    if (purged.place !== 'trash') return;
    purged.archived.length = 0;
    for (const path of this.#model.evidence.keys()) if (path.includes(`/${id}.`)) this.#model.evidence.delete(path);
    await this.#move(index, id, 'trash', 'nowhere', async ({ store }) => {
      const entry = (await store.listTrash()).find((each) => each.id === id);
      if (entry) await store.purge(entry.entry);
    });
    const session = this.#session(id);
    if (session.place === 'nowhere') forgetSession(session);
  }

  /** Removes the oldest sessions but one. */
  async prune(index: number): Promise<void> {
    const candidates = (await this.#lookAtAll()).flatMap(({ id, place }) => {
      const isOpen = this.#lockedBy(id).length > 0;
      return place === 'live' ? [{ id, lastActivityMs: 0, protection: isOpen ? 'open' : undefined }] : [];
    });
    for (const id of planRetention(candidates, { keep: 1, now: this.#clock.now() }).remove) await this.trash(index, id);
  }

  async repair(index: number, id: string): Promise<void> {
    const session = this.#session(id);
    if (session.place !== 'live') return;
    const process = this.#process(index);
    const bytes = this.#disk.files().get(`${DIRECTORY}/${id}.jsonl`) ?? new Uint8Array(0);
    this.#endFollowers(id);
    session.derivedMayDiffer = true;
    this.#expectOldLines(session, bytes);
    const lineOne = session.firstLine === undefined ? ['JOURNAL_DAMAGED'] : [];
    await this.#attempt(
      process,
      async () => {
        const { archive } = await process.store.repair(id);
        this.#model.evidence.set(`${DIRECTORY}/archive/${archive}`, bytes);
        this.#relearn(session, 'without damage');
      },
      {
        allowed: [...this.#lockedBy(id), ...lineOne],
        failed: () => {
          session.inDoubt ??= 'repair';
        },
      },
    );
  }

  /** The user puts the journal back from a backup: it ends earlier, and the data derived from it does not know. */
  async backup(id: string): Promise<void> {
    const session = this.#session(id);
    if (session.place !== 'live' || session.inDoubt) return;
    // The user ends the program first.
    for (const index of this.#processes.keys()) await this.close(index, id);
    const isOpen = this.#processes.some((process) => process?.machine.isAlive && process.open.has(id));
    const lines = plainLines(this.#contentOf(id));
    if (this.isDead || isOpen || lines.length < 2) return;
    const cut = lines[1 + Math.floor(this.#random() * (lines.length - 1))];
    if (cut === undefined || lines[0]?.seq !== 0) return;
    this.#endFollowers(id);
    const path = `${DIRECTORY}/${id}.jsonl`;
    const bytes = this.#contentOf(id).slice(0, cut.offset);
    const { capacityBytes } = this.#disk;
    this.#disk.capacityBytes = Number.MAX_SAFE_INTEGER;
    await this.#undisturbed(async () => {
      // A different file: after a failed sync, the device would never get what can still be read of the old one.
      const { fileSystem } = this.#disk.start();
      const handle = fileSystem.open(`${path}.backup`, 'create');
      handle.write(bytes);
      await handle.sync();
      handle.close();
      fileSystem.rename(`${path}.backup`, path);
      await fileSystem.syncDirectory(DIRECTORY);
    });
    this.#disk.capacityBytes = capacityBytes;
    const left = new Set(plainLines(this.#contentOf(id)).map(({ xxh64 }) => xxh64));
    for (const { marker, xxh64 } of session.acknowledged) if (!left.has(xxh64)) unsure(session, marker);
    session.acknowledged = session.acknowledged.filter(({ xxh64 }) => left.has(xxh64));
    for (const event of session.acknowledged) event.level = 'disk';
    session.soundBytes = Math.min(session.soundBytes, cut.offset);
    session.derivedMayDiffer = true;
  }

  async fork(index: number, id: string, to: string): Promise<void> {
    const parent = this.#session(id);
    const child = this.#session(to);
    if (parent.place !== 'live' || parent.firstLine === undefined || id === to) return;
    if (child.place !== 'nowhere' || child.places.size > 1) return;
    const process = this.#process(index);
    forgetSession(child);
    for (const { marker } of [...parent.acknowledged, ...parent.uncertain.values()]) takeOver(child, marker);
    await this.#attempt(
      process,
      async () => {
        await forkSession(process.store, id, { id: to, created: {} });
        this.#isAt(child, 'live');
        this.#learn(child, parent.acknowledged);
      },
      { failed: () => this.#mayBeAt(child, 'live', 'nowhere') },
    );
  }

  async reset(index: number, id: string, keepHistory: boolean): Promise<void> {
    const session = this.#session(id);
    if (session.place !== 'live' || session.firstLine === undefined) return;
    const process = this.#process(index);
    const before = [...session.acknowledged];
    this.#endFollowers(id);
    await this.#attempt(
      process,
      async () => {
        await resetSession(process.store, id, { reason: 'reset', keepHistory, created: {} });
        beginAnew(session);
        this.#isAt(session, 'live');
        session.snapshots = new Set([undefined]);
        this.#learn(session, keepHistory ? before : []);
      },
      {
        allowed: this.#lockedBy(id),
        failed: () => {
          session.inDoubt = 'reset';
          session.snapshots.add(undefined);
          this.#mayBeAt(session, 'live', 'nowhere');
        },
      },
    );
  }

  /** Starts to follow a session in a process of its own. */
  async follow(id: string): Promise<void> {
    const session = this.#session(id);
    if (session.place !== 'live' || this.#followers.length >= 2 || this.#turns === AT_ONCE) return;
    const machine = this.#disk.start();
    const controller = new AbortController();
    const follower: Follower = { id, machine, shown: [], controller, polls: 0, failure: undefined };
    const store = this.#openStore(machine, async () => {
      follower.polls++;
      await this.#poll(`poll ${id}`);
    });
    this.#followers.push(follower);
    const run = async () => {
      const struck = this.#disk.struck;
      try {
        const reader = store.openReader(id);
        for await (const batch of reader.follow({ signal: controller.signal })) {
          for (const outcome of batch) {
            if (outcome.kind === 'event') follower.shown.push(outcome.event);
            else if (!this.#model.wasHurt) throw new Violation('false alarm', `${id}: a follower reports damage`);
          }
        }
        reader.close();
      } catch (error) {
        if (machine.isAlive && (this.#disk.struck === struck || !isOllmError(error))) follower.failure = error;
        this.#followers = this.#followers.filter((each) => each !== follower || follower.failure !== undefined);
      }
    };
    void run();
  }

  /**
   * A step of a loop that polls. It lets the event loop turn: the scheduler takes one waiting task after the other
   * without that, so a poller would keep a step from its `setImmediate` for ever, and fill the memory.
   */
  async #poll(label: string): Promise<void> {
    await breathe();
    await this.#turns.wait(label);
  }

  /** Several callers at once. */
  async together(actions: readonly (() => Promise<void>)[]): Promise<void> {
    this.#isBusy = true;
    const results = await Promise.allSettled(actions.map((action) => action()));
    this.#isBusy = false;
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    for (const session of this.#model.sessions.values()) session.acknowledged.sort((a, b) => a.seq - b.seq);
  }

  kill(index: number): void {
    this.#processes[index]?.machine.kill();
  }

  async crash(): Promise<void> {
    for (let copy = 0; copy < STATES_PER_CRASH && this.#disk.unsynced > 0; copy += 1) await this.#tryCrash();
    this.#crashed();
  }

  plant(fault: Fault): void {
    this.#disk.fault(fault);
  }

  heal(): void {
    this.#disk.heal();
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  /** Ends everything. Returns the steps that were taken. */
  finish(): Statistics {
    this.#endAll();
    this.statistics.faults = this.#disk.struck;
    return this.statistics;
  }

  /** The state after the step, and whether all of it is valid. */
  async check(): Promise<void> {
    this.statistics.steps++;
    if (this.#disk.isDead) await this.crash();
    for (const [index, process] of this.#processes.entries()) {
      if (!process || process.machine.isAlive) continue;
      this.#processes[index] = undefined;
      this.statistics.kills++;
      this.#model.wasHurt = true;
    }
    if (this.#disk.struck > 0) this.#model.wasHurt = true;
    await this.#undisturbed(async () => {
      const files = this.#disk.files();
      for (const session of await this.#lookAtAll()) {
        if (session.place === 'live') await this.#checkLive(session, files);
        this.statistics.checked += checkKept(this.#model, session, files);
      }
      for (const process of this.#processes) {
        for (const { session, writer } of process?.open.values() ?? []) {
          if (session && !writer.failure) await checkStates(session, this.#storeOfACheck());
        }
      }
      await this.#checkFollowers();
    });
  }

  /** I5, I6 and I8: every session opens again, once with work to do, then with none, and takes an append each time. */
  async recover(): Promise<void> {
    this.heal();
    // A disk that was full has room again.
    this.#disk.capacityBytes = Number.MAX_SAFE_INTEGER;
    for (const index of this.#processes.keys()) {
      this.kill(index);
      this.#processes[index] = undefined;
    }
    for (const session of await this.#lookAtAll()) {
      if (session.place !== 'live') continue;
      const before = this.#contentOf(session.id);
      const first = await this.#reopen(session);
      if (!first) continue;
      await this.#checkLive(session, this.#disk.files());
      await first.close();
      this.#keepsWhatWasThere(session, before);
      const second = await this.#reopen(session);
      if (!second) throw new Violation('broken promise', `${session.id}: cannot be opened a second time`);
      if (second.report.recovered) {
        throw new Violation('broken promise', `${session.id}: a second recovery found something to recover`);
      }
      if (lasting(first).join() !== lasting(second).join()) {
        throw new Violation('broken promise', `${session.id}: a second opening reports other damage than the first`);
      }
      await second.close();
    }
  }

  // Parts of the steps.

  /** A further state that a crash now may leave: recovered on a copy, interrupted once more in half of the cases. */
  async #tryCrash(): Promise<void> {
    const model = structuredClone(this.#model);
    const random = seededRandom(Math.floor(this.#random() * 2 ** 32));
    const copy = (disk: SimulatedDisk, of: Model) =>
      new World({ seed: Math.floor(random() * 2 ** 32) }, { disk, model: of, statistics: this.statistics });
    forgetUnsynced(model);
    this.statistics.crashStates++;
    const disk = this.#disk.crashed(random);
    let world = copy(disk, model);
    await world.check();
    if (random() < 0.5) {
      const before = new Map([...model.sessions.keys()].map((id) => [id, world.#contentOf(id)]));
      // Anywhere in it, or where it waits for the device: after its changes.
      const operation = random() < 0.5 ? 'any' : 'dataSync';
      const at = 1 + Math.floor(random() * (operation === 'any' ? 60 : 3));
      world.plant({ operation, at, error: 'crash', after: random() < 0.5 });
      for (const { id } of model.sessions.values()) {
        if (!disk.isDead) await world.open(0, id, random() < 0.5 ? 'writer' : 'session', 'barrier');
      }
      this.statistics.crashStates++;
      forgetUnsynced(model);
      disk.crash(random);
      world = copy(disk, model);
      await world.check();
      for (const session of model.sessions.values()) {
        if (session.place === 'live') world.#keepsWhatWasThere(session, before.get(session.id) ?? new Uint8Array(0));
      }
    }
    await world.recover();
    await world.check();
  }

  async #appendTo(
    process: Process,
    open: Open,
    session: SessionModel,
    events: readonly Appended[],
    asked: DurabilityLevel,
  ): Promise<void> {
    const { policy } = open.writer;
    const level = policy === 'barrier' ? asked : policy === 'always' ? 'disk' : 'process';
    for (const event of events) session.uncertain.set(event.marker, event);
    const given = events.map(eventOf);
    await this.#attempt(
      process,
      async () => {
        const receipts = await (open.session
          ? open.session.append(given as NewOllmEvent[], { durability: asked })
          : open.writer.append(given, { durability: asked }));
        receipts.forEach(({ seq, xxh64 }, index) => {
          const marker = events[index]?.marker ?? '';
          session.uncertain.delete(marker);
          const earlier = session.acknowledged.find((event) => event.marker === marker);
          if (earlier && earlier.seq !== seq) throw new Violation('broken promise', `${marker} was stored twice`);
          if (earlier) earlier.level = level === 'disk' ? level : earlier.level;
          else session.acknowledged.push({ marker, seq, xxh64, level, given: events[index] });
          this.statistics.acknowledged++;
        });
        if (level === 'disk') session.soundBytes = Math.max(session.soundBytes, open.writer.synced.offset);
      },
      {
        failed: (code) => {
          // Nothing of it stayed, unless it was there before.
          if (code !== 'JOURNAL_FULL' || given.some(({ id }) => id !== undefined)) return;
          for (const { marker } of events) {
            session.uncertain.delete(marker);
            session.refused.add(marker);
          }
        },
      },
    );
  }

  async #opened(process: Process, id: string): Promise<Open | undefined> {
    const open = process.open.get(id);
    if (open) return open;
    const session = this.#session(id);
    if (session.place !== 'live') return undefined;
    await this.#attempt(
      process,
      async () => {
        const writer = await process.store.openWriter(id);
        this.#tookUp(process, session, { writer, session: undefined });
      },
      { allowed: this.#refusalsOfOpening(session) },
    );
    return process.open.get(id);
  }

  #tookUp(process: Process, session: SessionModel, open: Open): void {
    const { id } = session;
    const others = this.#processes.filter((other) => other !== process && other?.machine.isAlive && other.open.has(id));
    if (others.length > 0) throw new Violation('broken promise', `${id}: two processes have it open for writing`);
    for (const { offset } of open.writer.report.damage) session.known.add(offset);
    session.firstLine ??= this.#firstLine(id);
    if (open.writer.policy !== 'process') {
      this.#isAt(session, 'live');
      session.isOnDevice = true;
    }
    if (
      open.session?.report.notices.some((notice) => notice.startsWith('Events were lost')) &&
      !session.derivedMayDiffer
    ) {
      throw new Violation('false alarm', `${id}: ${open.session.report.notices.join(' ')}`);
    }
    process.open.set(id, open);
  }

  #refusalsOfOpening(session: SessionModel): string[] {
    const empty = session.acknowledged.length === 0 ? ['JOURNAL_EMPTY'] : [];
    // A journal that was never promised to be on the device, a crash may leave bytes in which no line
    // holds.
    const unreadable = session.firstLine === undefined ? ['JOURNAL_DAMAGED'] : [];
    const edited = this.#model.wasHurt ? ['JOURNAL_EDITED'] : [];
    return [...this.#lockedBy(session.id), ...empty, ...unreadable, ...edited];
  }

  #onDevice(session: SessionModel, { writer }: Open, events: readonly Expected[]): void {
    if (writer.policy === 'process') return;
    for (const event of events) event.level = 'disk';
    session.soundBytes = Math.max(session.soundBytes, writer.synced.offset);
  }

  async #move(
    index: number,
    id: string,
    from: Place,
    to: Place,
    action: (process: Process) => Promise<unknown>,
  ): Promise<void> {
    const session = this.#session(id);
    if (session.place !== from || this.isDead) return;
    const process = this.#process(index);
    this.#endFollowers(id);
    await this.#attempt(
      process,
      async () => {
        await action(process);
        this.#isAt(session, to);
        session.snapshots = new Set([undefined]);
      },
      {
        allowed: this.#lockedBy(id),
        failed: () => {
          this.#mayBeAt(session, from, to);
          session.snapshots.add(undefined);
        },
      },
    );
  }

  /**
   * Does something that may fail. It has to fail with an error of ollm's own, and only with a reason: a fault struck,
   * the disk is small, or the code is an expected one of the schedule.
   */
  async #attempt(
    process: Process,
    action: () => Promise<void>,
    { allowed = [], failed = () => {} }: { allowed?: readonly string[]; failed?: (code?: string) => void } = {},
  ): Promise<void> {
    const { struck } = this.#disk;
    try {
      await action();
      // A process may have caught its own death; then its caller never got the result, and believing it loses nothing:
      // everything promised was promised before.
    } catch (error) {
      if (error instanceof Violation) throw error;
      if (!process.machine.isAlive) {
        failed();
        return;
      }
      if (!isOllmError(error)) {
        throw new Violation('broken promise', `an error that is none of ours: ${(error as Error).stack}`);
      }
      failed(error.code);
      const isReason =
        this.#disk.struck > struck ||
        allowed.includes(error.code) ||
        (WRITER_IS_DONE.includes(error.code) && this.#disk.struck > 0) ||
        (this.#disk.capacityBytes < Number.MAX_SAFE_INTEGER && isOfAFullDisk(error.code));
      if (!isReason) throw new Violation('broken promise', `refused without a reason: ${error.code}: ${error.message}`);
      this.statistics.refusals++;
    }
  }

  #lockedBy(id: string): string[] {
    const isHeld = this.#processes.some((process) => process?.machine.isAlive && process.open.has(id));
    return isHeld || this.#isBusy ? ['JOURNAL_LOCKED'] : [];
  }

  #crashed(): void {
    this.#endAll();
    this.heal();
    this.#disk.crash(this.#random);
    this.statistics.crashStates++;
    forgetUnsynced(this.#model);
  }

  #endAll(): void {
    for (const { controller, machine } of this.#followers) {
      controller.abort();
      machine.kill();
    }
    this.#followers = [];
    for (const index of this.#processes.keys()) {
      this.kill(index);
      this.#processes[index] = undefined;
    }
  }

  // Where sessions are, and their content.

  #isAt(session: SessionModel, place: Place): void {
    session.place = place;
    session.places.clear();
    session.places.add(place);
  }

  #mayBeAt(session: SessionModel, ...places: readonly Place[]): void {
    for (const place of places) session.places.add(place);
    session.place = undefined;
  }

  /** Finds every session whose place is not known, which has to be one of those where it may be. */
  #lookAtAll(): Promise<SessionModel[]> {
    return this.#undisturbedly(() => this.#lookForAll());
  }

  async #lookForAll(): Promise<SessionModel[]> {
    const sessions = [...this.#model.sessions.values()];
    const unknown = sessions.filter(({ place, inDoubt }) => place === undefined || inDoubt === 'reset');
    if (unknown.length > 0) {
      const store = this.#storeOfACheck();
      const trashed = new Set((await store.listTrash()).map(({ id }) => id));
      for (const session of unknown) await this.#lookAt(session, store, trashed);
    }
    for (const session of sessions) {
      if (session.inDoubt === 'repair' && session.place === 'live') this.#relearn(session, 'as it is');
    }
    return sessions;
  }

  async #lookAt(session: SessionModel, store: JournalStore, trashed: ReadonlySet<string>): Promise<void> {
    const { id, places } = session;
    const isLive = await store.has(id);
    if (isLive && trashed.has(id)) throw new Violation('broken promise', `${id}: is here and in the trash`);
    const place: Place = isLive ? 'live' : trashed.has(id) ? 'trash' : 'nowhere';
    if (!places.has(place)) {
      throw new Violation('loss', `${id}: is ${place}, and should be ${[...places].join(' or ')}`);
    }
    session.place = place;
    // After a crash the disk is all that is known.
    if (this.#disk.unsynced === 0) this.#isAt(session, place);
    const first = isLive ? this.#firstLine(id) : undefined;
    const earlier = session.archived.findIndex(({ firstLine }) => firstLine !== undefined && firstLine === first);
    if (isLive && earlier >= 0) {
      // It was on its way into the archive.
      session.acknowledged = session.archived[earlier]?.events ?? [];
      for (const { marker } of session.acknowledged) session.uncertain.delete(marker);
      session.firstLine = first;
      session.archived.splice(earlier, 1);
    } else if (session.inDoubt === 'reset' && (place === 'nowhere' || first !== session.firstLine)) {
      beginAnew(session);
      session.firstLine = first;
    }
    if (session.inDoubt === 'reset') session.inDoubt = undefined;
    // A fork that failed is taken back; until that is on the device, a power cut may bring it back with its events.
    if (place === 'nowhere' && session.archived.length === 0 && !session.places.has('live')) {
      // A journal that was never promised to be on the device may go, and leave after the data derived from it.
      const { snapshots } = session;
      forgetSession(session);
      for (const text of snapshots) session.snapshots.add(text);
      session.derivedMayDiffer = true;
    }
  }

  /**
   * A repair keeps each whole line, also one of a different file that an old block brought back after the synced part:
   * the line before it may be lost just as well. The lines before the repair decide.
   */
  #expectOldLines(session: SessionModel, bytes: Uint8Array): void {
    const known = new Set(session.acknowledged.map(({ marker }) => marker));
    for (const { offset, data } of plainLines(bytes)) {
      const marker = markerOf({ data });
      const isUnknown = marker !== undefined && !known.has(marker) && !session.refused.has(marker);
      if (isUnknown && offset >= session.soundBytes) unsure(session, marker);
    }
  }

  /** After a repair: the same events, under new numbers. */
  #relearn(session: SessionModel, how: 'without damage' | 'as it is'): void {
    const before = session.acknowledged;
    const found = this.#eventsOf(session, how);
    session.acknowledged = before.map(({ marker, level }) => {
      const event = found.get(marker);
      if (!event) throw new Violation('loss', `${session.id}: the repair lost ${marker}`);
      const { seq, xxh64 } = event;
      return { marker, seq, xxh64, level: how === 'without damage' ? 'disk' : level };
    });
    session.acknowledged.sort((a, b) => a.seq - b.seq);
    session.firstLine &&= this.#firstLine(session.id);
    session.soundBytes = 0;
    session.known.clear();
    if (how === 'without damage' || this.#disk.unsynced === 0) session.inDoubt = undefined;
  }

  /** A journal that was written from another one and closed: all of it is on the device. */
  #learn(session: SessionModel, from: readonly Expected[]): void {
    const found = this.#eventsOf(session, 'without damage');
    const missing = from.find(({ marker }) => !found.has(marker));
    if (missing) throw new Violation('loss', `${session.id}: ${missing.marker} was not taken over`);
    const order = from.map(({ marker }) => found.get(marker)?.seq ?? 0);
    if (order.some((seq, index) => seq <= (order[index - 1] ?? -1))) {
      throw new Violation('broken promise', `${session.id}: the events were taken over in another order`);
    }
    session.acknowledged = [...found].map(([marker, { seq, xxh64 }]) => ({ marker, seq, xxh64, level: 'disk' }));
    for (const marker of found.keys()) session.uncertain.delete(marker);
    session.firstLine = this.#firstLine(session.id);
    session.isOnDevice = true;
  }

  #eventsOf(session: SessionModel, how: 'without damage' | 'as it is'): Map<string, StoredEvent> {
    return this.#calmly(() => this.#readEvents(session, how));
  }

  #readEvents({ id }: SessionModel, how: 'without damage' | 'as it is'): Map<string, StoredEvent> {
    const path = `${DIRECTORY}/${id}.jsonl`;
    const lockPath = `${DIRECTORY}/${id}.lock`;
    const { fileSystem } = this.#disk.start();
    const handle = fileSystem.open(path, 'read');
    const found = new Map<string, StoredEvent>();
    const reading = new ForwardReading(handle, { isBeingWritten: () => isLocked(fileSystem, lockPath) });
    for (const outcome of [...stepsAtOnce(handle, reading.steps())].flat()) {
      if (outcome.kind === 'damage') {
        if (how === 'as it is') continue;
        throw new Violation('broken promise', `${id}: was just written, and has ${outcome.damage.kind}`);
      }
      const marker = markerOf(outcome.event);
      if (marker !== undefined) found.set(marker, outcome.event);
    }
    handle.close();
    return found;
  }

  #firstLine(id: string): string | undefined {
    return plainLines(this.#contentOf(id)).find(({ seq }) => seq === 0)?.xxh64;
  }

  #contentOf(id: string): Uint8Array {
    return this.#disk.files().get(`${DIRECTORY}/${id}.jsonl`) ?? new Uint8Array(0);
  }

  // Checks that act.

  async #checkLive(session: SessionModel, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const { checked, findings } = await checkLive(this.#model, session, this.#storeOfACheck(), files);
    this.statistics.checked += checked;
    this.statistics.findings += findings;
  }

  async #checkFollowers(): Promise<void> {
    for (const follower of [...this.#followers]) {
      const goal = follower.polls + 2;
      const caughtUp = async () => {
        while (follower.polls < goal && follower.failure === undefined && this.#followers.includes(follower)) {
          await this.#poll('wait for a follower');
        }
      };
      await this.#turns.until(caughtUp());
      if (follower.failure !== undefined) {
        if (follower.failure instanceof Violation) throw follower.failure;
        throw new Violation('broken promise', `${follower.id}: a follower ended: ${String(follower.failure)}`);
      }
      if (!this.#followers.includes(follower)) continue;
      const shown = new Map<string, number[]>();
      follower.shown.forEach((event, index) => {
        const marker = markerOf(event);
        if (marker !== undefined) shown.set(marker, [...(shown.get(marker) ?? []), index]);
      });
      let last = -1;
      for (const { marker } of this.#session(follower.id).acknowledged) {
        const [index, again] = shown.get(marker) ?? [];
        if (index === undefined || again !== undefined) {
          const what = again === undefined ? 'not shown' : 'shown twice';
          throw new Violation('broken promise', `${follower.id}: ${marker} was ${what} to a follower`);
        }
        if (index < last) throw new Violation('broken promise', `${follower.id}: ${marker} was shown out of order`);
        last = index;
      }
    }
  }

  #endFollowers(id: string): void {
    for (const follower of this.#followers) {
      if (follower.id !== id) continue;
      follower.controller.abort();
      follower.machine.kill();
    }
    this.#followers = this.#followers.filter((follower) => follower.id !== id);
  }

  async #reopen(session: SessionModel): Promise<JournalWriter | undefined> {
    const { id } = session;
    const process = this.#process(0);
    let writer: JournalWriter;
    try {
      writer = await process.store.openWriter(id);
    } catch (error) {
      if (isOllmError(error, 'JOURNAL_EDITED')) {
        // Refused with a reason, and with a way out that has to work.
        await this.repair(0, id);
        return this.#reopen(session);
      }
      // Nothing is added to bytes without any event: they are kept, and the name stays taken.
      if (isOllmError(error, 'JOURNAL_DAMAGED') && session.acknowledged.length === 0) return undefined;
      if (!isOllmError(error, 'JOURNAL_EMPTY') || session.acknowledged.length > 0) {
        throw new Violation('loss', `${id}: cannot be opened again: ${String(error)}`);
      }
      try {
        writer = await process.store.create(id, CREATED);
      } catch (cause) {
        // Bytes that are no line at all: they are kept, and the name stays taken.
        if (isOllmError(cause, 'SESSION_EXISTS')) return undefined;
        throw new Violation('broken promise', `${id}: is empty and cannot be created again: ${String(cause)}`);
      }
      session.firstLine = this.#firstLine(id);
    }
    for (const { offset } of writer.report.damage) session.known.add(offset);
    session.firstLine ??= this.#firstLine(id);
    this.#isAt(session, 'live');
    session.isOnDevice = true;
    const event = this.#newEvent({ count: 1, bytes: 10, level: 'disk', kind: 'noted', isKeyed: false });
    await this.#appendTo(process, { writer, session: undefined }, session, [event], 'disk');
    if (session.uncertain.has(event.marker)) {
      throw new Violation('broken promise', `${id}: takes no append after a recovery`);
    }
    return writer;
  }

  /** I8: what recovery took off the end is in quarantine, or all of it in the archive, and nothing else is changed. */
  #keepsWhatWasThere({ id }: SessionModel, before: Uint8Array): void {
    const files = this.#disk.files();
    const after = files.get(`${DIRECTORY}/${id}.jsonl`) ?? new Uint8Array(0);
    const keeps = (bytes: Uint8Array) => Buffer.compare(bytes, after.subarray(0, bytes.length)) === 0;
    if (keeps(before)) return;
    for (const [path, bytes] of files) {
      if (!path.startsWith(`${DIRECTORY}/quarantine/${id}.`) || !path.endsWith('.bin')) continue;
      const cut = before.length - bytes.length;
      if (cut < 0 || Buffer.compare(bytes, before.subarray(cut)) !== 0 || !keeps(before.subarray(0, cut))) continue;
      this.#model.evidence.set(path, bytes);
      return;
    }
    // A journal that an opening refused was repaired, and its archive holds all of it.
    for (const [path, bytes] of files) {
      if (path.startsWith(`${DIRECTORY}/archive/${id}.`) && Buffer.compare(bytes, before) === 0) return;
    }
    throw new Violation('loss', `${id}: recovery took bytes away and kept no copy`);
  }

  async #undisturbedly<Result>(action: () => Promise<Result>): Promise<Result> {
    const before = this.#disk.suspend(true);
    try {
      return await action();
    } finally {
      this.#disk.suspend(before);
    }
  }

  #calmly<Result>(action: () => Result): Result {
    const before = this.#disk.suspend(true);
    try {
      return action();
    } finally {
      this.#disk.suspend(before);
    }
  }

  async #undisturbed(action: () => Promise<void>): Promise<void> {
    this.#disk.suspend(true);
    try {
      await action();
    } finally {
      this.#disk.suspend(false);
    }
  }

  // Processes and values.

  #process(index: number): Process {
    const there = this.#processes[index];
    if (there?.machine.isAlive) return there;
    const machine = this.#disk.start();
    const started: Process = { machine, store: this.#openStore(machine), open: new Map() };
    this.#processes[index] = started;
    return started;
  }

  #storeOfACheck(): JournalStore {
    return this.#openStore(this.#disk.start());
  }

  #openStore({ fileSystem }: SimulatedProcess, sleep = () => this.#poll('sleep')): JournalStore {
    const pid = this.#model.nextPid++;
    return this.#calmly(() =>
      openFileStore(
        {
          fileSystem,
          clock: this.#clock,
          ids: this.#ids,
          log: silentLog,
          sleep,
          process: { pid, host: 'lab', command: 'lab', uid: process.getuid?.(), isAlive: () => false },
        },
        { directory: DIRECTORY },
      ),
    );
  }

  #session(id: string): SessionModel {
    let session = this.#model.sessions.get(id);
    if (!session) {
      session = newSession(id);
      this.#model.sessions.set(id, session);
    }
    return session;
  }

  #newEvent({ bytes, kind, isKeyed }: Batch): Appended {
    const marker = `m${this.#model.nextMarker++}`;
    const type = {
      ...{ noted: 'lab.noted', message: 'message.added', tool: 'tool.requested' },
      ...{ piece: 'message.streamed', answer: ANSWER },
    }[kind];
    return { marker, key: isKeyed ? `key-${marker}` : undefined, type, text: this.#text(bytes) };
  }

  #text(bytes: number): string {
    const alphabet = [...'abcdefgh 日é🙂\n"\\\u2028'];
    let text = '';
    while (text.length < bytes) text += alphabet[Math.floor(this.#random() * alphabet.length)];
    return text;
  }
}

const NO_TOKENS = { count: 1, method: 'unknown' } as const;
const SYSTEM = { text: 'Be brief.', tokens: NO_TOKENS };

/** A message.added of the assistant, among the types of the lab. */
const ANSWER = 'lab.answer';

function eventOf({ marker, key, type, text }: Appended): NewEvent {
  const id = key === undefined ? {} : { id: key };
  switch (type) {
    case 'message.added': {
      const message = { role: 'user', parts: [{ type: 'text', text }], tokens: NO_TOKENS, trusted: true };
      return { type, data: { ...message, marker }, ...id };
    }
    case ANSWER: {
      const data = { role: 'assistant', parts: [{ type: 'text', text }], trusted: false, marker };
      return { type: 'message.added', data, ...id };
    }
    case 'message.streamed':
      return { type, data: { parts: [{ type: 'text', text }], marker }, ignorable: true, ...id };
    case 'tool.requested':
      return { type, data: { callId: marker, name: 'look', args: {}, marker, text }, ...id };
    default:
      return { type, data: { marker, text }, ignorable: true, ...id };
  }
}

function sessionOpen(session: Session): Open {
  return { session, writer: session.writer };
}

function takeOver(session: SessionModel, marker: string): void {
  session.uncertain.set(marker, { marker, key: undefined, type: 'lab.noted', text: '' });
}

/** The damage that a recovery leaves where it is. */
function lasting({ report }: JournalWriter): string[] {
  const gone = ['torn-tail', 'zero-tail', 'unterminated'];
  return report.damage.filter(({ kind }) => !gone.includes(kind)).map(({ kind, offset }) => `${kind} ${offset}`);
}

function isOfAFullDisk(code: string): boolean {
  return code === 'JOURNAL_FULL' || code === 'IO_FAILED' || WRITER_IS_DONE.includes(code);
}
