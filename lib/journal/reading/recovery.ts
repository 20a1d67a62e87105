// How each kind of damage is treated: the table of docs/journal-format.md as data, and the
// decisions that follow from it. Pure: bytes and findings in, verdicts out. Reader, writer and repair all ask here.
import { NO_PREVIOUS } from '../format.ts';
import type { Anchor, Damage, DamageKind } from '../types.ts';

type RecoveryCase = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L';

/** The action of a reader: return the line, report damage, or both; or look for whole lines inside the bad one. */
type ReadingAction = 'event' | 'report' | 'event and report' | 'report and look inside';

/**
 * What opening for writing does.
 * - `accept`: nothing is to be done
 * - `end the line`: write the LF that is missing
 * - `quarantine`: copy the bytes aside, then cut them off
 * - `keep`: leave every byte, and append after them
 * - `refuse`: not before `ollm repair`
 */
type WritingAction = 'accept' | 'end the line' | 'quarantine' | 'keep' | 'refuse';

interface RecoveryRow {
  readonly found: string;
  readonly kinds: readonly DamageKind[];
  readonly reading: ReadingAction;
  readonly writing: WritingAction;
}

export const RECOVERY_TABLE = {
  A: { found: 'a line that holds', kinds: [], reading: 'event', writing: 'accept' },
  B: {
    found: 'a last line without LF whose checksum holds',
    kinds: ['unterminated'],
    reading: 'event and report',
    writing: 'end the line',
  },
  C: { found: 'last bytes that are not a whole line', kinds: ['torn-tail'], reading: 'report', writing: 'quarantine' },
  D: { found: 'NUL bytes up to the end', kinds: ['zero-tail'], reading: 'report', writing: 'quarantine' },
  E: {
    found: 'a whole last line whose checksum does not hold',
    kinds: ['bad-checksum'],
    reading: 'report',
    writing: 'keep',
  },
  F: {
    found: 'a bad line with others after it',
    kinds: ['bad-checksum', 'not-json', 'nul-run'],
    reading: 'report',
    writing: 'keep',
  },
  G: {
    found: 'whole lines inside of a bad one',
    kinds: ['welded'],
    reading: 'report and look inside',
    writing: 'keep',
  },
  H: {
    found: 'a line that holds but does not go on from the one before',
    kinds: ['gap', 'fork', 'duplicate'],
    reading: 'event and report',
    writing: 'keep',
  },
  I: {
    found: 'CRLF, a byte order mark or blank lines, around lines that hold without them',
    kinds: ['edited'],
    reading: 'event and report',
    writing: 'refuse',
  },
  J: { found: 'a type or member that this version does not know', kinds: [], reading: 'event', writing: 'accept' },
  K: { found: 'a line over the limit', kinds: ['oversize'], reading: 'report', writing: 'keep' },
  L: {
    found: 'a line that holds, with data that its key does not open',
    kinds: ['bad-seal'],
    reading: 'report',
    writing: 'keep',
  },
} as const satisfies Record<RecoveryCase, RecoveryRow>;

type CoveredKind = (typeof RECOVERY_TABLE)[RecoveryCase]['kinds'][number];

/** What opening for writing does about each kind. A kind that no row of the table names does not compile here. */
export const WRITING_ACTIONS = Object.fromEntries(
  Object.values(RECOVERY_TABLE).flatMap(({ kinds, writing }) => kinds.map((kind) => [kind, writing])),
) as Record<CoveredKind, WritingAction> satisfies Record<DamageKind, WritingAction>;

/** What opening for writing has to do before it may append. */
export interface RecoveryPlan {
  /** Bytes from here to the end go to quarantine; undefined if none do. */
  readonly cut: (Damage & { readonly kind: 'torn-tail' | 'zero-tail' }) | undefined;
  /** The first reason not to write at all. */
  readonly refusal: Damage | undefined;
}

export function planRecovery(findings: readonly Damage[]): RecoveryPlan {
  return {
    cut: findings.find((damage): damage is NonNullable<RecoveryPlan['cut']> => isToBeCut(damage.kind)),
    refusal: findings.find(({ kind }) => WRITING_ACTIONS[kind] === 'refuse'),
  };
}

function isToBeCut(kind: DamageKind): boolean {
  return WRITING_ACTIONS[kind] === 'quarantine';
}

