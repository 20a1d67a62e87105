// Which directories are one project, with repositories that git made.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { syncSessions } from '../../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../../lib/app/list/list-all.ts';
import { remoteOf } from '../../../lib/app/repository/git-state.ts';
import { reachOfProject } from '../../../lib/app/repository/project-reach.ts';
import { projectNames } from '../../../lib/app/sessions/read/project-names.ts';
import { searchSessions } from '../../../lib/app/sessions/read/search-sessions.ts';
import { stats } from '../../../lib/app/sessions/read/stats.ts';
import { readPart } from '../../../lib/mcp-server/read-tool.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createSession } from '../../../lib/session/create.ts';
import { OPTIONS, said } from '../../session/world.ts';
import { createTree } from '../../support/tree.ts';

let tree: ReturnType<typeof createTree>;
let root: string;
const run = (cwd: string, ...args: string[]) => {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd, env, stdio: 'pipe' });
};
beforeEach(() => {
  tree = createTree();
  root = realpathSync(tree.root);
  mkdirSync(at('shop'));
  run(at('shop'), 'init', '-q');
  const who = ['-c', 'user.name=me', '-c', 'user.email=me@example.com'];
  run(at('shop'), ...who, 'commit', '-q', '--allow-empty', '-m', 'first');
  for (const name of ['fix', 'gone']) run(at('shop'), 'worktree', 'add', '-q', at(name));
  rmSync(at('gone'), { recursive: true });
});
afterEach(() => tree[Symbol.dispose]());

const at = (name: string) => join(root, name);
const rootsOf = (name: string) => reachOfProject(nodeFileSystem, at(name)).roots;

describe('the directories of a project', () => {
  it('are the worktrees of its repository, from each of them', () => {
    expect(rootsOf('shop')).toEqual([at('shop'), at('fix')]);
    expect(rootsOf('fix')).toEqual([at('fix'), at('shop')]);
  });

  it('have one name in the numbers of all sessions, and directories inside of one keep theirs', () => {
    run(at('shop'), 'remote', 'add', 'origin', 'git@github.com:ada/shop.git');
    run(root, 'clone', '-q', at('shop'), at('clone'));
    run(at('clone'), 'remote', 'set-url', 'origin', 'https://github.com/ada/shop');
    mkdirSync(at('clone/lib'));
    const remote = remoteOf(nodeFileSystem, at('clone'));
    const directories = ['shop', 'fix', 'clone', 'clone/lib', 'moved', 'other'].map(at);
    const sessions = [...directories, ...['moved', 'moved', 'clone'].map(at), 'C:\\shop', 'shop'].map((project) => ({
      project,
      remote: project === at('other') ? null : (remote ?? null),
    }));
    const names = projectNames(nodeFileSystem, sessions);
    expect(directories.map((directory) => names.get(directory) ?? directory)).toEqual(
      ['clone', 'clone', 'clone', 'clone/lib', 'clone', 'other'].map(at),
    );
    expect(names.get('C:\\shop')).toBe(at('clone'));
    expect(names.has('shop')).toBe(false);
  });

  it('are only the current one below the root and outside repositories', () => {
    mkdirSync(at('shop/lib'));
    expect(rootsOf('shop/lib')).toEqual([at('shop/lib')]);
    expect(rootsOf('.')).toEqual([root]);
  });

  it.each([
    ['names a repository that does not name it', { 'copy/.git': 'gitdir: ../shop/.git/worktrees/fix\n' }, 'copy'],
    ['names the files of a repository', { 'copy/.git': 'gitdir: ../shop/.git\n', 'copy/a': '' }, 'copy'],
    ['names nothing', { 'copy/.git': 'gitdir: /nowhere\n' }, 'copy'],
  ])('exclude one that %s', (_, files, name) => {
    tree.write(files);
    expect(rootsOf(name)).not.toContain(at('fix'));
    expect(rootsOf('shop')).toEqual([at('shop'), at('fix')]);
  });

  it('exclude those that a repository names but that do not name it', () => {
    tree.write({
      'copy/.git/HEAD': 'ref: refs/heads/main\n',
      'copy/.git/worktrees/a/gitdir': `${at('fix')}/.git\n`,
      'copy/.git/worktrees/b/gitdir': `${at('private')}/.git\n`,
      'copy/.git/worktrees/c/gitdir': '\0\n',
      'private/notes': '',
    });
    symlinkSync(at('shop/.git/worktrees/fix'), at('copy/.git/worktrees/d'));
    symlinkSync('d', at('copy/.git/worktrees/e'));
    symlinkSync('f', at('copy/.git/worktrees/f'));
    writeFileSync(at('copy/.git/worktrees/a/commondir'), at('shop/.git'));
    expect(rootsOf('copy')).toEqual([at('copy')]);
  });

  it.each([
    ['as its origin', (copy: string) => writeFileSync(join(copy, '.git/config'), originOf(at('shop')))],
    ['as the repository of a worktree', (copy: string) => writeCommon(copy, at('shop/.git'))],
    [
      'by a link',
      (copy: string) => {
        rmSync(join(copy, '.git'), { recursive: true });
        symlinkSync(at('shop/.git'), join(copy, '.git'));
      },
    ],
    ['by a link to its worktrees', (copy: string) => symlinkSync(at('shop/.git/worktrees'), `${copy}/.git/worktrees`)],
  ])('exclude another directory that a copied repository names %s', (_, claim) => {
    tree.write({ 'copy/.git/HEAD': 'ref: refs/heads/main\n' });
    claim(at('copy'));
    expect(rootsOf('copy')).toEqual([at('copy')]);
    expect(reachOfProject(nodeFileSystem, at('copy')).remote).toBe(`file://${at('copy')}`);
    expect(rootsOf('shop')).toEqual([at('shop'), at('fix')]);
  });
});

