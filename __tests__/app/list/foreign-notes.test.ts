// The user's notes on sessions of other programs hold wherever those are shown, and no byte of their files changes.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { App } from '../../../lib/app/app.ts';
import { importForeign } from '../../../lib/app/import/import-sessions.ts';
import { watchForeign } from '../../../lib/app/import/watch-sessions.ts';
import { foreignTitles, hiddenSessions, hideSession, titleForeign } from '../../../lib/app/list/foreign-notes.ts';
import { listAll } from '../../../lib/app/list/list-all.ts';
import { recall } from '../../../lib/app/recall/recall.ts';
import { deleteForeign, findDeletable, restoreForeign } from '../../../lib/app/sessions/change/delete-session.ts';
import { titleStored } from '../../../lib/app/sessions/change/title-session.ts';
import { listPage } from '../../../lib/app/sessions/read/list-page.ts';
import { showSession } from '../../../lib/app/sessions/read/show-session.ts';
import { sessionsToPick } from '../../../lib/repl/pick-session.ts';
import { type HubWorld, hubWorld } from '../../hub/world.ts';

let hub: HubWorld;
let folder: string;
beforeEach(async () => {
  hub = hubWorld();
  folder = join(hub.home, '.claude/projects/-home-ada-garden');
  mkdirSync(folder, { recursive: true });
  for (const id of ['aa11', 'bb22']) {
    const message = { role: 'user', content: `Where do pelicans sleep, ${id}?` };
    const record = {
      type: 'user',
      uuid: `u-${id}`,
      timestamp: '2026-01-02T03:04:05.000Z',
      cwd: '/home/ada/garden',
      message,
    };
    writeFileSync(join(folder, `${id}.jsonl`), `${JSON.stringify({ ...record, sessionId: id, version: '2.1.0' })}\n`);
  }
  await hub.sync();
});
afterEach(() => hub.remove());

const look = () =>
  readdirSync(folder).map((name) => {
    const { ino, mtimeMs, size } = statSync(join(folder, name));
    return { name, ino, mtimeMs, size, text: readFileSync(join(folder, name), 'utf8') };
  });

const remove = async (app: App, reference: string, options = {}) => {
  const found = await findDeletable(app, reference);
  if (found.kind === 'own') throw new Error('It is one of ours.');
  return deleteForeign(app, found, options);
};

describe('a session of a foreign program that the user deleted', () => {
  it('is in no list, no search, no recall, no picker and no import, until it is restored', async () => {
    const before = look();
    const shown = () =>
      hub.withApp(async (app) => ({
        list: (await listAll(app)).rows.map(({ address }) => address).sort(),
        hidden: (await listAll(app, { withHidden: true })).rows.length,
        page: (await listPage(app, { limit: 10 })).rows.map(({ address }) => address).sort(),
        search: await hub.addresses('pelicans'),
        recall: (await recall(app, { text: 'pelicans sleep' })).passages.map(({ place }) => place).sort(),
        picker: (await sessionsToPick(app))
          .find('')
          .map(({ reference }) => reference)
          .sort(),
      }));
    const both = ['claude:aa11', 'claude:bb22'];
    const bothHits = ['claude:aa11#u-aa11', 'claude:bb22#u-bb22'];
    const all = { list: both, page: both, picker: both, search: bothHits, recall: bothHits, hidden: 2 };
    expect(await shown()).toEqual(all);
    await hub.withApp((app) => remove(app, 'claude:aa'));
    const one = ['claude:bb22'];
    const oneHit = ['claude:bb22#u-bb22'];
    expect(await shown()).toEqual({ list: one, page: one, picker: one, search: oneHit, recall: oneHit, hidden: 2 });
    expect(await hub.withApp((app) => importForeign(app, { all: true }))).toMatchObject({ imported: 1, deleted: 1 });
    await hub.withApp(async (app) => {
      const once = { once: true, signal: new AbortController().signal };
      await watchForeign(app, { ...once, onWalk: ({ report }) => expect(report).toMatchObject({ deleted: 1 }) });
      expect((await app.store.list()).map(({ id }) => id)).toEqual(['claude-bb22']);
      expect(await restoreForeign(app, 'claude:AA')).toEqual({ address: 'claude:aa11', importId: undefined });
    });
    expect(await shown()).toEqual(all);
    expect(look()).toEqual(before);
  });

  it('is deleted with its import, and restored with it', async () => {
    await hub.withApp(async (app) => {
      await importForeign(app, { addresses: ['claude:aa11'] });
      expect(await remove(app, 'claude:aa11')).toMatchObject({ id: 'claude-aa11' });
      expect(await app.store.has('claude-aa11')).toBe(false);
      expect(await restoreForeign(app, 'claude:aa11')).toEqual({ address: 'claude:aa11', importId: 'claude-aa11' });
      expect(await app.store.has('claude-aa11')).toBe(true);
      expect(await restoreForeign(app, 'claude:aa11')).toBeUndefined();
      expect(await restoreForeign(app, 'mine')).toBeUndefined();
    });
  });

  it('is visible again once it is imported by its name', async () => {
    await hub.withApp(async (app) => {
      await remove(app, 'claude:aa11');
      await importForeign(app, { addresses: ['claude:aa11'] });
      expect(hiddenSessions(app)).toEqual(new Set());
    });
  });

  it('is not purged while its program keeps it, but its import is, and stays away', async () => {
    await hub.withApp(async (app) => {
      await expect(remove(app, 'claude:aa11', { purge: true })).rejects.toMatchObject({ code: 'USAGE' });
      expect(hiddenSessions(app)).toEqual(new Set());
      await importForeign(app, { addresses: ['claude:aa11'] });
      await remove(app, 'claude:aa11', { purge: true });
      expect(await app.store.listTrash()).toEqual([]);
      expect(await importForeign(app, { all: true })).toMatchObject({ imported: 1, deleted: 1 });
    });
  });

  it.each([true, false])('is hidden too if its file is gone, imported: %j', async (isImported) => {
    await hub.withApp(async (app) => {
      if (isImported) await importForeign(app, { addresses: ['claude:aa11'] });
    });
    rmSync(join(folder, 'aa11.jsonl'));
    await hub.sync();
    const listed = (app: App) => listAll(app).then(({ rows }) => rows.map(({ address }) => address).sort());
    await hub.withApp(async (app) => {
      expect(await listed(app)).toEqual(['claude:aa11', 'claude:bb22']);
      await remove(app, 'claude:aa1');
      expect(await listed(app)).toEqual(['claude:bb22']);
      const importId = isImported ? 'claude-aa11' : undefined;
      expect(await restoreForeign(app, 'claude:aa')).toEqual({ address: 'claude:aa11', importId });
      expect(await listed(app)).toEqual(['claude:aa11', 'claude:bb22']);
      await remove(app, 'claude:aa1', { purge: true });
      expect(await listed(app)).toEqual(['claude:bb22']);
      expect(hiddenSessions(app)).toEqual(new Set());
    });
    expect(await hub.addresses('aa11')).toEqual([]);
  });

  it('is deleted as a whole, and titled as a whole', async () => {
    await hub.withApp(async (app) => {
      await expect(findDeletable(app, 'claude:aa11#u-aa11')).rejects.toMatchObject({ code: 'USAGE' });
      await expect(titleStored(app, 'claude:aa11#u-aa11', 'x')).rejects.toMatchObject({ code: 'USAGE' });
    });
  });
});

