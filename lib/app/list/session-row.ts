// A row of the list of all sessions, whichever program keeps them, and in which order.
import { formatAddress } from '../../agents/address.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { JournalFileInfo } from '../../journal/types.ts';
import type { SummaryRow } from '../../projections/summary.ts';
import { listedTitle } from './listed-title.ts';

/** A session of any program. */
export interface SessionRow {
  readonly address: string;
  /** `ollm`, or the name of another program. */
  readonly agent: string;
  readonly id: string;
  /** The id that its program prints and takes, where `id` is another one. */
  readonly programId?: string | undefined;
  /** A session without a title has its first prompt here. */
  readonly title: string | undefined;
  /** The absolute path of its directory. */
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
  /** Whether only the catalogue still has it, because its source has vanished. */
  readonly gone: boolean;
  /** Whether a process has it open for writing, as far as that is known. */
  readonly locked: boolean;
  /** Why it, or a part of it, could not be read. */
  readonly problem: string | undefined;
}

/** All members in their order, of which a row has those that are known. */
export const BLANK_ROW: SessionRow = {
  address: '',
  agent: '',
  id: '',
  programId: undefined,
  title: undefined,
  project: undefined,
  branch: undefined,
  remote: undefined,
  parent: undefined,
  model: undefined,
  startTime: undefined,
  lastActivity: undefined,
  messageCount: undefined,
  bytes: undefined,
  importId: undefined,
  gone: false,
  locked: false,
  problem: undefined,
};

/** A session of ollm's own store, with what only its journal says. */
export interface OwnSessionRow extends SessionRow {
  readonly bytes: number;
  /** RFC 3339: when its file was last written. */
  readonly modified: string;
  /** Undefined if the journal cannot be read; `problem` then gives the reason. */
  readonly summary: SummaryRow | undefined;
  /** Places of the journal that could not be read. */
  readonly damaged: number;
}

/** A row as it was read from a file. */
export interface ReadRow {
  readonly info: JournalFileInfo;
  readonly row: OwnSessionRow;
  /** Whether a process may have it open: its last writer has not closed it. */
  readonly isOpen: boolean;
  /** Whether it holds for as long as the file is the same. */
  readonly isLasting: boolean;
}

/** By what a list is sorted: the newest, the largest, or the first in the alphabet on top. */
export type SessionOrder = 'activity' | 'created' | 'size' | 'title';

export function sessionRow(
  { id, bytes, modifiedMs }: Pick<JournalFileInfo, 'id' | 'bytes' | 'modifiedMs'>,
  { locked = false, summary, problem, damaged = 0 }: Partial<OwnSessionRow>,
): OwnSessionRow {
  const address = formatAddress({ agent: OWN_AGENT, id });
  const parent = summary?.parent && formatAddress({ agent: OWN_AGENT, id: summary.parent.sessionId });
  return {
    address,
    agent: OWN_AGENT,
    id,
    title: listedTitle(id, summary),
    project: summary?.cwd,
    branch: undefined,
    remote: undefined,
    parent,
    model: summary?.model,
    startTime: summary?.startTime || undefined,
    lastActivity: summary?.lastActivity || new Date(modifiedMs).toISOString(),
    messageCount: summary?.messageCount,
    bytes,
    importId: undefined,
    gone: false,
    locked,
    problem,
    summary,
    damaged,
    // Rarely asked for, and slow to make ten thousand times.
    get modified() {
      return new Date(modifiedMs).toISOString();
    },
  };
}

type Comparison = (a: SessionRow, b: SessionRow) => number;

export const ORDERS: Readonly<Record<SessionOrder, Comparison>> = {
  activity: (a, b) => compareTexts(b.lastActivity ?? '', a.lastActivity ?? '') || compareTexts(a.address, b.address),
  created: (a, b) => compareTexts(b.startTime ?? '', a.startTime ?? '') || compareTexts(a.address, b.address),
  size: (a, b) => (b.bytes ?? -1) - (a.bytes ?? -1) || compareTexts(a.address, b.address),
  title: (a, b) => compareTexts(a.title ?? '\uffff', b.title ?? '\uffff') || compareTexts(a.address, b.address),
};

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
