// A streaming answer is stored in pieces until its message is stored. With any events between the pieces, and wherever
// the journal ends, the next opened session has the stored text once.
import fc from 'fast-check';
import { exportConversation } from '../../lib/app/sessions/read/export-session.ts';
import { replayConversation } from '../../lib/app/sessions/read/replay-session.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { BLOB_THRESHOLD_BYTES } from '../../lib/journal/format.ts';
import type { StoredEvent } from '../../lib/journal/types.ts';
import type { Part } from '../../lib/messages/index.ts';
import { currentView } from '../../lib/projections/current-view.ts';
import { createSession } from '../../lib/session/create.ts';
import { forkSession } from '../../lib/session/fork.ts';
import { openSession } from '../../lib/session/open.ts';
import { resetSession } from '../../lib/session/reset.ts';
import { CREATED, diskWithKey, log, SYSTEM, storeOf, withKey } from '../support/sealed-store.ts';
import { eventsOf, memoryWorld, said, turnEvents, typesOf, viewTexts } from './world.ts';

const text = (words: string): Part => ({ type: 'text', text: words });
const thought = (words: string): Part => ({ type: 'reasoning', text: words, provider: 'test' });
const mark = (opaque: string): Part => ({ type: 'reasoning', opaque, provider: 'test' });

function piece(turn: number, parts: readonly Part[], begins?: true): NewOllmEvent {
  const data = { parts: [...parts], begins, model: 'm-1', provider: 'test' };
  return { type: 'message.streamed', turn, ignorable: true, data };
}

function message(turn: number, parts: readonly Part[]): NewOllmEvent {
  return {
    type: 'message.added',
    turn,
    data: { role: 'assistant', parts: [...parts], trusted: false, finish: 'stop' },
  };
}

const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a ', 'long ', 'ans', 'wer', '.\n', '漢', '🙂').map(text) },
  { weight: 2, arbitrary: fc.constantFrom('let ', 'me ', 'think').map(thought) },
  { weight: 1, arbitrary: fc.constantFrom('sig-1', 'sig-2').map(mark) },
);
type Action =
  | { readonly do: 'piece'; readonly parts: readonly Part[] }
  | { readonly do: 'message' | 'again' | 'steer' | 'queue' | 'turn' | 'undo' | 'back' | 'other' | 'save' };
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('piece'), parts: fc.array(part, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('message') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('again', 'steer', 'queue', 'turn', 'undo', 'back', 'other', 'save') }),
  },
);

/** All that was said by the end of `events`, role and text: the text of pieces for a message that is not stored. */
function saidBy(events: readonly StoredEvent[]): string[] {
  let lines: { seq: number; line: string }[] = [];
  let pieces: { seq: number; parts: readonly Part[] }[] = [];
  const show = (parts: readonly Part[]): string =>
    parts.map((each) => ('text' in each && each.text !== undefined ? each.text : each.type)).join('');
  for (const { type, seq, data } of events) {
    const parts = data.parts as readonly Part[];
    if (type === 'message.streamed') pieces = [...(data.begins === true ? [] : pieces), { seq, parts }];
    if (type === 'message.added') {
      if (data.role === 'assistant' && data.provider !== 'other') pieces = [];
      lines.push({ seq, line: `${data.role}: ${show(parts)}` });
    }
    if (type === 'branch.moved') {
      lines = lines.filter((each) => each.seq <= Number(data.head));
      pieces = pieces.filter((each) => each.seq <= Number(data.head));
    }
  }
  const cutOff = pieces.length > 0 ? [`assistant: ${show(pieces.flatMap(({ parts }) => parts))}`] : [];
  return [...lines.map(({ line }) => line), ...cutOff];
}

function textsOf(view: unknown): string[] {
  const { items } = view as { items: { role: string; parts: Part[] }[] };
  return items.map(({ role, parts }) => {
    const show = parts.map((each) => ('text' in each && each.text !== undefined ? each.text : each.type));
    return `${role}: ${show.join('')}`;
  });
}

/** The request to the model of an opened session: unlike viewTexts with the text of reasoning. */
function openedTexts({ states }: Parameters<typeof viewTexts>[0]): string[] {
  return textsOf({ items: currentView(states.view) });
}

