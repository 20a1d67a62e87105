import { userInfo } from 'node:os';
import { homeDirectoryOf } from '../../../lib/app/start/home-directory.ts';

describe('the user’s own directory', () => {
  it('is HOME if that is set', () => expect(homeDirectoryOf({ env: { HOME: '/home/me' } })).toBe('/home/me'));

  it.each(['', '.', 'me', '../me'])("is the one in the system's list of users if HOME is %j", (HOME) => {
    expect(homeDirectoryOf({ env: { HOME } })).toBe(userInfo().homedir);
  });
});
