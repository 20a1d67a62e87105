import fc from 'fast-check';
import { Ring, RingBudget, type RingEntry } from '../../../lib/host/following/ring.ts';

const event = (seq: number, length: number): RingEntry => ({
  item: { kind: 'event', id: String(seq), type: 'message.added', data: 'x'.repeat(length) },
  seq,
  position: seq,
});
const signal = (length: number): RingEntry => ({ item: { kind: 'signal', type: 'turn', data: 'x'.repeat(length) } });
const reset: RingEntry = { item: { kind: 'reset', data: '' } };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('event' as const), length: fc.nat(600) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('signal' as const), length: fc.nat(600) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), length: fc.nat(900) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('reset' as const), length: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('shrink' as const), length: fc.constant(0) }) },
  ),
  { maxLength: 120 },
);

describe('the ring', () => {
  it('gives a reader every item in order, or shows that items are missing', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 300, max: 4_000 }), (done, maxBytes) => {
        const ring = new Ring(maxBytes, new RingBudget(1_000_000), -1);
        const pushed: RingEntry[] = [];
        const read: unknown[] = [];
        let seq = 0;
        let next = 0;
        const push = (entry: RingEntry): void => {
          pushed.push(entry);
          ring.push(entry);
        };
        for (const step of done) {
          if (step.do === 'event') push(event(seq++, step.length));
          if (step.do === 'signal') push(signal(step.length));
          if (step.do === 'shrink') ring.shrink();
          if (step.do === 'reset') {
            push(reset);
            seq = 0;
          }
          if (step.do !== 'read') continue;
          if (next < ring.start) break;
          const items = ring.from(next, step.length);
          expect(items.length > 0).toBe(next < ring.end);
          next += items.length;
          read.push(...items);
        }
        expect(ring.end).toBe(pushed.length);
        expect(read).toEqual(pushed.slice(0, read.length).map(({ item }) => item));
      }),
      { numRuns: 300 },
    );
  });

  it('gives all events after a seq, or none if one of them is gone', () => {
    fc.assert(
      fc.property(steps, fc.nat(60), fc.integer({ min: 300, max: 4_000 }), (done, behind, maxBytes) => {
        const ring = new Ring(maxBytes, new RingBudget(1_000_000), -1);
        let seqs: number[] = [];
        for (const step of done) {
          if (step.do === 'event') {
            seqs.push(seqs.length);
            ring.push(event(seqs.length - 1, step.length));
          }
          if (step.do === 'signal') ring.push(signal(step.length));
          if (step.do === 'shrink') ring.shrink();
          if (step.do !== 'reset') continue;
          ring.push(reset);
          seqs = [];
        }
        const found = ring.eventsBehind(behind, Number.POSITIVE_INFINITY);
        if (found !== undefined) expect(found.map(({ seq }) => seq)).toEqual(seqs.filter((seq) => seq > behind));
      }),
      { numRuns: 300 },
    );
  });

  it('has at most the given number of bytes, and always its newest item', () => {
    const ring = new Ring(1_000, new RingBudget(1_000_000), -1);
    for (let seq = 0; seq < 10; seq += 1) ring.push(event(seq, 200));
    expect(ring.end - ring.start).toBe(2);
    ring.push(event(10, 100_000));
    expect(ring.end - ring.start).toBe(1);
    expect(ring.eventsBehind(9, 1)?.map(({ seq }) => seq)).toEqual([10]);
    expect(ring.eventsBehind(8, 1)).toBeUndefined();
  });

  it('drops its items if all rings together have too much, beginning with an idle ring', () => {
    const budget = new RingBudget(2_000);
    const [resting, busy] = [new Ring(10_000, budget, -1), new Ring(10_000, budget, -1)];
    for (let seq = 0; seq < 3; seq += 1) resting.push(event(seq, 300));
    for (let seq = 0; seq < 4; seq += 1) busy.push(event(seq, 300));
    expect([resting.end - resting.start, busy.end - busy.start]).toEqual([1, 4]);
    expect(budget.bytes).toBeLessThanOrEqual(2_000);
  });
});
