// Turns lines into outcomes: what holds and follows its line is an event, the rest is told by examine-line.ts. One examiner
// goes through one file in order; it holds no file and allocates nothing for a line that holds.
import { fromHex, holdsDigits, toHex } from './checksum.ts';
import { checksumHolds, findFrame, findMembers, LinePositions } from './codec.ts';
import { examineLine } from './examine-line.ts';
import type { FoundLine } from './lines.ts';
import { BEGINNING, Chain, type ChainVerdict, type Tip } from './recovery.ts';
import type { Damage, Outcome, StoredEvent } from './types.ts';

/** Goes through a file from one line to the next. */
export class Examiner {
  /**
   * One is held for good, and used by nobody. V8 lets go of the layout of a class, and of all code that was made for it,
   * once a collection finds no object of it: the next journal would be read by code that has not warmed up.
   */
  static readonly held: unknown = new Examiner();
  readonly positions = new LinePositions();
  readonly #chain: Chain;

  constructor(tip: Tip = BEGINNING) {
    this.#chain = new Chain(tip);
  }

  /** The last line that holds. */
  get tip(): Tip {
    return this.#chain.tip;
  }

  /** What the next line to be written gets. */
  get nextSeq(): number {
    return this.#chain.nextSeq;
  }

  /** Whether the line holds and follows the last one: the case that is nearly always so. Then `positions` tell it. */
  accept(buffer: Buffer, start: number, stop: number): boolean {
    return findMembers(buffer, start, stop, this.positions) && this.#follows(buffer);
  }

  /** The same for those who need nothing of it: what stands between its beginning and its end is not looked at. */
  acceptFrame(buffer: Buffer, start: number, stop: number): boolean {
    return findFrame(buffer, start, stop, this.positions) && this.#follows(buffer);
  }

  #follows(buffer: Buffer): boolean {
    const { positions } = this;
    const { seq, start, stop, previous } = positions;
    const chain = this.#chain;
    if (seq !== chain.seq + 1 || !holdsDigits(buffer, previous, chain.hash)) return false;
    if (!checksumHolds(buffer, start, stop, positions)) return false;
    chain.advance(seq, positions.hash);
    return true;
  }

  /** Every other case. `number` is the line's, for those who look with an editor. */
  examine(line: FoundLine, step: 'line' | 'oversize', number: number): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const part of examineLine(line, step, this.#chain.seq)) {
      if (part.kind === 'hole') this.#chain.addHole(part.bytes, part.seq, part.hash);
      else if (part.kind === 'damage') outcomes.push({ kind: 'damage', damage: { ...part.damage, line: number } });
      else {
        const { event } = part;
        const before = this.#chain.tip;
        const verdict = this.#chain.add({ seq: event.seq, hash: fromHex(event.xxh64) }, fromHex(event.prev));
        if (verdict !== 'holds') {
          outcomes.push({ kind: 'damage', damage: chainDamage(verdict, event, before, number) });
        }
        outcomes.push(part);
      }
    }
    return outcomes;
  }
}

/** How a broken chain is told. */
export function chainDamage(
  kind: Exclude<ChainVerdict, 'holds'>,
  event: StoredEvent,
  before: Tip,
  line: number,
): Damage {
  const from = before.seq < 0 ? 'the beginning' : `seq ${before.seq}`;
  const reason = {
    gap: `Seq ${event.seq} follows ${from}: lines are missing, or this one was moved.`,
    fork: `The line names another predecessor than ${from}: one of the two does not belong here.`,
    duplicate:
      event.xxh64 === toHex(before.hash)
        ? `The line stands twice (seq ${event.seq}).`
        : `Seq ${event.seq} comes behind ${from}: the line is doubled, moved or from another writer.`,
  }[kind];
  return { kind, offset: event.offset, length: event.raw.length, line, reason, seq: event.seq };
}
