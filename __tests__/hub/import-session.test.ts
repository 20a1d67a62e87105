import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { Agent } from '../../lib/agents/agent.ts';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { importSessions } from '../../lib/hub/import.ts';
import { type ImportedSession, type ImportOptions, importSession } from '../../lib/hub/import-session.ts';
import { givenBack, type KeptPart, keptBytes } from '../../lib/hub/kept-bytes.ts';
import { keepSource } from '../../lib/hub/kept-source.ts';
import type { JournalStore, StoredEvent } from '../../lib/journal/types.ts';
import { countingIds, manualClock, nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { seededRandom } from '../lab/random.ts';
import { eventsOf } from '../session/world.ts';
import { createTree } from '../support/tree.ts';
import { small } from './small-agent.ts';

const line = (text: string, more: object = {}): string => `${JSON.stringify({ text, ...more })}\n`;
const ID = 'small-s';

describe('an import', () => {
  it('keeps the source and has its conversation', async () => {
    using world = importWorld(line('a') + line('b'));
    expect(await world.import()).toMatchObject({ kind: 'imported', id: ID, address: 'small:s', events: 2 });
    const events = await eventsOf(world.store, ID);
    expect(events[0]).toMatchObject({
      type: 'session.created',
      data: { sessionId: ID, imported: true, title: 'Small talk', origin: { agent: 'small', address: 'small:s' } },
    });
    expect(textsOf(events)).toEqual(['1 a', '2 b']);
    expect(events.at(-1)?.type).toBe('session.closed');
    expect((await world.kept()).join('')).toBe(line('a') + line('b'));
  });

  it('writes nothing the second time', async () => {
    using world = importWorld(line('a'));
    await world.import();
    const before = await eventsOf(world.store, ID);
    expect(await world.import()).toMatchObject({ kind: 'unchanged', events: 0 });
    expect(await eventsOf(world.store, ID)).toEqual(before);
  });

  it('of a source without a conversation creates no journal', async () => {
    using world = importWorld('{"other":1}\n');
    expect(await world.import()).toMatchObject({ kind: 'empty', events: 0 });
    expect(await world.store.has(ID)).toBe(false);
  });

  it('of a missing source fails, and of a vanished one keeps its events', async () => {
    using world = importWorld(line('a'));
    await world.import();
    unlinkSync(world.path);
    expect(await world.import()).toMatchObject({ kind: 'vanished', events: 0 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a']);
    using other = importWorld('');
    unlinkSync(other.path);
    await expect(other.import()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('does not change a session of ollm that has the id', async () => {
    using world = importWorld(line('a'));
    const writer = await world.store.create(ID, { model: 'm', provider: 'p', ollm: '0' });
    await writer.close();
    await expect(world.import()).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  });

  it('of records without times has the time that the program gave the session', async () => {
    using world = importWorld(line('a'));
    const timeless = {
      ...small,
      translate: (...given: Parameters<typeof small.translate>) => ({ ...small.translate(...given), at: undefined }),
    };
    const startedAt = '2024-11-16T22:52:07.000Z';
    await importSession(timeless as Agent, { ...world.source, startedAt }, world.options);
    const events = (await world.events()).filter(({ type }) => type === 'session.created' || type === 'message.added');
    expect(events.map(({ data }) => data.at)).toEqual([startedAt, startedAt]);
    using other = importWorld(line('a'));
    await importSession(timeless as Agent, other.source, other.options);
    expect((await other.events()).map(({ data }) => data.at)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('refers to the same events as the source does, with any events between them', async () => {
    using world = importWorld(line('a'));
    await world.import();
    appendFileSync(world.path, line('b', { back: true }));
    await world.import();
    const events = await eventsOf(world.store, ID);
    const moved = events.find(({ type }) => type === 'branch.moved')!;
    expect(events[moved.data.head as number]?.data).toMatchObject({ parts: [{ text: '2 b' }] });
  });

  it('stores pictures, and names them as the store does', async () => {
    using world = importWorld(line('a', { image: Buffer.from('picture').toString('base64') }));
    const name = createHash('sha256').update('sealed').digest('hex');
    const store = { ...world.store, putBlob: async () => name };
    await importSession(small as Agent, world.source, { ...world.options, store, keepsSource: false });
    const [event] = (await eventsOf(world.store, ID)).filter(({ type }) => type === 'message.added');
    expect(event?.data.parts).toMatchObject([{ type: 'text' }, { type: 'image', blob: name }]);
  });

  it('leaves out outputs if they may not be stored', async () => {
    using world = importWorld(line('a', { output: 'a secret output' }));
    await world.import({ keepsOutputs: false, keepsSource: false });
    const finished = (await eventsOf(world.store, ID)).find(({ type }) => type === 'tool.finished');
    expect(JSON.stringify(finished?.data)).not.toContain('secret');
    expect(finished?.data).toMatchObject({ status: 'ok', truncated: { originalBytes: 15, keptBytes: 0 } });
  });

  it('cuts texts that are too long for a line, which the source has whole', async () => {
    const long = 'x'.repeat(20 * 2 ** 20);
    using world = importWorld(line(long));
    await world.import();
    const [text = ''] = textsOf(await eventsOf(world.store, ID));
    expect(text.length).toBeLessThan(200_000);
    expect(text).toContain('more characters are in the source');
    expect(Buffer.concat(await world.kept()).length).toBe(Buffer.byteLength(line(long)));
  });

  it('without a stored source says so in the journal, and still detects new records', async () => {
    using world = importWorld(line('a'));
    await world.import({ keepsSource: false });
    const part = (await world.parts())[0];
    expect(part).toMatchObject({ offset: 0, bytes: line('a').length });
    expect(part).not.toHaveProperty('blob');
    expect(await world.import({ keepsSource: false })).toMatchObject({ kind: 'unchanged' });
    appendFileSync(world.path, line('b'));
    expect(await world.import({ keepsSource: false })).toMatchObject({ kind: 'grown', events: 1 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a', '2 b']);
  });

  it('waits for the end of a line that is being written', async () => {
    using world = importWorld(line('a') + line('b').slice(0, 5));
    expect(await world.import()).toMatchObject({ events: 1 });
    appendFileSync(world.path, line('b').slice(5));
    expect(await world.import()).toMatchObject({ kind: 'grown', events: 1 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a', '2 b']);
  });
});

describe('a source that was rewritten', () => {
  it('is translated again, and the old journal is in the archive', async () => {
    using world = importWorld(line('a') + line('b'));
    await world.import();
    writeFileSync(world.path, line('x') + line('b') + line('c'));
    const again = await world.import();
    expect(again).toMatchObject({ kind: 'again', events: 3 });
    expect(again.archive).toMatch(/^small-s\..*\.rewritten\.jsonl$/);
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 x', '2 b', '3 c']);
    expect((await world.kept()).join('')).toBe(line('x') + line('b') + line('c'));
    expect((await world.kept(0)).join('')).toBe(line('a') + line('b'));
    expect(await world.import()).toMatchObject({ kind: 'unchanged' });
  });

  it('is only continued if it repeats the old records and adds new ones', async () => {
    const file = (...texts: string[]) => JSON.stringify({ id: 'x', messages: texts.map((text) => ({ text })) });
    using world = importWorld(file('a'), 's.json');
    await world.import();
    writeFileSync(world.path, file('a', 'b'));
    expect(await world.import()).toMatchObject({ kind: 'grown', events: 1 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a', '2 b']);
    expect((await world.parts()).map(({ generation }) => generation)).toEqual([0, 1]);
    expect((await world.kept()).join('')).toBe(file('a', 'b'));
  });

  it('loses no event when its end was cut off, and is translated again when it grows differently', async () => {
    using world = importWorld(line('a') + line('b') + line('c'));
    await world.import();
    truncateSync(world.path, line('a').length);
    expect(await world.import()).toMatchObject({ kind: 'grown', events: 0 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a', '2 b', '3 c']);
    appendFileSync(world.path, line('y'));
    expect(await world.import()).toMatchObject({ kind: 'again' });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a', '2 y']);
  });

  it('has its new title, unless the user titled the import', async () => {
    using world = importWorld(line('a', { title: 'First' }));
    const titles = async () =>
      (await world.events()).flatMap(({ type, data }) => (type === 'session.titled' ? [data.title] : []));
    await world.import();
    for (const title of ['Second', 'Second', 'First']) {
      writeFileSync(world.path, line('a', { title }));
      await world.import();
    }
    expect(await titles()).toEqual(['Second', 'First']);
    const writer = await world.store.openWriter(ID);
    const titled = { type: 'session.titled', data: { title: 'Mine', by: 'user' } };
    await writer.append([titled, { type: 'session.closed', data: { reason: 'exit' } }]);
    await writer.close();
    writeFileSync(world.path, line('a', { title: 'Third' }));
    await world.import();
    expect(await titles()).toEqual(['Second', 'First', 'Mine']);
  });

  it('is stored by its changes, and each state of it can be restored', async () => {
    const random = seededRandom(11);
    const letters = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
    const texts = Array.from({ length: 200 }, () => letters(2000));
    const file = (count: number) =>
      JSON.stringify({ id: `at ${count}`, messages: texts.slice(0, count).map((text) => ({ text })) });
    using world = importWorld('', 's.json');
    let stored = 0;
    const store: JournalStore = {
      ...world.store,
      async putBlob(bytes, id) {
        stored += bytes.length;
        return world.store.putBlob(bytes, id);
      },
    };
    for (let count = 150; count <= 200; count += 1) {
      writeFileSync(world.path, file(count));
      expect(await world.import({ store })).toMatchObject({ kind: count === 150 ? 'imported' : 'grown' });
    }
    // Kept whole each time it would be 17 MB, of which zstd makes 10 MB.
    expect(stored).toBeLessThan(2 * file(200).length);
    for (const [generation, count] of [0, 1, 25, 50].map((each) => [each, 150 + each] as const)) {
      expect((await world.kept(generation)).join('')).toBe(file(count));
    }
    expect(await world.import({ again: true })).toMatchObject({ kind: 'again', events: 200 });
    for (const generation of [0, 50]) expect((await world.kept(generation)).join('')).toBe(file(150 + generation));
  });

  it('of 4 MB costs only its changes, and few attachments are read for any state', async () => {
    const random = seededRandom(12);
    const letters = () =>
      Array.from({ length: 5000 }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join('');
    const texts = Array.from({ length: 800 }, letters);
    const file = (all: readonly string[]) => JSON.stringify({ id: 's', messages: all.map((text) => ({ text })) });
    using world = importWorld(file(texts), 's.json');
    await world.import();
    const sizes: number[] = [];
    const store: JournalStore = {
      ...world.store,
      async putBlob(bytes, id) {
        sizes.push(bytes.length);
        return world.store.putBlob(bytes, id);
      },
    };
    for (let round = 0; round < 3; round += 1) {
      texts.push(letters());
      writeFileSync(world.path, file(texts));
      await world.import({ store });
    }
    // Each has one text more than the state that it was compressed with, or three.
    expect(sizes).toHaveLength(3);
    for (const size of sizes) expect(size).toBeLessThan(15_000);
    expect((await world.parts()).map(({ dictionary }) => dictionary)).toEqual([undefined, 0, 0, 2]);
    let reads = 0;
    const readBlob: JournalStore['readBlob'] = (name) => {
      reads += 1;
      return world.store.readBlob(name);
    };
    const last = await Array.fromAsync(keptBytes({ readBlob }, await world.parts(), 3));
    expect(last.join('')).toBe(file(texts));
    expect(reads).toBe(3);
  });

  it('that an older version stored in pieces is restored, and is a dictionary of the next state', async () => {
    const file = (...texts: string[]) => JSON.stringify({ id: 'x', messages: texts.map((text) => ({ text })) });
    const [before, now, next] = [file('a'.repeat(3000), 'b'), file('a'.repeat(3000), 'c'), file('c')];
    using world = importWorld('');
    const { store } = world;
    const parts: KeptPart[] = [];
    const keep = (content: string) =>
      keepSource(
        { form: 'file', chunks: () => [Buffer.from(content)] },
        {
          last: parts.at(-1),
          translator: 1,
          before: (generation) => keptBytes(store, parts, generation),
          put: (bytes) => store.putBlob(bytes),
          onPart: async (part) => void parts.push(part),
        },
      );
    await keep(before);
    const start = before.indexOf('b"');
    const blob = await store.putBlob(zstdCompressSync(now.slice(start)));
    const sha256 = createHash('sha256').update(now).digest('hex');
    const pieces = [
      { generation: 0, offset: 0, bytes: start },
      { offset: 0, bytes: now.length - start },
    ];
    const { form, translator } = parts[0]!;
    parts.push({ generation: 1, offset: 0, bytes: now.length, sha256, blob, pieces, form, translator });
    await keep(next);
    await keep(now);
    expect(parts.map(({ dictionary }) => dictionary)).toEqual([undefined, undefined, 0, 2]);
    for (const [generation, content] of [before, now, next, now].entries()) {
      expect((await Array.fromAsync(givenBack(store, parts, generation))).join('')).toBe(content);
    }
    const outside = { ...parts[1]!, blob: undefined, pieces: [{ generation: 0, offset: start, bytes: now.length }] };
    const read = () => Array.fromAsync(keptBytes(store, [parts[0]!, outside], 1));
    await expect(read()).rejects.toThrow('names bytes that do not exist');
    const circle = [{ ...parts[2]!, dictionary: 2 }];
    await expect(Array.fromAsync(keptBytes(store, circle, 2))).rejects.toThrow('is not an earlier one');
  });

  it('many times leaves one archive on disk, and those that its user asked for', async () => {
    using tree = createTree({ s: line('a') });
    const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
    const directory = join(tree.root, 'data');
    const store = openFileStore({ ...ports, fileSystem: nodeFileSystem }, { directory });
    using world = importWorld('');
    const path = join(tree.root, 's');
    const run = (more: Partial<ImportOptions> = {}) =>
      importSession(small as Agent, { agent: 'small', id: 's', path }, { ...world.options, store, ...more });
    await run();
    const archives = () => readdirSync(join(directory, 'archive')).map((name) => name.split('.').at(-2));
    for (let round = 0; round < 4; round += 1) {
      writeFileSync(path, line(`b${round}`));
      expect(await run()).toMatchObject({ kind: 'again' });
      expect(archives()).toEqual(['rewritten']);
    }
    await run({ again: true });
    writeFileSync(path, line('c'));
    await run();
    writeFileSync(path, line('d'));
    await run();
    expect(archives().sort()).toEqual(['import', 'rewritten', 'rewritten']);
    const reader = store.openReader(ID);
    const parts = (await Array.fromAsync(reader.outcomes()))
      .flat()
      .flatMap((outcome) =>
        outcome.kind === 'event' && outcome.event.type === 'source.kept' ? [outcome.event.data] : [],
      );
    reader.close();
    const states = ['a', 'b0', 'b1', 'b2', 'b3', 'c', 'd'].map((text) => line(text));
    for (const [generation, state] of states.entries()) {
      const bytes = await Array.fromAsync(keptBytes(store, parts as unknown as KeptPart[], generation));
      expect(bytes.join('')).toBe(state);
    }
  });

  it('and is now empty loses no event', async () => {
    using world = importWorld(line('a'));
    await world.import();
    truncateSync(world.path, 0);
    expect(await world.import()).toMatchObject({ kind: 'vanished' });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 a']);
  });
});

describe('a session stored in a database', () => {
  it('is stored as its rows: new ones are added, and after a changed one it is translated again', async () => {
    using world = importWorld('', 's.db');
    unlinkSync(world.path);
    const database = new DatabaseSync(world.path);
    database.exec(
      "CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO message VALUES (1,'a'),(2,'b')",
    );
    await world.import();
    expect((await world.kept()).join('')).toBe('{"id":1,"text":"a"}\n{"id":2,"text":"b"}\n');
    database.exec("INSERT INTO message VALUES (3,'c')");
    expect(await world.import()).toMatchObject({ kind: 'grown', events: 1 });
    database.exec("UPDATE message SET text = 'z' WHERE id = 1");
    expect(await world.import()).toMatchObject({ kind: 'again', events: 3 });
    database.close();
    unlinkSync(world.path);
    expect(await world.import({ again: true })).toMatchObject({ kind: 'again', events: 3 });
    expect(textsOf(await eventsOf(world.store, ID))).toEqual(['1 z', '2 b', '3 c']);
  });
});

describe('an import of several sessions', () => {
  it('skips one that fails in any way, with the reason, and imports the others', async () => {
    using world = importWorld(line('a'));
    const stored = () => {
      throw new RangeError('a fault');
    };
    const failing = { ...small, stored } as Agent;
    const other = { agent: failing, source: { ...world.source, id: 'other' } };
    const sources = [other, { agent: small as Agent, source: world.source }];
    const hub = { store: openMemoryStore(world.ports), sessions: 'memory' };
    const report = await importSessions({ ...world.options, hub, sources, areNamed: false });
    expect(report).toMatchObject({ imported: 1, skipped: [{ address: 'small:other', reason: 'a fault' }] });
  });
});

describe('a repeated translation', () => {
  it('gives equal events from the stored source, without the original', async () => {
    using world = importWorld(line('a', { back: true }) + line('b', { output: 'out' }));
    await world.import();
    const before = meaningOf(await eventsOf(world.store, ID));
    unlinkSync(world.path);
    expect(await world.import({ again: true })).toMatchObject({ kind: 'again' });
    expect(meaningOf(await eventsOf(world.store, ID))).toEqual(before);
  });

  it('runs automatically when a newer module meets a source that grew', async () => {
    using world = importWorld(line('a'));
    await world.import();
    const newer = { ...small, version: 2 } as Agent;
    expect(await importSession(newer, world.source, world.options)).toMatchObject({ kind: 'unchanged' });
    appendFileSync(world.path, line('b'));
    expect(await importSession(newer, world.source, world.options)).toMatchObject({ kind: 'again', events: 2 });
    expect((await world.parts()).map(({ translator }) => translator)).toEqual([2, 2]);
  });
});

describe('the laws of imports', () => {
  const record = fc.record(
    { text: fc.string(), back: fc.constantFrom(true, false, 'first'), output: fc.string(), other: fc.integer() },
    { requiredKeys: [] },
  );
  const bytes = fc
    .array(record)
    .map((records) => Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join('')));

  it('the parts of a file that grew in any way join to its bytes, and the events are those of one import', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat()), async (all, cuts) => {
        using once = importWorld(all);
        await once.import();
        using grown = importWorld('');
        const ends = [...cuts.map((end) => (all.length === 0 ? 0 : end % all.length)), all.length].sort(
          (a, b) => a - b,
        );
        for (const end of ends) {
          writeFileSync(grown.path, all.subarray(0, end));
          await grown.import();
        }
        const [one, other] = await Promise.all([once.events(), grown.events()]);
        expect(meaningOf(other)).toEqual(meaningOf(one));
        if (one.length === 0) return;
        for (const world of [once, grown]) {
          expect(Buffer.concat(await world.kept())).toEqual(all);
          const { sha256 } = (await world.parts()).at(-1)!;
          expect(sha256).toBe(createHash('sha256').update(all).digest('hex'));
        }
      }),
    );
  });

  it('each imported state of a document that was rewritten in any way can be restored', async () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 4000 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 8 }), async (states) => {
        using world = importWorld('', 's.json');
        const seen: string[] = [];
        for (const state of states) {
          const content = JSON.stringify({ id: 's', messages: state.map((text) => ({ text })) });
          writeFileSync(world.path, content);
          await world.import();
          if (content !== seen.at(-1)) seen.push(content);
        }
        for (const [generation, content] of seen.entries()) {
          expect((await world.kept(generation)).join('')).toBe(content);
        }
        const { sha256 } = (await world.parts()).at(-1)!;
        expect(sha256).toBe(createHash('sha256').update(seen.at(-1)!).digest('hex'));
      }),
    );
  });

  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.nat(400) }) },
    fc.record({ kind: fc.constant('cut' as const), bytes: fc.nat(400) }),
    fc.record({ kind: fc.constant('rewrite' as const), bytes: fc.nat(400) }),
    fc.constant({ kind: 'title' as const, bytes: 0 }),
    fc.constant({ kind: 'nothing' as const, bytes: 0 }),
  );

  it('an import that continues writes the same as an import that reads everything again', async () => {
    const long = Buffer.from(line('x'.repeat(265_000)));
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.array(change, { maxLength: 8 }),
        fc.boolean(),
        async (records, changes, keepsSource) => {
          const all = Buffer.concat([long, records]);
          let end = long.length + 100;
          using world = importWorld(all.subarray(0, end));
          using other = importWorld(all.subarray(0, end));
          const forgetful = { ...other.store, writeDocument: async () => {} };
          for (const { kind, bytes: count } of [{ kind: 'nothing' as const, bytes: 0 }, ...changes]) {
            if (kind === 'append') end = Math.min(all.length, end + count);
            if (kind === 'cut') end = Math.max(0, end - count);
            const content = Buffer.from(all.subarray(0, end));
            if (kind === 'rewrite' && content.length > 0) content.fill(' ', 0, count % content.length);
            for (const each of [world, other]) {
              writeFileSync(each.path, content);
              if (kind === 'title' && (await each.store.has(ID))) await titleOf(each.store);
            }
            const one = await world.import({ keepsSource });
            const two = await other.import({ keepsSource, store: forgetful });
            expect({ ...one, archive: undefined }).toEqual({ ...two, archive: undefined });
          }
          expect(meaningOf(await world.events())).toEqual(meaningOf(await other.events()));
          expect((await world.parts()).map(({ sha256 }) => sha256)).toEqual(
            (await other.parts()).map(({ sha256 }) => sha256),
          );
        },
      ),
    );
  });

  describe('an import of a long session that grew', () => {
    const long = line('x'.repeat(900)).repeat(300);

    /** Counts the records that the later imports translate, and the attachments that they read. */
    async function grownWorld() {
      const counted = { translated: 0, blobs: 0 };
      const counting: typeof small = {
        ...small,
        translate(...given) {
          counted.translated += 1;
          return small.translate(...given);
        },
      };
      const world = importWorld(long);
      const readBlob = (name: string) => {
        counted.blobs += 1;
        return world.store.readBlob(name);
      };
      const store: JournalStore = { ...world.store, readBlob };
      await importSession(counting as Agent, world.source, world.options);
      return {
        ...world,
        async grow(text: string, more: Partial<ImportOptions> = {}) {
          appendFileSync(world.path, line(text));
          Object.assign(counted, { translated: 0, blobs: 0 });
          await importSession(counting as Agent, world.source, { ...world.options, store, ...more });
          const result = { ...counted };
          expect(textsOf(await eventsOf(world.store, ID)).at(-1)).toMatch(new RegExp(` ${text}$`));
          expect(Buffer.concat(await world.kept()).equals(readFileSync(world.path))).toBe(true);
          return result;
        },
      };
    }

    it('translates new records, and reads no attachment before them', async () => {
      using world = await grownWorld();
      expect(await world.import()).toMatchObject({ kind: 'unchanged' });
      for (const text of ['b', 'c', 'd']) expect(await world.grow(text)).toEqual({ translated: 1, blobs: 1 });
      const texts = textsOf(await eventsOf(world.store, ID));
      expect(texts.map((text) => Number.parseInt(text, 10))).toEqual(texts.map((_, index) => index + 1));
    });

    it('translates only new records also after its user titled it', async () => {
      using world = await grownWorld();
      await titleOf(world.store);
      expect(await world.grow('b')).toEqual({ translated: 1, blobs: 1 });
    });

    it.each<[string, (store: JournalStore) => Promise<void>]>([
      ['was removed', (store) => store.removeDocument(ID, 'import')],
      ['is empty', (store) => changeDocument(store, () => '')],
      ['was changed by a disk', (store) => changeDocument(store, (text) => text.replace('"count":300', '"count":301'))],
      ['is cut off', (store) => changeDocument(store, (text) => text.slice(0, -20))],
      ['belongs to a different journal', otherDocument],
    ])('translates everything if the remembered state %s', async (_, change) => {
      using world = await grownWorld();
      await change(world.store);
      expect(await world.grow('b')).toMatchObject({ translated: 301 });
      expect(await world.grow('c')).toEqual({ translated: 1, blobs: 1 });
    });

    it('translates everything if an import was killed after the remembered position', async () => {
      using world = await grownWorld();
      appendFileSync(world.path, line('b'));
      await expect(world.import({ store: failingAfter(world.store, 2) })).rejects.toThrow('stopped');
      expect(await world.grow('c')).toMatchObject({ translated: 302 });
    });

    it('remembers no state with a secret, and none at all if texts may not be stored', async () => {
      using world = await grownWorld();
      await world.store.removeDocument(ID, 'import');
      const states: unknown[] = [];
      await world.grow('b', { mayStore: (value) => states.push(value) < 0 });
      expect(states).toEqual([expect.objectContaining({ state: { turn: 0, count: 301 } })]);
      await world.grow('c', { mayStore: undefined });
      expect(await world.store.readDocument(ID, 'import')).toBeUndefined();
    });
  });

  it('an import that is stopped after any write and continued equals one that was never stopped', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(12), { maxLength: 4 }), async (all, stops) => {
        using once = importWorld(all);
        await once.import();
        using stopped = importWorld(all);
        for (const stop of stops) await stopped.import({ store: failingAfter(stopped.store, stop) }).catch(() => {});
        await stopped.import();
        expect(meaningOf(await stopped.events())).toEqual(meaningOf(await once.events()));
        if ((await once.events()).length > 0) expect(Buffer.concat(await stopped.kept())).toEqual(all);
        expect(await stopped.import()).toMatchObject({ events: 0 });
      }),
    );
  });
});

