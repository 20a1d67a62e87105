import { DatabaseSync } from 'node:sqlite';
import { IN_ROOTS, rootsOf } from '../../lib/catalog/project-roots.ts';
import { isOfDirectory } from '../../lib/platform/files/inside.ts';

it.each([
  ['/srv', '/srv', true],
  ['/srv', '/srv/shop', true],
  ['/', '/srv', true],
  ['/srv', '/srvshop', false],
  ['/srv', '/srv\\shop', false],
  ['C:\\srv', 'C:\\srv', true],
  ['C:\\srv', 'C:\\srv\\shop', true],
  ['C:\\srv', 'C:/srv/shop', true],
  ['C:\\', 'C:\\srv', true],
  ['C:\\srv', 'C:\\srvshop', false],
  ['\\\\server\\garden\\', '\\\\server\\garden', true],
])('of the directory %s, a session in %s is one: %s', (directory, project, isOne) => {
  expect(isOfDirectory(directory, project)).toBe(isOne);
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE sessions (project TEXT, remote TEXT)');
  database.prepare("INSERT INTO sessions VALUES (NULL, 'r'), (?, NULL)").run(project);
  const count = database.prepare(`WITH ${rootsOf('?1', '?2')} SELECT count(*) AS n FROM sessions WHERE ${IN_ROOTS}`);
  expect(count.get(JSON.stringify([directory]), 'r')).toEqual({ n: Number(isOne) });
  database.close();
});
