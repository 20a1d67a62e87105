// Where the servers of one home are reached: `run/server.json` for the newest, and `run/server-<pid>.json` for each, so
// that the process which holds a session leads to its address. For the user alone. A server holds a lock of the kernel
// as long as it runs. What one that was killed left is not believed: its callers would send the token to whatever
// listens at that address now, which may be the program of another user.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { systemErrorCode } from '../errors/index.ts';
import { changeOwnDocument, readOwnDocument } from './own-document.ts';

export interface Announced {
  /** Such as `http://127.0.0.1:4700`. */
  readonly address: string;
  readonly instance: string;
  readonly pid: number;
  /** Absolute. Undefined: where the settings say. */
  readonly tokenFile?: string | undefined;
  /** In PEM, where it speaks HTTPS: what a program of this machine expects to find there. */
  readonly certificate?: string | undefined;
}

type Place = Pick<App, 'paths' | 'fileSystem' | 'ids' | 'process' | 'log' | 'clock'>;

/** One that is younger may be of a server that is just being started, and has not locked it yet. */
const LEFT_MS = 60_000;

const NEWEST = 'run/server.json';

/** Ends the announcement. */
export type Withdraw = () => void;

export async function announce(place: Place, server: Announced): Promise<Withdraw> {
  const { fileSystem, paths } = place;
  fileSystem.makeDirectory(join(paths.home, 'run'));
  removeLeft(place);
  const running = fileSystem.open(join(paths.home, lockOf(server.instance)), 'lock', 0o600);
  running.tryLock();
  for (const name of [nameOf(server.pid), NEWEST])
    await changeOwnDocument(place, name, () => ({ format: 1, ...server }));
  return () => {
    withdraw(place, server);
    running.close();
    unlink(place, lockOf(server.instance));
  };
}

/** Files of servers that were killed. */
function removeLeft(place: Place): void {
  const { fileSystem, paths, clock } = place;
  const isOld = (name: string) =>
    clock.now() - (fileSystem.stat(join(paths.home, 'run', name))?.modifiedMs ?? clock.now()) > LEFT_MS;
  const names = fileSystem.readNames(join(paths.home, 'run')).filter(isOld);
  const kept = new Set<string>();
  for (const name of names) {
    const [, pid] = /^server-(\d+)\.json$/.exec(name) ?? [];
    if (pid === undefined) continue;
    const server = announcedIn(place, `run/${name}`);
    if (server !== undefined && isRunning(place, server))
      kept.add(lockOf(server.instance)).add(`${nameOf(server.pid)}.lock`);
    else unlink(place, `run/${name}`);
  }
  for (const name of names.filter((each) => /^server-(?:[0-9a-f-]{36}|\d+\.json)\.lock$/.test(each))) {
    if (!kept.has(`run/${name}`) && !isLocked(place, `run/${name}`)) unlink(place, `run/${name}`);
  }
}

function withdraw(place: Place, { instance, pid }: Pick<Announced, 'instance' | 'pid'>): void {
  for (const name of [nameOf(pid), NEWEST]) {
    if (announcedIn(place, name)?.instance === instance) unlink(place, name);
  }
  unlink(place, `${nameOf(pid)}.lock`);
}

/** The server that this process is, or of the newest where none is named; undefined if none is known to run. */
export function announcedServer(place: Place, pid?: number): Announced | undefined {
  const server = announcedIn(place, pid === undefined ? NEWEST : nameOf(pid));
  if (server === undefined || (pid !== undefined && server.pid !== pid)) return undefined;
  return isRunning(place, server) ? server : undefined;
}

function isRunning(place: Place, { instance, pid }: Announced): boolean {
  return place.process.isAlive(pid) && isLocked(place, lockOf(instance));
}

function isLocked({ fileSystem, paths }: Place, name: string): boolean {
  try {
    const running = fileSystem.open(join(paths.home, name), 'read');
    try {
      return !running.tryLock('shared');
    } finally {
      running.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

function lockOf(instance: string): string {
  return `run/server-${instance}.lock`;
}

function nameOf(pid: number): string {
  return `run/server-${pid}.json`;
}

function announcedIn(place: Place, name: string): Announced | undefined {
  const stored = (readOwnDocument(place, name) ?? {}) as Record<string, unknown>;
  const { format, address, instance, pid, tokenFile, certificate } = stored;
  if (format !== 1 || typeof address !== 'string' || !isInstance(instance)) return undefined;
  if (!Number.isSafeInteger(pid)) return undefined;
  return {
    address,
    instance,
    pid: pid as number,
    ...(typeof tokenFile === 'string' && { tokenFile }),
    ...(typeof certificate === 'string' && { certificate }),
  };
}

function isInstance(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
}

function unlink({ paths, fileSystem }: Place, name: string): void {
  try {
    fileSystem.unlink(join(paths.home, name));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