async function changeDocument(store: JournalStore, change: (text: string) => string): Promise<void> {
  const text = (await store.readDocument(ID, 'import')) ?? '';
  expect(change(text)).not.toBe(text);
  await store.writeDocument(ID, 'import', change(text));
}

/** The remembered state of the same session in a second store. */
async function otherDocument(store: JournalStore): Promise<void> {
  using other = importWorld(line('y'.repeat(400_000)));
  await other.import();
  await store.writeDocument(ID, 'import', (await other.store.readDocument(ID, 'import')) ?? '');
}

async function titleOf(store: JournalStore): Promise<void> {
  const writer = await store.openWriter(ID);
  const titled = { type: 'session.titled', data: { title: 'Mine', by: 'user' } };
  await writer.append([titled, { type: 'session.closed', data: { reason: 'exit' } }]);
  await writer.close();
}

/** A store whose disk fails after that many writes. */
function failingAfter(store: JournalStore, writes: number): JournalStore {
  let left = writes;
  const once = async () => {
    await setImmediate();
    left -= 1;
    if (left < 0) throw new Error('stopped');
  };
  const guarded = (writer: Awaited<ReturnType<JournalStore['create']>>): typeof writer =>
    new Proxy(writer, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        return name === 'append' ? (...args: unknown[]) => once().then(() => method(...args)) : method;
      },
    });
  return {
    ...store,
    create: async (...args) => guarded(await store.create(...args)),
    openWriter: async (...args) => guarded(await store.openWriter(...args)),
    putBlob: (...args) => once().then(() => store.putBlob(...args)),
  };
}

