// Sessions of other programs are indexed in place: their files do not change, and sessions that they lose stay found.
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { findConversation } from '../../lib/app/find/find-session.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { deleteSession } from '../../lib/app/sessions/change/delete-session.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { CATALOG_NAME } from '../../lib/catalog/schema.ts';
import { type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
let folder: string;
let path: string;
beforeEach(() => {
  hub = hubWorld();
  folder = join(hub.home, '.claude/projects/-home-ada-garden');
  path = join(folder, 'aa11.jsonl');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => hub.remove());

let records = 0;
const line = (type: 'user' | 'assistant', text: string, uuid: string): string => {
  records += 1;
  const message =
    type === 'user'
      ? { role: 'user', content: text }
      : { id: `msg-${uuid}`, role: 'assistant', model: 'claude-x', content: [{ type: 'text', text }] };
  const timestamp = new Date(Date.UTC(2026, 0, 1) + records * 1000).toISOString();
  return `${JSON.stringify({ type, uuid, timestamp, cwd: '/home/ada/garden', sessionId: 'aa11', version: '2.1.0', message })}\n`;
};

describe('sessions of a foreign program', () => {
  it('are stored many at a time when they are new, so that a first sync of small ones has few transactions', async () => {
    for (let number = 100; number < 200; number += 1) {
      const text = [line('user', `Question ${number}`, 'u-1'), line('assistant', `Answer ${number}`, 'a-1')].join('');
      writeFileSync(join(folder, `bb${number}.jsonl`), text);
    }
    const { exec } = DatabaseSync.prototype;
    let transactions = 0;
    DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
      if (sql.startsWith('BEGIN')) transactions += 1;
      exec.call(this, sql);
    };
    try {
      expect(await hub.sync()).toMatchObject({ sessions: 100, read: 100, rows: 200 });
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    // The first makes the tables, and the last reads them when all is stored.
    expect(transactions).toBeLessThanOrEqual(4);
    expect(await hub.addresses('"Answer 150"')).toEqual(['claude:bb150#a-1']);
  });
});

describe('a session of a foreign program', () => {
  it('is found under its address, with its own ids, next to sessions of ollm', async () => {
    writeFileSync(
      path,
      line('user', 'Where do pelicans sleep?', 'u-1') + line('assistant', 'Pelicans sleep on the water.', 'a-1'),
    );
    await hub.make('oak', ['Pelicans in oak']);
    expect(await hub.sync()).toMatchObject({ sessions: 2, read: 2, skipped: [] });
    expect(await hub.addresses('pelicans')).toEqual(['claude:aa11#a-1', 'claude:aa11#u-1', 'ollm:oak#1']);
    expect(await hub.search({ text: 'sleep', role: 'user' })).toMatchObject([
      { title: 'Where do pelicans sleep?', project: '/home/ada/garden', agent: 'claude', gone: false },
    ]);
    expect(await hub.addresses({ text: 'pelicans', agent: 'claude', project: '/home/ada/garden' })).toHaveLength(2);
  });

  it('is reported as not indexed in searches that could include it, until the first sync', async () => {
    writeFileSync(path, line('user', 'Where do pelicans sleep?', 'u-1'));
    await hub.make('oak', ['Pelicans in oak']);
    const notes = (request = {}) =>
      hub.withApp(async (app) => (await searchSessions(app, { text: 'pelicans', ...request })).leftOut);
    expect(await notes()).toEqual(['Sessions of other programs are not indexed yet: "ollm sync" brings them in.']);
    expect(await notes({ agent: 'ollm' })).toEqual([]);
    // A sync that was cut short.
    await hub.withApp((app) => syncSessions(app, { path }));
    expect(await notes()).toEqual(['Sessions of other programs are not all indexed yet: "ollm sync" brings them in.']);
    expect(await notes({ agent: 'ollm' })).toEqual([]);
    await hub.sync();
    expect(await notes()).toEqual([]);
    await hub.withApp((app) => deleteSession(app, 'oak'));
    await hub.sync();
    expect(await notes({ text: 'sleep' })).toEqual([]);
  });

  it('stays unchanged, and gets no file next to it', async () => {
    writeFileSync(path, line('user', 'Where do pelicans sleep?', 'u-1'), { mode: 0o400 });
    const look = () => ({
      bytes: readFileSync(path, 'utf8'),
      stat: { ...statSync(path), atime: 0, atimeMs: 0 },
      names: readdirSync(folder),
    });
    const before = look();
    await hub.sync();
    expect(look()).toEqual(before);
  });

  it('is read from where it grew, and from the beginning if it was rewritten', async () => {
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    await hub.sync();
    appendFileSync(path, line('user', 'The second heron', 'u-2'));
    expect(await hub.sync()).toMatchObject({ rows: 1 });
    expect(await hub.addresses('the')).toEqual(['claude:aa11#u-1', 'claude:aa11#u-2']);
    writeFileSync(path, line('user', 'The third walrus', 'u-3'));
    await hub.sync();
    expect(await hub.addresses('the')).toEqual(['claude:aa11#u-3']);
  });

  it('can be found after its source has vanished, which the hit reports', async () => {
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    await hub.sync();
    rmSync(path);
    expect(await hub.sync()).toMatchObject({ vanished: 1 });
    expect(await hub.sync()).toMatchObject({ vanished: 0 });
    expect(await hub.search('pelican')).toMatchObject([{ address: 'claude:aa11#u-1', gone: true }]);
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    await hub.sync();
    expect(await hub.search('pelican')).toMatchObject([{ gone: false }]);
  });

  it('is reported as vanished if its file is gone before an import, also under the address of a hit', async () => {
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    writeFileSync(join(folder, 'aa12.jsonl'), line('user', 'A walrus', 'u-2'));
    await hub.sync();
    rmSync(path);
    const show = (reference: string) => hub.withApp((app) => findConversation(app, reference));
    const gone = expect.objectContaining({
      code: 'SESSION_NOT_FOUND',
      message: 'claude:aa11 has vanished: Claude Code no longer keeps it.',
    });
    for (const address of ['claude:aa11#u-1', 'claude:aa11']) await expect(show(address)).rejects.toThrow(gone);
    await hub.sync();
    await expect(show('claude:AA11')).rejects.toThrow(gone);
    await expect(show('claude:aa13')).rejects.toThrow('There is no session claude:aa13. Did you mean');
  });

  it('is read next to a second file with its id, and named if the two contradict each other', async () => {
    const copy = join(hub.home, '.claude/projects/-home-ada-later', 'aa11.jsonl');
    mkdirSync(join(copy, '..'), { recursive: true });
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    copyFileSync(path, copy);
    appendFileSync(copy, line('user', 'The second pelican', 'u-2'));
    const importAll = () => hub.withApp((app) => importForeign(app, { all: true }));
    // A says all that the other says.
    expect(await hub.sync()).toMatchObject({ sessions: 2, read: 2, contradictions: [] });
    expect(await importAll()).toMatchObject({ imported: 2, contradictions: [] });
    const rows = await hub.withApp(async (app) => (await listAll(app, { agent: 'claude' })).rows);
    const other = rows.map(({ address }) => address).find((address) => address !== 'claude:aa11')!;
    expect(other).toMatch(/^claude:aa11-[0-9a-f]{8}$/);
    appendFileSync(path, line('user', 'The third pelican', 'u-3'));
    const reason = `${copy} has the id of claude:aa11 (${path}), and says something else.`;
    expect((await hub.sync()).contradictions).toEqual([{ address: other, reason }]);
    expect((await importAll()).contradictions).toEqual([{ address: other, reason }]);
    expect(await hub.addresses({ text: 'pelican', agent: 'claude' })).toEqual(
      ['claude:aa11#u-1', 'claude:aa11#u-3', `${other}#u-1`, `${other}#u-2`].sort(),
    );
    // It is named when something changes, and no import takes the place of the other, whichever file changed last.
    expect(await hub.sync()).toMatchObject({ read: 0, contradictions: [] });
    for (const each of [path, copy]) {
      utimesSync(each, new Date(), new Date());
      expect(await importAll()).toMatchObject({ unchanged: 2, again: 0, contradictions: [] });
    }
  });

  it('does not stop a sync if it cannot be read', async () => {
    writeFileSync(path, `{"broken\n${line('user', 'The first pelican', 'u-1')}`);
    writeFileSync(join(folder, 'bb22.jsonl'), 'no JSON at all');
    mkdirSync(join(folder, 'cc33.jsonl'));
    expect((await hub.sync()).damaged).toBeGreaterThan(0);
    expect(await hub.addresses('pelican')).toEqual(['claude:aa11#u-1']);
  });

  it('is redacted before it is stored', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    writeFileSync(path, line('user', `${'x '.repeat(25)}Use ${secret} for pelicans`, 'u-1'));
    await hub.sync();
    expect(await hub.search('pelicans')).toHaveLength(1);
    expect(hub.bytes().includes(secret.slice(0, 10))).toBe(false);
  });

  it('has a redacted title, stored once however often the program repeats it', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const title = `${JSON.stringify({ type: 'custom-title', customTitle: `Use ${secret}`, sessionId: 'aa11' })}\n`;
    writeFileSync(path, title);
    await hub.sync();
    expect(hub.bytes().includes(secret.slice(0, 10))).toBe(false);
    appendFileSync(path, line('user', 'Where do pelicans sleep?', 'u-1') + title);
    await hub.sync();
    const ends = () => {
      const database = new DatabaseSync(join(hub.home, CATALOG_NAME), { readOnly: true });
      try {
        return database.prepare('SELECT title, seq FROM sessions JOIN sources ON session = number').all();
      } finally {
        database.close();
      }
    };
    const [first] = ends();
    expect(first?.title).toBe('Use [redacted github-token 40]');
    appendFileSync(path, title);
    await hub.sync();
    expect(ends()).toEqual([first]);
    expect(hub.bytes().includes(secret.slice(0, 10))).toBe(false);
  });
});