async function play(actions: readonly Action[]) {
  const world = memoryWorld();
  const session = await world.create();
  let turn = 0;
  let before = session.writer.head.seq;
  let begins = true;
  let lastPiece = -1;
  let parts: Part[] = [];
  const begin = async () => {
    turn += 1;
    before = session.writer.head.seq;
    begins = true;
    parts = [];
    await session.append([
      { type: 'turn.started', turn, data: { input: 'q' } },
      said('user', `question ${turn}`, turn),
    ]);
  };
  const settle = async () => {
    if (parts.length > 0) await session.append(message(turn, parts));
    begins = true;
    parts = [];
  };
  await begin();
  for (const each of actions) {
    if (each.do === 'piece') {
      await session.append(piece(turn, each.parts, begins || undefined));
      lastPiece = session.writer.head.seq;
      begins = false;
      parts.push(...each.parts);
    } else if (each.do === 'message') {
      await session.append(message(turn, [...parts, text('The end.')]));
      begins = true;
      parts = [];
    } else if (each.do === 'again') {
      begins = true;
      parts = [];
    } else if (each.do === 'queue') {
      await session.append({ type: 'queue.changed', data: { removed: ['p-1'] } });
    } else if (each.do === 'back') {
      // To between two pieces, or to before the only one.
      const { seq } = session.writer.head;
      if (seq === lastPiece) await session.append({ type: 'branch.moved', data: { head: seq - 1 } });
    } else if (each.do === 'other') {
      // A different program says something in the middle, for no turn.
      const { turn: _, data } = message(turn, [text('Besides.')]);
      await session.append({ type: 'message.added', data: { ...data, provider: 'other' } } as NewOllmEvent);
    } else if (each.do === 'save') {
      await session.save({ snapshot: 'now' });
    } else {
      await settle();
      if (each.do === 'steer') await session.append(said('user', 'and that', turn));
      if (each.do === 'undo') await session.append({ type: 'branch.moved', data: { head: before, reason: 'undo' } });
      if (each.do !== 'steer') await begin();
    }
  }
  return { ...world, session, events: await eventsOf(world.store, 'notes') };
}

describe('a session that was killed while an answer streamed', () => {
  it('has the stored text once, wherever its journal ends, also in a fork from there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), fc.nat(), async (actions, pick) => {
        const { store, events, killed, open } = await play(actions);
        const cuts = new Set([events.length - 1, ...[0, 1].map((step) => (pick + step) % events.length)]);
        for (const cut of cuts) {
          const wanted = saidBy(events.slice(0, cut + 1));
          killed('notes', events[cut]!.end, `killed-${cut}`);
          await forkSession(store, 'notes', { id: `fork-${cut}`, at: cut, created: {} });
          const reader = store.openReader('notes');
          const { states } = await replayConversation(reader, { at: { seq: cut }, states: ['view'] });
          reader.close();
          expect(textsOf(states.view)).toEqual(wanted);
          for (const id of [`killed-${cut}`, `fork-${cut}`]) {
            const session = await open(id);
            expect(openedTexts(session)).toEqual(wanted);
            expect(session.states.openEnds.answer).toBeUndefined();
            await session.close('exit');
          }
          // Nothing is made of the pieces a second time.
          const again = await open(`killed-${cut}`);
          expect(openedTexts(again)).toEqual(wanted);
          await again.close('exit');
        }
      }),
      { numRuns: 100 },
    );
  });

  it('has the same state from its state file and from its whole journal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const { store, session, events, open } = await play([...actions, { do: 'save' }]);
        await session.writer.close();
        const opened = await open();
        const wanted = saidBy(events);
        expect(openedTexts(opened)).toEqual(wanted);
        await opened.close('exit');
        const { states } = await replayConversation(store.openReader('notes'), { states: ['view'] });
        expect(textsOf(states.view)).toEqual(wanted);
      }),
      { numRuns: 100 },
    );
  });

  it('reports the interrupted turn, and marks the message as cut off', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([
      { type: 'turn.started', turn: 1, data: { input: 'one?' } },
      said('user', 'one?', 1),
      piece(1, [thought('I should '), thought('think.'), mark('sig'), text('A long ')], true),
      piece(1, [text('answ')]),
    ]);
    await session.writer.close();
    const opened = await world.open();
    const events = (await eventsOf(world.store, 'notes')).slice(-2);
    expect(events.map(({ type, turn, ignorable }) => [type, turn, ignorable])).toEqual([
      ['message.added', 1, undefined],
      ['turn.ended', 1, undefined],
    ]);
    expect(events[0]?.data).toEqual({
      role: 'assistant',
      parts: [thought('I should think.'), mark('sig'), text('A long answ')],
      trusted: false,
      model: 'm-1',
      provider: 'test',
      finish: 'failed',
    });
    expect(opened.report.notices.join()).toContain('Turn 1 was interrupted');
    await opened.close('exit');
  });

  it('stores an answer that is too long for a line in a file of its own', async () => {
    const world = memoryWorld();
    const session = await world.create();
    const half = 'word '.repeat(BLOB_THRESHOLD_BYTES / 8);
    await session.append([{ type: 'turn.started', turn: 1, data: { input: 'one?' } }, piece(1, [text(half)], true)]);
    await session.append(piece(1, [text(half)]));
    await session.writer.close();
    const opened = await world.open();
    const last = (await eventsOf(world.store, 'notes')).findLast(({ type }) => type === 'message.added');
    const [file] = last!.data.parts as { type: string; blob: string }[];
    expect(file?.type).toBe('file');
    expect(Buffer.from((await world.store.readBlob(file!.blob))!).toString()).toBe(half + half);
    await opened.close('exit');
  });

  it('has the text sealed if the session is encrypted, the pieces as well as the message', async () => {
    const disk = diskWithKey();
    const store = storeOf(disk, withKey);
    const session = await createSession(store, { id: 'notes', created: CREATED, system: SYSTEM }, { log });
    const started: NewOllmEvent = { type: 'turn.started', turn: 1, data: { input: 'one?' } };
    await session.append([started, piece(1, [text('the-plan-is-')], true)]);
    await session.append(piece(1, [text('blue-whale')]));
    await session.writer.close();
    const opened = await openSession(storeOf(disk, withKey), 'notes', { log });
    expect(openedTexts(opened).at(-1)).toBe('assistant: the-plan-is-blue-whale');
    await opened.close('exit');
    for (const bytes of disk.files().values()) expect(Buffer.from(bytes).toString()).not.toMatch(/plan-is|whale/);
  });

  it('stores the results of open calls before the text that followed them', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([
      { type: 'turn.started', turn: 1, data: { input: 'one?' } },
      { type: 'tool.requested', turn: 1, data: { callId: 'c1', name: 'echo', args: {} } },
      piece(1, [text('Mean')], true),
    ]);
    await session.writer.close();
    await (await world.open()).close('exit');
    expect((await typesOf(world.store, 'notes')).slice(-5)).toEqual([
      'writer.opened',
      'tool.finished',
      'message.added',
      'turn.ended',
      'session.closed',
    ]);
  });
});

