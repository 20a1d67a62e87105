// Results that find no room where standard output leads: never taken for a success.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createHome, type Home, OLLM } from '../support/cli.ts';

/** A file that takes nothing: Linux has one. */
const FULL = '/dev/full';

(existsSync(FULL) ? describe : describe.skip)('a command whose results find no room', () => {
  let home: Home;
  beforeAll(async () => {
    home = createHome();
    await home.append('walk', [{ type: 'a.step', data: {} }]);
  });
  afterAll(() => home[Symbol.dispose]());

  const toFullDisk = (...args: string[]) =>
    spawnSync('bash', ['-c', `"$0" "$@" > ${FULL}`, process.execPath, OLLM, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: home.path, OLLM_HOME: home.path },
    });

  it.each([
    ['export', 'walk'],
    ['tail', 'walk'],
    ['list', '--json'],
    ['replay', 'walk'],
    ['show', 'walk'],
  ])('fails and says so, once: %s', (...args) => {
    const { status, stderr } = toFullDisk(...args);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'ollm: The results could not be written to standard output (ENOSPC).\n' +
        'What is there of them is not whole. Make room where it leads, and run the command again.\n',
    });
  });

  it('fails without a stack trace where it is the version', () => {
    expect(toFullDisk('--version')).toMatchObject({ status: 1, stderr: '' });
  });
});
