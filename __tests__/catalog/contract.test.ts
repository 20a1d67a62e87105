// The contract of a catalogue: one that is kept in a file, and one that keeps nothing, answer every caller by the same
// laws. A catalogue may know less than it was given, and never anything else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { type Catalog, noCatalog, openCatalog, type RowsPlace } from '../../lib/catalog/catalog.ts';
import { type ListedRows, ListTable, stampOf } from '../../lib/catalog/list-table.ts';
import type { JournalFileInfo } from '../../lib/journal/types.ts';
import { type Log, nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';

const PLACES: readonly RowsPlace[] = [
  { agent: 'ollm', directory: '/one/store', reader: '1' },
  { agent: 'ollm', directory: '/other/store', reader: '1' },
  { agent: 'claude', directory: '/one/store', reader: '1' },
];
const IDS = ['a', 'b', 'c'];

/** `version`: a file that changed has another size and time. */
function infoOf(id: string, version: number): JournalFileInfo {
  const changedNs = BigInt(version) * 1_000_000_000n;
  return { id, bytes: 100 + version, modifiedMs: version * 1_000, inode: 7n, changedNs, isOrdinary: true };
}

function rowOf({ agent, directory }: RowsPlace, id: string, version: number): ListedRows {
  const info = infoOf(id, version);
  const stamp = stampOf({ ...info, size: info.bytes });
  const row = { address: `${agent}:${id}`, agent, project: directory, remote: undefined, lastActivity: `${version}` };
  return {
    source: { owner: agent, directory, key: id, stamp },
    rows: { always: row },
    summary: { id, title: `${id} ${version}` },
  };
}

const BLANK = { address: '', agent: '', project: undefined, remote: undefined, lastActivity: undefined };

function closing<One extends { close(): void }>(one: One): One & Disposable {
  return Object.assign(one, { [Symbol.dispose]: () => one.close() });
}

const isCurrent = () => true;
const mayStore = () => true;
const keyOf = ({ agent, directory }: RowsPlace, id: string) => `${agent} ${directory}/${id}`;

const where = fc.constantFrom(...PLACES);
const id = fc.constantFrom(...IDS);
const version = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('store' as const), where, id, version }),
  fc.record({ kind: fc.constant('stale' as const), where, id, version }),
  fc.record({ kind: fc.constant('secret' as const), where, id, version }),
  fc.record({ kind: fc.constant('all' as const), where, ids: fc.uniqueArray(id) }),
  fc.record({ kind: fc.constant('forget' as const), where, ids: fc.uniqueArray(id) }),
);

interface Kind {
  readonly name: string;
  readonly keeps: boolean;
  open(home: string): Catalog;
}

const KINDS: readonly Kind[] = [
  {
    name: 'kept in a file',
    keeps: true,
    open: (home) => openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('test'), log: silentLog }),
  },
  { name: 'that keeps nothing', keeps: false, open: () => noCatalog },
];

