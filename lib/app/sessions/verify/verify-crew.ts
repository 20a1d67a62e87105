// Threads that verify sessions beside the main one. Which of them takes a journal is settled in shared memory: each takes
// the largest that is left; the main thread takes the one that it is about to tell of, or, while another is at that one, the
// smallest that is left: nobody waits as long as there is work. One journal is one thread's, because its lines are a chain.
// A thread that dies leaves the journal that it was at as one whose check broke off; the others, the main one at the least,
// do the rest.
import type { LogFields, LogLevel } from '../../../platform/log.ts';
import { startWorker } from '../../../platform/processes/worker-thread.ts';
import type { App, StoreElsewhere } from '../../app.ts';
import { brokenOff, type VerifiedSession, type VerifyOptions } from './verify-session.ts';

export interface VerifyTask {
  readonly id: string;
  readonly bytes: number;
}

/** What a thread is given. */
export interface CrewOrder {
  readonly store: StoreElsewhere;
  readonly options: VerifyOptions;
  /** The largest journal first. */
  readonly ids: readonly string[];
  /** Who has taken the journal at each place of `ids`; 0 is nobody. */
  readonly takenBy: Int32Array;
  /** In one element: findings that are told and wait for sessions before them. */
  readonly waiting: Int32Array;
  readonly member: number;
}

/** What it tells of a journal that it has taken. */
export interface CrewFinding {
  readonly place: number;
  /** Undefined if only the main thread can do it: a person has to be asked. */
  readonly session: VerifiedSession | undefined;
  readonly logged: readonly LogLine[];
}

/** The log is the main thread's. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: LogFields;
  readonly message: string;
}

export interface VerifyCrew {
  /** True: the task at this index is the main thread's from now on. */
  take(index: number): boolean;
  /** The smallest task that is left, for the main thread; undefined if there is none, or enough waits to be told. */
  takeAnother(): number | undefined;
  /** What the main thread found in one that it has taken ahead of its turn. */
  keep(index: number, session: VerifiedSession): void;
  /** Whether somebody has told of it. What other threads tell arrives between two turns of the event loop. */
  isTold(index: number): boolean;
  /** Once of each that was not to be taken. Undefined if only the main thread can verify it. */
  sessionAt(index: number): Promise<VerifiedSession | undefined>;
  stop(): Promise<void>;
}

export interface CrewOptions {
  /** Besides the main one. */
  readonly threads: number;
  readonly tasks: readonly VerifyTask[];
  readonly options: VerifyOptions;
  /** What the threads run. Default: `verify-worker.ts`. */
  readonly entry?: URL | undefined;
}

const MAIN_THREAD = 1;
/** More findings do not wait in memory: until some are told, only the main thread goes on. */
export const MAX_WAITING_FINDINGS = 20_000;

// In the sources, in the library and in the bundle the two lie side by side, with the same extension.
const ENTRY = new URL(`./verify-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** True for one thread only. */
export function take(takenBy: Int32Array, place: number, member: number): boolean {
  return Atomics.compareExchange(takenBy, place, 0, member) === 0;
}

export function startVerifyCrew(
  { log }: Pick<App, 'log'>,
  store: StoreElsewhere,
  { threads, tasks, options, entry = ENTRY }: CrewOptions,
): VerifyCrew {
  const byPlace = [...tasks.keys()].sort((a, b) => tasks[b]!.bytes - tasks[a]!.bytes);
  const placeOf = new Map(byPlace.map((index, place) => [index, place]));
  const ids = byPlace.map((index) => tasks[index]!.id);
  const takenBy = new Int32Array(new SharedArrayBuffer(4 * ids.length));
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  const results = new Map<number, PromiseWithResolvers<VerifiedSession | undefined>>();
  const told = new Set<number>();
  const resultAt = (place: number) => {
    const result = results.get(place) ?? Promise.withResolvers<VerifiedSession | undefined>();
    results.set(place, result);
    return result;
  };

  const join = (member: number): (() => Promise<void>) => {
    const order: CrewOrder = { store, options, ids, takenBy, waiting, member };
    return startWorker<CrewFinding>(entry, order, {
      onTold({ place, session, logged }) {
        for (const { level, fields, message } of logged) log[level](fields, message);
        told.add(place);
        resultAt(place).resolve(session);
      },
      onEnd(fault) {
        if (fault === undefined) return;
        log.error({ service: 'verify', operation: 'thread', fault }, 'A thread that verified sessions has died');
        for (const [place, id] of ids.entries()) {
          if (Atomics.load(takenBy, place) === member && !told.has(place))
            resultAt(place).resolve(brokenOff(id, fault));
        }
      },
    });
  };
  const stops = Array.from({ length: threads }, (_, at) => join(MAIN_THREAD + 1 + at));

  return {
    take: (index) => take(takenBy, placeOf.get(index)!, MAIN_THREAD),
    takeAnother() {
      if (Atomics.load(waiting, 0) > MAX_WAITING_FINDINGS) return undefined;
      const place = ids.findLastIndex((_, each) => take(takenBy, each, MAIN_THREAD));
      return place === -1 ? undefined : byPlace[place];
    },
    keep(index, session) {
      const place = placeOf.get(index)!;
      Atomics.add(waiting, 0, session.findings.length);
      told.add(place);
      resultAt(place).resolve(session);
    },
    isTold: (index) => told.has(placeOf.get(index)!),
    async sessionAt(index) {
      const place = placeOf.get(index)!;
      const session = await resultAt(place).promise;
      results.delete(place);
      Atomics.sub(waiting, 0, session?.findings.length ?? 0);
      Atomics.notify(waiting, 0);
      return session;
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