describe('a title from the user', () => {
  it('is in the list, the page, the search, the picker and the views, and no byte of the file changes', async () => {
    const before = look();
    await hub.withApp(async (app) => {
      expect(await titleStored(app, 'claude:aa', ' The  birds\n')).toEqual({ id: 'claude:aa11', title: 'The birds' });
      expect((await listAll(app)).rows.find(({ id }) => id === 'aa11')?.title).toBe('The birds');
      expect((await listPage(app, { limit: 9 })).rows.find(({ id }) => id === 'aa11')?.title).toBe('The birds');
      expect((await showSession(app, 'claude:aa11')).summary.title).toBe('The birds');
      expect((await sessionsToPick(app)).find('').find(({ reference }) => reference === 'claude:aa11')?.title).toBe(
        'The birds',
      );
    });
    expect((await hub.search('pelicans')).map(({ title }) => title)).toContain('The birds');
    expect(look()).toEqual(before);
  });

  it('applies to the import too, made before it or after it, and stays when the file is gone', async () => {
    await hub.withApp(async (app) => {
      await importForeign(app, { addresses: ['claude:aa11'] });
      await titleStored(app, 'claude:aa11', 'The birds');
      await titleStored(app, 'claude:bb22', 'The others');
      await importForeign(app, { addresses: ['claude:bb22'] });
    });
    rmSync(folder, { recursive: true });
    await hub.withApp(async (app) => {
      expect((await showSession(app, 'claude:aa11')).summary.title).toBe('The birds');
      expect((await showSession(app, 'claude-bb22')).summary.title).toBe('The others');
      expect(await importForeign(app, { addresses: ['claude:bb22'], again: true })).toMatchObject({ again: 1 });
      expect((await showSession(app, 'claude-bb22')).summary.title).toBe('The others');
    });
  });

  it('is in the journal of an own session', async () => {
    await hub.make('oak', ['Hello']);
    await hub.withApp(async (app) => {
      await titleStored(app, 'oak', 'The tree');
      expect((await showSession(app, 'oak')).summary.title).toBe('The tree');
      await expect(titleStored(app, 'oak', ' ')).rejects.toMatchObject({ code: 'USAGE' });
      await expect(titleStored(app, 'oak', 'x'.repeat(201))).rejects.toMatchObject({ code: 'USAGE' });
    });
  });
});

it('the newest note about an address wins', async () => {
  await hub.withApp(async (app) => {
    const address = fc.constantFrom('claude:a', 'codex:b', 'gemini:c d');
    const title = fc.stringMatching(/^[\w ]{1,20}$/);
    const note = fc.oneof(fc.record({ address, title }), fc.record({ address, isHidden: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(fc.array(note, { maxLength: 12 }), async (notes) => {
        for (const name of ['hidden-sessions', 'session-titles']) rmSync(join(app.paths.home, name), { force: true });
        const hidden = new Set<string>();
        const titles = new Map<string, string>();
        for (const one of notes) {
          if ('title' in one) {
            titles.set(one.address, one.title);
            await titleForeign(app, one.address, one.title);
          } else {
            const changes = hidden.has(one.address) !== one.isHidden;
            if (one.isHidden) hidden.add(one.address);
            else hidden.delete(one.address);
            expect(await hideSession(app, one.address, one.isHidden)).toBe(changes);
          }
        }
        expect(new Set(hiddenSessions(app))).toEqual(hidden);
        expect(new Map(foreignTitles(app))).toEqual(titles);
      }),
    );
  });
});
