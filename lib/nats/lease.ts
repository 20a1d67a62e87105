// Says which process writes a session, to people and to other processes that would begin to. It decides nothing: what
// keeps two writers apart is the expected last message of each append. A lease that was not renewed for a while is
// taken over, and the process that lost it meets a fence.
import type { OllmError } from '../errors/index.ts';
import { lockedError } from '../journal/reading/holder.ts';
import type { Holder } from '../journal/types.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';
import type { KvEntry } from './client.ts';
import { compareAndSet } from './compare-and-set.ts';
import { type NatsSession, serverTime } from './connection.ts';
import { asked } from './errors.ts';
import type { StorePorts } from './generations.ts';
import { LEASES } from './layout.ts';

const RENEWED_EACH_MS = 10_000;
/** A lease that is older is not held any more. */
const HELD_FOR_MS = 30_000;

interface LeaseEntry extends Pick<ProcessInfo, 'pid' | 'host' | 'command'> {
  readonly token: string;
  /** The machine of `ProcessInfo`. */
  readonly machine?: string | undefined;
  readonly since: string;
}

export interface Lease {
  /** Whether another process took it over, as far as that was noticed. */
  isLost(): boolean;
  /** Gives it up. */
  close(): Promise<void>;
}

/** The process that holds the lease; undefined if none does. */
export async function holderOf(session: NatsSession, id: string): Promise<Holder | undefined> {
  const held = await heldIn(session, await entryOf(session, id));
  return held && { pid: held.pid, host: held.host, command: held.command, since: held.since };
}

function entryOf(session: NatsSession, id: string): Promise<KvEntry | null> {
  return asked(`Cannot look up session ${id}`, () => session.names.get(session.layout.leaseKey(id)));
}

/** Undefined if it was given up or has run out, by the clock of the server. */
async function heldIn(session: NatsSession, entry: KvEntry | null): Promise<LeaseEntry | undefined> {
  if (entry?.operation !== 'PUT') return undefined;
  const ageMs = (await serverTime(session)) - entry.created.getTime();
  return ageMs > HELD_FOR_MS ? undefined : leaseIn(entry);
}

function leaseIn({ value }: KvEntry): LeaseEntry {
  return JSON.parse(Buffer.from(value).toString()) as LeaseEntry;
}

/** Whether any process holds a lease now. */
export async function isAnyHeld(session: NatsSession): Promise<boolean> {
  const entries = await asked('Cannot look up the leases', async () =>
    Array.fromAsync(await session.names.history({ key: LEASES })),
  );
  for (const entry of entries) if (await heldIn(session, entry)) return true;
  return false;
}

/** @throws OllmError JOURNAL_LOCKED */
export async function takeLease(
  session: NatsSession,
  id: string,
  token: string,
  { clock, process }: Pick<StorePorts, 'clock' | 'process'>,
): Promise<Lease> {
  const { names, layout } = session;
  const key = layout.leaseKey(id);
  const { pid, host, machine, command } = process;
  const since = new Date(clock.now()).toISOString();
  const value = Buffer.from(JSON.stringify({ token, pid, host, machine, command, since } satisfies LeaseEntry));

  const before = await entryOf(session, id);
  const held = await heldIn(session, before);
  if (held && !isOfDead(held, process)) throw inUse(id, held);
  const isOurs = (entry: KvEntry) => entry.operation === 'PUT' && leaseIn(entry).token === token;
  const put = (revision: number) => compareAndSet(session, { key, value, revision, isOurs });
  const taken = await put(before?.revision ?? 0);
  if (taken === undefined) throw inUse(id, await heldIn(session, await entryOf(session, id)));
  let revision = taken;
  let isLost = false;
  let renewing: Promise<void> | undefined;
  const renew = async () => {
    try {
      const renewed = await put(revision);
      isLost = renewed === undefined;
      revision = renewed ?? revision;
    } catch {
      // The server is away: the next append finds out.
    }
    renewing = undefined;
  };
  const timer = setInterval(() => {
    if (!isLost) renewing ??= renew();
  }, RENEWED_EACH_MS);
  timer.unref();
  return {
    isLost: () => isLost,
    async close() {
      clearInterval(timer);
      await renewing;
      // What stays runs out.
      await names.delete(key, { previousSeq: revision }).catch(() => undefined);
    },
  };
}

/** Whether the process ran here and has ended. The name of the host is not enough: other machines may have the same. */
function isOfDead({ pid, host, machine }: LeaseEntry, process: ProcessInfo): boolean {
  const isFromHere = machine !== undefined && machine === process.machine && host === process.host;
  return isFromHere && !process.isAlive(pid);
}

function inUse(id: string, held: LeaseEntry | undefined): OllmError {
  const holder = { pid: held?.pid, host: held?.host, command: held?.command, since: held?.since };
  const remedy = `Close it there, or wait ${HELD_FOR_MS / 1000} seconds if that program has ended.`;
  return lockedError({ id }, holder, held ? { where: ` on ${held.host}`, remedy } : { remedy });
}
