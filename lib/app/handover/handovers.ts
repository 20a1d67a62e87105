// What became of the files that were written for other programs: which of them are still as they were written.
import { isSystemError, unless } from '../../errors/index.ts';
import { readFile } from '../../platform/files/io.ts';
import { sha256Of } from '../../session/identify.ts';
import type { App } from '../app.ts';
import { type HandoverNote, handoverNotes } from '../list/handover-ledger.ts';

export interface HandedOver extends HandoverNote {
  /** `written`: byte for byte as it was written; `continued`: something was changed since; `gone`: not there. */
  readonly state: 'written' | 'continued' | 'gone';
}

/**
 * The newest first, each file once.
 *
 * @example
 * const there = handovers(app).filter(({ state }) => state !== 'gone');
 */
export function handovers(app: Pick<App, 'fileSystem' | 'paths'>): readonly HandedOver[] {
  const byPath = Map.groupBy(handoverNotes(app), ({ path }) => path);
  const rows = [...byPath.values()].map((notes): HandedOver => {
    const written = notes.find((note) => unless(isSystemError, () => isAsWritten(app, note)));
    const last = written ?? notes.at(-1)!;
    const isThere = written !== undefined || app.fileSystem.stat(last.path) !== undefined;
    return { ...last, state: written !== undefined ? 'written' : isThere ? 'continued' : 'gone' };
  });
  return rows.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Two handovers at the same time note one file twice, and one of them wrote it. */
function isAsWritten({ fileSystem }: Pick<App, 'fileSystem'>, { path, bytes, sha256 }: HandoverNote): boolean {
  const stat = fileSystem.stat(path);
  if (stat?.kind !== 'file' || stat.size !== bytes) return false;
  return sha256Of(readFile(fileSystem, path)) === sha256;
}
