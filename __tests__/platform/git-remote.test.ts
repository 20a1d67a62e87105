import { gitRemote } from '../../lib/platform/git-remote.ts';

describe('the address of a repository', () => {
  it.each([
    ['git@github.com:ada/boat.git'],
    ['https://github.com/ada/boat.git'],
    ['https://github.com/ada/boat/'],
    ['https://ada:ghp_0123456789@GitHub.com/ada/boat'],
    ['https://ghp_0123456789@github.com/ada/boat.git?token=secret#secret'],
    ['ssh://git@github.com:22/ada/boat.git'],
    ['git+ssh://git@github.com/ada/boat'],
    ['github.com:ada/boat'],
  ])('of %s is host and path', (url) => {
    expect(gitRemote(url)).toBe('github.com/ada/boat');
  });

  it.each([
    ['/home/ada/boat.git'],
    ['../boat'],
    ['file:///home/ada/boat'],
    ['C:\\boat'],
    [''],
    ['https://github.com/'],
  ])('is unknown for %s', (url) => {
    expect(gitRemote(url)).toBeUndefined();
  });
});
