import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import type { Agent, ForeignEvent, Source, SourceForm } from '../../lib/agents/agent.ts';
import { readHead } from '../../lib/agents/head.ts';
import { bytesOf } from '../../lib/agents/kept.ts';
import { type ForeignCheckpoint, openForeign } from '../../lib/agents/open-foreign.ts';
import type { Outcome } from '../../lib/journal/types.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';
import { until } from '../support/until.ts';
import { overKept } from './reading.ts';

const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

const STORED: Readonly<Record<string, SourceForm>> = {
  zst: { kind: 'lines', packed: 'zstd' },
  json: { kind: 'document', header: ['id'], list: 'messages' },
  db: {
    kind: 'rows',
    columns: { message: ['id', 'text'] },
    *rows(database) {
      const next = (after: number) =>
        database.all('SELECT id, text FROM message WHERE id > ? ORDER BY id LIMIT 2', after);
      for (let some = next(0); some.length > 0; some = next(Number(some.at(-1)?.id))) yield* some;
    },
    head: (database) => ({ title: String(database.all('SELECT text FROM message LIMIT 1')[0]?.text) }),
  },
};

/** A program whose records say a text each, in a file of lines, in one document or in a database. */
const small: Agent<{ turn: number; count: number }> = {
  name: 'small',
  title: 'Small',
  version: 1,
  places: () => [],
  discover: () => [],
  stored: ({ path }) => STORED[path.split('.').at(-1) ?? ''] ?? { kind: 'lines' },
  initial: () => ({ turn: 0, count: 0 }),
  translate(record, given) {
    if (record.explode === true) throw new Error('a fault');
    if (typeof record.text !== 'string') return {};
    given.state.count += 1;
    const text = `${given.state.count} ${record.text}`;
    given.add({ type: 'message.added', data: { role: 'user', parts: [{ type: 'text', text }], trusted: false } });
    return { at: record.at as string };
  },
  begin: () => ({}),
  typeOf: () => 'message',
  said: {},
  leftOut: {},
  headFromStart: () => true,
  headFromEnd: () => true,
};

/** A variant whose list has the first text that it finds. */
const titled: Agent<{ turn: number; count: number }> = {
  ...small,
  headFromStart(record, head) {
    head.title ??= String(record.text);
    return true;
  },
};

const line = (text: string, more: object = {}): string => `${JSON.stringify({ text, ...more })}\n`;

