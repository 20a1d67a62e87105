// Writes a new journal from a damaged one, which it only reads. The new file is whole and on the device before this
// returns; the caller holds the lock and puts it in the place of the old one.
import type { Clock } from '../platform/clock.ts';
import type { FileSystem } from '../platform/file-system.ts';
import type { Damage } from './types.ts';

export interface RepairOptions {
  readonly id: string;
  /** The damaged journal. The caller holds its lock. */
  readonly path: string;
  readonly lockPath: string;
  /** Where to write the new one: in the same directory, must not exist. Removed again if the repair fails. */
  readonly target: string;
  /** What the damaged one will be called under archive/; goes into `journal.repaired`. */
  readonly archive: string;
}

export interface RepairResult {
  /** Events taken over. */
  readonly kept: number;
  /** All that was wrong, in file order. */
  readonly findings: readonly Damage[];
}

export async function repairJournal(
  _dependencies: { readonly fileSystem: FileSystem; readonly clock: Clock },
  options: RepairOptions,
): Promise<RepairResult> {
  throw new Error(`not written yet: ${options.path}`);
}
