// What a journal and a store of them stand on: the doors to the outside, handed in by whoever opens one.
import type { Clock, Sleep } from '../platform/clock.ts';
import type { FileSystem } from '../platform/files/file-system.ts';
import type { Ids } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import type { ProcessInfo } from '../platform/processes/process-info.ts';

export interface JournalPorts {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly process: ProcessInfo;
  readonly log: Log;
  /** Default: the time that it takes. */
  readonly sleep?: Sleep | undefined;
}
