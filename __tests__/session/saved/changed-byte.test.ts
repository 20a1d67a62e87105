// A journal that another program has changed, copied or touched: a list and an opening that could continue from the
// state file give what a reading of the whole journal gives. On a real disk, because its times decide.
import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { openFileStore, openSessionStore, type SessionStore } from '../../../lib/index.ts';
import type { JournalStore } from '../../../lib/journal/types.ts';
import { summaryFold } from '../../../lib/projections/summary.ts';
import { savedState, trustedState } from '../../../lib/session/saved/saved-state.ts';
import { readState } from '../../../lib/session/saved/state-file.ts';
import { spentIn } from '../../../lib/session/spent.ts';
import { summarize, summarizeListed } from '../../../lib/session/summarize.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { turnEvents } from '../world.ts';

let tree: Tree;
let sessions: SessionStore;
let store: JournalStore;
const pathOf = (directory = 'sessions') => join(tree.root, directory, 'notes.jsonl');
beforeEach(async () => {
  tree = createTree();
  sessions = openSessionStore(join(tree.root, 'sessions'));
  ({ store } = sessions);
  await using session = await sessions.openOrCreate({ name: 'Notes', system: 'Be terse.' });
  for (const turn of [1, 2, 3]) await session.session.append(turnEvents(turn, `What is in note ${turn}?`, 'A list.'));
});
afterEach(() => tree[Symbol.dispose]());

function writeByte(offset: number, byte: number): void {
  const file = openSync(pathOf(), 'r+');
  writeSync(file, Uint8Array.of(byte), 0, 1, offset);
  closeSync(file);
}

/** Changes a letter of the first question. */
function changeMiddle(): void {
  writeByte(readFileSync(pathOf()).indexOf('"text":"What is in note 1') + 9, 'u'.charCodeAt(0));
}

/** What can be known of the session without a look at its state file. */
function withoutStates(at: JournalStore): JournalStore {
  return { ...at, readDocument: async (_id, kind) => (kind === 'state' ? undefined : at.readDocument(_id, kind)) };
}

/** How often all lines were checked. */
function countingChecks(at: JournalStore) {
  const counted = { checks: 0, readings: 0 };
  const counting: JournalStore = {
    ...at,
    openReader(id, archive) {
      const reader = at.openReader(id, archive);
      return {
        ...reader,
        verify(options) {
          counted.checks += 1;
          return reader.verify(options);
        },
        outcomes(options) {
          if (options?.after === undefined) counted.readings += 1;
          return reader.outcomes(options);
        },
      };
    },
  };
  return { counted, counting };
}

it('a single changed byte anywhere in a journal is known to lists and sums as to a reading of all of it', async () => {
  const bytes = readFileSync(pathOf());
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (offset, byte) => {
      writeByte(offset, byte);
      try {
        const [info] = await store.list();
        const whole = { ...(await summarize(withoutStates(store), 'notes')), atRest: expect.any(Boolean) };
        expect(await summarize(store, 'notes')).toEqual(whole);
        expect(await summarizeListed(store, info!)).toEqual(whole);
        expect(await spentIn(store, 'notes')).toEqual(await spentIn(withoutStates(store), 'notes'));
        using reader = store.openReader('notes');
        expect((await trustedState(store, reader)) === undefined).toBe(whole.damaged > 0 || byte === 10);
      } finally {
        writeByte(offset, bytes[offset]!);
        // The list saves that the journal is as it was.
        expect(await sessions.list()).toMatchObject([{ damaged: 0, turnCount: 3 }]);
      }
    }),
    { numRuns: 100 },
  );
});

it('a changed byte is known to a list and to an opening, and the rest of the journal is read', async () => {
  changeMiddle();
  const [listed] = await sessions.list();
  expect(listed).toMatchObject({ damaged: 1, turnCount: 2 });
  await using session = await sessions.openOrCreate({ name: 'Notes' });
  expect(session.report.damage).toMatchObject([{ kind: 'bad-checksum' }]);
  expect(session.report.notices.join()).toContain('damaged');
});

it('a byte that was changed while the session was open is known after it was closed', async () => {
  {
    await using session = await sessions.openOrCreate({ name: 'Notes' });
    await session.append({ role: 'user', content: 'And now?' });
    // A change in the same moment may have the time of the append.
    await sleep(25);
    changeMiddle();
    await session.append({ role: 'assistant', content: 'Nothing.' });
  }
  expect((await readState(store, 'notes'))?.stamp).toBe('');
  expect(await sessions.list()).toMatchObject([{ damaged: 1 }]);
});

it('a byte that was changed after a kill is known, although the journal is longer than its state file says', async () => {
  const session = await sessions.openOrCreate({ name: 'Notes' });
  await session.append({ role: 'user', content: 'And now?' });
  await session.session.writer.close();
  changeMiddle();
  expect(await sessions.list()).toMatchObject([{ damaged: 1 }]);
});

it.each<[string, () => void]>([
  ['touched', () => utimesSync(pathOf(), 1, 1)],
  ['given other permissions', () => chmodSync(pathOf(), 0o400)],
  [
    'exchanged for a copy',
    () => {
      cpSync(pathOf(), `${pathOf()}.new`);
      renameSync(`${pathOf()}.new`, pathOf());
    },
  ],
])('a journal that was %s is checked once, and nothing is lost', async (_, change) => {
  const before = await sessions.list();
  change();
  const { counted, counting } = countingChecks(store);
  const over = openSessionStore(counting);
  expect(await over.list()).toEqual(before);
  expect(counted).toEqual({ checks: 1, readings: 0 });
  expect(await over.list()).toEqual(before);
  expect(counted).toEqual({ checks: 1, readings: 0 });
});

it('a copied directory costs one check of each journal, also in an opening, and an unchanged one none', async () => {
  cpSync(join(tree.root, 'sessions'), join(tree.root, 'copy'), { recursive: true, preserveTimestamps: true });
  const { counted, counting } = countingChecks(openFileStore(join(tree.root, 'copy')));
  const copy = openSessionStore(counting);
  await (await copy.openOrCreate({ name: 'Notes' })).close();
  expect(counted.checks).toBe(1);
  await (await copy.openOrCreate({ name: 'Notes' })).close();
  await copy.list();
  using reader = counting.openReader('notes');
  expect(await savedState(counting, reader, { ...summaryFold, name: 'summary' })).toBeDefined();
  expect(counted.checks).toBe(1);
});

it('a list of a directory that cannot be written has the same rows', async () => {
  const before = await sessions.list();
  utimesSync(pathOf(), 1, 1);
  const refused: JournalStore = {
    ...store,
    writeDocument: () => Promise.reject(Object.assign(new Error('no'), { code: 'EROFS' })),
  };
  expect(await openSessionStore(refused).list()).toEqual(before);
  expect(statSync(pathOf()).mtimeMs).toBe(1000);
});
