import fc from 'fast-check';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { type AuditedCall, auditFold, findingsOf } from '../../lib/projections/audit.ts';
import { replay } from '../../lib/projections/replay.ts';
import { readerOf, stored } from '../support/event-list.ts';

const HASH = 'a'.repeat(64);
const origin = { position: 0, length: 1 };
const requested = (callId = 'c1', name = 'bash'): NewOllmEvent => ({
  type: 'tool.requested',
  turn: 1,
  data: { callId, name, args: { command: 'ls' } },
});
const decided = (decision: 'allow' | 'deny', callId = 'c1', actionHash = HASH): NewOllmEvent => ({
  type: 'tool.decided',
  turn: 1,
  data: { callId, decision, by: 'user', rule: 'default:command', actionHash },
});
const started = (callId = 'c1', actionHash = HASH): NewOllmEvent => ({
  type: 'tool.started',
  turn: 1,
  data: { callId, sandbox: 'bubblewrap', envRemoved: ['TOKEN'], command: 'ls', cwd: '/p', network: false, actionHash },
});
const finished = (status: 'ok' | 'denied' | 'unknown' | 'cancelled' = 'ok', callId = 'c1'): NewOllmEvent => ({
  type: 'tool.finished',
  turn: 1,
  data: {
    callId,
    status,
    result: { llmContent: 'x' },
    tokens: { count: 1, method: 'estimated' },
    durationMs: 5,
    trusted: false,
  },
});

async function audit(events: readonly NewOllmEvent[]): Promise<readonly AuditedCall[]> {
  return (await replay(readerOf(stored(events)), { audit: auditFold })).states.audit.calls;
}
const findings = async (...events: NewOllmEvent[]) => (await audit(events)).map(findingsOf);

