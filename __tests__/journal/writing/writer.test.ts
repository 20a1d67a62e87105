import fc from 'fast-check';
import { MAX_WRITTEN_LINE_BYTES } from '../../../lib/journal/format.ts';
import type { NewEvent, StoredEvent } from '../../../lib/journal/types.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { faultyFileSystem } from '../../support/faulty-file-system.ts';
import { readByOthers } from '../other-readers.ts';
import { bytesOf, damageOf, eventsOf, journalDisk, line, readEverywhere } from '../surgery.ts';

const say = (text: unknown = 'hello'): NewEvent => ({ type: 'message.added', data: { text } });

/** A new journal on a disk that can be made to fail. */
async function newJournal(policy?: 'always' | 'barrier' | 'process') {
  const disk = journalDisk();
  const faulty = faultyFileSystem(disk.fileSystem);
  const writer = policy
    ? await (async () => {
        await (await disk.create()).close();
        return disk.openWriter({ policy }, faulty);
      })()
    : await disk.create(faulty);
  const syncs = () => faulty.calls.dataSync + faulty.calls.sync;
  return { disk, faulty, writer, syncs, lines: () => readByOthers(disk.bytes()) };
}

describe('a new journal', () => {
  it('is on the device with its name before its creation is acknowledged', async () => {
    const disk = journalDisk();
    const writer = await disk.create();
    expect(writer.head).toEqual(writer.synced);
    disk.fileSystem.powerCut();
    const [created] = await readByOthers(disk.bytes());
    expect(created).toMatchObject({
      seq: 0,
      type: 'session.created',
      data: { format: 1, sessionId: 'patient', model: 'm', pid: 4711, host: 'test', command: 'ollm repl' },
    });
    expect(disk.fileSystem.stat(disk.place.path)?.mode).toBe(0o600);
  });

  it('never replaces an existing one', async () => {
    const { disk, writer } = await newJournal();
    await expect(disk.create()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' });
    await writer.close();
    const before = disk.bytes();
    await expect(disk.create()).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    expect(disk.bytes()).toEqual(before);
  });

  it.each([
    ['write', 'ENOSPC', 'JOURNAL_FULL'],
    ['write', 'EIO', 'JOURNAL_POISONED'],
    ['sync', 'EIO', 'JOURNAL_POISONED'],
    ['open', 'EROFS', 'JOURNAL_READ_ONLY'],
  ] as const)('that fails at %s with %s leaves no file', async (call, answer, code) => {
    const disk = journalDisk();
    const faulty = faultyFileSystem(disk.fileSystem);
    faulty.fail({ call, answer });
    await expect(disk.create(faulty)).rejects.toMatchObject({ code });
    expect(disk.fileSystem.stat(disk.place.path)).toBeUndefined();
    await (await disk.create()).close();
  });
});

describe('append', () => {
  it('returns seq and checksum, and stores in the order of the calls', async () => {
    const { disk, writer, lines } = await newJournal();
    const receipts = await Promise.all([
      writer.append(say('a')),
      writer.append([say('b'), say('c')]),
      writer.append([]),
    ]);
    expect(receipts.map((batch) => batch.map(({ seq }) => seq))).toEqual([[1], [2, 3], []]);
    const stored = await lines();
    expect(stored.map(({ data }) => data.text)).toEqual([undefined, 'a', 'b', 'c']);
    expect(receipts.flat().map(({ xxh64 }) => xxh64)).toEqual(stored.slice(1).map(({ xxh64 }) => xxh64));
    expect(writer.head).toEqual({ seq: 3, offset: disk.bytes().length, xxh64: stored[3]!.xxh64 });
    expect(await disk.reader().holds(writer.head)).toBe(true);
    expect(await disk.reader().holds({ ...writer.head, seq: 2 })).toBe(false);
    expect(await disk.reader().holds({ ...writer.head, offset: writer.head.offset - 1 })).toBe(false);
  });

  it('makes one write for one tick, after one look at the file', async () => {
    const { faulty, writer } = await newJournal();
    const before = { ...faulty.calls };
    await Promise.all(Array.from({ length: 100 }, (_, index) => writer.append(say(index))));
    expect(faulty.calls.write - before.write).toBe(1);
    expect(faulty.calls.stat - before.stat).toBe(1);
  });

  it('shares one sync among all appends that wait for the device', async () => {
    const { syncs, writer } = await newJournal();
    const before = syncs();
    await Promise.all(Array.from({ length: 64 }, () => writer.append(say(), { durability: 'disk' })));
    expect(syncs() - before).toBe(1);
    expect(writer.synced).toEqual(writer.head);
  });

  it('never leaves an append unsynced that comes immediately after a sync', async () => {
    const { writer } = await newJournal();
    for (let pauses = 0; pauses < 60; pauses += 1) {
      const first = writer.append(say('first'), { durability: 'disk' });
      for (let paused = 0; paused < pauses; paused += 1) await undefined;
      await Promise.all([first, writer.append(say('second'), { durability: 'disk' })]);
    }
    expect(writer.synced.seq).toBe(120);
  });

  it('at level process waits for no sync, not even for a running one', async () => {
    const { faulty, writer } = await newJournal();
    let open: () => void = () => {};
    faulty.syncGate = new Promise((resolve) => {
      open = resolve;
    });
    const order: string[] = [];
    const onDisk = writer.append(say(1), { durability: 'disk' }).then(() => order.push('disk'));
    await writer.append(say(2)).then(() => order.push('process'));
    const later = writer.append(say(3), { durability: 'disk' }).then(() => order.push('disk too'));
    await writer.append(say(4)).then(() => order.push('process too'));
    expect(writer.synced.seq).toBe(0);
    open();
    await Promise.all([onDisk, later]);
    expect(order).toEqual(['process', 'process too', 'disk', 'disk too']);
    expect(writer.synced.seq).toBe(4);
  });

  it('syncs according to the policy', async () => {
    for (const [policy, appended, asked] of [
      ['always', 1, 2],
      ['barrier', 0, 1],
      ['process', 0, 0],
    ] as const) {
      const { syncs, writer, faulty } = await newJournal(policy);
      const before = syncs();
      await writer.append(say());
      expect([policy, syncs() - before]).toEqual([policy, appended]);
      await writer.append(say(), { durability: 'disk' });
      expect([policy, syncs() - before]).toEqual([policy, asked]);
      if (policy === 'process') expect(faulty.calls.dataSync + faulty.calls.sync).toBe(0);
      await writer.sync();
      expect([policy, writer.synced]).toEqual([policy, writer.head]);
      await writer.close();
    }
  });

  it('never steps back in time, in one process or from one to the next', async () => {
    const { disk, writer } = await newJournal();
    disk.clock.advance(5000);
    await writer.append(say());
    disk.clock.set(0);
    await writer.append(say());
    await writer.close();
    const second = await disk.openWriter();
    await second.append(say());
    disk.clock.set(Number.POSITIVE_INFINITY);
    await second.append(say());
    await second.close();
    const times = (await readByOthers(disk.bytes())).map(({ ts }) => ts);
    expect(times).toEqual(times.toSorted());
    expect(times[2]).toBe(times[1]);
    expect(times.at(-1)).toBe('9999-12-31T23:59:59.999Z');
  });

  it('never stores an id twice', async () => {
    const { disk, writer } = await newJournal();
    const first = { ...say('once'), id: 'k' };
    const [a, b] = await Promise.all([
      writer.append(first),
      writer.append([say('x'), first, { ...say('y'), id: 'l' }]),
    ]);
    expect(a).toMatchObject([{ seq: 1, duplicate: false }]);
    expect(b).toMatchObject([
      { seq: 2, duplicate: false },
      { seq: 1, xxh64: a[0]!.xxh64, duplicate: true },
      { seq: 3, duplicate: false },
    ]);
    await writer.close();
    const second = await disk.openWriter();
    const [again] = await second.append({ ...say('y'), id: 'l' }, { durability: 'disk' });
    expect(again).toMatchObject({ seq: 3, xxh64: b[2]!.xxh64, duplicate: true });
    await second.close();
    expect((await readByOthers(disk.bytes())).filter(({ id }) => id !== undefined)).toHaveLength(2);
  });

  it('reads the file once for ids, and not at all without ids', async () => {
    const disk = journalDisk();
    const first = await disk.create();
    for (let count = 0; count < 50; count += 1) await first.append({ ...say(), id: `k${count}` });
    await first.close();
    const faulty = faultyFileSystem(disk.fileSystem);
    const writer = await disk.openWriter({}, faulty);
    const opened = faulty.calls.read;
    await writer.append(say());
    expect(faulty.calls.read).toBe(opened);
    await writer.append({ ...say(), id: 'new' });
    const indexed = faulty.calls.read;
    expect(indexed).toBeGreaterThan(opened);
    await writer.append({ ...say(), id: 'newer' });
    expect(faulty.calls.read).toBe(indexed);
  });

  it('refuses a different event with the id of a stored one, with its whole batch, and no other append', async () => {
    const { disk, writer } = await newJournal();
    const conflict = { code: 'EVENT_CONFLICT' };
    const sameTick = await Promise.allSettled([
      writer.append({ ...say('one'), id: 'k' }),
      writer.append([say('with it'), { ...say('two'), id: 'k' }]),
      writer.append([
        { ...say('a'), id: 'm' },
        { ...say('b'), id: 'm' },
      ]),
      writer.append(say('beside it')),
    ]);
    expect(sameTick.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    await expect(writer.append({ ...say('one'), id: 'k', turn: 2 })).rejects.toMatchObject(conflict);
    await writer.close();
    const second = await disk.openWriter();
    await expect(second.append({ ...say('two'), id: 'k' })).rejects.toMatchObject(conflict);
    const { data, ...one } = say('one');
    const reordered = Object.fromEntries(Object.entries(data).reverse());
    expect(await second.append({ ...one, data: reordered, id: 'k' })).toMatchObject([{ seq: 1, duplicate: true }]);
    await second.close();
    const kept = (await readByOthers(disk.bytes())).filter(({ type }) => type === say().type);
    expect(kept).toHaveLength(2);
  });

  it('finds ids that JSON escapes', async () => {
    const { disk, writer } = await newJournal();
    const id = 'ü "quoted" \\ \u2028';
    await writer.append({ ...say(), id });
    await writer.close();
    const second = await disk.openWriter();
    expect(await second.append({ ...say(), id })).toMatchObject([{ seq: 1, duplicate: true }]);
    await second.close();
  });

  it('is refused once the journal is closed', async () => {
    const { writer, disk } = await newJournal();
    const last = writer.append(say('just in time'));
    const closing = writer.close();
    await expect(writer.append(say())).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
    await Promise.all([last, closing, writer.close()]);
    await expect(writer.knows('k')).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
    expect((await readByOthers(disk.bytes())).at(-1)!.data.text).toBe('just in time');
    disk.fileSystem.powerCut();
    expect((await readByOthers(disk.bytes())).at(-1)!.data.text).toBe('just in time');
    await (await disk.openWriter()).close();
  });
});

describe('an event that may be stored', () => {
  it.each<[string, unknown, string]>([
    ['a type without a verb', { type: 'message', data: {} }, 'type must'],
    ['a type in capitals', { type: 'Message.added', data: {} }, 'type must'],
    ['a type that breaks out', { type: 'a.b","data":{', data: {} }, 'type must'],
    ['a turn of 0', { type: 'a.b', turn: 0, data: {} }, 'turn must'],
    ['an empty id', { type: 'a.b', id: '', data: {} }, 'id must'],
    ['a long id', { type: 'a.b', id: 'x'.repeat(257), data: {} }, 'id must'],
    ['data that is a list', { type: 'a.b', data: [] }, 'data must'],
    ['data that is null', { type: 'a.b', data: null }, 'data must'],
    ['NaN', say([1, { b: Number.NaN }]), 'data.text[1].b is NaN'],
    ['infinity', say({ 'a b': Number.POSITIVE_INFINITY }), 'data.text["a b"] is Infinity'],
    ['a bigint', say(1n), 'data.text is a bigint'],
    ['a function', say(() => 1), 'data.text is a function'],
    ['a symbol', say(Symbol('x')), 'data.text is a symbol'],
    ['a hole in a list', say([1, undefined]), 'data.text[1] is undefined'],
    ['a date', say(new Date(0)), 'data.text is a Date'],
    ['a map', say(new Map()), 'data.text is a Map'],
    ['toJSON', say({ toJSON: () => 1 }), 'data.text is a Object'],
  ])('is not %s', async (_what, event, where) => {
    const { writer, disk } = await newJournal();
    const before = disk.bytes();
    const rejected = writer.append([say(), event as NewEvent]);
    await expect(rejected).rejects.toMatchObject({ code: 'EVENT_INVALID', message: expect.stringContaining(where) });
    expect(disk.bytes()).toEqual(before);
    expect(await writer.append(say())).toMatchObject([{ seq: 1 }]);
  });

  it('nests at most 256 deep, and is not circular', async () => {
    const nested = (depth: number) => {
      let value: object = {};
      for (let count = 1; count < depth; count += 1) value = { a: value };
      return value;
    };
    const { writer, lines } = await newJournal();
    await writer.append({ type: 'a.b', data: nested(256) });
    expect((await lines())[1]!.data).toEqual(nested(256));
    for (const depth of [257, 100_000]) {
      await expect(writer.append({ type: 'a.b', data: nested(depth) })).rejects.toMatchObject({
        code: 'EVENT_INVALID',
      });
    }
    const circle: { self?: object } = {};
    circle.self = circle;
    await expect(writer.append({ type: 'a.b', data: circle })).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  });

  it('has a line of at most 16 MiB, to the byte', async () => {
    const { writer, disk } = await newJournal();
    const overhead = async () => {
      const before = disk.bytes().length;
      await writer.append(say(''));
      return disk.bytes().length - before;
    };
    const room = MAX_WRITTEN_LINE_BYTES - (await overhead());
    const before = writer.head.offset;
    await writer.append(say('x'.repeat(room)));
    expect(writer.head.offset - before).toBe(MAX_WRITTEN_LINE_BYTES);
    await expect(writer.append(say('x'.repeat(room + 1)))).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    await expect(writer.append(say('ü'.repeat(room / 2 + 1)))).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    expect(writer.head.seq).toBe(2);
    expect(eventsOf(disk.reader().outcomes()).at(-1)!.raw.length).toBe(MAX_WRITTEN_LINE_BYTES - 1);
  });

  it('comes back unchanged, with any hostile characters', async () => {
    const forged = '{"seq":9,"ts":"2026-01-01T00:00:00.000Z","type":"a.b","data":{},"prev":"0"}';
    const texts = [`\n${forged}\n`, 'a\u2028b\u2029c', '\0\r\n\t\u007f', '\ud800 alone \udc00', '\ufeffmark', '😀日本'];
    const data = JSON.parse(`{"texts":${JSON.stringify(texts)},"__proto__":{"admin":true},"constructor":1,"-0":-1e-7}`);
    const { writer, lines, disk } = await newJournal();
    await writer.append({ type: 'tool.finished', data });
    const [, stored] = await lines();
    expect(stored!.data).toEqual(data);
    expect(Object.keys(stored!.data)).toContain('__proto__');
    const [, read] = eventsOf(disk.reader().outcomes());
    expect(Object.keys(read!.data)).toEqual(Object.keys(data));
    expect(disk.bytes().includes('\u2028')).toBe(false);
  });

  it.each([
    ['short', 1],
    ['long', 500],
  ])('is stored with the values at the time of its append, with %s texts', async (_, times) => {
    const { disk, writer } = await newJournal();
    const text = (name: string) => `${name} "said"\n日本`.repeat(times);
    // Appends of a listener come while others wait; refused ones leave no bytes.
    const stop = writer.subscribe((events) => {
      if (events[0]!.data.text === text('first')) void writer.append(say(text('answer')));
    });
    const data = { text: text('first') };
    const appended = [
      writer.append({ type: 'message.added', data }),
      writer.append([say(text('lost')), say(Number.NaN)]).catch(() => []),
      ...Array.from({ length: 50 }, (_, number) => writer.append(say(text(`number ${number}`)))),
    ];
    data.text = text('changed');
    await Promise.all(appended);
    stop();
    await writer.append(say(text('last')));
    const expected = ['first', ...Array.from({ length: 50 }, (_, number) => `number ${number}`), 'answer', 'last'];
    const read = eventsOf(disk.reader().outcomes()).slice(1);
    expect(read.map((event) => event.data.text)).toEqual(expected.map(text));
    await readByOthers(disk.bytes());
  });

  it('has any JSON object as its data', async () => {
    const { disk, writer } = await newJournal();
    const json = fc.dictionary(
      fc.string({ unit: anyCharacter }),
      fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 6 }),
    );
    const events = fc.record(
      {
        type: fc.constantFrom('a.b', 'message.added', 'tool.very-long.name'),
        data: json.map((data) => JSON.parse(JSON.stringify(data)) as object),
        turn: fc.integer({ min: 1, max: 1e12 }),
        ignorable: fc.constant(true as const),
      },
      { requiredKeys: ['type', 'data'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 5 }), async (batch) => {
        const anchor = writer.head;
        await writer.append(batch);
        const read = eventsOf(disk.reader().outcomes({ after: anchor }));
        expect(read.map(({ type, data, turn, ignorable }) => ({ type, data, turn, ignorable }))).toEqual(
          batch.map(({ type, data, turn, ignorable }) => ({ type, data, turn, ignorable })),
        );
      }),
      { numRuns: 200 },
    );
    await readByOthers(disk.bytes());
  });
});

