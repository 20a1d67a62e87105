// The lab's knowledge of each session: only lists of acknowledged events and of possible ones. Plain data, so that a
// crash can be tried on a copy of it.
import type { DurabilityLevel } from '../../lib/journal/types.ts';

export type Place = 'nowhere' | 'live' | 'trash';

/** An event that the lab appended. `marker` is in its data, and nowhere else. */
export interface Expected {
  readonly marker: string;
  readonly seq: number;
  readonly xxh64: string;
  level: DurabilityLevel;
  /** As it was appended, as long as the journal is the one that it was appended to. */
  readonly given?: Appended | undefined;
}

export interface SessionModel {
  readonly id: string;
  /** Where it is, as a program sees it now; undefined while that is not known. */
  place: Place | undefined;
  /** Where a crash may put it. */
  readonly places: Set<Place>;
  /** In the order of their seq. */
  acknowledged: Expected[];
  /** Appended with an unknown outcome, by marker, with the appended event: there at most once. */
  readonly uncertain: Map<string, Appended>;
  /** Refused with the word that nothing of it stayed. */
  readonly refused: Set<string>;
  /** Checksum of the first line: a journal that was begun again has another. */
  firstLine: string | undefined;
  /** Whether the journal's name and first line were promised to be on the device. */
  isOnDevice: boolean;
  /** What earlier journals of this name held, each by the checksum of its first line. They are in archive/. */
  readonly archived: Archived[];
  /** Texts that the snapshot may have; undefined: none. `any`: one that lib/session made. */
  snapshots: Set<string | undefined>;
  /** Bytes from the beginning that are known to be on the device. */
  soundBytes: number;
  /** Where damage begins that was found before. */
  readonly known: Set<number>;
  /** Derived files may name lines that the journal lacks: a repair gave new numbers, or nothing was ever synced. */
  derivedMayDiffer: boolean;
  /** A reset or a repair did not come back: the journal is the old one or the new one. */
  inDoubt: 'reset' | 'repair' | undefined;
}

export interface Appended {
  readonly marker: string;
  readonly key: string | undefined;
  readonly type: string;
  readonly text: string;
}

export interface Archived {
  readonly firstLine: string | undefined;
  readonly events: Expected[];
}

/** The text of a snapshot that lib/session makes is its own affair. */
export const ANY_SNAPSHOT = 'any';

export interface Model {
  readonly sessions: Map<string, SessionModel>;
  /** Files that were promised to stay, with their content. */
  readonly evidence: Map<string, Uint8Array>;
  nextMarker: number;
  nextPid: number;
  /** Whether anything has happened that may damage a file: before that, not one finding is allowed. */
  wasHurt: boolean;
}

export function newModel(): Model {
  return { sessions: new Map(), evidence: new Map(), nextMarker: 1, nextPid: 1000, wasHurt: false };
}

export function newSession(id: string): SessionModel {
  return {
    id,
    place: 'nowhere',
    places: new Set(['nowhere']),
    acknowledged: [],
    uncertain: new Map(),
    refused: new Set(),
    firstLine: undefined,
    isOnDevice: false,
    archived: [],
    snapshots: new Set([undefined]),
    soundBytes: 0,
    known: new Set(),
    derivedMayDiffer: false,
    inDoubt: undefined,
  };
}

/** The machine has died: events promised to survive only their process are uncertain again. */
export function forgetUnsynced(model: Model): void {
  model.wasHurt = true;
  for (const session of model.sessions.values()) {
    for (const { marker, level } of session.acknowledged) if (level === 'process') unsure(session, marker);
    session.acknowledged = session.acknowledged.filter(({ level }) => level === 'disk');
    for (const [index, { firstLine, events }] of session.archived.entries()) {
      session.archived[index] = { firstLine, events: events.filter(({ level }) => level === 'disk') };
    }
    session.place = undefined;
    if (!session.isOnDevice) session.firstLine = undefined;
  }
}

export function unsure(session: SessionModel, marker: string): void {
  session.uncertain.set(marker, { marker, key: undefined, type: 'lab.noted', text: '' });
}

/** A new journal takes the place of this one, which is kept elsewhere. */
export function beginAnew(session: SessionModel): void {
  session.archived.push({ firstLine: session.firstLine, events: session.acknowledged });
  for (const { marker } of session.acknowledged) unsure(session, marker);
  session.acknowledged = [];
  session.firstLine = undefined;
  session.isOnDevice = false;
  session.soundBytes = 0;
  session.known.clear();
}

export function forgetSession(session: SessionModel): void {
  session.acknowledged = [];
  session.uncertain.clear();
  session.refused.clear();
  session.firstLine = undefined;
  session.isOnDevice = false;
  session.soundBytes = 0;
  session.known.clear();
  session.snapshots = new Set([undefined]);
}

/** The violations of the program that the lab found. */
export type ViolationKind = 'loss' | 'undetected damage' | 'false alarm' | 'broken promise';

export class Violation extends Error {
  readonly kind: ViolationKind;

  constructor(kind: ViolationKind, message: string) {
    super(`${kind}: ${message}`);
    this.name = 'Violation';
    this.kind = kind;
  }
}
