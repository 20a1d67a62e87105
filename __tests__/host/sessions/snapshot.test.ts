// A snapshot as a pure fold: whatever a journal and a host can say together, the status is one that the client can act
// on, and the transitions lead to it.
import fc from 'fast-check';
import type { SnapshotOf } from '../../../lib/host/port/snapshots.ts';
import { type SnapshotFacts, snapshotOf } from '../../../lib/host/sessions/snapshot.ts';
import type { SessionEvent } from '../../../lib/journal/types.ts';
import { rowOfSummary, summaryFold } from '../../../lib/projections/summary.ts';

const FINAL = ['completed', 'failed', 'stopped'];
const AT = (minute: number) => new Date(Date.UTC(2026, 10, 26, 1, minute)).toISOString();
const SUMMARY = rowOfSummary({ ...summaryFold.initial(), id: 'oak', startTime: AT(0), lastActivity: AT(0) });

type Step = readonly [type: string, data: object];

/** The part of a journal that begins with its newest turn, or no turn. */
const journals = fc
  .record({
    began: fc.boolean(),
    inside: fc.array(
      fc.constantFrom<Step>(
        ['tool.requested', { callId: 'a', tool: 'bash', args: {} }],
        ['tool.decided', { callId: 'a', decision: 'allow', by: 'user' }],
        ['queue.changed', { added: [{ promptId: 'p', text: 'next', queuedAt: AT(30) }] }],
        ['queue.changed', { removed: ['p'] }],
      ),
      { maxLength: 6 },
    ),
    end: fc.constantFrom<Step | undefined>(
      ['turn.ended', { status: 'completed' }],
      ['turn.ended', { status: 'cancelled' }],
      ['turn.ended', { status: 'failed', error: { code: 'PROVIDER_FAILED', message: 'no' } }],
      ['turn.ended', { status: 'interrupted' }],
      undefined,
    ),
    after: fc.boolean(),
  })
  .map(({ began, inside, end, after }): SessionEvent[] => {
    const queued: Step = ['queue.changed', { added: [{ promptId: 'q', text: 'more', queuedAt: AT(40) }] }];
    const steps: Step[] = began ? [['turn.started', { input: 'hello' }], ...inside, ...(end ? [end] : [])] : [];
    const all: Step[] = after ? [...steps, queued] : steps;
    return all.map(
      ([type, data], index) => ({ v: 1, seq: index, id: `e${index}`, ts: AT(index + 1), type, data }) as never,
    );
  });

const hosts: fc.Arbitrary<Omit<SnapshotOf, 'id'> & { isLed: boolean }> = fc.record({
  activity: fc.constantFrom<SnapshotOf['activity']>(
    { kind: 'not-held' },
    { kind: 'free' },
    { kind: 'running', promptId: 'q', since: AT(1), queued: 0, questions: [] },
    { kind: 'waiting', promptId: 'q', since: AT(1), queued: 0, questions: ['x'] },
  ),
  waiting: fc.constantFrom([], [{ promptId: 'older', queuedAt: AT(0) }]),
  problem: fc.constantFrom(undefined, { code: 'MODEL_NOT_FOUND', message: 'There is no such model.', at: AT(50) }),
  instanceId: fc.constantFrom(undefined, 'here'),
  isLed: fc.boolean(),
});

const taken = (events: readonly SessionEvent[], host: Omit<SnapshotFacts, 'summary' | 'events' | 'seq'>) =>
  snapshotOf({ summary: SUMMARY, events, seq: events.length - 1, ...host });

describe('a snapshot of a session', () => {
  it('has transitions that end with its status, in the order of their times', () => {
    fc.assert(
      fc.property(journals, hosts, (events, host) => {
        const { status, transitions, error, endedAt } = taken(events, host);
        // A session in which no turn began or waits has no transition.
        expect(transitions.at(-1)?.status ?? 'completed').toBe(status);
        if (events[0]?.type === 'turn.started') expect(transitions).not.toEqual([]);
        const times = transitions.map(({ at }) => at);
        expect(times).toEqual([...times].sort());
        for (const [index, { status: each }] of transitions.entries())
          expect(transitions[index + 1]?.status).not.toBe(each);
        expect(error !== undefined).toBe(status === 'failed');
        if (endedAt !== undefined) expect(FINAL).toContain(status);
      }),
    );
  });

  it('is not final while a prompt of its queue waits in a running server', () => {
    fc.assert(
      fc.property(journals, hosts, (events, host) => {
        const queued = events.at(-1)?.type === 'queue.changed' && events.at(-1)?.seq === events.length - 1;
        const waits = queued && (events.at(-1)!.data as { added?: unknown }).added !== undefined;
        if (!waits || host.instanceId === undefined) return;
        expect(FINAL).not.toContain(taken(events, { ...host, isLed: true }).status);
      }),
    );
  });

  it.each([
    ['completed', { status: 'completed' }],
    ['stopped', { status: 'cancelled' }],
  ])('is %s once its turn has ended so, even if its host is still finishing', (status, data) => {
    const events = [
      { seq: 0, ts: AT(1), type: 'turn.started', data: { input: 'hello' } },
      { seq: 1, ts: AT(2), type: 'turn.ended', data },
    ] as unknown as SessionEvent[];
    const activity = { kind: 'running', promptId: 'p', since: AT(1), queued: 0, questions: [] } as const;
    expect(taken(events, { activity, isLed: true, instanceId: 'here' })).toMatchObject({ status, endedAt: AT(2) });
  });
});
