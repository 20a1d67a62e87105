// Looks into the directories of another program. What is not there is empty; what cannot be read says so, and ends
// nothing.
import { isOllmError, messageOf, systemErrorCode } from '../errors/index.ts';
import type { DirectoryEntry, FileSystem } from '../platform/index.ts';
import type { Agent, Found, Looking, Surroundings } from './agent.ts';
import { readSmallSource, type SourceFiles } from './open-source.ts';
import { openDatabase } from './sqlite.ts';

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
): Generator<Found, void, void> {
  for (const place of agent.places(surroundings)) yield* discoverIn(agent, place, files);
}

/** The same of one place. */
export function* discoverIn(
  agent: Agent,
  place: string,
  files: SourceFiles & { readonly fileSystem: FileSystem },
): Generator<Found, void, void> {
  const failures: Found[] = [];
  const looking: Looking = {
    entries(path) {
      try {
        return files.fileSystem.readDirectory(path);
      } catch (error) {
        const code = systemErrorCode(error);
        if (code !== 'ENOENT' && code !== 'ENOTDIR') {
          failures.push({ kind: 'unreadable', path, reason: `cannot be read (${code ?? String(error)})` });
        }
        return NOTHING;
      }
    },
    readSmall: (path) => readSmallSource(files, path, MAX_SMALL_BYTES)?.toString(),
    query(path, columns, read) {
      try {
        const database = openDatabase(files, path, columns);
        try {
          return read(database);
        } finally {
          database.close();
        }
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
    let next: IteratorResult<Found, unknown>;
    try {
      next = sources.next();
    } catch (error) {
      failures.push({ kind: 'unreadable', path: place, reason: `could not be looked through: ${messageOf(error)}` });
      break;
    }
    if (next.done) break;
    yield next.value;
    yield* failures.splice(0);
  }
  yield* failures;
}

/** The message without the path that it begins with, and without its full stop. */
function endOf(message: string, path: string): string {
  return message.replace(`${path} `, '').replace(/\.$/, '');
}

const NOTHING: readonly DirectoryEntry[] = [];
