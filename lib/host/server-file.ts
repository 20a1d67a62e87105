// Where the servers of one home are reached: `run/server.json` for the newest, and `run/server-<pid>.json` for each, so
// that the process which holds a session leads to its address. For the user alone. What a server that was killed left
// is believed as long as a process of its number runs; a caller that asks there finds out.
import { join } from 'node:path';
import type { App } from '../app/app.ts';
import { systemErrorCode } from '../errors/index.ts';
import { changeOwnDocument, readOwnDocument } from './own-document.ts';

export interface Announced {
  /** Such as `http://127.0.0.1:4700`. */
  readonly address: string;
  readonly instance: string;
  readonly pid: number;
}

type Place = Pick<App, 'paths' | 'fileSystem' | 'ids' | 'process' | 'log'>;

const NEWEST = 'run/server.json';

export async function announce(place: Place, server: Announced): Promise<void> {
  for (const name of [nameOf(server.pid), NEWEST])
    await changeOwnDocument(place, name, () => ({ format: 1, ...server }));
}

export function withdraw(place: Place, { instance, pid }: Pick<Announced, 'instance' | 'pid'>): void {
  for (const name of [nameOf(pid), NEWEST]) {
    if (announcedIn(place, name)?.instance === instance) unlink(place, name);
  }
  unlink(place, `${nameOf(pid)}.lock`);
}

/** The server that this process is, or of the newest where none is named; undefined if none is known to run. */
export function announcedServer(place: Place, pid?: number): Announced | undefined {
  const server = announcedIn(place, pid === undefined ? NEWEST : nameOf(pid));
  if (server === undefined || (pid !== undefined && server.pid !== pid)) return undefined;
  return place.process.isAlive(server.pid) ? server : undefined;
}

function nameOf(pid: number): string {
  return `run/server-${pid}.json`;
}

function announcedIn(place: Place, name: string): Announced | undefined {
  const { format, address, instance, pid } = (readOwnDocument(place, name) ?? {}) as Record<string, unknown>;
  if (format !== 1 || typeof address !== 'string' || typeof instance !== 'string') return undefined;
  return Number.isSafeInteger(pid) ? { address, instance, pid: pid as number } : undefined;
}

function unlink({ paths, fileSystem }: Place, name: string): void {
  try {
    fileSystem.unlink(join(paths.home, name));
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