describe('a full disk', () => {
  it.each([
    ['a short write', 100],
    ['a write of nothing', 0],
    ['ENOSPC', 'ENOSPC'],
    ['EDQUOT', 'EDQUOT'],
    ['EFBIG', 'EFBIG'],
  ] as const)('(%s) removes the whole batch again, and the append may be repeated', async (_what, answer) => {
    const { disk, faulty, writer } = await newJournal();
    await writer.append(say('before'));
    const before = disk.bytes();
    faulty.fail({ call: 'write', answer });
    const rejected = writer.append([say('a'), say('b')]);
    const meanwhile = rejected.catch(() => writer.append(say('at once again')));
    await expect(rejected).rejects.toMatchObject({ code: 'JOURNAL_FULL' });
    expect(faulty.calls.sync).toBe(2);
    expect(await meanwhile).toMatchObject([{ seq: 2 }]);
    expect(writer.failure).toBeUndefined();
    expect(disk.bytes().subarray(0, before.length)).toEqual(before);
    expect((await readByOthers(disk.bytes())).map(({ data }) => data.text)).toEqual([
      undefined,
      'before',
      'at once again',
    ]);
    await writer.close();
  });

  it('at every length that fits leaves the journal unchanged', async () => {
    const { disk, faulty, writer } = await newJournal();
    for (let taken = 0; taken < 300; taken += 1) {
      const before = disk.bytes();
      faulty.fail({ call: 'write', answer: taken });
      await expect(writer.append([say('x'.repeat(100)), say('y')])).rejects.toMatchObject({ code: 'JOURNAL_FULL' });
      expect(disk.bytes().equals(before)).toBe(true);
    }
    await writer.close();
    expect(await readEverywhere(disk.reader())).toBe('0');
  });
});

