// A store against a model of it that fits on a page: any sequence of creating, appending, snapshots, archiving,
// deleting, restoring, purging, reopening and crashing leaves exactly the model's words.
import fc from 'fast-check';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import type { JournalStore, JournalWriter } from '../../lib/journal/types.ts';
import {
  type MemoryFileSystem,
  manualClock,
  memoryFileSystem,
  silentLog,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { anyCharacter } from '../support/any-character.ts';
import { CREATED, read, say } from './store.contract.ts';

interface ModelSession {
  texts: string[];
  /** How many of them are on the device. */
  synced: number;
  snapshot: string | undefined;
  isOpen: boolean;
}

interface Model {
  readonly live: Map<string, ModelSession>;
  /** Oldest first. */
  readonly trash: { id: string; texts: readonly string[] }[];
  archived: number;
}

interface Real {
  readonly disk: MemoryFileSystem;
  readonly clock: ReturnType<typeof manualClock>;
  readonly writers: Map<string, JournalWriter>;
  store: JournalStore;
}

type Command = fc.AsyncCommand<Model, Real>;

function openStore(real: Pick<Real, 'disk' | 'clock'>): JournalStore {
  const ports = { clock: real.clock, ids: systemIds, process: thisProcess('a test'), log: silentLog };
  return openFileStore({ ...ports, fileSystem: real.disk }, { directory: '/sessions' });
}

function command(
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command {
  return {
    check,
    async run(model, real) {
      await run(model, real);
      await agree(model, real);
    },
    toString: () => name,
  };
}

async function agree(model: Model, { store, disk }: Real): Promise<void> {
  expect((await store.list()).map(({ id }) => id)).toEqual([...model.live.keys()].sort());
  for (const [id, { texts, snapshot }] of model.live) {
    expect(await read(store, id)).toEqual(texts);
    expect(await store.readDocument(id, 'snapshot')).toBe(snapshot);
  }
  const key = ({ id }: { id: string }) => id;
  expect((await store.listTrash()).map(key).sort()).toEqual(model.trash.map(key).sort());
  const archived = disk.stat('/sessions/archive') ? disk.readDirectory('/sessions/archive') : [];
  expect(archived).toHaveLength(model.archived);
}

const exists = (id: string) => (model: Model) => model.live.has(id);
const isOpen = (id: string) => (model: Model) => model.live.get(id)?.isOpen === true;
const isClosed = (id: string) => (model: Model) => model.live.get(id)?.isOpen === false;

function sessionOf(model: Model, id: string): ModelSession {
  const session = model.live.get(id);
  if (session === undefined) throw new Error(`the model has no ${id}`);
  return session;
}

const create = (id: string) =>
  command(
    `create ${id}`,
    (model) => !isOpen(id)(model),
    async (model, real) => {
      if (exists(id)(model)) {
        await expect(real.store.create(id, CREATED)).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
        return;
      }
      real.writers.set(id, await real.store.create(id, CREATED));
      model.live.set(id, { texts: [], synced: 0, snapshot: undefined, isOpen: true });
    },
  );

const append = (id: string, texts: readonly string[], durability: 'process' | 'disk') =>
  command(`append ${id} ${JSON.stringify(texts)} ${durability}`, isOpen(id), async (model, real) => {
    const receipts = await real.writers.get(id)?.append(texts.map(say), { durability });
    expect(receipts).toHaveLength(texts.length);
    const session = sessionOf(model, id);
    session.texts.push(...texts);
    if (durability === 'disk') session.synced = session.texts.length;
  });

const close = (id: string) =>
  command(`close ${id}`, isOpen(id), async (model, real) => {
    await real.writers.get(id)?.close();
    const session = sessionOf(model, id);
    session.isOpen = false;
    session.synced = session.texts.length;
  });

const reopen = (id: string) =>
  command(`reopen ${id}`, isClosed(id), async (model, real) => {
    const writer = await real.store.openWriter(id);
    expect(writer.report.damage).toEqual([]);
    real.writers.set(id, writer);
    const session = sessionOf(model, id);
    session.isOpen = true;
    session.synced = session.texts.length;
  });

const snapshot = (id: string, text: string) =>
  command(`snapshot ${id} ${JSON.stringify(text)}`, exists(id), async (model, real) => {
    await real.store.writeDocument(id, 'snapshot', text);
    sessionOf(model, id).snapshot = text;
  });

const archive = (id: string) =>
  command(`archive ${id}`, isClosed(id), async (model, real) => {
    await real.store.archive(id);
    model.live.delete(id);
    model.archived += 1;
  });

const trash = (id: string) =>
  command(`trash ${id}`, isClosed(id), async (model, real) => {
    const entry = await real.store.trash(id);
    expect(entry.id).toBe(id);
    model.trash.push({ id, texts: sessionOf(model, id).texts });
    model.live.delete(id);
  });

const restore = (id: string) =>
  command(
    `restore ${id}`,
    () => true,
    async (model, real) => {
      const index = model.trash.findLastIndex((entry) => entry.id === id);
      if (exists(id)(model)) {
        await expect(real.store.restore(id)).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
      } else if (index === -1) {
        await expect(real.store.restore(id)).rejects.toMatchObject({ code: 'TRASH_NOT_FOUND' });
      } else {
        await real.store.restore(id);
        const [{ texts }] = model.trash.splice(index, 1) as [Model['trash'][number]];
        model.live.set(id, { texts: [...texts], synced: texts.length, snapshot: undefined, isOpen: false });
      }
    },
  );

/** The oldest of an id: of its namesakes in the trash, the one that a restore would reach last. */
const purge = (id: string) =>
  command(
    `purge ${id}`,
    (model) => model.trash.some((entry) => entry.id === id),
    async (model, real) => {
      const oldest = (await real.store.listTrash()).findLast((entry) => entry.id === id);
      await real.store.purge(oldest?.entry ?? '');
      model.trash.splice(
        model.trash.findIndex((entry) => entry.id === id),
        1,
      );
    },
  );

/** A whole life in one step, so that the trash fills up with namesakes. */
const discard = (id: string, texts: readonly string[]) =>
  command(
    `discard ${id} ${JSON.stringify(texts)}`,
    (model) => !exists(id)(model),
    async (model, real) => {
      for (const step of [create(id), append(id, texts, 'disk'), close(id), trash(id)]) await step.run(model, real);
    },
  );

const pass = (ms: number) =>
  command(
    `pass ${ms} ms`,
    () => true,
    async (_, { clock }) => clock.advance(ms),
  );

const crash = () =>
  command(
    'crash',
    () => true,
    async (model, real) => {
      real.disk.crash();
      restart(model, real);
    },
  );

const powerCut = () =>
  command(
    'power cut',
    () => true,
    async (model, real) => {
      real.disk.powerCut();
      restart(model, real);
      for (const [id, session] of model.live) {
        const kept = (await read(real.store, id)).filter((text) => !text.startsWith('('));
        // Everything acknowledged as on disk exists; of the rest, all that exists was written, in its order.
        expect(kept.length).toBeGreaterThanOrEqual(session.synced);
        expect(session.texts.slice(0, kept.length)).toEqual(kept);
        session.texts = kept;
        session.synced = kept.length;
      }
    },
  );

function restart(model: Model, real: Real): void {
  for (const session of model.live.values()) session.isOpen = false;
  real.writers.clear();
  real.store = openStore(real);
}

const id = fc.constantFrom('a', 'b');
const texts = fc.array(fc.string({ maxLength: 20, unit: anyCharacter }), { minLength: 1, maxLength: 4 });
const COMMANDS = [
  id.map(create),
  fc.tuple(id, texts, fc.constantFrom('process' as const, 'disk' as const)).map((given) => append(...given)),
  fc.tuple(id, texts, fc.constant('disk' as const)).map((given) => append(...given)),
  id.map(close),
  id.map(reopen),
  fc.tuple(id, fc.string({ maxLength: 20 })).map((given) => snapshot(...given)),
  id.map(archive),
  id.map(trash),
  fc.tuple(id, texts).map((given) => discard(...given)),
  id.map(restore),
  id.map(purge),
  fc.constantFrom(0, 400, 1000, 86_400_000).map(pass),
  fc.constant(null).map(crash),
  fc.constant(null).map(powerCut),
];

describe('a store', () => {
  it('behaves like the model, in any sequence of operations and failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async (commands) => {
        const setUp = () => {
          const clock = manualClock();
          const disk = memoryFileSystem({ clock });
          const model: Model = { live: new Map(), trash: [], archived: 0 };
          const real: Real = { disk, clock, writers: new Map(), store: openStore({ disk, clock }) };
          return { model, real };
        };
        await fc.asyncModelRun(setUp, commands);
      }),
      { numRuns: 120 },
    );
  });
});
