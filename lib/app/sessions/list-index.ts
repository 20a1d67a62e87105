// What the last list said of each journal, kept beside the journals as `.list-index`, so that the next list need not ask
// the files of a session again. Disposable: missing, damaged, of another version or not ours alone, it is made anew. A row
// of it is believed only of the very file that it was made of: same inode, same length, same time of change, which nobody
// can set. It is replaced as a whole by whoever lists, without a lock and without a sync: the worst that can be lost is time.
//
// It tells nothing that the directory does not tell anyway: no row of an encrypted session is kept, and removing a session
// for good removes the index (`purgeEntry`). Who lists at that moment looks at the names again after writing.
import { join } from 'node:path';
import { isOllmError, systemErrorCode } from '../../errors/index.ts';
import { checksum, toHex } from '../../journal/checksum.ts';
import { journalName, LIST_INDEX } from '../../journal/paths.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { FileHandle } from '../../platform/file-system.ts';
import { fileSystemType } from '../../platform/file-system-kind.ts';
import { spaceAt } from '../../platform/space-at.ts';
import { writeAll } from '../../platform/write-all.ts';
import { type SummaryRow, summaryFold } from '../../projections/summary.ts';
import type { App } from '../app.ts';
import { decodeRows, encodeRows, type IndexedRow, type IndexedRows, NO_ROWS } from './list-index-rows.ts';

/** What the index stands on. */
export type IndexPorts = Pick<App, 'fileSystem' | 'paths' | 'process' | 'clock' | 'ids' | 'log' | 'config' | 'mode'>;

export interface ListIndex {
  /** What it says of this journal as it is now. */
  find(info: JournalFileInfo): SummaryRow | undefined;
  /** To be told after a journal was read: it is whole, and nobody has it open. */
  remember(info: JournalFileInfo, summary: SummaryRow): void;
  /** Writes what was remembered, if that spares the next list more than the writing costs. `journals`: all that there are. */
  save(journals: readonly JournalFileInfo[]): void;
}

const FORMAT = 1;
/** A row costs a list about 0.1 ms; below this many, writing all of them costs more. */
const WORTH_WRITING = 16;
/** Clocks of disks tick slowly: what changed just now may change again without showing it. */
const SETTLED_AFTER_MS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Where a first line is longer, it is not known whether it begins an encrypted session. */
const FIRST_LINE_BYTES = 4096;
const SAYS_ENCRYPTED = /"(?:encryption|sealed)":/;
const OPEN_TO_OTHERS = 0o077;
const LINE_FEED = 0x0a;

/** The index of the sessions of `app`; an empty one where there is none. Never throws for the sake of it. */
export function openListIndex(ports: IndexPorts): ListIndex {
  const { fileSystem, paths, clock, log, mode } = ports;
  const path = join(paths.sessions, LIST_INDEX);
  const kept = (mode === 'ephemeral' ? undefined : attempt('read', () => read(ports, path))) ?? NO_ROWS;
  const fresh = new Map<string, IndexedRow>();
  const startedMs = clock.now();

  function attempt<Result>(operation: string, action: () => Result): Result | undefined {
    try {
      return action();
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined && !isOllmError(error)) throw error;
      if (code !== 'ENOENT') {
        const fields = { service: 'list', operation, path, error, action: 'Lists take longer without it.' };
        log.debug(fields, 'The index of the sessions cannot be used');
      }
      return undefined;
    }
  }

  function isSettled({ changedNs }: JournalFileInfo): boolean {
    return changedNs !== undefined && startedMs - Number(changedNs / 1_000_000n) > SETTLED_AFTER_MS;
  }

  return {
    find(info) {
      const row = info.isOrdinary ? kept.rowOf(info.id) : undefined;
      return row !== undefined && kept.isOf(row, info) ? kept.summary(row) : undefined;
    },
    remember(info, summary) {
      if (mode === 'ephemeral' || !info.isOrdinary || !isSettled(info)) return;
      if (attempt('remember', () => isInTheOpen(ports, info.id))) fresh.set(info.id, { info, summary });
    },
    save(journals) {
      if (fresh.size < WORTH_WRITING) return;
      const rows = journals.flatMap((info): IndexedRow[] => {
        const row = fresh.get(info.id);
        if (row !== undefined) return [row];
        const summary = this.find(info);
        return summary === undefined ? [] : [{ info, summary }];
      });
      attempt('write', () => {
        if (isWrittenNowhere(ports)) return;
        write(ports, path, Buffer.from(encodeRows(rows)));
        // One that was removed for good in the meantime took away the index before this one was there.
        const names = new Set(fileSystem.readNames(paths.sessions));
        if (!rows.every(({ info }) => names.has(journalName(info.id)))) fileSystem.unlink(path);
      });
    },
  };
}

function headerOf(body: Uint8Array): string {
  return `ollm list-index ${FORMAT}, summary ${summaryFold.version}, xxh64 ${toHex(checksum(body))}\n`;
}

/** The rows, if they are ours, whole, and made by the fold as it is now. */
function read({ fileSystem, process }: IndexPorts, path: string): IndexedRows | undefined {
  const handle = fileSystem.open(path, 'read');
  try {
    const { size, links, uid, mode } = handle.stat();
    const isOurs = process.uid === undefined || (uid === process.uid && (mode & OPEN_TO_OTHERS) === 0);
    if (!isOurs || links !== 1 || size > MAX_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    const content = bytes.subarray(0, readAll(handle, bytes));
    const body = content.subarray(content.indexOf(LINE_FEED) + 1);
    const header = content.toString('latin1', 0, content.length - body.length);
    return header === headerOf(body) ? decodeRows(body.toString()) : undefined;
  } finally {
    handle.close();
  }
}

function readAll(handle: FileHandle, target: Uint8Array): number {
  for (let length = 0; ; ) {
    const came = length === target.length ? 0 : handle.read(target.subarray(length), length);
    if (came === 0) return length;
    length += came;
  }
}

/** The journal itself is asked, not whoever holds its key. Who cannot say counts as encrypted. */
function isInTheOpen({ fileSystem, paths }: IndexPorts, id: string): boolean {
  const handle = fileSystem.open(join(paths.sessions, journalName(id)), 'read');
  try {
    const beginning = Buffer.allocUnsafe(FIRST_LINE_BYTES);
    const found = beginning.subarray(0, handle.read(beginning, 0));
    const lineEnd = found.indexOf(LINE_FEED);
    return lineEnd >= 0 && !SAYS_ENCRYPTED.test(found.toString('latin1', 0, lineEnd));
  } finally {
    handle.close();
  }
}

/** As with everything else of a store. */
function isWrittenNowhere({ fileSystem, paths, config }: IndexPorts): boolean {
  if (config.services.session.allowNetworkFileSystem) return false;
  return fileSystemType(spaceAt(fileSystem, paths.sessions)?.type ?? 0).kind === 'network';
}

/** Readers see the old one or the new one. What a crash leaves of it is swept by whoever writes a state file next. */
function write({ fileSystem, ids }: IndexPorts, path: string, body: Uint8Array): void {
  const header = Buffer.from(headerOf(body));
  if (header.length + body.length > MAX_BYTES) return;
  const handle = fileSystem.open(`${path}.${ids.token()}.tmp`, 'create');
  try {
    writeAll(handle, header);
    writeAll(handle, body);
    fileSystem.rename(handle.path, path);
  } catch (error) {
    fileSystem.unlink(handle.path);
    throw error;
  } finally {
    handle.close();
  }
}