const originOf = (url: string) => `[remote "origin"]\n\turl = ${url}\n`;
/** What git writes for a worktree, in the files of the copy. */
function writeCommon(copy: string, common: string): void {
  writeFileSync(join(copy, '.git/commondir'), common);
  writeFileSync(join(copy, '.git/gitdir'), join(copy, '.git'));
}

/** A session of Claude Code, which stores no remote, in each of these directories. */
function writeSessions(directories: Readonly<Record<string, string>>): void {
  for (const [id, cwd] of Object.entries(directories)) {
    const record = {
      ...{ type: 'user', uuid: `${id}-1`, parentUuid: null, sessionId: id, cwd: at(cwd) },
      timestamp: '2026-01-02T03:04:05.000Z',
      message: { role: 'user', content: 'quokka' },
    };
    const message = { id: `m-${id}`, role: 'assistant', model: 'x', content: [{ type: 'text', text: 'Yes.' }] };
    const usage = { input_tokens: 5, output_tokens: 1 };
    const answer = {
      ...record,
      type: 'assistant',
      uuid: `${id}-2`,
      parentUuid: `${id}-1`,
      message: { ...message, usage },
    };
    tree.write({
      [`.claude/projects/p/${id}.jsonl`]: [record, answer].map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
  }
}

const openApp = () => createApp({ env: { HOME: root, OLLM_HOME: at('ollm') }, cwd: root, flags: {}, command: 'test' });

describe('sessions in clones', () => {
  it('belong to one project where a clone names its remote or its origin here, also after a move', async () => {
    run(root, 'clone', '-q', at('shop'), at('local'));
    for (const name of ['near', 'far', 'moved-later', 'own-later']) {
      mkdirSync(at(name));
      run(at(name), 'init', '-q');
      run(at(name), 'remote', 'add', 'origin', `https://me@git.example.com/ada/${name === 'far' ? 'far' : 'boat'}.git`);
    }
    writeSessions({ elm: 'shop', oak: 'local', fir: 'near', yew: 'far', ash: 'moved-later' });
    const app = await openApp();
    const created = { provider: 'offline', model: 'm-1', ollm: '0.0.0', cwd: at('own-later') };
    const session = await createSession(app.store, { id: 'own', created }, OPTIONS);
    await session.append(said('user', 'quokka'));
    await session.close('exit');
    await syncSessions(app);
    renameSync(at('moved-later'), at('moved'));
    renameSync(at('own-later'), at('own-moved'));
    const found = async (project: string) => {
      const { hits } = await searchSessions(app, { text: 'quokka', project: at(project) });
      const { rows } = await listAll(app, { project: at(project) });
      const { sessions } = (await stats(app, { by: ['agent'], project: at(project) })).total;
      const ids = [...new Set(hits.map(({ id }) => id))].sort();
      expect(rows.map(({ id }) => id).sort()).toEqual(ids);
      expect(sessions).toBe(ids.length);
      return ids;
    };
    expect(await found('shop')).toEqual(['elm', 'oak']);
    // The clone names the directory, which does not name the clone.
    expect(await found('local')).toEqual(['oak']);
    expect(await found('fix')).toEqual(['elm', 'oak']);
    expect(await found('near')).toEqual(['ash', 'fir', 'own']);
    expect(await found('moved')).toEqual(['ash', 'fir', 'own']);
    expect(await found('far')).toEqual(['yew']);
    const read = (address: string, project: string) =>
      readPart(app, { project: at(project) }, { address, from: undefined, signal: new AbortController().signal });
    for (const address of ['own', 'claude:ash', 'claude:fir']) {
      expect((await read(address, 'near')).quoted).toContain('quokka');
      await expect(read(address, 'far')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }
    // A session that goes on after its directory went away still belongs to it.
    appendFileSync(at('.claude/projects/p/ash.jsonl'), readFileSync(at('.claude/projects/p/ash.jsonl')));
    await syncSessions(app);
    expect(await found('near')).toEqual(['ash', 'fir', 'own']);
    await app.close();
  });
});

describe('sessions in worktrees', () => {
  it('belong to one project in lists, searches and numbers', async () => {
    writeSessions({ elm: 'shop', oak: 'fix', ash: 'other' });
    const app = await openApp();
    try {
      for (const isSynced of [false, true]) {
        if (isSynced) await syncSessions(app);
        for (const name of ['shop', 'fix']) {
          const { rows } = await listAll(app, { project: at(name) });
          expect(rows.map(({ id }) => id).sort()).toEqual(['elm', 'oak']);
        }
      }
      for (const [project, text] of [
        [at('fix'), 'quokka'],
        [undefined, `quokka project:${at('fix')}`],
      ] as const) {
        const { hits } = await searchSessions(app, { text, project });
        expect(hits.map(({ id }) => id).sort()).toEqual(['elm', 'oak']);
      }
      expect((await stats(app, { by: ['agent'], project: at('fix') })).total).toMatchObject({ sessions: 2 });
    } finally {
      await app.close();
    }
  });
});
