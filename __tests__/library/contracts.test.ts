// The contracts that ollm publishes: a store that the guide makes of a database passes them, folds do, and broken ones
// do not. The stores of ollm are held against them in journal/store.contract.ts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteFileSystem } from '../../docs/examples/sqlite-store.ts';
import { foldContract, journalContract, sessionContract, storeContract } from '../../lib/contracts.ts';
import {
  budgetFold,
  contextFold,
  type Fold,
  loopFold,
  openMemoryStore,
  openSessionStore,
  openStoreOver,
  replay,
  sessionFold,
  summaryFold,
  viewFold,
} from '../../lib/index.ts';

const fileUrl = (path: string) => new URL(`../../${path}`, import.meta.url).href;

/** The guide's store, in a directory of its own. */
function openDatabase() {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-contract-')));
  const opened: ReturnType<typeof sqliteFileSystem>[] = [];
  const another = () => {
    opened.push(sqliteFileSystem(join(directory, 'sessions.sqlite')));
    return openStoreOver(opened.at(-1)!);
  };
  const dispose = () => {
    for (const files of opened) files[Symbol.dispose]();
    rmSync(directory, { recursive: true });
  };
  return { directory, store: another(), another, dispose };
}

describe('a store in a database, written by the guide', () => {
  const cases = [...storeContract(openDatabase), ...journalContract(openDatabase), ...sessionContract(openDatabase)];
  for (const { name, run } of cases) it(`keeps the rule: ${name}`, run);

  it('loses nothing acknowledged when its program is killed, and its lock is free then', async () => {
    const { directory, store, dispose } = openDatabase();
    const program = `
      import { openSessionStore, openStoreOver } from ${JSON.stringify(fileUrl('lib/index.ts'))};
      import { sqliteFileSystem } from ${JSON.stringify(fileUrl('docs/examples/sqlite-store.ts'))};
      const store = openStoreOver(sqliteFileSystem(${JSON.stringify(join(directory, 'sessions.sqlite'))}));
      const session = await openSessionStore(store).openOrCreate({ name: 'Garden' });
      for (let at = 0; at < 20; at += 1) await session.append({ role: 'user', content: 'question ' + at });
      process.kill(process.pid, 'SIGKILL');`;
    const { signal, stderr } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    {
      await using session = await openSessionStore(store).openOrCreate({ name: 'Garden' });
      const { messages } = await session.messages('openai-chat');
      const questions = Array.from({ length: 20 }, (_, at) => ({ type: 'text', text: `question ${at}` }));
      expect(messages.at(-1)).toEqual({ role: 'user', content: questions });
    }
    dispose();
  });
});

interface GardenEvents {
  'garden.watered': { readonly litres: number };
}

const waterFold: Fold<number, 'garden.watered', GardenEvents> = {
  name: 'water',
  version: 1,
  reads: ['garden.watered'],
  initial: () => 0,
  apply: (litres, { data }) => litres + data.litres,
};

/** A fold that checks the data of its own types: an older version may have written another form. */
const readWater: typeof waterFold = {
  ...waterFold,
  apply: (litres, { data }) => litres + (data.litres ?? 0),
};

describe.each<Fold<unknown, never, never>>([
  ...[sessionFold, viewFold, budgetFold, loopFold, contextFold, summaryFold, waterFold],
] as never)('the fold $name', (fold) => {
  const own = [{ type: 'garden.watered', data: { litres: 3 }, ignorable: true }] as const;
  for (const { name, run } of foldContract(fold, own)) it(`keeps the law: ${name}`, run);
});

it('a program appends events of its own types, and its fold reads them', async () => {
  const store = openMemoryStore();
  await using session = await openSessionStore(store).openOrCreate({ name: 'Garden' });
  await session.session.append<GardenEvents>([
    { type: 'garden.watered', data: { litres: 3 }, ignorable: true },
    { type: 'session.titled', data: { title: 'Wet garden' } },
    { type: 'garden.watered', data: { litres: 4 }, ignorable: true },
  ]);
  // @ts-expect-error: the data of the type is another
  const wrong = session.session.append<GardenEvents>({ type: 'garden.watered', data: { pints: 3 }, ignorable: true });
  // @ts-expect-error: the type is not among those
  const other = session.session.append<GardenEvents>({ type: 'garden.mown', data: {}, ignorable: true });
  await Promise.all([wrong, other]);
  using reader = store.openReader(session.id);
  const { states, counts } = await replay(reader, { water: readWater, summary: summaryFold });
  const litres: number = states.water;
  expect([litres, states.summary.title, counts.invalid]).toEqual([7, 'Wet garden', 0]);
});

it('the contract of a fold detects a fold with state outside itself, and one that cannot be saved', async () => {
  let outside = 0;
  const broken: readonly Fold<unknown, 'message.added'>[] = [
    { name: 'x', version: 1, reads: ['message.added'], initial: () => 0, apply: () => ++outside },
    {
      name: 'x',
      version: 1,
      reads: ['message.added'],
      initial: () => new Set(),
      apply: (set) => (set as Set<number>).add(1),
    },
    { name: 'x', version: 1, reads: ['message.added', 'message.added'], initial: () => 0, apply: () => 1 },
  ];
  for (const fold of broken) {
    const results = await Promise.allSettled(foldContract(fold).map(({ run }) => run()));
    expect(results.filter(({ status }) => status === 'rejected')).not.toHaveLength(0);
  }
});

it('the contract of a store detects a store that forgets, repeats or locks nothing', async () => {
  const failed = async (change: (store: ReturnType<typeof openMemoryStore>) => object) => {
    const open = () => {
      const store = openMemoryStore();
      const changed = { ...store, ...change(store) };
      return { store: changed, another: () => changed };
    };
    const cases = [...storeContract(open), ...journalContract(open), ...sessionContract(open)];
    const results = await Promise.allSettled(cases.map(({ run }) => run()));
    return cases.flatMap(({ name }, index) => (results[index]!.status === 'rejected' ? [name] : []));
  };
  expect(await failed(() => ({}))).toEqual([]);
  expect(await failed(() => ({ purge: async () => {} }))).toContain(
    'A purged session is gone permanently, and no other one is',
  );
  expect(await failed((store) => ({ ids: async () => (await store.ids()).toReversed() }))).toContain(
    'A list has each session once, by its id, with its size',
  );
  expect(await failed(() => ({ writeDocument: async () => {} }))).toContain(
    'A document is replaced as a whole, from one text or many',
  );
});

it('the guide to a custom store takes fewer than 300 lines', () => {
  const path = new URL('../../docs/examples/sqlite-store.ts', import.meta.url);
  expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(300);
});