describe('a disk that fails', () => {
  it.each([
    ['a write', [{ call: 'write', answer: 'EIO' }]],
    ['a write on what became read-only', [{ call: 'write', answer: 'EROFS' }]],
    ['a stale handle', [{ call: 'write', answer: 'ESTALE' }]],
    ['a sync', [{ call: 'dataSync', answer: 'EIO' }]],
    [
      'taking back',
      [
        { call: 'write', answer: 10 },
        { call: 'truncate', answer: 'EIO' },
      ],
    ],
    [
      'the sync after a truncation',
      [
        { call: 'write', answer: 10 },
        { call: 'sync', answer: 'EIO' },
      ],
    ],
    ['looking at the path', [{ call: 'stat', answer: 'ESTALE' }]],
  ] as const)('at %s poisons the writer permanently', async (_what, faults) => {
    const { disk, faulty, writer, syncs } = await newJournal();
    await writer.append(say('before'), { durability: 'disk' });
    const synced = writer.synced;
    for (const fault of faults) faulty.fail(fault);
    await expect(writer.append(say('lost?'), { durability: 'disk' })).rejects.toMatchObject({
      code: 'JOURNAL_POISONED',
    });
    expect(writer.failure?.code).toBe('JOURNAL_POISONED');
    const before = { syncs: syncs(), writes: faulty.calls.write };
    await expect(writer.append(say())).rejects.toBe(writer.failure);
    await expect(writer.sync()).rejects.toBe(writer.failure);
    await writer.close();
    expect({ syncs: syncs(), writes: faulty.calls.write }).toEqual(before);
    expect(writer.synced).toEqual(synced);

    // A different process finds the stored events, and a repeated id would append nothing.
    const second = await disk.openWriter();
    await second.append(say('after'));
    await second.close();
    const texts = (await readByOthers(disk.bytes())).map(({ data }) => data.text);
    expect(texts).toContain('before');
    expect(texts).toContain('after');
  });

  it('keeps acknowledging appends that asked for no sync, until the failure is known', async () => {
    const { faulty, writer } = await newJournal();
    faulty.fail({ call: 'dataSync', answer: 'EIO' });
    const onDisk = writer.append(say(), { durability: 'disk' });
    await expect(writer.append(say())).resolves.toMatchObject([{ seq: 2 }]);
    await expect(onDisk).rejects.toMatchObject({ code: 'JOURNAL_POISONED' });
  });

  it.each<[string, (disk: ReturnType<typeof journalDisk>) => void, string]>([
    ['was removed', ({ fileSystem, place }) => fileSystem.unlink(place.path), 'removed'],
    ['was replaced', (disk) => disk.put(disk.bytes()), 'another file'],
    ['has another name', ({ fileSystem, place }) => fileSystem.link(place.path, '/s/other'), 'second name'],
    ['grew', (disk) => appendTo(disk, 'from outside'), 'bytes instead of'],
    ['was cut', (disk) => cutTo(disk, 10), 'bytes instead of'],
  ])('does not have to happen: a file that %s is not written to', async (_what, change, message) => {
    const { disk, writer } = await newJournal();
    await writer.append(say());
    change(disk);
    const exists = disk.fileSystem.stat(disk.place.path) !== undefined;
    const before = exists ? disk.bytes() : undefined;
    await expect(writer.append(say())).rejects.toMatchObject({
      code: 'JOURNAL_POISONED',
      message: expect.stringContaining(message),
    });
    if (exists) expect(disk.bytes()).toEqual(before);
  });
});

