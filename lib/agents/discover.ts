// Looks into the directories of another program. A missing directory is empty; an unreadable one is reported, and the
// rest is still read.
import { dirname, join } from 'node:path';
import { isOllmError, messageOf, systemErrorCode } from '../errors/index.ts';
import { isInside } from '../platform/files/inside.ts';
import type { DirectoryEntry, FileSystem } from '../platform/index.ts';
import { idInAddress } from './address.ts';
import type { Agent, DiscoveredSession, ListedSource, Looking, Surroundings } from './agent.ts';
import { MAX_PIECE_BYTES, openSource, readAll, type SourceFiles } from './open-source.ts';
import { openDatabase } from './sqlite.ts';

/** A link among the entries. A link to a file is not followed. */
export interface FoundLink {
  readonly kind: 'link';
  readonly path: string;
  readonly to: 'file' | 'directory';
}

const MAX_SMALL_BYTES = 1024 * 1024;

/**
 * Every session of an agent that its places hold, as they are found.
 *
 * @example
 * for (const found of discover(claude, { env, home, platform }, files)) if (found.kind === 'source')
 * list(found.source);
 */
export function* discover(
  agent: Agent,
  surroundings: Surroundings,
  files: SourceFiles & { readonly fileSystem: FileSystem },
): Generator<ListedSource, void, void> {
  for (const place of agent.places(surroundings)) {
    for (const found of discoverIn(agent, place, files)) if (found.kind !== 'link') yield found;
  }
}

/** Discovers one place, and reports the links in it. */
export function* discoverIn(
  agent: Agent,
  place: string,
  files: SourceFiles & { readonly fileSystem: FileSystem },
): Generator<ListedSource | FoundLink, void, void> {
  const failures: (ListedSource | FoundLink)[] = [];
  const links = new Links(files.fileSystem, (found) => failures.push(found));
  const reportUnread = (path: string, error: unknown): void => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    failures.push({ kind: 'unreadable', path, reason: `cannot be read (${code ?? String(error)})` });
  };
  const read = (path: string): readonly DirectoryEntry[] => {
    try {
      return links.followed(path, files.fileSystem.readDirectory(path));
    } catch (error) {
      reportUnread(path, error);
      return NOTHING;
    }
  };
  /** An index that may not be read hides sessions; one that is too large, or a link, only facts about them. */
  const textAt = (path: string, maxBytes: number, isWorthSaying: (error: unknown) => boolean): string | undefined => {
    try {
      using handle = openSource(files, path, maxBytes);
      return readAll(handle).toString();
    } catch (error) {
      if (isWorthSaying(error)) failures.push({ kind: 'unreadable', path, reason: endOf(messageOf(error), path) });
      return undefined;
    }
  };
  /** The directory that was read last, since a module asks for its files and for its folders. */
  let last: { readonly path: string; readonly entries: readonly DirectoryEntry[] } | undefined;
  const looking: Looking = {
    entries(path) {
      if (last?.path !== path) last = { path, entries: read(path) };
      return last.entries;
    },
    hasFile(path) {
      try {
        const kind = files.fileSystem.stat(path)?.kind;
        // Links are reported when their directory is read.
        if (kind === 'link') looking.entries(dirname(path));
        return kind === 'file';
      } catch (error) {
        reportUnread(dirname(path), error);
        return false;
      }
    },
    readSmall: (path) => textAt(path, MAX_SMALL_BYTES, isNotPermitted),
    linesFrom(path, beginning) {
      const text = textAt(path, MAX_PIECE_BYTES, (error) => !isOllmError(error, 'SESSION_NOT_FOUND')) ?? '';
      return text.split('\n').filter((line) => line.startsWith(beginning));
    },
    query(path, columns, read) {
      try {
        using database = openDatabase(files, path, columns);
        return read(database);
      } catch (error) {
        if (!isOllmError(error, 'SESSION_NOT_FOUND')) {
          failures.push({ kind: 'unreadable', path, reason: endOf(messageOf(error), path) });
        }
        return undefined;
      }
    },
  };
  const sources = agent.discover(place, looking)[Symbol.iterator]();
  for (;;) {
    let next: IteratorResult<DiscoveredSession, unknown>;
    try {
      next = sources.next();
    } catch (error) {
      failures.push({ kind: 'unreadable', path: place, reason: `could not be looked through: ${messageOf(error)}` });
      break;
    }
    if (next.done) break;
    yield { kind: 'source', source: { agent: agent.name, ...withAddressedIds(next.value) } };
    yield* failures.splice(0);
  }
  yield* failures;
}

/** With ids that an address can have. */
function withAddressedIds(found: DiscoveredSession): DiscoveredSession {
  const { id: ownId, parent: ownParent } = found;
  const id = idInAddress(ownId);
  const parent = ownParent && idInAddress(ownParent);
  if (id === ownId && parent === ownParent) return found;
  return { ...found, ...(id !== ownId && { id, ownId }), ...(parent !== undefined && { parent }) };
}

/** The links that were met in a place. A directory is reached by one of them only, so that circles end. */
class Links {
  readonly #fileSystem: FileSystem;
  readonly #report: (found: ListedSource | FoundLink) => void;
  /** By the target, the link that leads to it. */
  readonly #leading = new Map<string, string>();

  constructor(fileSystem: FileSystem, report: (found: ListedSource | FoundLink) => void) {
    this.#fileSystem = fileSystem;
    this.#report = report;
  }

  /** The entries of a directory, with each link as its target. */
  followed(folder: string, entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
    if (!entries.some(({ kind }) => kind === 'link')) return entries;
    const real = this.#fileSystem.realPath(folder);
    return entries.map((entry) => (entry.kind === 'link' ? this.#target(folder, real, entry.name) : entry));
  }

  #target(folder: string, real: string, name: string): DirectoryEntry {
    const path = join(folder, name);
    const plain: DirectoryEntry = { name, kind: 'link' };
    try {
      const target = this.#fileSystem.realPath(path);
      const kind = this.#fileSystem.stat(target)?.kind;
      if (kind !== 'file' && kind !== 'directory') return plain;
      const first = kind === 'file' ? path : (this.#leading.get(target) ?? path);
      if (first !== path || (kind === 'directory' && isInside(target, real))) return plain;
      this.#leading.set(target, path);
      this.#report({ kind: 'link', path, to: kind });
      return { name, kind };
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      // It leads nowhere, or in a circle.
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') {
        this.#report({ kind: 'unreadable', path, reason: `cannot be followed (${code})` });
      }
      return plain;
    }
  }
}

function isNotPermitted(error: unknown): boolean {
  return isOllmError(error) && ['EACCES', 'EPERM'].includes(systemErrorCode(error.cause) ?? '');
}

/** The message without the path that it begins with, and without its full stop. */
function endOf(message: string, path: string): string {
  return message.replace(`${path} `, '').replace(/\.$/, '');
}

const NOTHING: readonly DirectoryEntry[] = [];
