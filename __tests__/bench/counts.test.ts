// What speed rests on and what is no noise: calls to the disk, bytes and parses, counted. A number that grows here is a
// cost that everybody pays; one that shrinks is a reason to lower the bound. Modules are counted in cli/startup.test.ts.
import { createApp } from '../../lib/app/compose.ts';
import { listSessions } from '../../lib/app/sessions/list/list-sessions.ts';
import { openFileStore } from '../../lib/journal/store/file-store.ts';
import type { JournalStore, JournalWriter, NewEvent } from '../../lib/journal/types.ts';
import { countingIds, manualClock, memoryFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { budgetFold } from '../../lib/projections/budget.ts';
import { contextFold } from '../../lib/projections/context.ts';
import type { Fold } from '../../lib/projections/projection.ts';
import { replay } from '../../lib/projections/replay.ts';
import { summaryFold } from '../../lib/projections/summary.ts';
import { createSession } from '../../lib/session/create.ts';
import { openSession } from '../../lib/session/open.ts';
import { OPTIONS, said, turnEvents } from '../session/world.ts';
import { countingFileSystem } from '../support/counting-file-system.ts';

const CREATED = { provider: 't', model: 'm', ollm: '0' };

function countingDisk() {
  const clock = manualClock();
  const { fileSystem, during } = countingFileSystem(memoryFileSystem({ clock }));
  const ports = { clock, ids: countingIds(), process: thisProcess('test'), log: silentLog, fileSystem };
  return { ports, during };
}

function countingWorld() {
  const { ports, during } = countingDisk();
  const store = openFileStore(ports, { directory: '/sessions', allowNetworkFileSystem: true });
  return { store, during };
}

describe('an append', () => {
  let writer: JournalWriter;
  let during: ReturnType<typeof countingWorld>['during'];
  beforeEach(async () => {
    const world = countingWorld();
    during = world.during;
    writer = await world.store.create('notes', CREATED);
  });
  afterEach(() => writer.close());
  const text = 'x'.repeat(1000);
  const event: NewEvent = { type: 'message.added', data: { text } };

  it('is one look at the path and one write, for one event and for a hundred', async () => {
    for (const events of [event, Array.from({ length: 100 }, () => event)]) {
      expect((await during(() => writer.append(events))).calls).toEqual({ stat: 1, write: 1 });
    }
  });

  it('at the level disk is one sync more', async () => {
    const { calls } = await during(() => writer.append(event, { durability: 'disk' }));
    expect(calls).toEqual({ stat: 1, write: 1, dataSync: 1 });
  });

  it('shares its sync with all that come at once', async () => {
    const callers = Array.from({ length: 64 }, () => event);
    const { calls } = await during(() =>
      Promise.all(callers.map((each) => writer.append(each, { durability: 'disk' }))),
    );
    expect(calls.dataSync).toBeLessThanOrEqual(2);
    expect(calls.write).toBeLessThanOrEqual(64);
  });

  it('adds 150 bytes to the data of an event at most', async () => {
    const { writtenBytes } = await during(() => writer.append(event));
    expect(writtenBytes - JSON.stringify(event.data).length).toBeLessThanOrEqual(150);
  });
});

describe('a row of a list', () => {
  it('is a few calls, a few kB and one parse, however long the session is', async () => {
    const { ports, during } = countingDisk();
    ports.fileSystem.makeDirectory('/home/me/project');
    const app = await createApp({ env: { HOME: '/home/me' }, cwd: '/home/me/project', command: 'test', parts: ports });
    for (const [id, turns] of [['short', 1] as const, ['long', 50] as const]) {
      const session = await createSession(app.store, { id, created: CREATED }, OPTIONS);
      for (let turn = 1; turn <= turns; turn++)
        await session.append(turnEvents(turn, 'a '.repeat(2000), 'b'.repeat(4000)));
      await session.close('exit');
    }
    const parses = countParses();
    const { calls, readBytes } = await during(() => listSessions(app));
    const { count } = parses.stop();
    // One look at the directory, then for each row the size of its journal and the first line of its
    // state file.
    expect(calls).toEqual({ stat: 1 + 2 * 2, readNames: 1, open: 2, read: 2, close: 2 });
    expect(readBytes).toBeLessThanOrEqual(2 * 2048);
    expect(count).toBe(2);
  });
});

describe('a replay', () => {
  const TURNS = 50;

  it.each<[string, readonly Fold<unknown>[], number]>([
    ['messages, calls and results', [budgetFold], 1 + 3 * TURNS],
    ['the same for several folds, each event once', [budgetFold, summaryFold], 1 + 3 * TURNS],
    ['nothing but the first line where its fold reads no other type', [contextFold], 1],
  ])('parses %s', async (_, folds, parses) => {
    const { store } = countingWorld();
    await writeCalls(store, TURNS);
    const reader = store.openReader('notes');
    const counted = countParses();
    replay(reader, Object.fromEntries(folds.map((fold) => [fold.name, fold])));
    expect(counted.stop().count).toBe(parses);
    reader.close();
  });

  it('reads each byte of the journal once', async () => {
    const { store, during } = countingWorld();
    const session = await createSession(store, { id: 'notes', created: CREATED }, OPTIONS);
    for (let turn = 1; turn <= 300; turn++) await session.append(turnEvents(turn, 'a '.repeat(2000), 'b'.repeat(4000)));
    await session.close('exit');
    const reader = store.openReader('notes');
    const { calls, readBytes } = await during(() => replay(reader, { context: contextFold }));
    // Each 256 KiB is read once.
    expect(calls.read).toBe(Math.ceil(reader.size() / 2 ** 18));
    expect(readBytes).toBe(reader.size());
    reader.close();
  });
});

/** A session of so many turns, each with a call that says what the others say. */
async function writeCalls(store: JournalStore, turns: number): Promise<void> {
  const session = await createSession(store, { id: 'notes', created: CREATED }, OPTIONS);
  for (let number = 1; number <= turns; number++) {
    const callId = `call-${number}`;
    const tokens = { count: number, method: 'estimated' } as const;
    await session.append([
      said('user', 'Read it.', number),
      { type: 'tool.requested', turn: number, data: { callId, name: 'read', tokens, args: { path: 'a' } } },
      {
        type: 'tool.finished',
        turn: number,
        data: {
          callId,
          status: 'ok',
          durationMs: 1,
          result: { llmContent: 'output '.repeat(20) },
          tokens: { count: 2000, method: 'estimated' },
          trusted: false,
        },
      },
    ]);
  }
  await session.close('exit');
}

describe('taking a session up', () => {
  it('reads as much of a long session as of one of half its length', async () => {
    const readBytes: number[] = [];
    for (const turns of [300, 600]) {
      const { store, during } = countingWorld();
      const created = { ...CREATED, contextWindow: 1000 };
      const session = await createSession(store, { id: 'notes', created }, OPTIONS);
      for (let turn = 1; turn <= turns; turn++)
        await session.append(turnEvents(turn, 'a '.repeat(500), 'b'.repeat(1000)));
      await session.close('exit');
      const asked = await during(async () => (await openSession(store, 'notes', OPTIONS)).writer.close());
      readBytes.push(asked.readBytes);
    }
    expect(readBytes[1]! / readBytes[0]!).toBeLessThan(1.05);
  });

  it('without its state file reads the journal once, and parses each event once', async () => {
    const TURNS = 50;
    const { store, during } = countingWorld();
    await writeCalls(store, TURNS);
    const reader = store.openReader('notes');
    const size = reader.size();
    const open = async () => {
      await store.removeDocument('notes', 'state');
      await store.removeDocument('notes', 'snapshot');
      await (await openSession(store, 'notes', OPTIONS)).writer.close();
    };
    const parses = countParses();
    const { readBytes } = await during(open);
    const { count } = parses.stop();
    reader.close();
    // The journal's own lines are parsed beside those of the turns.
    expect(count).toBeLessThan(3 * TURNS + 15);
    // The beginning is read for the format as well.
    expect(readBytes).toBeGreaterThan(size);
    expect(readBytes).toBeLessThan(size + 2 ** 18 + 2048);
  });
});

/** Counts the texts that are parsed as JSON, until it is stopped. */
function countParses() {
  const { parse } = JSON;
  let count = 0;
  let characters = 0;
  JSON.parse = (text: string, ...rest: [((key: string, value: unknown) => unknown)?]) => {
    count += 1;
    characters += text.length;
    return parse(text, ...rest) as unknown;
  };
  return {
    stop() {
      JSON.parse = parse;
      return { count, characters };
    },
  };
}
