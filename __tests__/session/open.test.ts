import { setImmediate as breathe } from 'node:timers/promises';
import { OllmError } from '../../lib/errors/index.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import type { Anchor, JournalStore } from '../../lib/journal/types.ts';
import { auditFold, findingsOf } from '../../lib/projections/audit.ts';
import { budgetReport } from '../../lib/projections/budget-report.ts';
import { replay } from '../../lib/projections/replay.ts';
import { createSession } from '../../lib/session/create.ts';
import { openSession } from '../../lib/session/open.ts';
import { readSnapshotAnchor } from '../../lib/session/saved/snapshot.ts';
import { readState } from '../../lib/session/saved/state-file.ts';
import { changeState, eventsOf, memoryWorld, OPTIONS, said, turnEvents, typesOf, viewTexts } from './world.ts';

describe('resuming a session', () => {
  it('restores the state that it was left in', async () => {
    const world = memoryWorld();
    const session = await world.create('notes', {
      system: { text: 'Be brief.', tokens: { count: 3, method: 'counted' } },
    });
    await session.append(turnEvents(1, 'one?', 'one.'));
    const before = budgetReport(session.states.budget, { reserveTokens: 0 });
    await session.close('exit');

    const again = await world.open();
    expect(again.report.notices).toEqual([]);
    expect(viewTexts(again)).toEqual(['system: Be brief.', 'user: one?', 'assistant: one.']);
    expect(budgetReport(again.states.budget, { reserveTokens: 0 })).toEqual(before);
    await again.close('exit');
  });

  it('reads only the part of the journal after the state file', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.save({ snapshot: 'now' });
    await session.append(turnEvents(2, 'two?', 'two.'));
    await session.writer.close();

    const read: number[] = [];
    const watched: JournalStore = {
      ...world.store,
      openWriter: (id, options = {}) =>
        world.store.openWriter(id, {
          ...options,
          onEvent: (event) => {
            read.push(event.seq);
            options.onEvent?.(event);
          },
        }),
    };
    const again = await openSession(watched, 'notes', OPTIONS);
    expect(read).toEqual([5, 6, 7, 8]);
    expect(viewTexts(again)).toEqual(['user: one?', 'assistant: one.', 'user: two?', 'assistant: two.']);
    await again.close('exit');
  });

  it.each([
    ['is torn', '{"format":1,"anchor":{"se'],
    ['is of a different kind', '{"hello":"world"}'],
    ['is empty', ''],
  ])('replays the journal if the state file %s', async (_, text) => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await world.store.writeDocument('notes', 'state', text);
    const again = await world.open();
    expect(viewTexts(again)).toEqual(['user: one?', 'assistant: one.']);
    await again.close('exit');
  });

  it('replays the journal if other versions of the folds made the state', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await changeState(world.store, (saved) => ({
      ...saved,
      versions: { ...saved.versions, view: 0 },
      states: { ...saved.states, view: { timeline: { entries: [] } } },
    }));
    const again = await world.open();
    expect(viewTexts(again)).toEqual(['user: one?', 'assistant: one.']);
    await again.close('exit');
  });

  it('sets aside a state that is ahead of the journal as evidence, says so, and does not load it', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await changeAnchor(world.store, (anchor) => ({ ...anchor, seq: anchor.seq + 7, offset: anchor.offset + 700 }));

    const again = await world.open();
    expect(again.report.notices.join('\n')).toMatch(/Events were lost: the state file knows event 12/);
    expect(again.report.notices.join('\n')).toMatch(/notes\.state\.json\..*\.suspect/);
    expect(viewTexts(again)).toEqual(['user: one?', 'assistant: one.']);
    expect(await world.store.readDocument('notes', 'state')).toBeUndefined();
    await again.close('exit');
  });

  it('sets aside a snapshot that is ahead of the journal as evidence too, if there is no state file', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await world.store.removeDocument('notes', 'state');
    const snapshot = JSON.parse((await world.store.readDocument('notes', 'snapshot')) ?? '');
    snapshot.journal.seq += 100;
    snapshot.journal.offset += 100_000;
    await world.store.writeDocument('notes', 'snapshot', JSON.stringify(snapshot));

    const again = await world.open();
    expect(again.report.notices.join('\n')).toMatch(/the snapshot file knows event 105.*notes\.json\..*\.suspect/);
    await again.close('exit');
  });

  it('reads only the beginning of a snapshot that is not ahead of the journal', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', '"journal":{"seq":1}}'));
    await session.close('exit');
    await world.store.removeDocument('notes', 'state');
    const refuse = () => {
      throw new Error('All of it was read.');
    };
    const watched: JournalStore = {
      ...world.store,
      readDocument: async (id, kind, maxBytes) =>
        kind === 'snapshot' && maxBytes === undefined ? refuse() : await world.store.readDocument(id, kind, maxBytes),
    };
    const again = await openSession(watched, 'notes', OPTIONS);
    expect(again.report.notices).toEqual([]);
    await again.close('exit');
  });

  it('ignores a snapshot that is not whole, with any beginning', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await world.store.removeDocument('notes', 'state');
    const snapshot = (await world.store.readDocument('notes', 'snapshot'))!;
    const ahead = snapshot.replace(/"seq":\d+,"offset":\d+/, '"seq":105,"offset":100000');
    for (const [text, isEvidence] of [
      [ahead.slice(9), false],
      [ahead.replace('[', '[,'), false],
      [ahead, true],
    ] as const) {
      await world.store.writeDocument('notes', 'snapshot', text);
      const again = await world.open();
      expect(again.report.notices.some((notice) => notice.includes('Events were lost'))).toBe(isEvidence);
      await again.writer.close();
    }
  });

  it('closes a session that can no longer be written, and says so', async () => {
    const world = memoryWorld();
    const session = await world.create();
    const failure = new OllmError('JOURNAL_POISONED', 'The disk failed.');
    session.writer.append = () => Promise.reject(failure);
    await expect(session.close('exit')).rejects.toBe(failure);
    await expect(session.close('exit')).rejects.toBe(failure);
    const again = await world.open();
    await again.close('exit');
  });

  it('closes a session in order if its derived files cannot be written', async () => {
    const world = memoryWorld();
    const broken: JournalStore = { ...world.store, writeDocument: () => Promise.reject(new Error('No space.')) };
    const request = { id: 'notes', created: { provider: 't', model: 'm', ollm: '0' } };
    const session = await createSession(broken, request, OPTIONS);
    await session.close('exit');
    expect(await typesOf(world.store, 'notes')).toEqual(['session.created', 'session.closed']);
  });

  it('ends the turn that a crash left open, and reports it once', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([{ type: 'turn.started', turn: 1, data: { input: 'one?' } }, said('user', 'one?', 1)]);
    await session.writer.close();

    const again = await world.open();
    expect(again.report.notices.join('\n')).toMatch(/Turn 1 was interrupted/);
    const last = (await eventsOf(world.store, 'notes')).at(-1);
    expect(last).toMatchObject({ type: 'turn.ended', turn: 1, data: { status: 'interrupted', steps: 0 } });
    expect(again.states.openEnds).toEqual({ turns: 1, calls: [] });
    await again.close('exit');
    const third = await world.open();
    expect(third.report.notices).toEqual([]);
    await third.close('exit');
  });

  it('answers a tool call that a crash left without a result with “unknown”, and does not repeat it', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([
      { type: 'turn.started', turn: 1, data: { input: 'delete it' } },
      said('user', 'delete it', 1),
      { type: 'tool.requested', turn: 1, data: { callId: 'c1', name: 'rm', args: { path: 'x' } } },
      { type: 'tool.started', turn: 1, data: { callId: 'c1', sandbox: 'none', envRemoved: [] } },
    ]);
    await session.writer.close();

    const again = await world.open();
    expect(again.report.notices.join('\n')).toMatch(/tool call rm \(c1\).*not run again/);
    expect((await typesOf(world.store, 'notes')).slice(-2)).toEqual(['tool.finished', 'turn.ended']);
    const finished = (await eventsOf(world.store, 'notes')).find(({ type }) => type === 'tool.finished');
    expect(finished).toMatchObject({ turn: 1, data: { callId: 'c1', status: 'unknown' } });
    await again.close('exit');
  });

  const requested = {
    type: 'tool.requested',
    turn: 1,
    data: { callId: 'c1', name: 'rm', args: { path: 'x' } },
  } as const;
  const decided = (decision: 'allow' | 'deny') =>
    ({ type: 'tool.decided', turn: 1, data: { callId: 'c1', decision, by: 'user' } }) as const;

  it.each([
    ['not decided on', [requested], 'cancelled', 'had not been decided on'],
    ['allowed and not started', [requested, decided('allow')], 'cancelled', 'had been allowed and not started'],
    ['denied', [requested, decided('deny')], 'denied', 'had been denied'],
  ] as const)('reports of a tool call that a crash left %s that it did not run', async (_, events, status, words) => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([{ type: 'turn.started', turn: 1, data: { input: 'delete it' } }, ...events]);
    await session.writer.close();

    const again = await world.open();
    const notice = again.report.notices.join('\n');
    expect(notice).toContain(`The tool call rm (c1) ${words}`);
    expect(notice).toContain('it did not run.');
    const finished = (await eventsOf(world.store, 'notes')).find(({ type }) => type === 'tool.finished');
    expect(finished?.data).toMatchObject({ callId: 'c1', status });
    expect(JSON.stringify(finished?.data)).toContain('It did not run and had no effect.');
    const { states } = await replay(world.store.openReader('notes'), { audit: auditFold });
    expect(findingsOf(states.audit.calls[0]!)).toEqual([]);
    await again.close('exit');
  });

  const ofSource = <Event extends NewOllmEvent>(event: Event) =>
    ({ ...event, data: { ...event.data, origin: { position: 0, length: 1 } } }) as Event;
  const asked = [
    ofSource({ type: 'turn.started', turn: 1, data: { input: 'Is it dry?' } }),
    said('user', 'Is it dry?', 1),
  ];
  const noAnswer = 'Turn 1 has no answer yet in what its program stored; what there is of it is kept.';
  const noResult =
    'The tool call rm (c1) has no result in what its program stored; whether it ran is not known, and it is not run again.';

  it.each([
    ['an answer', [said('assistant', 'It is.', 1)], 'completed', []],
    ['no answer', [], 'interrupted', [noAnswer]],
    [
      'a call without a result',
      [said('assistant', 'I look.', 1), ofSource(requested)],
      'interrupted',
      [noResult, noAnswer],
    ],
  ] as const)(
    'ends a turn of a foreign program, which stores no ends, according to its last events: %s',
    async (_, events, status, notices) => {
      const world = memoryWorld();
      const session = await world.create();
      await session.append([...asked, ...events]);
      await session.close('exit');

      const again = await world.open();
      expect(again.report.notices).toEqual(notices);
      const stored = await eventsOf(world.store, 'notes');
      expect(stored.at(-1)).toMatchObject({ type: 'turn.ended', turn: 1, data: { status } });
      const results = stored.flatMap(({ type, data }) => (type === 'tool.finished' ? [data.status] : []));
      expect(results).toEqual(events.length === 2 ? ['unknown'] : []);
      await again.close('exit');
    },
  );

  it.each(['barrier', 'process'] as const)(
    'does not report under %s that a call did not run if its start may be lost',
    async (policy) => {
      const world = memoryWorld();
      const session = await world.create();
      await session.append([
        { type: 'turn.started', turn: 1, data: { input: 'delete it' } },
        requested,
        said('user', 'x'),
      ]);
      await session.writer.close();
      if (policy === 'barrier') world.bend('notes', '"delete it"', '"delete at"');

      const again = await openSession(world.store, 'notes', { ...OPTIONS, policy });
      const finished = (await eventsOf(world.store, 'notes')).find(({ type }) => type === 'tool.finished');
      expect(finished?.data).toMatchObject({ callId: 'c1', status: 'unknown' });
      expect(again.report.notices.join('\n')).toContain('whether it ran is not known');
      await again.close('exit');
    },
  );

  it('is refused if the session is open elsewhere', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await expect(world.open()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await session.close('exit');
  });

  it('reads the journal to go back further than the kept states', async () => {
    const world = memoryWorld();
    const session = await world.create('notes', {
      created: { provider: 't', model: 'm', ollm: '0', contextWindow: 1000 },
    });
    const long = 'word '.repeat(20_000);
    for (let turn = 1; turn <= 12; turn += 1) {
      await session.append(turnEvents(turn, `q${turn} ${long}`, `a${turn}`));
      await session.save({ snapshot: 'now' });
    }
    const heads = (await eventsOf(world.store, 'notes')).filter(({ type }) => type === 'turn.started');
    expect(session.states.view.timeline.forgotten.length).toBeGreaterThan(0);
    await session.append({ type: 'branch.moved', data: { head: (heads[1]?.seq ?? 0) - 1, reason: 'undo' } });
    expect(viewTexts(session).map((text) => text.slice(0, 12).trim())).toEqual(['user: q1 wor', 'assistant: a']);
    await session.close('exit');
  });
});

