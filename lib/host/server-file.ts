// The addresses of the servers of one home: `run/server-<instance>.json` for each, written and removed by that server
// only, so that no server can replace the file of another. Readable only by the user. A server holds a kernel lock on
// it as long as it runs. The file of a killed server is not used: callers would send the token to any program that
// listens at that address now, perhaps one of another user.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { changeOwnDocument, readOwnDocument } from '../app/start/own-document.ts';
import { isSystemError, unless } from '../errors/index.ts';
import { namesIn } from '../platform/files/io.ts';

export interface Announced {
  /** Such as `http://127.0.0.1:4700`. */
  readonly address: string;
  readonly instance: string;
  readonly pid: number;
  /** Absolute. Undefined: where the settings say. */
  readonly tokenFile?: string | undefined;
  /** Where browsers reach it, if elsewhere: `https://ollm.example.org`. */
  readonly browserAddress?: string | undefined;
  /** In PEM, where it speaks HTTPS: what a program of this machine expects to find there. */
  readonly certificate?: string | undefined;
}

type ServerFilePlace = Pick<App, 'paths' | 'fileSystem' | 'ids' | 'process' | 'log' | 'clock'>;

/** A younger file may belong to a server that is just starting, and has not locked it yet. */
const LEFT_MS = 60_000;

const FILE = /^server-([0-9a-f-]{36})\.json$/;
const LOCK = /^server-([0-9a-f-]{36})(?:\.json)?\.lock$/;

/** Ends the announcement. */
export type Withdraw = () => void;

export async function announce(place: ServerFilePlace, server: Announced): Promise<Withdraw> {
  const { fileSystem, paths } = place;
  fileSystem.makeDirectory(join(paths.home, 'run'));
  removeLeft(place);
  const running = fileSystem.open(join(paths.home, lockOf(server.instance)), 'lock', 0o600);
  running.tryLock();
  const name = nameOf(server.instance);
  await changeOwnDocument(place, name, () => ({ format: 1, ...server }));
  return () => {
    for (const each of [name, `${name}.lock`]) unlink(place, each);
    running.close();
    unlink(place, lockOf(server.instance));
  };
}

/** Files of servers that were killed. */
function removeLeft(place: ServerFilePlace): void {
  const { fileSystem, paths, clock } = place;
  const isOld = (name: string) =>
    clock.now() - (fileSystem.stat(join(paths.home, 'run', name))?.modifiedMs ?? clock.now()) > LEFT_MS;
  const names = fileSystem.readNames(join(paths.home, 'run')).filter(isOld);
  for (const name of names) {
    const [, instance] = FILE.exec(name) ?? LOCK.exec(name) ?? [];
    if (instance !== undefined && !isLocked(place, lockOf(instance))) unlink(place, `run/${name}`);
  }
}

/** The server that this process is, or the newest if none is named; undefined if none is known to run. */
export function announcedServer(place: ServerFilePlace, pid?: number): Announced | undefined {
  const { fileSystem, paths } = place;
  const startedMs = (name: string) => fileSystem.stat(join(paths.home, 'run', name))?.modifiedMs ?? 0;
  return namesIn(fileSystem, join(paths.home, 'run'))
    .filter((name) => FILE.test(name))
    .map((name) => ({ name, startedMs: startedMs(name) }))
    .sort((one, other) => other.startedMs - one.startedMs)
    .map(({ name }) => announcedIn(place, `run/${name}`))
    .find((server) => server !== undefined && (pid ?? server.pid) === server.pid && isRunning(place, server));
}

function isRunning(place: ServerFilePlace, { instance, pid }: Announced): boolean {
  return place.process.isAlive(pid) && isLocked(place, lockOf(instance));
}

function isLocked({ fileSystem, paths }: ServerFilePlace, name: string): boolean {
  const isLockedNow = () => {
    using running = fileSystem.open(join(paths.home, name), 'read');
    return !running.tryLock('shared');
  };
  return unless(isSystemError, isLockedNow) ?? false;
}

function lockOf(instance: string): string {
  return `run/server-${instance}.lock`;
}

function nameOf(instance: string): string {
  return `run/server-${instance}.json`;
}

function announcedIn(place: ServerFilePlace, name: string): Announced | undefined {
  const stored = (readOwnDocument(place, name) ?? {}) as Record<string, unknown>;
  const { format, address, instance, pid, tokenFile, browserAddress, certificate } = stored;
  if (format !== 1 || typeof address !== 'string' || !isInstance(instance)) return undefined;
  if (!Number.isSafeInteger(pid)) return undefined;
  return {
    address,
    instance,
    pid: pid as number,
    ...(typeof tokenFile === 'string' && { tokenFile }),
    ...(typeof browserAddress === 'string' && { browserAddress }),
    ...(typeof certificate === 'string' && { certificate }),
  };
}

function isInstance(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
}

function unlink({ paths, fileSystem }: ServerFilePlace, name: string): void {
  unless(isSystemError, () => fileSystem.unlink(join(paths.home, name)));
}
