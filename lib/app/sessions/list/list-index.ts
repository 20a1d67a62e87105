// What the last list said of each journal, kept beside the journals as `.list-index`, so that the next list need not ask
// the files of a session again. Disposable: missing, damaged, of another version or not ours alone, it is made anew. A row
// of it is believed only of the very file that it was made of: same inode, same length, same time of change, which nobody
// can set. It is replaced as a whole by whoever lists, without a lock and without a sync: the worst that can be lost is time.
//
// It tells nothing that the directory does not tell anyway: no row of an encrypted session is kept, and removing a session
// for good removes the index (`purgeEntry`). Who lists at that moment looks at the names again after writing.
import { join } from 'node:path';
import { isOllmError, systemErrorCode } from '../../../errors/index.ts';
import { journalName } from '../../../journal/paths.ts';
import type { JournalFileInfo } from '../../../journal/types.ts';
import { fileSystemType } from '../../../platform/disks/file-system-kind.ts';
import { spaceAt } from '../../../platform/disks/space-at.ts';
import { GLANCE_LENGTH, millisecondsOf } from '../../../platform/files/glance.ts';
import type { SummaryRow } from '../../../projections/summary.ts';
import type { App } from '../../app.ts';
import {
  indexPath,
  isSameGlance,
  linesOf,
  numbersOf,
  readIndexFile,
  SETTLED_AFTER_MS,
  writeIndexFile,
} from './list-index-file.ts';
import { decodeSummaries, encodeRows, type IndexedRow, isWorthKeeping } from './list-index-rows.ts';

/** What the index stands on. */
export type IndexPorts = Pick<App, 'fileSystem' | 'paths' | 'process' | 'clock' | 'ids' | 'log' | 'config' | 'mode'>;

export interface ListIndex {
  /** What it says of this journal as it is now. */
  find(info: JournalFileInfo): SummaryRow | undefined;
  /** To be told after a journal was read: it is whole, and nobody has it open. */
  remember(info: JournalFileInfo, summary: SummaryRow): void;
  /** Writes what was remembered, if that spares the next list more than the writing costs. `journals`: all that there are. */
  save(journals: () => readonly JournalFileInfo[]): void;
}

/** A row costs a list about 0.1 ms; below this many, writing all of them costs more. */
const WORTH_WRITING = 16;
/** Where a first line is longer, it is not known whether it begins an encrypted session. */
const FIRST_LINE_BYTES = 4096;
const SAYS_ENCRYPTED = /"(?:encryption|sealed)":/;
const LINE_FEED = 0x0a;

/** The index of the sessions of `app`; an empty one where there is none. It is read when it is first asked. Never throws for the sake of it. */
export function openListIndex(ports: IndexPorts): ListIndex {
  const { fileSystem, paths, clock, log, mode } = ports;
  const path = indexPath(ports);
  let kept: KeptRows | undefined;
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
      if (mode === 'ephemeral' || !info.isOrdinary) return undefined;
      kept ??= attempt('read', () => keptRows(ports)) ?? NO_ROWS;
      return kept(info);
    },
    remember(info, summary) {
      if (mode === 'ephemeral' || !info.isOrdinary || !isSettled(info) || !isWorthKeeping(summary)) return;
      if (attempt('remember', () => isInTheOpen(ports, info.id))) fresh.set(info.id, { info, summary });
    },
    save(journals) {
      if (fresh.size < WORTH_WRITING) return;
      const rows = journals().flatMap((info): IndexedRow[] => {
        const row = fresh.get(info.id);
        if (row !== undefined) return [row];
        const summary = this.find(info);
        return summary === undefined ? [] : [{ info, summary }];
      });
      attempt('write', () => {
        if (isWrittenNowhere(ports)) return;
        writeIndexFile(ports, encodeRows(rows));
        // One that was removed for good in the meantime took away the index before this one was there.
        const names = new Set(fileSystem.readNames(paths.sessions));
        if (!rows.every(({ info }) => names.has(journalName(info.id)))) fileSystem.unlink(path);
      });
    },
  };
}

/** Of this journal as it is now. */
type KeptRows = (info: JournalFileInfo) => SummaryRow | undefined;

const NO_ROWS: KeptRows = () => undefined;

function keptRows(ports: IndexPorts): KeptRows | undefined {
  const file = readIndexFile(ports, ['glances', 'ids', 'summaries']);
  if (file === undefined) return undefined;
  const { sections } = file;
  const glances = numbersOf(sections.glances, Float64Array);
  const rows = new Map(linesOf(sections.ids).map((id, row) => [id, row]));
  const summaryOf = decodeSummaries(sections.summaries);
  const seen = new Float64Array(GLANCE_LENGTH);
  return ({ id, inode, bytes, changedNs }) => {
    const row = rows.get(id);
    if (row === undefined) return undefined;
    seen.set([Number(inode), bytes, millisecondsOf(changedNs)]);
    const then = glances.subarray(row * GLANCE_LENGTH);
    return isSameGlance(then, seen, 0) ? summaryOf(row) : undefined;
  };
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
