// Reading backwards finds the same as reading forwards, after any damage to the journal.
import fc from 'fast-check';
import type { DamageKind, Outcome } from '../../../lib/journal/types.ts';
import {
  append,
  cut,
  doubled,
  flip,
  journalDisk,
  linesOf,
  sampleJournal,
  story,
  swapped,
  welded,
  without,
  zero,
} from '../surgery.ts';

const CHAIN: readonly DamageKind[] = ['gap', 'fork', 'duplicate'];

const isOfChain = (outcome: Outcome) => outcome.kind === 'damage' && CHAIN.includes(outcome.damage.kind);

/** An outcome as one line, without what only a reading from the beginning can know: the number of a line. */
function described(outcome: Outcome): string {
  if (outcome.kind === 'damage') {
    const { kind, offset, length, reason, seq } = outcome.damage;
    return `${kind} ${offset} ${length} ${reason} ${seq}`;
  }
  const { seq, type, offset, end, xxh64, prev } = outcome.event;
  return `event ${seq} ${type} ${offset} ${end} ${xxh64} ${prev}`;
}

/** Each takes two numbers, which it interprets itself. */
const SURGERY: Record<string, (bytes: Buffer, one: number, other: number) => Buffer> = {
  cut: (bytes, one) => cut(bytes, one % (bytes.length + 1)),
  flip: (bytes, one, other) => (bytes.length === 0 ? bytes : flip(bytes, one % bytes.length, other % 8)),
  zero: (bytes, one, other) => {
    const from = one % (bytes.length + 1);
    return zero(bytes, from, Math.min(other % 300, bytes.length - from));
  },
  without: (bytes, one) => without(bytes, one % (linesOf(bytes).length + 1)),
  doubled: (bytes, one, other) => doubled(bytes, one % (linesOf(bytes).length + 1), 1 + (other % 3)),
  swapped: (bytes, one) => {
    const count = linesOf(bytes).length;
    return count < 2 ? bytes : swapped(bytes, one % (count - 1));
  },
  welded: (bytes, one, other) => {
    const count = linesOf(bytes).length;
    return count === 0 ? bytes : welded(bytes, one % count, 'garbage'.slice(0, other % 8));
  },
  'torn line, good lines behind it': (bytes, one, other) => {
    const lines = linesOf(bytes);
    const torn = lines[one % (lines.length + 1)] ?? Buffer.alloc(0);
    return append(bytes, torn.subarray(0, other % (torn.length + 1)), ...lines.slice(one % (lines.length + 1)));
  },
  'blocks swapped': (bytes, one, other) => {
    const size = 64 + (other % 400);
    const [first, second] = [one % (bytes.length + 1), other % (bytes.length + 1)].sort((a, b) => a - b);
    if (second! - first! < size) return bytes;
    const block = (at: number) => bytes.subarray(at, at + size);
    const between = bytes.subarray(first! + size, second!);
    return append(bytes.subarray(0, first), block(second!), between, block(first!), bytes.subarray(second! + size));
  },
  'a block copied': (bytes, one, other) => {
    const from = one % (bytes.length + 1);
    const to = other % (bytes.length + 1);
    return append(bytes.subarray(0, to), bytes.subarray(from, from + 500), bytes.subarray(to));
  },
};

const operations = fc.array(fc.tuple(fc.constantFrom(...Object.keys(SURGERY)), fc.nat(1e6), fc.nat(1e6)), {
  minLength: 1,
  maxLength: 4,
});

describe('reading backwards', () => {
  it('finds the events and the damaged lines of a forward reading, in reverse', () => {
    fc.assert(
      fc.property(operations, fc.boolean(), (steps, isOfCopies) => {
        const whole = isOfCopies ? journalOfCopies : sampleJournal(8);
        const bytes = steps.reduce((damaged, [name, one, other]) => SURGERY[name]!(damaged, one, other), whole);
        const reader = journalDisk(bytes).reader();
        const forwards = [...reader.outcomes()];
        const backwards = [...reader.backwards()].reverse();
        const lines = (outcomes: Outcome[]) => outcomes.filter((outcome) => !isOfChain(outcome)).map(described);
        expect(inOrder(lines(backwards))).toEqual(inOrder(lines(forwards)));
        expect(eventsOnly(backwards)).toEqual(eventsOnly(forwards));
        // A chain that continues from a line further back is broken for a reader that sees only neighbours.
        if (!backwards.some(isOfChain)) expect(forwards.filter(isOfChain)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('finds the good lines after a torn one', () => {
    const whole = sampleJournal(4);
    const last = linesOf(whole)[3]!;
    const bytes = append(whole, last.subarray(0, 100), last, last);
    const reader = journalDisk(bytes).reader();
    expect(story(reader.outcomes())).toBe('0 1 2 3 welded duplicate 3 duplicate 3');
    // The reports about a line come after its events here.
    expect(story([...reader.backwards()].reverse())).toBe('0 1 2 3 duplicate welded 3 duplicate 3');
  });
});

const eventsOnly = (outcomes: Outcome[]) => outcomes.filter(({ kind }) => kind === 'event').map(described);
/** The reports about one line come before its events in one direction and after them in the other. */
const inOrder = (texts: string[]) => texts.toSorted();

/** A journal whose lines hold copies of journal lines in their data. */
const journalOfCopies = (() => {
  const lines = linesOf(sampleJournal(6)).map((line) => JSON.parse(line.toString()) as object);
  return sampleJournal(4, (seq) => ({ copy: lines[seq], all: lines }));
})();
