import { userInfo } from 'node:os';
import { homeDirectoryOf } from '../../../lib/app/start/home-directory.ts';

describe('the user’s own directory', () => {
  it('is HOME', () => expect(homeDirectoryOf({ env: { HOME: '/home/me' } })).toBe('/home/me'));

  it.each(['', '.', 'me', '../me'])('is what the system knows of the user where HOME is %j', (HOME) => {
    expect(homeDirectoryOf({ env: { HOME } })).toBe(userInfo().homedir);
  });
});
