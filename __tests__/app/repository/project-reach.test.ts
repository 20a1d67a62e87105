// Which directories are one project, with repositories that git made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { syncSessions } from '../../../lib/app/import/sync-sessions.ts';
import { listAll } from '../../../lib/app/list/list-all.ts';
import { reachOfProject } from '../../../lib/app/repository/project-reach.ts';
import { searchSessions } from '../../../lib/app/sessions/read/search-sessions.ts';
import { stats } from '../../../lib/app/sessions/read/stats.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { createTree } from '../../support/tree.ts';

let tree: ReturnType<typeof createTree>;
let root: string;
beforeEach(() => {
  tree = createTree();
  root = realpathSync(tree.root);
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const run = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, env, stdio: 'pipe' });
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
    expect(rootsOf('copy').filter((each) => each === at('private'))).toEqual([]);
  });
});

describe('sessions in worktrees', () => {
  it('belong to one project in lists, searches and numbers', async () => {
    for (const [id, cwd] of Object.entries({ elm: 'shop', oak: 'fix', ash: 'other' })) {
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
    const app = await createApp({ env: { HOME: root, OLLM_HOME: at('ollm') }, cwd: root, flags: {}, command: 'test' });
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
