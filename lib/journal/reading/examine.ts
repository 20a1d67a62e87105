// Turns lines that are not as nearly all are into outcomes: what holds is an event, the rest is told by examine-line.ts. One
// examiner goes through one file in order; it holds no file.
import { fromHex, toHex } from '../line/checksum.ts';
import type { Damage, Outcome, StoredEvent } from '../types.ts';
import { examineLine } from './examine-line.ts';
import type { FoundLine } from './lines.ts';
import { BEGINNING, Chain, type ChainVerdict, type Tip } from './recovery.ts';

/** Goes through a file from one line to the next. */
export class Examiner {
  /**
   * One is held for good, and used by nobody. V8 lets go of the layout of a class, and of all code that was made for it,
   * once a collection finds no object of it: the next journal would be read by code that has not warmed up.
   */
  static readonly held: unknown = new Examiner();
  readonly chain: Chain;

  constructor(tip: Tip = BEGINNING) {
    this.chain = new Chain(tip);
  }

  /** The last line that holds. */
  get tip(): Tip {
    return this.chain.tip;
  }

  /** What the next line to be written gets. */
  get nextSeq(): number {
    return this.chain.nextSeq;
  }

  /** What is to be told of a line that a `JournalReading` handed out alone. `number` is the line's, for those who look with an editor. */
  examine(line: FoundLine, step: 'line' | 'oversize', number: number): Outcome[] {
    const outcomes: Outcome[] = [];
    for (const part of examineLine(line, step, this.chain.seq)) {
      if (part.kind === 'hole') this.chain.addHole(part.bytes, part.seq, part.hash);
      else if (part.kind === 'damage') outcomes.push({ kind: 'damage', damage: { ...part.damage, line: number } });
      else {
        const { event } = part;
        const before = this.chain.tip;
        const verdict = this.chain.add({ seq: event.seq, hash: fromHex(event.xxh64) }, fromHex(event.prev));
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