describe('the saved state next to the journal', () => {
  it('is at the last line when the session is closed', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    const last = (await eventsOf(world.store, 'notes')).at(-1);
    const anchor = { seq: last?.seq, offset: last?.end, xxh64: last?.xxh64 };
    expect((await readState(world.store, 'notes'))?.anchor).toEqual(anchor);
    expect((await readState(world.store, 'notes'))?.synced).toEqual(anchor);
    expect(last?.type).toBe('session.closed');
    const snapshot = JSON.parse((await world.store.readDocument('notes', 'snapshot')) ?? '');
    expect(snapshot.messages).toHaveLength(2);
    expect(snapshot.journal).toEqual(anchor);
  });

  it('is written once nothing was appended for two seconds, and when the session is closed', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] });
    try {
      const { store } = memoryWorld();
      const written: string[] = [];
      const counting: JournalStore = {
        ...store,
        async writeDocument(id, kind, text) {
          await store.writeDocument(id, kind, text);
          written.push(kind);
        },
      };
      const request = { id: 'long', created: { provider: 't', model: 'm', ollm: '0' } };
      const session = await createSession(counting, request, OPTIONS);
      const turn = async (number: number) => {
        await session.append(turnEvents(number, 'x'.repeat(100 * 1024), `${number}.`));
        await session.save();
      };
      await turn(1);
      await turn(2);
      jest.advanceTimersByTime(1_900);
      // Each append starts the two seconds again.
      await turn(3);
      jest.advanceTimersByTime(1_900);
      // The next turn has begun, and its model is silent: the save of the turn before is not lost.
      await session.append(turnEvents(4, 'x', '4.').slice(0, 1));
      jest.advanceTimersByTime(1_900);
      await breathe();
      expect(written).toEqual([]);
      jest.advanceTimersByTime(200);
      for (let tries = 0; written.length < 2 && tries < 1000; tries += 1) await breathe();
      expect(written.toSorted()).toEqual(['snapshot', 'state']);
      const { seq } = session.writer.head;
      expect((await readSnapshotAnchor(store, 'long'))?.seq).toBe(seq);
      expect((await readState(store, 'long'))?.anchor.seq).toBe(seq);
      // A long journal has no snapshot unless its user saves it.
      await session.append(turnEvents(5, 'x'.repeat(9 * 1024 * 1024), '5.'));
      await session.close('exit');
      expect(written.slice(2)).toEqual(['state']);
      expect((await readState(store, 'long'))?.anchor.offset).toBe(session.writer.head.offset);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is bounded by the window, not by the number of turns', async () => {
    const world = memoryWorld();
    const session = await world.create('notes', {
      created: { provider: 't', model: 'm', ollm: '0', contextWindow: 1000 },
    });
    const sizes: number[] = [];
    for (let turn = 1; turn <= 120; turn += 1) {
      await session.append(turnEvents(turn, 'word '.repeat(2000), 'word '.repeat(2000)));
      if (turn % 60 !== 0) continue;
      await session.save({ snapshot: 'now' });
      sizes.push((await world.store.readDocument('notes', 'state'))?.length ?? 0);
    }
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 1.5);
    await session.close('exit');
  });

  it('is not needed, because the journal has everything', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append(turnEvents(1, 'one?', 'one.'));
    await session.close('exit');
    await world.store.removeDocument('notes', 'state');
    await world.store.removeDocument('notes', 'snapshot');
    const again = await world.open();
    expect(viewTexts(again)).toEqual(['user: one?', 'assistant: one.']);
    expect(again.states.summary).toMatchObject({ id: 'notes', messageCount: 2, turnCount: 1 });
    await again.close('exit');
  });
});

async function changeAnchor(store: JournalStore, change: (anchor: Anchor) => Anchor): Promise<void> {
  await changeState(store, (saved) => ({ ...saved, anchor: change(saved.anchor) }));
}