function appendTo({ fileSystem, place }: ReturnType<typeof journalDisk>, text: string): void {
  const handle = fileSystem.open(place.path, 'append');
  handle.write(Buffer.from(text));
  handle.close();
}

function cutTo({ fileSystem, place }: ReturnType<typeof journalDisk>, length: number): void {
  const handle = fileSystem.open(place.path, 'append');
  handle.truncate(length);
  handle.close();
}

describe('a subscriber', () => {
  it('hears of each batch once it is stored, and of no earlier event', async () => {
    const { writer, disk } = await newJournal();
    const batches: StoredEvent[][] = [];
    const stop = writer.subscribe((events) => batches.push([...events]));
    await Promise.all([writer.append([say('a'), { ...say('b'), id: 'k' }]), writer.append({ ...say('b'), id: 'k' })]);
    await writer.append(say('c'));
    stop();
    await writer.append(say('d'));
    expect(batches.map((batch) => batch.map(({ data }) => data.text))).toEqual([['a', 'b'], ['c']]);
    const read = eventsOf(disk.reader().outcomes()).slice(1, 4);
    const plain = ({ seq, ts, xxh64, prev, offset, end, raw }: StoredEvent) => ({
      seq,
      ts,
      xxh64,
      prev,
      offset,
      end,
      raw: Buffer.from(raw).toString(),
    });
    expect(batches.flat().map(plain)).toEqual(read.map(plain));
  });

  it('does not hear of events that were not stored, and cannot damage stored ones', async () => {
    const { writer, faulty } = await newJournal();
    let calls = 0;
    writer.subscribe(() => {
      calls += 1;
      throw new Error('a bad listener');
    });
    faulty.fail({ call: 'write', answer: 'ENOSPC' });
    await expect(writer.append(say())).rejects.toMatchObject({ code: 'JOURNAL_FULL' });
    expect(calls).toBe(0);
    await expect(writer.append(say())).resolves.toHaveLength(1);
    expect(calls).toBe(1);
  });
});