describe('the reader of a foreign session', () => {
  it('continues after a position, without earlier events', async () => {
    using tree = createTree({ s: line('a') + line('b') });
    const reader = open(tree.root);
    const [, first, second] = eventsOf(await collect(reader.outcomes()));
    expect(textsOf(await collect(reader.outcomes({ after: first!.position })))).toEqual(['2 b']);
    appendFileSync(join(tree.root, 's'), line('c'));
    expect(textsOf(await collect(reader.outcomes({ after: second!.position })))).toEqual(['3 c']);
    expect(textsOf(await collect(reader.outcomes()))).toEqual(['1 a', '2 b', '3 c']);
    expect((await reader.first())?.type).toBe('session.created');
  });

  it('continues from a checkpoint of a different process, and reads no byte before it', async () => {
    using tree = createTree({ s: line('a') + line('b') });
    const before = open(tree.root);
    const last = eventsOf(await collect(before.outcomes())).at(-1)!;
    const from = JSON.parse(JSON.stringify(before.checkpoint())) as ForeignCheckpoint;
    appendFileSync(join(tree.root, 's'), line('c'));
    const reader = open(tree.root, { from });
    expect(await reader.holds(last.position)).toBe(true);
    expect(await reader.holds({ ...last.position, seq: last.seq + 1 })).toBe(false);
    expect(textsOf(await collect(reader.outcomes({ after: last.position })))).toEqual(['3 c']);
  });

  it.each<[string, (path: string) => void]>([
    ['was rewritten', (path) => writeFileSync(path, line('x') + line('y') + line('z'))],
    ['was cut', (path) => truncateSync(path, 5)],
    [
      'is a different file now',
      (path) => {
        writeFileSync(`${path}.new`, line('other'));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('begins a new generation if the source %s', async (_, change) => {
    using tree = createTree({ s: line('a') + line('b') });
    const reader = open(tree.root);
    const last = eventsOf(await collect(reader.outcomes())).at(-1)!;
    change(join(tree.root, 's'));
    expect(await reader.holds(last.position)).toBe(false);
    const events = eventsOf(await collect(reader.outcomes({ after: last.position })));
    for (const [seq, { position }] of events.entries()) expect(position).toEqual({ generation: 1, seq });
  });

  it('reads everything again if the checkpoint is of a different version of the module', async () => {
    using tree = createTree({ s: line('a') });
    const reader = open(tree.root);
    const last = eventsOf(await collect(reader.outcomes())).at(-1)!;
    const from = reader.checkpoint();
    const newer = openForeign({ ...small, version: 2 }, source(tree.root), { ...files, from });
    expect(await newer.holds(last.position)).toBe(false);
    expect(eventsOf(await collect(newer.outcomes()))[0]?.position.generation).toBe(1);
  });

  it('keeps the generation of a document that grew, and begins a new one after a changed record', async () => {
    using tree = createTree({ 's.json': '{"id":"s","messages":[{"text":"a"}],"updated":1}' });
    const path = join(tree.root, 's.json');
    const reader = open(tree.root, {}, 's.json');
    expect(textsOf(await collect(reader.outcomes()))).toEqual(['1 a']);
    writeFileSync(path, '{"id":"s","messages":[{"text":"a"},{"text":"b"}],"updated":2}');
    expect(textsOf(await collect(reader.outcomes({ after: { generation: 0, seq: 1 } })))).toEqual(['2 b']);
    writeFileSync(path, '{"id":"s","messages":[{"text":"A"},{"text":"b"}],"updated":3}');
    const events = eventsOf(await collect(reader.outcomes({ after: { generation: 0, seq: 1 } })));
    expect(events.map(({ position }) => position.generation)).toEqual([1, 1, 1]);
  });

  it('reads rows of a database as records, and begins a new generation after a changed one', async () => {
    using tree = createTree();
    const owner = new DatabaseSync(join(tree.root, 's.db'));
    owner.exec('CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT)');
    owner.exec("INSERT INTO message VALUES (1, 'a'), (2, 'b'), (3, 'c')");
    const reader = open(tree.root, {}, 's.db');
    const last = eventsOf(await collect(reader.outcomes())).at(-1)!;
    expect(last.data).toMatchObject({ parts: [{ text: '3 c' }], origin: { position: 40, length: 19 } });
    owner.exec("INSERT INTO message VALUES (4, 'd')");
    expect(textsOf(await collect(reader.outcomes({ after: last.position })))).toEqual(['4 d']);
    owner.exec("UPDATE message SET text = 'B' WHERE id = 2");
    expect(await reader.holds(last.position)).toBe(false);
    expect(textsOf(await collect(reader.outcomes({ after: last.position })))).toEqual(['1 a', '2 B', '3 c', '4 d']);
    expect(readHead(small, source(tree.root, 's.db'), files)).toEqual({ id: 's', title: 'a' });
    owner.close();
  });

  it('gives equal events at equal positions from the kept rows of a database, from any byte on', async () => {
    using tree = createTree();
    const owner = new DatabaseSync(join(tree.root, 's.db'));
    owner.exec('CREATE TABLE message(id INTEGER PRIMARY KEY, text TEXT)');
    owner.exec("INSERT INTO message VALUES (1, 'a'), (2, 'bä'), (3, 'c')");
    const there = source(tree.root, 's.db');
    const kept = Buffer.concat([...bytesOf(small, there, files)]);
    for (let from = 0; from <= kept.length; from++) {
      expect(Buffer.concat([...bytesOf(small, there, files, from)])).toEqual(kept.subarray(from));
    }
    const events = eventsOf(await collect(open(tree.root, {}, 's.db').outcomes()));
    writeFileSync(join(tree.root, 'kept.db'), kept);
    const again = openForeign(overKept(small), source(tree.root, 'kept.db'), files);
    const [, ...rest] = eventsOf(await collect(again.outcomes()));
    expect(rest).toEqual(events.slice(1));
    owner.close();
  });

  it('reads a packed file unpacked, also from a checkpoint, and keeps it unpacked', async () => {
    using tree = createTree({ 's.zst': zstdCompressSync(line('a')) });
    const reader = open(tree.root, {}, 's.zst');
    const last = eventsOf(await collect(reader.outcomes())).at(-1)!;
    writeFileSync(join(tree.root, 's.zst'), zstdCompressSync(line('a') + line('b')));
    expect(textsOf(await collect(reader.outcomes({ after: last.position })))).toEqual(['2 b']);
    expect(Buffer.concat([...bytesOf(small, source(tree.root, 's.zst'), files)]).toString()).toBe(
      line('a') + line('b'),
    );
    expect(overKept(small).stored(source(tree.root, 's.zst'))).toEqual({ kind: 'lines' });
    expect(readHead(small, source(tree.root, 's.zst'), files).id).toBe('s');
  });

  it('reads the head of a long packed file only from its beginning, also if the rest is damaged', () => {
    const many = Array.from({ length: 20_000 }, (_, index) =>
      line(`${index} ${createHash('sha256').update(`${index}`).digest('hex')}`),
    );
    const packed = zstdCompressSync(many.join(''));
    using tree = createTree({ 's.zst': packed });
    const path = join(tree.root, 's.zst');
    let bytes = 0;
    const counting = {
      ...nodeFileSystem,
      open(...[path, mode]: Parameters<typeof nodeFileSystem.open>) {
        const handle = nodeFileSystem.open(path, mode);
        return new Proxy(handle, {
          get(target, name) {
            if (name !== 'read') return Reflect.get(target, name);
            return (buffer: Uint8Array, position: number) => {
              const came = target.read(buffer, position);
              bytes += came;
              return came;
            };
          },
        });
      },
    };
    const head = () => readHead(titled, source(tree.root, 's.zst'), { ...files, fileSystem: counting });
    expect(head()).toMatchObject({
      title: expect.stringMatching(/^0 /),
      lastActivity: new Date(statSync(path).mtimeMs).toISOString(),
    });
    expect(packed.length).toBeGreaterThan(500_000);
    expect(bytes).toBeLessThanOrEqual(128 * 1024);
    writeFileSync(path, Buffer.concat([packed.subarray(0, 300_000), Buffer.from('x'.repeat(300_000))]));
    expect(head().title).toMatch(/^0 /);
  });

  it.each([
    [
      'a file that unpacks into far more than its size',
      zstdCompressSync(line('x'.repeat(1e7))),
      /unpacks into more than/,
    ],
    ['a file that was cut', zstdCompressSync(line('a')).subarray(0, 15), /cannot be unpacked/],
    ['an empty one', Buffer.alloc(0), /cannot be unpacked/],
  ])('refuses a packed file with %s', async (_, bytes, words) => {
    using tree = createTree({ 's.zst': bytes });
    const reading = collect(open(tree.root, {}, 's.zst').outcomes());
    await expect(reading).rejects.toMatchObject({ code: 'IO_FAILED', message: expect.stringMatching(words) });
  });

  it('reports half a document as damage, and gives no event', async () => {
    using tree = createTree({ 's.json': '{"id":"s","messages":[{"text":"a"}' });
    const outcomes = await collect(open(tree.root, {}, 's.json').outcomes());
    expect(outcomes).toMatchObject([{ kind: 'damage', damage: { kind: 'not-json' } }]);
  });

  it('gives an event without a time that of the one before, keeps own times, and never steps back', async () => {
    const [late, early] = ['2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00+01:00'];
    using tree = createTree({ s: line('x') + line('a', { at: late }) + line('b', { at: early }) + line('c') });
    const events = eventsOf(await collect(open(tree.root).outcomes()));
    expect(events.map(({ ts }) => ts)).toEqual(['', '', late, late, late]);
    const times = events.map(({ data }) => data.at);
    expect(times).toEqual([undefined, undefined, late, '2025-12-31T23:00:00.000Z', late]);
  });

  it('loses only the record that the module fails on', async () => {
    using tree = createTree({ s: line('a') + line('x', { explode: true }) + line('b') });
    const outcomes = await collect(open(tree.root).outcomes());
    expect(textsOf(outcomes)).toEqual(['1 a', '2 b']);
    expect(outcomes.filter(({ kind }) => kind === 'damage')).toHaveLength(1);
  });

  it('loses only the data of the session if the module fails on the beginning', async () => {
    using tree = createTree({ s: line('a') + line('b') });
    const begin = () => {
      throw new RangeError('a fault');
    };
    const reader = openForeign({ ...small, begin }, source(tree.root), files);
    const outcomes = await collect(reader.outcomes());
    expect(textsOf(outcomes)).toEqual(['1 a', '2 b']);
    expect(outcomes.filter(({ kind }) => kind === 'damage')).toHaveLength(1);
  });

  it('reports a head that the module fails on as an error of this session', () => {
    using tree = createTree({ s: line('a') });
    const headFromStart = () => {
      throw new TypeError('a fault');
    };
    expect(() => readHead({ ...small, headFromStart }, source(tree.root), files)).toThrow(
      expect.objectContaining({ code: 'IO_FAILED', message: `${join(tree.root, 's')} cannot be read: a fault.` }),
    );
  });

  it('reports glued, broken and unfinished lines as such', async () => {
    const glued = line('b').trimEnd() + line('c');
    using tree = createTree({ s: `${line('a')}${glued}{"text":"torn${line('d')}[1]\n\0\0\0\n${line('e')}{"text":"f` });
    const outcomes = await collect(open(tree.root).outcomes());
    expect(textsOf(outcomes)).toEqual(['1 a', '2 b', '3 c', '4 d', '5 e']);
    const damage = outcomes.flatMap((outcome) => (outcome.kind === 'damage' ? [outcome.damage.kind] : []));
    expect(damage).toEqual(['not-json', 'not-json', 'nul-run', 'torn-tail']);
  });

  it('lets other work run in a file without records for long', async () => {
    using tree = createTree({ s: `${JSON.stringify({ other: 'x'.repeat(10_000) })}\n`.repeat(500) + line('a') });
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    await collect(open(tree.root).outcomes());
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  it('reports that it was closed, also if its source is gone', async () => {
    using tree = createTree({ s: line('a') });
    const reader = open(tree.root);
    reader.close();
    await expect(collect(reader.outcomes())).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
    unlinkSync(join(tree.root, 's'));
    await expect(collect(open(tree.root).outcomes())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(open(tree.root).first()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('a follower of a foreign session', () => {
  it('shows new records once each is whole, through a rewrite and a time without the file', async () => {
    using tree = createTree({ s: line('a') });
    const path = join(tree.root, 's');
    const end = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const batch of open(tree.root).follow({ signal: end.signal })) seen.push(...textsOf(batch));
    })();
    await until(() => seen.length === 1);
    appendFileSync(path, '{"text":"b');
    appendFileSync(path, '"}\n');
    await until(() => seen.length === 2);
    unlinkSync(path);
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, line('x'));
    await until(() => seen.length === 3);
    end.abort();
    await following;
    expect(seen).toEqual(['1 a', '2 b', '1 x']);
  });
});

describe('a file that must not be read', () => {
  it.each<[string, (root: string) => void, string]>([
    ['a link', (root) => symlinkSync('/etc/passwd', join(root, 's')), 'is a link'],
    ['a directory', (root) => createInside(root), 'is a directory'],
  ])('%s is refused', async (_, make, words) => {
    using tree = createTree({ 'other/': '' });
    make(tree.root);
    await expect(collect(open(tree.root).outcomes())).rejects.toMatchObject({
      code: 'IO_FAILED',
      message: expect.stringContaining(words),
    });
  });

  it('is refused if it belongs to a different user', async () => {
    using tree = createTree({ s: line('a') });
    const reader = openForeign(small, source(tree.root), { ...files, uid: (files.uid ?? 0) + 1 });
    await expect(collect(reader.outcomes())).rejects.toMatchObject({
      message: expect.stringContaining('another user'),
    });
  });

  function createInside(root: string): void {
    renameSync(join(root, 'other'), join(root, 's'));
  }
});

function source(root: string, name = 's'): Source {
  return { agent: 'small', id: 's', path: join(root, name) };
}

function open(root: string, options: { from?: ForeignCheckpoint } = {}, name = 's') {
  return openForeign(small, source(root, name), { ...files, ...options, sleep: (ms) => wait(Math.min(ms, 5)) });
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function collect(batches: AsyncIterable<readonly Outcome<ForeignEvent>[]>): Promise<Outcome<ForeignEvent>[]> {
  const outcomes: Outcome<ForeignEvent>[] = [];
  for await (const batch of batches) outcomes.push(...batch);
  return outcomes;
}

function eventsOf(outcomes: readonly Outcome<ForeignEvent>[]): readonly ForeignEvent[] {
  return outcomes.flatMap((outcome) => (outcome.kind === 'event' ? [outcome.event] : []));
}

function textsOf(outcomes: readonly Outcome<ForeignEvent>[]): readonly string[] {
  return eventsOf(outcomes).flatMap(({ data }) => {
    const [part] = (data.parts ?? []) as { text: string }[];
    return part === undefined ? [] : [part.text];
  });
}
