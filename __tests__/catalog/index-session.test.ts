// The law of indexing: however often a session was indexed while it grew, and wherever an indexing was stopped, the
// catalogue says the same of it in the end as after one reading of all of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { openCatalog } from '../../lib/catalog/catalog.ts';
import { indexSession, isAsRead, isIndexed, knownSessions, removeSession } from '../../lib/catalog/index-session.ts';
import type { TextSource } from '../../lib/catalog/text-source.ts';
import type { StoredEvent } from '../../lib/journal/types.ts';
import { nodeFileSystem, silentLog, thisProcess } from '../../lib/platform/index.ts';
import { arbitrarySession } from '../support/arbitrary-session.ts';
import { event, readerOf, stored } from '../support/event-list.ts';

const PLACE = { agent: 'ollm', directory: '/somewhere' };
const OPTIONS = { clean: (text: string) => text, outputs: true };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ollm-index-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const catalog = () => openCatalog({ home, fileSystem: nodeFileSystem, process: thisProcess('test'), log: silentLog });

/** `begins`: whether the source still begins as it did. */
function sourceOf(
  id: string,
  events: readonly StoredEvent[],
  { begins = true, isThere = (): boolean => true } = {},
): TextSource {
  return {
    ...PLACE,
    id,
    path: `/somewhere/${id}`,
    file: { inode: 7n, size: events.length, changedNs: BigInt(events.length) },
    version: '1',
    isThere,
    open: async () => ({
      reader: readerOf(events),
      holds: async () => begins,
      copied: () => ({}),
      programId: () => undefined,
      checkpoint: () => ({ seen: events.length }),
    }),
  };
}

/** A source that is one of many in a file. */
function withContent(source: TextSource, hash: string, failure?: Error): TextSource {
  return {
    ...source,
    content: () => hash,
    async open(saved) {
      const opened = await source.open(saved);
      const failing = () => {
        throw failure;
      };
      const reader = failure === undefined ? opened.reader : { ...opened.reader, outcomes: failing };
      return { ...opened, reader, content: () => ({ hash, isCertain: true }) };
    },
  };
}

/** The rows that the catalogue has of a session, without the numbers that it gave. */
function rowsOf(database: DatabaseSync, id: string): object {
  const [session] = database.prepare('SELECT * FROM sessions WHERE id = ?').all(id);
  const number = Number(session?.number);
  const texts = database.prepare('SELECT seq, message, key, role, at, kind, size, tool, about, cut FROM messages');
  const counted = database.prepare('SELECT * FROM counted WHERE session = ? ORDER BY seq, record').all(number);
  return {
    session: { ...session, number: 0, id: '', path: '' },
    texts: database
      .prepare(`${texts.sourceSQL} WHERE session = ? ORDER BY seq, kind, size`)
      .all(number)
      .map((row) => ({ ...row })),
    counted: counted.map((row) => ({ ...row, session: 0 })),
  };
}

async function indexed(source: TextSource) {
  const outcome = await catalog().edit(async (edit) => {
    const report = await indexSession(edit, source, OPTIONS);
    await edit.flush();
    return report;
  });
  return outcome.kind === 'done' ? outcome.value : undefined;
}

describe('an indexed session', () => {
  it('is equal after any partial readings and after one reading', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrarySession({ maxLength: 25 }),
        fc.array(fc.record({ at: fc.nat(25), begins: fc.boolean() }), { maxLength: 3 }),
        async (more, cuts) => {
          const events = stored([event.created(), ...more]);
          await indexed(sourceOf('whole', events));
          for (const { at, begins } of [...cuts].sort((one, other) => one.at - other.at)) {
            await indexed(sourceOf('cut', events.slice(0, at + 1), { begins }));
          }
          await indexed(sourceOf('cut', events));
          await catalog().edit(async (edit) => {
            expect(rowsOf(edit.database, 'cut')).toEqual(rowsOf(edit.database, 'whole'));
            for (const number of knownSessions(edit.database, PLACE).values()) await removeSession(edit, number.number);
            expect(edit.database.prepare('SELECT count(*) AS count FROM messages').get()).toEqual({ count: 0 });
          });
        },
      ),
      { numRuns: 12 },
    );
  });

  it('continues after the last event, and is read again if the beginning of its source changed', async () => {
    const events = stored([event.created(), event.said('user', 'oak'), event.said('user', 'elm')]);
    await indexed(sourceOf('one', events.slice(0, 2)));
    expect(await indexed(sourceOf('one', events))).toMatchObject({ rows: 1, continued: true });
    expect(await indexed(sourceOf('one', events, { begins: false }))).toMatchObject({ rows: 2, continued: false });
    await catalog().edit(async (edit) => {
      const known = knownSessions(edit.database, PLACE).get('one');
      expect(isIndexed(known, sourceOf('one', events), OPTIONS)).toBe(true);
      expect(isIndexed(known, sourceOf('one', events.slice(0, 2)), OPTIONS)).toBe(false);
      expect(isIndexed(known, sourceOf('one', events), { outputs: false })).toBe(false);
    });
  });

  it('is read again after an indexing that broke off, though its source is again as it was before that', async () => {
    const events = stored([event.created(), event.said('user', 'oak')]);
    const source = withContent(sourceOf('one', events), 'oak');
    await indexed(source);
    const isKnown = () =>
      catalog().edit(async (edit) => isAsRead(knownSessions(edit.database, PLACE).get('one'), source, OPTIONS));
    expect(await isKnown()).toMatchObject({ value: true });
    const broken = withContent(sourceOf('one', events, { begins: false }), 'elm', new Error('The disk is gone.'));
    await expect(indexed(broken)).rejects.toThrow('The disk is gone.');
    expect(await isKnown()).toMatchObject({ value: false });
    await indexed(source);
    expect(await isKnown()).toMatchObject({ value: true });
  });

  it('that was purged in the meantime leaves no rows', async () => {
    const events = stored([event.created(), event.said('user', 'a secret')]);
    await indexed(sourceOf('gone', events, { isThere: () => false }));
    await catalog().edit(async (edit) => {
      expect(knownSessions(edit.database, PLACE).size).toBe(0);
      expect(edit.database.prepare('SELECT count(*) AS count FROM messages').get()).toEqual({ count: 0 });
    });
  });
});
