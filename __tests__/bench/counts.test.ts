// What speed rests on and what is no noise: calls to the disk, bytes and parses, counted. A number that grows here is a
// cost that everybody pays; one that shrinks is a reason to lower the bound. Modules are counted in cli/startup.test.ts.
import { createApp } from '../../lib/app/compose.ts';
import { listSessions } from '../../lib/app/sessions/list/list-sessions.ts';
import { openFileStore } from '../../lib/journal/store/file-store.ts';
import type { JournalCursor, JournalLine, JournalStore, JournalWriter, NewEvent } from '../../lib/journal/types.ts';
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
    // One look at the directory and one for the index, then for each row the size of its journal and the first line of its
    // state file.
    expect(calls).toEqual({ stat: 1 + 2 * 2, readNames: 1, open: 1 + 2, read: 2, close: 2 });
    expect(readBytes).toBeLessThanOrEqual(2 * 2048);
    expect(count).toBe(2);
  });

  it('is one look at its journal where a list was there before', async () => {
    const { ports, during } = countingDisk();
    ports.fileSystem.makeDirectory('/home/me/project');
    const app = await createApp({ env: { HOME: '/home/me' }, cwd: '/home/me/project', command: 'test', parts: ports });
    for (let number = 0; number < 20; number++) {
      const session = await createSession(app.store, { id: `notes-${number}`, created: CREATED }, OPTIONS);
      await session.close('exit');
    }
    ports.clock.advance(60_000);
    listSessions(app);
    const parses = countParses();
    const { calls } = await during(() => listSessions(app));
    const { count } = parses.stop();
    // The directory, the index and each journal; whether the index is ours alone.
    expect(calls).toEqual({ stat: 1 + 20 + 1, readNames: 1, open: 1, read: 1, close: 1 });
    expect(count).toBe(1);
  });
});

describe('a replay', () => {
  const OUTPUTS = 50;

  it.each<[string, Fold<unknown>, { parses: number; shareParsed: number }]>([
    ['to summary', summaryFold, { parses: 1, shareParsed: 0.001 }],
    ['to budget', budgetFold, { parses: 1, shareParsed: 0.001 }],
    ['to context', contextFold, { parses: 1, shareParsed: 0.001 }],
  ])('%s parses nothing that is like what was read before', async (_, fold, { parses, shareParsed }) => {
    const { store } = countingWorld();
    await writeCalls(store, OUTPUTS);
    const reader = store.openReader('notes');
    replay(reader, { fold });
    const counted = countParses();
    replay(reader, { fold });
    const { count, characters } = counted.stop();
    expect(count).toBe(parses);
    expect(characters).toBeLessThanOrEqual(reader.size() * shareParsed);
    reader.close();
  });
});

describe('a replay of events that no fold reads', () => {
  it('makes none of them, and reads each byte once', async () => {
    const { store, during } = countingWorld();
    const session = await createSession(store, { id: 'notes', created: CREATED }, OPTIONS);
    for (let turn = 1; turn <= 300; turn++) await session.append(turnEvents(turn, 'a '.repeat(2000), 'b'.repeat(4000)));
    await session.close('exit');
    const reader = store.openReader('notes');
    let made = 0;
    const counting = { ...reader, cursor: () => countingCursor(reader.cursor(), () => made++) };
    const { calls, readBytes } = await during(() => replay(counting, { fold: contextFold }));
    expect(made).toBe(1);
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
          result: { llmContent: 'output '.repeat(2000) },
          tokens: { count: 2000, method: 'estimated' },
          trusted: false,
        },
      },
    ]);
  }
  await session.close('exit');
}

/** Calls back for each event that is made of a line. */
function countingCursor(cursor: JournalCursor, onEvent: () => void): JournalCursor {
  return {
    next: () => cursor.next(),
    get damage() {
      return cursor.damage;
    },
    get line(): JournalLine {
      const { line } = cursor;
      const { seq, ts, type, end, hash } = line;
      const event = () => {
        onEvent();
        return line.event();
      };
      return { seq, ts, type, end, hash, event, dataLike: (form, keptBytes) => line.dataLike(form, keptBytes) };
    },
  };
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

  it('without its state file parses no message and no output that is like an earlier one, and reads it once', async () => {
    const OUTPUTS = 50;
    const { store, during } = countingWorld();
    await writeCalls(store, OUTPUTS);
    const reader = store.openReader('notes');
    const size = reader.size();
    const open = async () => {
      await store.removeDocument('notes', 'state');
      await store.removeDocument('notes', 'snapshot');
      await (await openSession(store, 'notes', OPTIONS)).writer.close();
    };
    await open();
    const parses = countParses();
    const { readBytes } = await during(open);
    const { count } = parses.stop();
    reader.close();
    // Each request of a call, and some lines of which there are few.
    expect(count).toBeLessThan(OUTPUTS + 15);
    // Beside that its beginning, for the format, and once more what came since the user last spoke.
    expect(readBytes).toBeGreaterThan(size);
    expect(readBytes).toBeLessThan(size + 2 ** 18 + size / OUTPUTS + 2048);
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