describe.each(KINDS)('a catalogue $name', ({ keeps, open }) => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ollm-contract-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('returns for each store the rows stored last, for exactly the files that they were read from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const place = mkdtempSync(join(home, 'of-'));
        const catalog = open(place);
        const stored = new Map<string, ListedRows>();
        for (const each of steps) {
          if (each.kind === 'forget') {
            expect(await catalog.forget(each.ids.map((id) => ({ ...each.where, id })))).toBe(true);
            for (const gone of each.ids) stored.delete(keyOf(each.where, gone));
          } else if (each.kind === 'all') {
            const all = new Set(each.ids);
            catalog.update(each.where, async () => ({ found: [], isCurrent, mayStore, all }));
            for (const any of IDS) if (!all.has(any)) stored.delete(keyOf(each.where, any));
          } else {
            const row = rowOf(each.where, each.id, each.version);
            const isDropped = each.kind === 'stale' || each.kind === 'secret';
            catalog.update(each.where, async () => ({
              found: [row],
              isCurrent: () => each.kind !== 'stale',
              mayStore: async () => each.kind !== 'secret',
            }));
            if (!isDropped) stored.set(keyOf(each.where, each.id), row);
          }
        }
        await catalog.close();
        // The second is a catalogue as another process opens it.
        for (const reader of [catalog, open(place)]) await expectFound(reader, stored);
      }),
      { numRuns: 100 },
    );
  });

  async function expectFound(catalog: Catalog, stored: ReadonlyMap<string, ListedRows>): Promise<void> {
    for (const place of PLACES) {
      for (const which of [1, 2, 3]) {
        const { rows } = await catalog.find(
          place,
          IDS.map((each) => infoOf(each, which)),
        );
        const right = IDS.flatMap((each) => {
          const row = stored.get(keyOf(place, each));
          const info = infoOf(each, which);
          const isSame = row !== undefined && row.source.stamp === stampOf({ ...info, size: info.bytes });
          return isSame ? [[each, row.summary] as const] : [];
        });
        expect([...rows]).toEqual(keeps ? right : []);
        // What another version read is not believed.
        expect((await catalog.find({ ...place, reader: '2' }, [infoOf('a', which)])).rows.size).toBe(0);
      }
      using table = closing(new ListTable({ own: 'ollm', blank: BLANK }));
      const { agent: owner, directory } = place;
      await table.load(catalog.attach, { owner, directories: [directory], reader: '1' });
      const here = [...stored].filter(([key]) => key.startsWith(keyOf(place, '')));
      expect(table.rows({}).map(({ address }) => address)).toHaveLength(keeps ? here.length : 0);
      const count = [...stored.keys()].filter((key) => key.startsWith(keyOf(place, ''))).length;
      expect((await catalog.find(place, [])).count).toBe(keeps ? count : 0);
    }
  }

  it('never fails with an error, before the first write and after it', async () => {
    const catalog = open(home);
    const ask = () =>
      catalog.ask((database) => Number(database.prepare('SELECT count(*) AS n FROM sessions').get()!.n));
    expect((await ask()).kind).toBe(keeps ? 'absent' : 'refused');
    expect(await catalog.find(PLACES[0]!, [infoOf('a', 1)])).toEqual({ rows: new Map(), count: 0 });
    expect(await catalog.forget(IDS.map((id) => ({ ...PLACES[0]!, id })))).toBe(true);
    const edited = await catalog.edit(async () => 'written');
    expect(edited).toEqual(
      keeps ? { kind: 'done', value: 'written' } : { kind: 'refused', reason: expect.any(String) },
    );
    expect(await ask()).toEqual(keeps ? { kind: 'done', value: 0 } : { kind: 'refused', reason: expect.any(String) });
  });

  it('has finished all earlier updates before an edit begins, in their order', async () => {
    const catalog = open(home);
    const begun: number[] = [];
    for (const number of [1, 2, 3]) {
      catalog.update(PLACES[0]!, async () => {
        begun.push(number);
        return { found: [rowOf(PLACES[0]!, 'a', number)], isCurrent, mayStore };
      });
    }
    expect(begun).toEqual([]);
    await catalog.edit(async () => {
      begun.push(4);
    });
    await catalog.close();
    expect(begun).toEqual(keeps ? [1, 2, 3, 4] : []);
  });
});

describe('an update that fails', () => {
  it('is reported by the log, ends no process, and leaves the next update its turn', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ollm-contract-'));
    const warned: unknown[] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields, message) => warned.push([fields.operation, message, fields.error]),
    };
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    try {
      const catalog = openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('test'), log });
      const [place] = PLACES as [RowsPlace];
      // As after an update of the program: a part that is loaded late is not there any more.
      const gone = pathToFileURL(join(home, 'listed-journal.js')).href;
      catalog.update(place, () => import(gone));
      // A value that SQLite does not take.
      const { source } = rowOf(place, 'a', 1);
      const odd = { source, rows: { always: { address: {} } } } as unknown as ListedRows;
      catalog.update(place, async () => ({ found: [odd], isCurrent, mayStore }));
      catalog.update(place, async () => ({ found: [rowOf(place, 'b', 1)], isCurrent, mayStore }));
      await catalog.close();
      await new Promise((resolve) => setImmediate(resolve));
      const { rows, count } = await catalog.find(
        place,
        ['a', 'b'].map((each) => infoOf(each, 1)),
      );
      expect([[...rows.keys()], count]).toEqual([['b'], 1]);
    } finally {
      process.off('unhandledRejection', listener);
      rmSync(home, { recursive: true });
    }
    expect(unhandled).toEqual([]);
    const said = 'What a list read could not be stored';
    expect(warned).toEqual([
      ['update', said, expect.objectContaining({ code: expect.stringContaining('MODULE_NOT_FOUND') })],
      ['update', said, expect.any(Error)],
    ]);
  });
});
