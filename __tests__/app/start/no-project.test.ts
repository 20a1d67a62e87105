import { noProject } from '../../../lib/app/start/no-project.ts';
import { readSettings } from '../../../lib/app/start/settings.ts';
import { createTree } from '../../support/tree.ts';

describe('a directory that is not a project', () => {
  const places = { homeDirectory: '/home/me', home: '/home/me/.ollm' };

  it.each([
    ['/', 'the root of the disk'],
    ['/home', 'a directory above your home'],
    ['/home/me', 'your home directory'],
    ['/home/me/.ollm', 'the directory in which ollm keeps its own files'],
    ['/home/me/.ollm/session-data', 'the directory in which ollm keeps its own files'],
    ['/home/me/work', undefined],
    ['/home/me/.ollmish', undefined],
    ['/home/mel', undefined],
    ['/srv', undefined],
  ])('%s: %s', (path, why) => expect(noProject(path, places)).toBe(why));

  it('is the root of the disk even if it is the home of the user', () => {
    expect(noProject('/', { homeDirectory: '/', home: '/data' })).toBeDefined();
  });
});

it.each([
  ['below a home that is a repository, the directory itself', 'notes', 'notes'],
  ['in that home, the home', '', ''],
  ['in a repository below it, that repository', 'work/lib', 'work'],
])('the project of a directory: %s', async (_, cwd, project) => {
  using tree = createTree({ '.git/HEAD': '', 'notes/a.md': '', 'work/.git/HEAD': '', 'work/lib/a.ts': '' });
  const at = (path: string) => (path === '' ? tree.root : `${tree.root}/${path}`);
  const env = { HOME: tree.root, OLLM_HOME: at('.ollm') };
  const { paths } = await readSettings({ env, cwd: at(cwd), command: 'test' }, {});
  expect(paths.project).toBe(at(project));
});
