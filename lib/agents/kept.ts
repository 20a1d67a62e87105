// The bytes that an import keeps of a source: those of its file, unchanged; for a database or a session in several
// files, the rows that are read, one a line; for a packed file its unpacked content. Kept bytes give the same events at
// the same places as the source did.
import type { Agent, Source } from './agent.ts';
import { filesAround, openSource, type SourceFiles, type SourceHandle } from './open-source.ts';
import { openStored } from './open-stored.ts';
import { recordsOfRows } from './records.ts';
import { openDatabase } from './sqlite.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes from `from` to the end as it is now, in pieces of 256 KiB or so.
 *
 * @example
 * for (const bytes of bytesOf(claude, source, files, copied)) segment.write(bytes);
 * @throws OllmError SESSION_NOT_FOUND, IO_FAILED
 */
export function* bytesOf(agent: Agent, source: Source, files: SourceFiles, from = 0): Generator<Buffer, void, void> {
  const stored = agent.stored(source);
  if (stored.kind === 'files') {
    openSource(files, source.path).close();
    yield* inChunks(linesOf(recordsOfRows(stored.records(filesAround(files), source))), from);
    return;
  }
  if (stored.kind !== 'rows') {
    const handle = openStored(files, source, stored);
    try {
      yield* bytesOfFile(handle, from);
    } finally {
      handle.close();
    }
    return;
  }
  using database = openDatabase(files, source.path, stored.columns);
  yield* inChunks(linesOf(recordsOfRows(stored.rows(database, source))), from);
}

/**
 * How `bytesOf` compares with the program's own storage. `same`: its file, byte for byte; `unpacked`: the content of
 * its packed file; `records`: rows of a database, or records of several files, which the program cannot read again.
 */
export type KeptAs = 'same' | 'unpacked' | 'records';

export function keptAs(agent: Agent, source: Source): KeptAs {
  const stored = agent.stored(source);
  if (stored.kind === 'rows' || stored.kind === 'files') return 'records';
  return stored.kind === 'lines' && stored.packed !== undefined ? 'unpacked' : 'same';
}

function* bytesOfFile(handle: SourceHandle, from: number): Generator<Buffer, void, void> {
  const { size } = handle.stat();
  for (let at = from; at < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
    const came = handle.read(chunk, at);
    if (came === 0) return;
    yield chunk.subarray(0, came);
    at += came;
  }
}

function* linesOf(steps: ReturnType<typeof recordsOfRows>): Generator<Buffer, void, void> {
  for (const step of steps) if (step.kind === 'record') yield Buffer.from(`${step.json ?? ''}\n`);
}

/** Without the first bytes, and many lines together. */
function* inChunks(lines: Iterable<Buffer>, from: number): Generator<Buffer, void, void> {
  let some: Buffer[] = [];
  let bytes = 0;
  let position = 0;
  for (const line of lines) {
    const rest = line.subarray(Math.max(0, Math.min(line.length, from - position)));
    position += line.length;
    if (rest.length === 0) continue;
    some.push(rest);
    bytes += rest.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(some);
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield Buffer.concat(some);
}