/** A line that another can continue. */
export type Tip = Pick<Anchor, 'seq' | 'xxh64'>;

/** The place before the first line. */
export const BEGINNING: Tip = { seq: -1, xxh64: NO_PREVIOUS };

/** About the shortest line, to estimate how many a hole may have held. */
const SHORTEST_LINE_BYTES = 110;

/** Bytes that stay in the file and in which no line holds. */
export interface HolePart {
  readonly bytes: number;
  /** The highest seq that can be read in them. */
  readonly seq: number | undefined;
  /** The checksum at their end, if they end as a line does. */
  readonly xxh64: string | undefined;
}

/** The bytes between two lines that hold. */
class Hole {
  /** How many lines it may have held at most. */
  capacity = 0;
  /** The highest seq that can still be read in it. */
  highestSeq = -1;
  #lastSeq: number | undefined;
  #lastChecksum: string | undefined;

  /** Adds damaged bytes; `xxh64` is what their last digits say, if they end as a line does. */
  add(bytes: number, seq: number | undefined, xxh64: string | undefined): void {
    const isOneLine = seq !== undefined && xxh64 !== undefined;
    this.capacity += isOneLine ? 1 : Math.max(1, Math.ceil(bytes / SHORTEST_LINE_BYTES));
    this.highestSeq = Math.max(this.highestSeq, seq ?? -1);
    this.#lastSeq = seq;
    this.#lastChecksum = xxh64;
  }

  /** Whether the line after the hole is where it should be, so that only the hole is wrong. */
  explains(before: Tip, line: Tip, previous: string): boolean {
    if (line.seq <= before.seq) return false;
    if (previous === before.xxh64) return true;
    const missing = line.seq - before.seq - 1;
    if (missing === 0) return false;
    return missing <= this.capacity || line.seq - 1 === this.#lastSeq || previous === this.#lastChecksum;
  }
}

export type ChainVerdict = 'holds' | 'gap' | 'fork' | 'duplicate';

/**
 * The chain of seq and prev, line by line. Two ends are kept: when a line does not continue the one before, the lines
 * after it may belong to either. So lines that were spliced in, doubled or swapped are reported once, where they begin.
 */
export class Chain {
  /** The last line that holds. */
  tip: Tip;
  #other: Tip | undefined;
  #highestSeq: number;
  #hole: Hole | undefined;

  constructor(tip: Tip = BEGINNING) {
    this.tip = tip;
    this.#highestSeq = tip.seq;
  }

  /** The seq of the next line to be written: one more than the highest that any line can be read to have. */
  get nextSeq(): number {
    return Math.max(this.#highestSeq, this.#hole?.highestSeq ?? -1) + 1;
  }

  /** Notes bytes after the last line in which no line holds. */
  addHole({ bytes, seq, xxh64 }: HolePart): void {
    this.#hole ??= new Hole();
    this.#hole.add(bytes, seq, xxh64);
  }

  /** Takes the next line that holds, and says how it fits to those before. */
  add({ seq, xxh64, prev }: Tip & { readonly prev: string }): ChainVerdict {
    const { tip } = this;
    const line = { seq, xxh64 };
    const followsTip = prev === tip.xxh64 && (seq === tip.seq + 1 || seq === this.nextSeq);
    const followsOther = prev === this.#other?.xxh64 && seq === this.#other.seq + 1;
    const isExplained = this.#hole?.explains(tip, line, prev) ?? false;
    if (!followsTip && (followsOther || !isExplained)) this.#other = tip;
    // A line in its place proves which numbers the hole held; elsewhere a number in the hole may have been given.
    if (!isExplained) this.#highestSeq = this.nextSeq - 1;
    this.#highestSeq = Math.max(this.#highestSeq, seq);
    this.tip = line;
    this.#hole = undefined;
    if (followsTip || followsOther || isExplained) return 'holds';
    if (seq <= tip.seq) return 'duplicate';
    return seq === tip.seq + 1 ? 'fork' : 'gap';
  }
}

/** What a bad line is called. `bytes` is the line without its LF. */
export function kindOfBadLine(bytes: Uint8Array): 'nul-run' | 'bad-checksum' | 'not-json' {
  if (bytes.includes(0)) return 'nul-run';
  return bytes[0] === 0x7b && bytes.at(-1) === 0x7d ? 'bad-checksum' : 'not-json';
}
