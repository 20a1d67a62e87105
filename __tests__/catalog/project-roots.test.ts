import { DatabaseSync } from 'node:sqlite';
import { IN_ROOTS, rootsOf } from '../../lib/catalog/project-roots.ts';
import { isOfDirectory } from '../../lib/platform/files/inside.ts';

it.each([
  ['/work', '/work', true],
  ['/work', '/work/shop', true],
  ['/', '/work', true],
  ['/work', '/workshop', false],
  ['/work', '/work\\shop', false],
  ['C:\\work', 'C:\\work', true],
  ['C:\\work', 'C:\\work\\shop', true],
  ['C:\\work', 'C:/work/shop', true],
  ['C:\\', 'C:\\work', true],
  ['C:\\work', 'C:\\workshop', false],
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