describe('append, crash and reopen', () => {
  it('keep every acknowledged event, like the model', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constant('append' as const),
          count: fc.integer({ min: 1, max: 4 }),
          disk: fc.boolean(),
          key: fc.option(fc.nat(5)),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constantFrom('close' as const, 'crash' as const, 'power cut' as const) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('tear' as const),
          bytes: fc
            .uint8Array({ minLength: 1, maxLength: 40 })
            .map((bytes) => bytes.map((byte) => (byte === 10 ? 0 : byte))),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('full' as const), taken: fc.nat(200) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const disk = journalDisk();
        let faulty = faultyFileSystem(disk.fileSystem);
        let writer = await disk.create(faulty);
        let stored: { text: string; seq: number }[] = [];
        let next = 0;
        for (const step of steps) {
          if (step.do === 'append') {
            const id = step.key === null ? undefined : `k${step.key}`;
            const known = id === undefined ? undefined : stored.find(({ text }) => text.endsWith(id));
            const texts = Array.from({ length: step.count }, (_, index) =>
              index === 0 && id ? `keyed ${id}` : `t${next++} `,
            );
            const events = texts.map((text, index) => ({ ...say(text), id: index === 0 ? id : undefined }));
            const receipts = await writer.append(events, { durability: step.disk ? 'disk' : 'process' });
            expect(receipts[0]!.duplicate).toBe(known !== undefined);
            if (known) expect(receipts[0]!.seq).toBe(known.seq);
            if (step.disk) for (const { seq } of receipts) expect(seq).toBeLessThanOrEqual(writer.synced.seq);
            stored.push(...texts.map((text, index) => ({ text, seq: receipts[index]!.seq })).slice(known ? 1 : 0));
          } else if (step.do === 'full') {
            faulty.fail({ call: 'write', answer: Math.min(step.taken, 100) });
            await expect(writer.append(say('x'.repeat(200)))).rejects.toMatchObject({ code: 'JOURNAL_FULL' });
            // Taking back is confirmed by a sync, which takes the rest along.
            await writer.sync();
          } else {
            if (step.do === 'close' || step.do === 'tear') await writer.close();
            if (step.do === 'tear') appendTo(disk, Buffer.from(step.bytes).toString('latin1'));
            if (step.do === 'crash') disk.fileSystem.crash();
            if (step.do === 'power cut') {
              const { seq: lastSafe } = writer.synced;
              disk.fileSystem.powerCut();
              stored = stored.filter(({ seq }) => seq <= lastSafe);
            }
            faulty = faultyFileSystem(disk.fileSystem);
            writer = await disk.openWriter({}, faulty);
          }
        }
        await writer.close();
        const texts = (await readByOthers(disk.bytes())).flatMap(({ data, seq }) =>
          typeof data.text === 'string' ? [{ text: data.text, seq }] : [],
        );
        expect(texts).toEqual(stored);
        expect(damageOf(disk.reader().outcomes())).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('opening', () => {
  it('counts openings, and reports whether the last writer closed in order', async () => {
    const { disk, writer } = await newJournal();
    await writer.append({ type: 'session.closed', data: { reason: 'exit' } });
    await writer.close();
    const second = await disk.openWriter();
    expect(second.report).toMatchObject({ epoch: 1, clean: true });
    await second.close();
    const third = await disk.openWriter();
    expect(third.report).toMatchObject({ epoch: 2, clean: false });
    await third.close();
    expect((await readByOthers(disk.bytes())).at(-1)!.data).toEqual({
      epoch: 2,
      clean: false,
      pid: 4711,
      host: 'test',
      command: 'ollm repl',
    });
  });

  it.each([
    ['nothing', '', true],
    ['half a line', '{"seq":9', false],
    ['NUL bytes', '\0'.repeat(64), false],
    ['a line that says it is the last, without its end', undefined, false],
  ])('a closed journal with %s at its end reports whether the close was in order', async (_, rest, clean) => {
    const { disk, writer } = await newJournal();
    await writer.append({ type: 'session.closed', data: { reason: 'exit' } });
    await writer.close();
    if (rest === undefined) disk.put(disk.bytes().subarray(0, -1));
    else disk.put(Buffer.concat([disk.bytes(), Buffer.from(rest)]));
    const second = await disk.openWriter();
    expect(second.report.clean).toBe(clean);
    await second.close();
    expect((await readByOthers(disk.bytes())).at(-1)).toMatchObject({ type: 'writer.opened', data: { clean } });
  });

  it('reads only the lines after a valid anchor, and everything after an invalid one', async () => {
    const { disk, writer } = await newJournal();
    for (let count = 0; count < 20; count += 1) await writer.append(say('x'.repeat(1000)));
    const anchor = writer.head;
    await writer.append([say(), say()]);
    await writer.close();
    const openAt = async (anchor: typeof writer.head, anchorEpoch?: number) => {
      const seen: number[] = [];
      const writer = await disk.openWriter({ anchor, anchorEpoch, onEvent: ({ seq }) => seen.push(seq) });
      await writer.close();
      return { seen, report: writer.report };
    };
    expect(await openAt(anchor, 0)).toMatchObject({ seen: [21, 22], report: { anchored: true, epoch: 1, damage: [] } });
    expect(await openAt(anchor)).toMatchObject({ seen: [21, 22, 23], report: { anchored: true, epoch: 2 } });
    const stale = await openAt({ ...anchor, xxh64: '0123456789abcdef' });
    expect(stale.seen[0]).toBe(0);
    expect(stale.report).toMatchObject({ anchored: false, epoch: 3 });
    expect((await openAt({ seq: 99, offset: 1e9, xxh64: anchor.xxh64 })).report.anchored).toBe(false);
    await readByOthers(disk.bytes());
  });

  it('gives each event of a long journal as it is in the file', async () => {
    const { disk, writer } = await newJournal();
    const texts = Array.from({ length: 2000 }, (_, index) => `${index} ${'x'.repeat(index % 900)}`);
    await writer.append(texts.map(say));
    await writer.close();
    const seen: unknown[] = [];
    const second = await disk.openWriter({ onEvent: ({ data }) => seen.push(data.text) });
    await second.close();
    expect(seen.slice(1)).toEqual(texts);
  });

  it('an empty file is an error, and creating takes it over', async () => {
    const disk = journalDisk(Buffer.alloc(0));
    await expect(disk.openWriter()).rejects.toMatchObject({ code: 'JOURNAL_EMPTY' });
    const writer = await disk.create();
    await writer.close();
    expect(await readEverywhere(disk.reader())).toBe('0');
  });

  it.each([
    ['of a different program', Buffer.from('hello\nthis is not a journal\n')],
    ['that is damaged from end to end', Buffer.from(`${'\u0000'.repeat(80)}\n{"seq":0,\n`)],
  ])('a file %s is an error, and adds no byte to it', async (_, bytes) => {
    const disk = journalDisk(bytes);
    await expect(disk.openWriter()).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED' });
    expect(Buffer.from(disk.bytes())).toEqual(bytes);
  });

  it('a missing file is an error, and leaves no lock file', async () => {
    const disk = journalDisk();
    await expect(disk.openWriter()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(() => disk.reader()).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    expect(disk.fileSystem.readDirectory('/s')).toEqual([]);
  });

  it('a file of a newer format is possible for reading only', async () => {
    const disk = journalDisk();
    const writer = await disk.create();
    await writer.close();
    const newer = disk.bytes().toString().replace('"format":1', '"format":7').replace('"ollm":"0"', '"ollm":"4.2.0"');
    disk.put(line(JSON.parse(newer)));
    await expect(disk.openWriter()).rejects.toMatchObject({
      code: 'JOURNAL_NEWER_FORMAT',
      message: expect.stringContaining('format 7'),
      hint: expect.stringContaining('ollm 4.2.0'),
    });
    expect(await readEverywhere(disk.reader())).toBe('0');
  });

  it.each(['0', '"one"', 'null', '1.5'])(
    'a file of the unknown format %s is possible for reading only',
    async (format) => {
      const disk = journalDisk();
      await (await disk.create()).close();
      disk.put(line(JSON.parse(disk.bytes().toString().split('\n')[0]!.replace('"format":1', `"format":${format}`))));
      await expect(disk.openWriter()).rejects.toMatchObject({
        code: 'JOURNAL_NEWER_FORMAT',
        message: expect.stringContaining(`format ${format}`),
      });
      expect(await readEverywhere(disk.reader())).toBe('0');
    },
  );

  it('refuses a file that is not a journal', async () => {
    const disk = journalDisk();
    await (await disk.create()).close();
    const { fileSystem, place } = disk;
    const refused = async () => {
      await expect(disk.openWriter()).rejects.toMatchObject({ code: 'JOURNAL_NOT_A_FILE' });
      expect(() => disk.reader()).toThrow(expect.objectContaining({ code: 'JOURNAL_NOT_A_FILE' }));
    };
    fileSystem.link(place.path, '/s/second');
    await refused();
    fileSystem.unlink(place.path);
    fileSystem.symbolicLink('/s/second', place.path);
    await refused();
    await expect(disk.create()).rejects.toMatchObject({ code: 'JOURNAL_NOT_A_FILE' });
    fileSystem.unlink(place.path);
    fileSystem.special(place.path);
    await refused();
    fileSystem.unlink(place.path);
    fileSystem.makeDirectory(place.path);
    await refused();
    expect(bytesOf(fileSystem, '/s/second').length).toBeGreaterThan(0);
  });

  it('removes the permissions of other users', async () => {
    const disk = journalDisk();
    await (await disk.create()).close();
    disk.fileSystem.changeMode(disk.place.path, 0o666);
    await (await disk.openWriter()).close();
    expect(disk.fileSystem.stat(disk.place.path)?.mode).toBe(0o600);
  });

  it('on a read-only disk fails for writing and succeeds for reading', async () => {
    const disk = journalDisk();
    await (await disk.create()).close();
    disk.fileSystem.unlink(disk.place.lockPath);
    disk.fileSystem.changeMode(disk.place.path, 0o400);
    disk.fileSystem.changeMode('/s', 0o500);
    await expect(disk.openWriter()).rejects.toMatchObject({ code: 'JOURNAL_READ_ONLY' });
    expect(await readEverywhere(disk.reader())).toBe('0');
    expect(disk.fileSystem.readDirectory('/s')).toHaveLength(1);
  });

  it('can be repeated after an interruption at any call, and loses nothing', async () => {
    const torn = journalDisk();
    const first = await torn.create();
    await first.append(say('kept'), { durability: 'disk' });
    await first.close();
    const bytes = Buffer.concat([torn.bytes(), Buffer.from('{"seq":2,"ts":"torn')]);
    for (let count = 1; ; count += 1) {
      const disk = journalDisk(bytes);
      const faulty = faultyFileSystem(disk.fileSystem);
      let left = count;
      faulty.before = () => {
        left -= 1;
        if (left === 0) throw new Error('the process died');
      };
      const opened = await disk.openWriter({}, faulty).then(
        (writer) => writer.close(),
        () => 'died',
      );
      faulty.before = undefined;
      disk.fileSystem.crash();
      const writer = await disk.openWriter();
      await writer.close();
      const lines = await readByOthers(disk.bytes());
      expect(lines[1]!.data).toEqual({ text: 'kept' });
      expect(disk.quarantined().map(String)).toContain('{"seq":2,"ts":"torn');
      if (opened !== 'died') break;
      expect(count).toBeLessThan(100);
    }
  });
});
