// The lines typed into the REPL, across runs: a file of JSON strings, one per line, oldest first, readable only by its
// owner. Several REPLs may use it at once: each adds by one appending write, and shortens it only while no other REPL
// adds. A lost history is not a lost conversation, so it fails silently. Lines that start with a space are not kept: a
// place for secrets that no rule recognises.
import type { FileHandle, FileSystem } from '../../platform/files/file-system.ts';
import { readInto, writeAll } from '../../platform/files/io.ts';
import { parseJson } from '../../platform/json.ts';

export interface InputHistory {
  /** Newest first. */
  load(): string[];
  /** Keeps an entry, unless it is a secret, too long, or the one that was kept last. */
  add(entry: string): void;
}

const DEFAULT_MOST_ENTRIES = 1000;
const LONGEST_ENTRY = 10_000;
/** Shortened when it is longer than this; far more than a thousand of the usual length. */
const LONGEST_FILE = 1_048_576;
const LOCK_ATTEMPTS = 20;

interface HistoryOptions {
  /** How many are loaded; 0 keeps none. Default: 1000. */
  readonly mostEntries?: number | undefined;
  /** While it is true, nothing is kept: the input belongs to an encrypted session. */
  readonly isPaused?: (() => boolean) | undefined;
}

/** `redact` takes secrets out of the entries. */
export function createHistory(
  fileSystem: FileSystem,
  path: string,
  redact: (text: string) => string = (text) => text,
  { mostEntries = DEFAULT_MOST_ENTRIES, isPaused = () => false }: HistoryOptions = {},
): InputHistory {
  let newest: string | undefined;
  return {
    load() {
      const entries = ignoreFailure(() => readEntries(fileSystem, path)) ?? [];
      newest = entries.at(-1);
      return entries.reverse().slice(0, mostEntries);
    },
    add(entry) {
      if (
        mostEntries === 0 ||
        isPaused() ||
        entry.startsWith(' ') ||
        entry.trim() === '' ||
        entry.length > LONGEST_ENTRY ||
        entry === newest
      )
        return;
      newest = entry;
      ignoreFailure(() => append(fileSystem, path, redact(entry)));
    },
  };
}

function append(fileSystem: FileSystem, path: string, entry: string): void {
  const lock = fileSystem.open(`${path}.lock`, 'lock', 0o600);
  try {
    for (let attempt = 0; attempt < LOCK_ATTEMPTS && !lock.tryLock('shared'); attempt++);
    using file = openForAppending(fileSystem, path);
    file.write(Buffer.from(`${JSON.stringify(entry.toWellFormed())}\n`));
    if (file.stat().size <= LONGEST_FILE) return;
  } finally {
    lock.close();
  }
  shorten(fileSystem, path);
}

/** Replaces the file by its newest entries, if no other REPL adds to it at this moment. */
function shorten(fileSystem: FileSystem, path: string): void {
  using lock = fileSystem.open(`${path}.lock`, 'lock', 0o600);
  if (!lock.tryLock('exclusive')) return;
  const kept = newestThatFit(readEntries(fileSystem, path).map((entry) => `${JSON.stringify(entry)}\n`));
  const temporary = `${path}.new`;
  if (fileSystem.stat(temporary)) fileSystem.unlink(temporary);
  {
    using file = fileSystem.open(temporary, 'create', 0o600);
    writeAll(file, Buffer.from(kept.join('')));
  }
  fileSystem.rename(temporary, path);
}

/** Half of what there may be, so that it is not soon too long again. */
function newestThatFit(lines: readonly string[]): string[] {
  let characters = 0;
  const first = lines.findLastIndex((line, index) => {
    characters += line.length;
    return characters > LONGEST_FILE / 2 || index < lines.length - DEFAULT_MOST_ENTRIES / 2;
  });
  return lines.slice(first + 1);
}

/** Oldest first. Lines that are not entries are passed over. */
function readEntries(fileSystem: FileSystem, path: string): string[] {
  if (!fileSystem.stat(path)) return [];
  using file = fileSystem.open(path, 'read');
  const bytes = Buffer.alloc(Math.min(file.stat().size, 2 * LONGEST_FILE));
  const from = file.stat().size - bytes.length;
  const length = readInto(file, bytes, from);
  return bytes
    .toString('utf8', 0, length)
    .split('\n')
    .map((line) => parseJson(line))
    .filter((entry) => typeof entry === 'string');
}

function openForAppending(fileSystem: FileSystem, path: string): FileHandle {
  if (fileSystem.stat(path)) return fileSystem.open(path, 'append');
  try {
    return fileSystem.open(path, 'create', 0o600);
  } catch {
    return fileSystem.open(path, 'append'); // Another REPL was first.
  }
}

function ignoreFailure<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
