// A session whose state file is lost equals the same session with it, and equals a replay event by event: also if the
// journal is damaged.
import fc from 'fast-check';
import { OllmError } from '../../lib/errors/index.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore, NewEvent, StoredEvent } from '../../lib/journal/types.ts';
import {
  countingIds,
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  thisProcess,
} from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { openSession } from '../../lib/session/open.ts';
import type { Session } from '../../lib/session/session.ts';
import { completeStates, createKeeper } from '../../lib/session/states.ts';
import { bytesOf, damageOf, doubled, eventsOf, flip, linesOf, swapped, without } from '../journal/surgery.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event } from '../support/event-list.ts';
import { OPTIONS } from './world.ts';

const DIRECTORY = '/home/sessions';
const JOURNAL = `${DIRECTORY}/notes.jsonl`;
const CREATED = { provider: 'p', model: 'm', ollm: '0', contextWindow: 4000 };
/** More than the states have to hold; a few of them, and they are trimmed. */
const LONG = 'so it said, "quoted", 日本. '.repeat(9_000);

function world() {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  const ports = { fileSystem, clock, ids: countingIds(), process: thisProcess('test'), log: silentLog };
  return { fileSystem, store: openFileStore(ports, { directory: DIRECTORY }) };
}

function put(fileSystem: MemoryFileSystem, bytes: Uint8Array): void {
  fileSystem.unlink(JOURNAL);
  const handle = fileSystem.open(JOURNAL, 'create');
  handle.write(bytes);
  handle.close();
}

/** In two runs, neither of them closed in order. */
async function written(store: JournalStore, events: readonly NewEvent[]): Promise<void> {
  const half = Math.ceil(events.length / 2);
  const first = await store.create('notes', CREATED, { policy: 'process' });
  if (half > 0) await first.append(events.slice(0, half));
  await first.close();
  const second = await store.openWriter('notes', { policy: 'process' });
  if (events.length > half) await second.append(events.slice(half));
  await second.close();
}

/** The content of the journal, in order, as it is read by everybody else. */
async function outcomesOf(store: JournalStore) {
  const reader = store.openReader('notes');
  try {
    return [...(await Array.fromAsync(reader.outcomes())).flat()];
  } finally {
    reader.close();
  }
}

/** The states after one event at a time, as an open session takes them. */
async function oneByOne(store: JournalStore) {
  const events = eventsOf(await outcomesOf(store));
  const opened = events.findLastIndex(({ type }) => type === 'writer.opened');
  let keeper = createKeeper();
  const follow = (some: readonly StoredEvent[]) => {
    for (const each of some) keeper.apply(each);
  };
  follow(events.slice(0, opened + 1));
  if (keeper.isIncomplete()) {
    keeper = createKeeper();
    follow(events.slice(0, opened + 1));
    keeper.trim();
  }
  // What closes open ends.
  follow(events.slice(opened + 1));
  await completeStates(keeper, store, 'notes');
  return keeper;
}

const SURGERY = { flip, doubled, swapped, without };
const wound = fc.record({
  how: fc.constantFrom(...(Object.keys(SURGERY) as (keyof typeof SURGERY)[])),
  at: fc.nat(),
});

/** Never the first line: without it there is no session. */
function wounded(bytes: Buffer, { how, at }: { how: keyof typeof SURGERY; at: number }): Buffer {
  const lines = linesOf(bytes);
  if (how === 'flip') return flip(bytes, lines[0]!.length + (at % (bytes.length - lines[0]!.length)), at % 7);
  return lines.length < 3 ? bytes : SURGERY[how](bytes, 1 + (at % (lines.length - 2)));
}

/** Some of the texts are long, some calls are made over and over, and some events are not what their type says. */
const session = fc
  .tuple(arbitrarySession({ maxLength: 30 }), fc.array(fc.nat({ max: 19 }), { minLength: 30, maxLength: 30 }))
  .map(([events, picks]) =>
    events.slice(1).flatMap((each, index): NewEvent[] => {
      const pick = picks[index % picks.length]!;
      if (pick === 0) return [each, event.said('user', LONG), event.said('assistant', LONG)];
      if (pick < 4) return [each, event.asked('again', 'read', { path: 'a' }), event.finished('again', 'the same')];
      if (pick === 4) return [each, { type: 'tool.finished', data: { callId: 'again' } }];
      return [each];
    }),
  );

describe('a session that is opened without its state file', () => {
  it('has the states of a replay event by event, and reports the damage that a reader finds, in the same order', async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(session, fc.array(wound, { maxLength: 3 }), async (events, wounds) => {
        const { store, fileSystem } = world();
        await written(store, events);
        put(fileSystem, wounds.reduce(wounded, bytesOf(fileSystem, JOURNAL)));
        const before = await outcomesOf(store);
        const again = await openOrRefused(store);
        if (again === undefined) return;
        opened += 1;
        expect(again.report.damage).toEqual(damageOf(before));
        const last = eventsOf(before).findLast(({ type }) => type === 'writer.opened' || type === 'session.created');
        expect(again.writer.report.epoch).toBe(1 + Number(last?.data.epoch ?? 0));
        const expected = await oneByOne(store);
        expect(again.states).toEqual(expected.states);
        expect(again.writer.head).toEqual(expected.anchor);
        await again.writer.close();
      }),
      { numRuns: 100 },
    );
    expect(opened).toBeGreaterThan(60);
  });

  it('equals the session with its state file, with any later events and any damage', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrarySession({ maxLength: 25 }),
        arbitrarySession({ maxLength: 25 }),
        fc.array(wound, { maxLength: 2 }),
        async (saved, later, wounds) => {
          const { store, fileSystem } = world();
          const live = await createSession(store, { id: 'notes', created: CREATED }, OPTIONS);
          await live.writer.append(saved.slice(1));
          await live.save({ snapshot: 'now' });
          const { offset } = live.writer.head;
          if (later.length > 1) await live.writer.append(later.slice(1));
          await live.writer.close();
          const bytes = bytesOf(fileSystem, JOURNAL);
          const tail = bytes.subarray(offset);
          const head = bytes.subarray(0, offset);
          const whole = Buffer.concat([head, tail.length > 0 ? wounds.reduce(wounded, tail) : tail]);

          put(fileSystem, whole);
          const withIt = await openOrRefused(store);
          const expected = withIt && (await seenOf(withIt));
          put(fileSystem, whole);
          for (const kind of ['state', 'snapshot'] as const) await store.removeDocument('notes', kind);
          const without = await openOrRefused(store);
          expect(without && (await seenOf(without))).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** Undefined where it may not be written; closed by the caller. */
async function openOrRefused(store: JournalStore): Promise<Session | undefined> {
  try {
    return await openSession(store, 'notes', OPTIONS);
  } catch (error) {
    expect(error).toBeInstanceOf(OllmError);
    return undefined;
  }
}

/**
 * What a user sees of it, except for how much the states were asked to hold, which they remember from each time they
 * were saved.
 */
async function seenOf(session: Session) {
  await session.save({ snapshot: 'now' });
  const { report, states, writer } = session;
  for (const { timeline } of [states.view, states.budget, states.summary]) timeline.reachTokens = 0;
  const found = {
    // Lines are numbered only by those who read all of them.
    damage: report.damage.map(({ line: _, ...damage }) => damage),
    notices: report.notices,
    epoch: writer.report.epoch,
    clean: writer.report.clean,
    states: structuredClone(states),
  };
  await writer.close();
  return found;
}