describe('pieces of an answer whose message is stored', () => {
  const answered = async () => {
    const world = memoryWorld();
    const session = await world.create();
    const [started, asked, answer, ended] = turnEvents(1, 'one?', 'A long answer.');
    await session.append([started!, asked!, piece(1, [text('A long ')], true), piece(1, [text('answ')])]);
    await session.append([answer!, ended!]);
    return { ...world, session };
  };

  it('are in no state of the session', async () => {
    const { session } = await answered();
    const plain = memoryWorld();
    const other = await plain.create();
    await other.append(turnEvents(1, 'one?', 'A long answer.'));
    const counts = (states: typeof session.states) => ({
      texts: viewTexts({ states }),
      tokens: states.budget.timeline.entries.map(({ tokens }) => tokens),
      messages: states.summary.messageCount,
      openEnds: states.openEnds,
      loop: states.loop,
    });
    expect(counts(session.states)).toEqual(counts(other.states));
  });

  it.each(['md', 'html', 'json'] as const)(
    'are in no export as %s, except of a journal that ends with them',
    async (format) => {
      const { store, killed } = await answered();
      const events = await eventsOf(store, 'notes');
      killed('notes', events[4]!.end, 'killed');
      const textOf = async (id: string) => {
        const { chunks } = await exportConversation(store.openReader(id), { format });
        return Buffer.concat(await Array.fromAsync(chunks)).toString();
      };
      expect((await textOf('notes')).split('A long').length).toBe(2);
      expect(await textOf('notes')).not.toContain('broken off');
      expect((await textOf('killed')).split('A long answ').length).toBe(2);
    },
  );

  it('are removed from redacted lines, because they may cut a secret in two', async () => {
    const world = memoryWorld();
    const session = await world.create();
    await session.append([
      { type: 'turn.started', turn: 1, data: { input: 'one?' } },
      piece(1, [text('The word is swor')], true),
      piece(1, [text('dfish.')]),
    ]);
    const redact = (words: string) => words.replaceAll('swordfish', '[redacted]');
    const { chunks } = await exportConversation(world.store.openReader('notes'), { format: 'jsonl' }, redact);
    const lines = Buffer.concat(await Array.fromAsync(chunks)).toString();
    expect(lines).toContain('The word is [redacted].');
    expect(lines).not.toContain('swor');
  });

  it('are kept by a reset that keeps the history, and have no effect there', async () => {
    const { store, session, open } = await answered();
    await session.close('exit');
    await resetSession(store, 'notes', { reason: 'reset', keepHistory: true, created: {} });
    const opened = await open();
    expect(viewTexts(opened)).toEqual(['user: one?', 'assistant: A long answer.']);
    await opened.close('exit');
  });
});