describe('a place that is missing for a while', () => {
  it('of a foreign program changes nothing about its sessions', async () => {
    writeFileSync(path, line('user', 'The first pelican', 'u-1'));
    await hub.sync();
    const place = join(hub.home, '.claude/projects');
    renameSync(place, `${place}.away`);
    expect(await hub.sync()).toMatchObject({ vanished: 0, skipped: [] });
    expect(await hub.search('pelican')).toMatchObject([{ address: 'claude:aa11#u-1', gone: false }]);
    const { rows } = await hub.withApp((app) => listAll(app, { agent: 'claude' }));
    expect(rows).toMatchObject([{ address: 'claude:aa11', gone: true, title: 'The first pelican' }]);
    renameSync(`${place}.away`, place);
    expect(await hub.sync()).toMatchObject({ vanished: 0, read: 0 });
  });

  it('of ollm itself removes none of its sessions from the catalogue', async () => {
    await hub.make('oak', ['The first pelican']);
    await hub.sync();
    renameSync(hub.sessions, `${hub.sessions}.away`);
    expect(await hub.sync()).toMatchObject({ vanished: 0 });
    expect(await hub.addresses('pelican')).toEqual(['ollm:oak#1']);
    renameSync(`${hub.sessions}.away`, hub.sessions);
    expect(await hub.sync()).toMatchObject({ vanished: 0, read: 0 });
  });
});

