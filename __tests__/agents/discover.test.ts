import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Agent, DiscoveredSession, Looking } from '../../lib/agents/agent.ts';
import { discoverIn } from '../../lib/agents/discover.ts';
import type { OpenMode } from '../../lib/platform/files/file-system.ts';
import { systemError } from '../../lib/platform/files/io.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';

const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };

describe('a search for the sessions of an agent', () => {
  it('treats a missing directory as empty, and reports an unreadable one', () => {
    const fileSystem = {
      ...nodeFileSystem,
      readDirectory(path: string) {
        if (path.endsWith('locked')) throw systemError('EACCES', 'scandir', path);
        return nodeFileSystem.readDirectory(path);
      },
    };
    using tree = createTree({ 'open/a': '' });
    const looking = (look: Looking) =>
      ['missing', 'open/a', 'locked', 'open'].flatMap((name) => look.entries(join(tree.root, name)));
    const { found, seen } = lookWith(looking, tree.root, { ...files, fileSystem });
    expect(seen).toEqual([{ name: 'a', kind: 'file' }]);
    expect(found).toEqual([{ kind: 'unreadable', path: join(tree.root, 'locked'), reason: 'cannot be read (EACCES)' }]);
  });

  it('knows a file without reading its directory, and reports a link, and a directory that may not be searched', () => {
    const readDirectories: string[] = [];
    const fileSystem = {
      ...nodeFileSystem,
      stat(path: string) {
        if (path.includes('locked')) throw systemError('EACCES', 'lstat', path);
        return nodeFileSystem.stat(path);
      },
      readDirectory(path: string) {
        readDirectories.push(path);
        return nodeFileSystem.readDirectory(path);
      },
    };
    using tree = createTree({ 'one/a': '', 'linked/b': '', 'locked/a': '' });
    symlinkSync(join(tree.root, 'one/a'), join(tree.root, 'linked/a'));
    const looking = (look: Looking) =>
      ['one/a', 'one', 'one/b', 'missing/a', 'linked/a', 'locked/a'].map((name) => look.hasFile(join(tree.root, name)));
    const { found, seen } = lookWith(looking, tree.root, { ...files, fileSystem });
    expect(seen).toEqual([true, false, false, false, false, false]);
    expect(readDirectories).toEqual([join(tree.root, 'linked')]);
    expect(found).toEqual([
      { kind: 'link', path: join(tree.root, 'linked/a'), to: 'file' },
      { kind: 'unreadable', path: join(tree.root, 'locked'), reason: 'cannot be read (EACCES)' },
    ]);
  });

  it('reads a small file, but no large one, link or missing file', () => {
    using tree = createTree({ small: 'text', large: 'x'.repeat(2 ** 20 + 1) });
    symlinkSync(join(tree.root, 'small'), join(tree.root, 'link'));
    const { found, seen } = lookWith(
      (look) => ['small', 'large', 'link', 'missing'].map((name) => look.readSmall(join(tree.root, name))),
      tree.root,
    );
    expect(seen).toEqual(['text', undefined, undefined, undefined]);
    expect(found).toEqual([]);
  });

  it('reports an index that may not be read, and a history that is a link, because sessions are in them', () => {
    using tree = createTree({ locked: 'text', history: '# one\ntwo\n# three\n' });
    symlinkSync(join(tree.root, 'history'), join(tree.root, 'link'));
    const fileSystem = {
      ...nodeFileSystem,
      open(path: string, ...how: [OpenMode, number?]) {
        if (path.endsWith('locked')) throw systemError('EACCES', 'open', path);
        return nodeFileSystem.open(path, ...how);
      },
    };
    const looking = (look: Looking) => [
      look.readSmall(join(tree.root, 'locked')),
      ...['history', 'link', 'missing'].map((name) => look.linesFrom(join(tree.root, name), '# ')),
    ];
    const { found, seen } = lookWith(looking, tree.root, { ...files, fileSystem });
    expect(seen).toEqual([undefined, ['# one', '# three'], [], []]);
    expect(found).toEqual([
      { kind: 'unreadable', path: join(tree.root, 'locked'), reason: 'cannot be read: no permission' },
      { kind: 'unreadable', path: join(tree.root, 'link'), reason: 'is a link' },
    ]);
  });

  it('reports an unreadable database, but not a missing one', () => {
    using tree = createTree({ broken: 'not a database'.repeat(100) });
    const owner = new DatabaseSync(join(tree.root, 'whole'));
    owner.exec("CREATE TABLE talk(id TEXT); INSERT INTO talk VALUES ('a')");
    owner.close();
    const query = (look: Looking) =>
      ['missing', 'whole', 'broken'].map((name) =>
        look.query(join(tree.root, name), { talk: ['id'] }, (database) => database.all('SELECT id FROM talk')),
      );
    const { found, seen } = lookWith(query, tree.root);
    expect(seen).toEqual([undefined, [{ id: 'a' }], undefined]);
    expect(found).toEqual([
      { kind: 'unreadable', path: join(tree.root, 'broken'), reason: expect.stringMatching(/^cannot be read: [^.]+$/) },
    ]);
  });

  it('keeps the sessions that it found before the module failed', () => {
    const source = { id: 's', path: '/s' };
    const agent = {
      name: 'a',
      *discover(): Iterable<DiscoveredSession> {
        yield source;
        throw new TypeError('a fault');
      },
    };
    expect([...discoverIn(agent as unknown as Agent, '/place', files)]).toEqual([
      { kind: 'source', source: { agent: 'a', ...source } },
      { kind: 'unreadable', path: '/place', reason: 'could not be looked through: a fault' },
    ]);
  });
});

/** The entries that an agent with this look sees, and the sources that discovery finds. */
it('a session whose id no address can have gets another one, and so does its subagent', () => {
  const agent = {
    name: 'claude',
    discover: () => [
      { id: '5f3c', path: '/a' },
      { id: '5f3c copy', path: '/b' },
      { id: 'agent-1', path: '/c', parent: '5f3c copy' },
      { id: 'agent-2', path: '/d', parent: '' },
    ],
  } as unknown as Agent;
  expect([...discoverIn(agent, '/', files)].flatMap((each) => (each.kind === 'source' ? [each.source] : []))).toEqual([
    { agent: 'claude', id: '5f3c', path: '/a' },
    { agent: 'claude', id: '5f3c%20copy', ownId: '5f3c copy', path: '/b' },
    { agent: 'claude', id: 'agent-1', path: '/c', parent: '5f3c%20copy' },
    { agent: 'claude', id: 'agent-2', path: '/d', parent: '' },
  ]);
});

function lookWith<Seen>(look: (looking: Looking) => Seen[], place: string, using: typeof files = files) {
  let seen: Seen[] = [];
  const agent = {
    discover(_: string, looking: Looking): Iterable<DiscoveredSession> {
      seen = look(looking);
      return [];
    },
  } as unknown as Agent;
  const found = [...discoverIn(agent, place, using)];
  return { found, seen };
}
