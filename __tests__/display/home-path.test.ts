import { homePath } from '../../lib/display/home-path.ts';

test.each([
  ['/home/me', '~'],
  ['/home/me/garden', '~/garden'],
  ['/home/meadow', '/home/meadow'],
  ['/srv/home/me', '/srv/home/me'],
])('%s is shown as %s', (path, shown) => {
  expect(homePath(path, '/home/me')).toBe(shown);
});
