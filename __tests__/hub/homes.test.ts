// Further home directories, as of a mounted backup: their sessions are read like one's own.
import { appendFileSync, cpSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSource } from '../../lib/agents/open-source.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { listAll } from '../../lib/app/list/list-all.ts';
import { showSession } from '../../lib/app/sessions/read/show-session.ts';
import { stats } from '../../lib/app/sessions/read/stats.ts';
import { awayHomes } from '../../lib/hub/find-sources.ts';
import { sourcesOf } from '../../lib/hub/import-sources.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { agentFiles, CLAUDE_FILE, CLAUDE_ID, CODEX_ID, claudePrompt, lines } from '../support/agent-homes.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { type HubWorld, hubWorld } from './world.ts';

let hub: HubWorld;
let other: Tree;
beforeEach(() => {
  hub = hubWorld();
  other = createTree(agentFiles());
});
afterEach(() => {
  hub.remove();
  other[Symbol.dispose]();
});

const homes = (more: object = {}) => ({ OLLM_HUB__HOMES: other.root, ...more });
const listed = (env = homes()) =>
  hub.withApp(async (app) => (await listAll(app)).rows.map(({ address }) => address).sort(), env);

describe('an additional home', () => {
  it('has sessions that are listed, found, shown, counted and imported', async () => {
    expect(await listed({ OLLM_HUB__HOMES: '/nowhere' })).toEqual([]);
    const addresses = await listed();
    expect(addresses).toHaveLength(3);
    expect(addresses).toContain(`claude:${CLAUDE_ID}`);
    await hub.sync(homes());
    expect(await hub.addresses('deck', homes())).toContainEqual(expect.stringContaining(`claude:${CLAUDE_ID}#`));
    await hub.withApp(async (app) => {
      expect(await showSession(app, `codex:${CODEX_ID}`)).toMatchObject({ summary: { turnCount: 1 } });
      expect((await stats(app, { by: ['agent'] })).total).toMatchObject({ sessions: 3, turns: 3 });
      expect(await importForeign(app, { all: true })).toMatchObject({ sessions: 3, imported: 3 });
    }, homes());
  });

  it('is not affected by variables of the environment', async () => {
    expect(await listed(homes({ CLAUDE_CONFIG_DIR: '/nowhere', CODEX_HOME: '/nowhere' }))).toHaveLength(3);
  });

  it('lists an unchanged copy of a session once, and a continued copy as a second session', async () => {
    cpSync(other.root, hub.home, { recursive: true, preserveTimestamps: true });
    expect(await listed()).toHaveLength(3);
    appendFileSync(
      join(hub.home, CLAUDE_FILE),
      lines([claudePrompt('9b', 'And the sail?', '2026-01-02T11:00:00.000Z')]),
    );
    const addresses = await listed();
    expect(addresses).toHaveLength(4);
    expect(addresses.filter((address) => address.startsWith(`claude:${CLAUDE_ID}`))).toHaveLength(2);
    // The records that both have count once.
    const { total } = await hub.withApp((app) => stats(app, { by: ['agent'] }), homes());
    expect(total).toMatchObject({ turns: 4, requests: 1 });
  });

  it('keeps its sessions in the catalogue while it is not mounted', async () => {
    await hub.sync(homes());
    renameSync(join(other.root, '.claude'), join(other.root, 'away'));
    expect(await hub.sync(homes())).toMatchObject({ vanished: 0 });
    expect(await hub.addresses('deck', homes())).not.toEqual([]);
  });

  it('may have the layout of a different system, and counts once if it is the own home', async () => {
    const file = join(other.root, 'Library/Application Support/Cursor/User/globalStorage/state.vscdb');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'not a database');
    const { unreadable } = await hub.withApp((app) => listAll(app), homes());
    expect(unreadable.map(({ path }) => path)).toEqual([file]);
    cpSync(other.root, hub.home, { recursive: true, preserveTimestamps: true });
    const own = { OLLM_HUB__HOMES: hub.home };
    expect(await listed(own)).toHaveLength(3);
  });

  it('may have files of a different user, which are refused elsewhere', () => {
    const path = join(other.root, CLAUDE_FILE);
    const stranger = { fileSystem: nodeFileSystem, uid: statSync(path).uid + 1 };
    expect(() => openSource(stranger, path)).toThrow('belongs to another user');
    expect(() => openSource({ ...stranger, othersMayOwn: [join(other.root, '.codex')] }, path)).toThrow();
    openSource({ ...stranger, othersMayOwn: [other.root] }, path).close();
  });

  it('is named once if it may not be read, and its places are not; a place that may not be read is', async () => {
    const refuse = (path: string): never => {
      throw Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES' });
    };
    const unlessIn = (folder: string) => ({
      ...nodeFileSystem,
      stat: (path: string) => (path.startsWith(`${folder}/`) ? refuse(path) : nodeFileSystem.stat(path)),
      readDirectory: (path: string) =>
        path === folder || path.startsWith(`${folder}/`) ? refuse(path) : nodeFileSystem.readDirectory(path),
    });
    const lookedAt = async (folder: string) => {
      const files = { fileSystem: unlessIn(folder), uid: undefined };
      const surroundings = { env: {}, home: hub.home, platform: 'linux' as const };
      const ports = { surroundings, homes: [other.root], files };
      const { sources, skipped, unlisted } = await sourcesOf(undefined, ports);
      return { sources: sources.length, skipped, away: awayHomes(ports), isUnlisted: unlisted.includes(claude) };
    };
    const claude = join(other.root, '.claude', 'projects');
    expect(await lookedAt(other.root)).toEqual({
      ...{ sources: 0, skipped: [], isUnlisted: true },
      away: [`${other.root}, one of hub.homes, may not be read: its sessions stay as they were.`],
    });
    expect(await lookedAt(claude)).toEqual({
      ...{ sources: 1, away: [], isUnlisted: true },
      skipped: [{ address: claude, reason: 'cannot be read (EACCES)' }],
    });
  });
});