describe('an import next to its source', () => {
  it('is not found a second time, except for texts that the source no longer has', async () => {
    writeFileSync(path, line('user', 'The first pelican', 'u-1') + line('user', 'The second pelican', 'u-2'));
    writeFileSync(join(folder, 'BB-22.jsonl'), line('user', 'The third pelican', 'u-3'));
    await hub.withApp((app) => importForeign(app, { all: true }));
    await hub.sync();
    const all = ['claude:BB-22#u-3', 'claude:aa11#u-1', 'claude:aa11#u-2'];
    expect(await hub.addresses('pelican')).toEqual(all);
    expect(await hub.addresses({ text: 'pel.can', isRegex: true })).toEqual(all);
    expect(await hub.addresses({ text: 'pelican', agent: 'ollm' })).toHaveLength(3);
    writeFileSync(path, line('user', 'The fourth pelican', 'u-4'));
    await hub.sync();
    expect(await hub.addresses('pelican')).toEqual([
      'claude:BB-22#u-3',
      'claude:aa11#u-4',
      'ollm:claude-aa11#u-1',
      'ollm:claude-aa11#u-2',
    ]);
  });
});

describe('an import without its source', () => {
  it('is searched with the sessions of its program, while an own session with such a name is not', async () => {
    writeFileSync(path, line('user', 'A pelican', 'u-1'));
    await hub.withApp((app) => importForeign(app, { all: true }));
    rmSync(path);
    await hub.make('claude-fan', ['A pelican', 'A pelican again', 'One more pelican']);
    await hub.sync();
    const [hit] = await hub.search({ text: 'pelican', agent: 'claude', limit: 1 });
    expect(hit).toMatchObject({ address: 'claude:aa11#u-1', gone: true, importId: 'claude-aa11' });
    expect(await hub.addresses('pelican agent:claude')).toEqual(['claude:aa11#u-1']);
    expect(await hub.addresses({ text: 'pelican', agent: 'ollm' })).toHaveLength(4);
    expect(await hub.addresses('pelican')).toHaveLength(4);
  });
});