function importWorld(content: string | Uint8Array, name = 's') {
  const tree = createTree({ [name]: content });
  const path = join(tree.root, name);
  const ports = { clock: manualClock(), ids: countingIds(), process: thisProcess('test'), log: silentLog };
  const store = openMemoryStore(ports);
  const source = { agent: 'small', id: 's', path };
  const options: ImportOptions = {
    store,
    files: { fileSystem: nodeFileSystem, uid: process.getuid?.() },
    keepsSource: true,
    keepsOutputs: true,
    mayStore: () => true,
  };
  const world = {
    path,
    ports,
    store,
    source,
    options,
    import: (more: Partial<ImportOptions> = {}): Promise<ImportedSession> =>
      importSession(small as Agent, source, { ...options, ...more }),
    events: async () => ((await store.has(ID)) ? eventsOf(store, ID) : []),
    async parts(): Promise<KeptPart[]> {
      const events = await world.events();
      return events.filter(({ type }) => type === 'source.kept').map(({ data }) => data as unknown as KeptPart);
    },
    /** The bytes of a generation, part by part. Default: the newest. */
    async kept(generation?: number): Promise<Buffer[]> {
      const parts = await world.parts();
      return Array.fromAsync(keptBytes(store, parts, generation ?? parts.at(-1)?.generation ?? 0));
    },
    [Symbol.dispose]: () => tree[Symbol.dispose](),
  };
  return world;
}

function textsOf(events: readonly StoredEvent[]): string[] {
  return events.flatMap(({ type, data }) =>
    type === 'message.added' ? [String((data.parts as { text?: string }[])[0]?.text)] : [],
  );
}

/** The events of the source, without members that depend on their place in the journal. */
function meaningOf(events: readonly StoredEvent[]): unknown[] {
  const imported = events.filter(({ data }) => data.origin !== undefined);
  const numbers = new Map(imported.map(({ seq }, index) => [seq, index]));
  return imported.map(({ type, turn, data }) => {
    const { previous: _, origin, ...rest } = data;
    const place = type === 'session.created' ? undefined : origin;
    return [type, turn, place, 'head' in rest ? { ...rest, head: numbers.get(rest.head as number) } : rest];
  });
}
