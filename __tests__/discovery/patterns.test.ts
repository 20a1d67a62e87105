import { loadIgnorePatterns, shouldIgnore } from '../../lib/discovery/index.ts';
import { createTree } from '../support/tree.ts';

test('loadIgnorePatterns returns the rules of a directory in the order in which they apply', async () => {
  using tree = createTree({ '.gitignore': '# note\n*.log\n\n', '.ollmignore': '!keep.log\r\n' });
  const patterns = await loadIgnorePatterns(tree.root);
  expect(patterns).toEqual(['*.log', 'node_modules/', '.git/', 'dist/', 'build/', '.next/', '.cache/', '!keep.log']);
  expect(shouldIgnore('a/today.log', patterns)).toBe(true);
  expect(shouldIgnore('a/keep.log', patterns)).toBe(false);
  expect(shouldIgnore('./a/node_modules/x.js', patterns)).toBe(true);
});

test.each(['../outside.log', '/etc/x.log', ''])('shouldIgnore returns false for %j, which is outside', (path) => {
  expect(shouldIgnore(path, ['*.log'])).toBe(false);
});