describe('an import that the user deleted', () => {
  it.each(['before the deletion', 'after it', 'not at all'])(
    "loses the catalogue's data of its vanished source too; synced %s",
    async (synced) => {
      writeFileSync(path, line('user', 'A pelican', 'u-1') + line('assistant', 'An albatross', 'a-1'));
      writeFileSync(join(folder, 'bb22.jsonl'), line('user', 'A walrus', 'u-2'));
      await hub.sync();
      await hub.withApp((app) => importForeign(app, { all: true }));
      rmSync(path);
      if (synced.startsWith('before')) await hub.sync();
      await hub.withApp((app) => deleteSession(app, 'claude-aa11', { purge: true }));
      if (synced.startsWith('after')) await hub.sync();
      expect(await hub.addresses('pelican')).toEqual([]);
      const { rows } = await hub.withApp((app) => listAll(app));
      expect(rows.map(({ address }) => address)).toEqual(['claude:bb22']);
      for (const word of ['pelican', 'albatross']) expect([word, hub.bytes().includes(word)]).toEqual([word, false]);
      expect(await hub.addresses('walrus')).toEqual(['claude:bb22#u-2']);
    },
  );

  it('leaves its source searchable if the foreign program keeps it', async () => {
    writeFileSync(path, line('user', 'A pelican', 'u-1'));
    await hub.sync();
    await hub.withApp((app) => importForeign(app, { all: true }));
    await hub.withApp((app) => deleteSession(app, 'claude-aa11', { purge: true }));
    expect(await hub.addresses('pelican')).toEqual(['claude:aa11#u-1']);
  });

  it('stays deleted, also if the import was killed before the import was recorded', async () => {
    for (const id of ['aa11', 'bb22']) writeFileSync(join(folder, `${id}.jsonl`), line('user', 'A pelican', `${id}-1`));
    const all = () => hub.withApp((app) => importForeign(app, { all: true }));
    expect(await all()).toMatchObject({ imported: 2 });
    rmSync(join(hub.home, 'hub'), { recursive: true });
    await hub.withApp((app) => deleteSession(app, 'claude-aa11', { purge: true }));
    expect(await all()).toMatchObject({ imported: 0, unchanged: 1, deleted: 1 });
    expect(await hub.withApp((app) => importForeign(app, { addresses: ['claude:aa11'] }))).toMatchObject({
      imported: 1,
    });
  });
});
