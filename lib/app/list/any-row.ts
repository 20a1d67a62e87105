// A row of the list of all sessions, whichever program keeps them, and in which order.
import type { SessionOrder } from './session-row.ts';

/** A session of any program. */
export interface AnyRow {
  readonly address: string;
  /** `ollm` for one of ours. */
  readonly agent: string;
  readonly id: string;
  /** The id that its program prints and takes, where `id` is another one. */
  readonly programId?: string | undefined;
  /** What it is called, else the first thing that the user said. */
  readonly title: string | undefined;
  /** Its directory, absolute. */
  readonly project: string | undefined;
  readonly branch: string | undefined;
  /** The repository that it works in, as host and path, as far as it is known. */
  readonly remote: string | undefined;
  /** Address of the session that it was forked from. */
  readonly parent: string | undefined;
  readonly model: string | undefined;
  /** RFC 3339. */
  readonly startTime: string | undefined;
  /** RFC 3339: as far as it is known, else when its file was last written. */
  readonly lastActivity: string | undefined;
  /** Undefined until `ollm sync` has counted them. */
  readonly messageCount: number | undefined;
  readonly bytes: number | undefined;
  /** Id of the journal that it was imported into. */
  readonly importId: string | undefined;
  /** Address of the session that it was handed over from. */
  readonly copyOf?: string | undefined;
  /** Whether such a copy was continued. */
  readonly continued?: boolean | undefined;
  /** Its source has vanished: what the catalogue remembers of it. */
  readonly gone: boolean;
  /** Whether a process has it open for writing, as far as that is known. */
  readonly locked: boolean;
  /** Why it, or a part of it, could not be read. */
  readonly problem: string | undefined;
}

type Comparison = (a: AnyRow, b: AnyRow) => number;

export const ORDERS: Readonly<Record<SessionOrder, Comparison>> = {
  activity: (a, b) => compare(b.lastActivity ?? '', a.lastActivity ?? '') || compare(a.address, b.address),
  created: (a, b) => compare(b.startTime ?? '', a.startTime ?? '') || compare(a.address, b.address),
  size: (a, b) => (b.bytes ?? -1) - (a.bytes ?? -1) || compare(a.address, b.address),
  title: (a, b) => compare(a.title ?? '\uffff', b.title ?? '\uffff') || compare(a.address, b.address),
};

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