describe('the audit of a session', () => {
  it('has each call with its decision, its program and its end', async () => {
    expect(await audit([requested(), decided('allow'), started(), finished()])).toEqual([
      {
        seq: 0,
        ts: '2026-01-01T00:00:00.000Z',
        turn: 1,
        callId: 'c1',
        tool: 'bash',
        args: { command: 'ls' },
        decisions: [expect.objectContaining({ seq: 1, decision: 'allow', by: 'user', rule: 'default:command' })],
        starts: [expect.objectContaining({ seq: 2, command: 'ls', sandbox: 'bubblewrap', envRemoved: ['TOKEN'] })],
        ends: [{ seq: 3, ts: '2026-01-01T00:00:03.000Z', status: 'ok', durationMs: 5 }],
      },
    ]);
    expect(await findings(requested(), decided('allow'), started(), finished())).toEqual([[]]);
    expect(await findings(requested(), decided('deny'), finished('denied'))).toEqual([[]]);
  });

  it('joins the question of an agent with the same call in its own file', async () => {
    const asked: NewOllmEvent = {
      type: 'run.asked',
      data: { run: 'r', callId: 'c1', hash: HASH, request: { title: 'ls' } },
    };
    const confirmed = { ...decided('allow'), data: { ...decided('allow').data, actionHash: undefined, origin } };
    const run = [asked, decided('allow'), requested(), confirmed as NewOllmEvent, finished()];
    const [call, ...others] = await audit(run);
    expect(others).toEqual([]);
    expect(call).toMatchObject({ tool: 'bash', args: { command: 'ls' }, turn: 1, asked: { seq: 0, hash: HASH } });
    expect(call!.decisions).toHaveLength(1);
    expect(findingsOf(call!)).toEqual([]);
    // Models give the same id again.
    expect(await findings(...run, requested(), decided('allow'), started(), finished())).toEqual([[], []]);
    // A call that was refused may be in no file.
    expect(await audit([asked, decided('deny')])).toMatchObject([{ tool: 'ls', args: { title: 'ls' } }]);
    expect(await findings(asked, decided('deny'))).toEqual([[]]);
    expect(await findings(asked, decided('deny'), requested(), finished('ok'))).toEqual([
      ['The agent ran it although it was denied.'],
    ]);
    expect(await findings(asked, decided('allow', 'c1', 'b'.repeat(64)), requested(), finished())).toEqual([
      ['What was decided on is not what was asked: their hashes differ.'],
    ]);
    const other = { ...confirmed, data: { ...confirmed.data, decision: 'deny' } } as NewOllmEvent;
    expect(await findings(asked, decided('allow'), requested(), other, finished('denied'))).toEqual([
      ['It was decided on 2 times.'],
    ]);
  });

  it('is one call without a finding in each order in which a run and the file of its agent can be read', async () => {
    const own = (event: NewOllmEvent) => ({ ...event, data: { ...event.data, origin } }) as NewOllmEvent;
    const asked: NewOllmEvent = {
      type: 'run.asked',
      data: { run: 'r', callId: 'c1', hash: HASH, request: { title: 'ls' } },
    };
    const confirmed = { ...decided('allow'), data: { ...decided('allow').data, actionHash: undefined, origin } };
    for (const record of [[], [confirmed as NewOllmEvent]]) {
      // What follows a decision comes after it; the request of the file comes at any time before that.
      const orders = [0, 1, 2].map((at) => [asked, decided('allow')].toSpliced(at, 0, own(requested())));
      for (const order of orders) {
        const [call, ...others] = await audit([...order, ...record, own(finished())]);
        expect(others).toEqual([]);
        expect(call).toMatchObject({ tool: 'bash', args: { command: 'ls' }, ofOther: true, asked: { hash: HASH } });
        expect(call!.decisions).toHaveLength(1);
        expect(findingsOf(call!)).toEqual([]);
        // Calls may share an id.
        const twice = [...order, ...record, own(finished())];
        expect(await findings(...twice, ...twice)).toEqual([[], []]);
      }
    }
    const denied = [own(requested()), asked, decided('deny')];
    expect(await findings(...denied)).toEqual([[]]);
    expect(await findings(...denied, own(finished('ok')))).toEqual([['The agent ran it although it was denied.']]);
  });

  it('finds nothing in the record of another program, which has no starts, and no decisions of its own rules', async () => {
    const own = (event: NewOllmEvent) => ({ ...event, data: { ...event.data, origin } }) as NewOllmEvent;
    const record = [own(requested()), own(finished())];
    expect(await findings(...record)).toEqual([[]]);
    expect(await findings(own(requested()), own(decided('allow')), own(finished()))).toEqual([[]]);
    expect(await findings(own(requested()))).toEqual([['It has no end: whether it had an effect cannot be told.']]);
    expect(await findings(...record, own(finished()))).toEqual([['It ended 2 times.']]);
    const asked: NewOllmEvent = {
      type: 'run.asked',
      data: { run: 'r', callId: 'c1', hash: HASH, request: { title: 'ls' } },
    };
    expect(await findings(asked, ...record)).toEqual([['It has no decision.']]);
  });

  it('keeps calls with the same id apart', async () => {
    const once = [requested(), decided('allow'), started(), finished()];
    const calls = await audit([...once, ...once]);
    expect(calls.map(({ seq, starts }) => [seq, starts[0]?.seq])).toEqual([
      [0, 2],
      [4, 6],
    ]);
    expect(calls.map(findingsOf)).toEqual([[], []]);
  });

  it('keeps parallel calls apart', async () => {
    const calls = await audit([
      requested('a'),
      requested('b'),
      decided('allow', 'b'),
      decided('deny', 'a'),
      started('b'),
      finished('denied', 'a'),
      finished('ok', 'b'),
    ]);
    expect(calls.map(({ callId, decisions }) => [callId, decisions[0]?.decision])).toEqual([
      ['a', 'deny'],
      ['b', 'allow'],
    ]);
    expect(calls.map(findingsOf)).toEqual([[], []]);
  });

  it('reports no fault of a call that was cancelled during its question', async () => {
    expect(await findings(requested(), finished('cancelled'))).toEqual([[]]);
  });

  it.each<[string, NewOllmEvent[], RegExp]>([
    ['no decision', [requested(), started(), finished()], /no decision/],
    ['no decision of what ran and was cancelled', [requested(), started(), finished('cancelled')], /no decision/],
    ['no decision about a denied call', [requested(), finished('denied')], /no decision/],
    ['no end', [requested(), decided('allow'), started()], /no end/],
    ['no request', [decided('allow'), started(), finished()], /request is not in the journal/],
    ['no start', [requested(), decided('allow'), finished('ok')], /has no start/],
    ['a start after a no', [requested(), decided('deny'), started(), finished()], /although it was denied/],
    ['a decision after the start', [requested(), started(), decided('allow'), finished()], /before it was decided/],
    [
      'a different action from the approved one',
      [requested(), decided('allow'), started('c1', 'b'.repeat(64)), finished()],
      /hashes differ/,
    ],
    ['two decisions', [requested(), decided('deny'), decided('allow'), started(), finished()], /2 times/],
    [
      'two starts for one decision',
      [requested(), decided('allow'), started(), started(), finished()],
      /started 2 times/,
    ],
    ['two ends', [requested(), decided('allow'), started(), finished(), finished()], /ended 2 times/],
  ])('finds %s', async (_what, events, finding) => {
    expect((await audit(events)).flatMap(findingsOf)).toEqual([expect.stringMatching(finding)]);
  });

  it('loses no event of the journal, in any order', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const event = fc.oneof(
      id.map((callId) => requested(callId)),
      fc
        .tuple(fc.constantFrom<'allow' | 'deny'>('allow', 'deny'), id)
        .map(([decision, callId]) => decided(decision, callId)),
      id.map((callId) => started(callId)),
      id.map((callId) => finished('ok', callId)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const calls = await audit(events);
        const places = calls.flatMap(({ seq, tool, decisions, starts, ends }) => [
          ...(tool === undefined ? [] : [seq]),
          ...[...decisions, ...starts, ...ends].map((one) => one.seq),
        ]);
        expect(places.sort((one, other) => one - other)).toEqual(events.map((_, index) => index));
        expect(calls.map(({ seq }) => seq)).toEqual(calls.map(({ seq }) => seq).toSorted((one, other) => one - other));
      }),
      { numRuns: 300 },
    );
  });
});
