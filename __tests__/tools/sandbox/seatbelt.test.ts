// No test here runs sandbox-exec, which exists only on macOS. The tests check the text of the profile.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import { createSeatbelt, seatbeltProfile } from '../../../lib/tools/sandbox/seatbelt.ts';

const PATHS = {
  mounts: [
    { path: '/p', isWritable: true },
    { path: '/p/.git', isWritable: false },
  ],
  absent: [{ path: '/p/.ollm', kind: 'directory' }],
  hidden: [{ path: '/home/.ssh', kind: 'directory' }],
} as const;

test('the profile allows writing only in scope, and not to protected paths, by a later rule', () => {
  const lines = seatbeltProfile(PATHS, false).split('\n');
  const order = [
    '(version 1)',
    '(allow default)',
    '(deny network*)',
    '(deny file-write*)',
    '(allow file-write* (subpath "/p"))',
    '(deny file-write* (subpath "/p/.git"))',
    '(deny file-write-unlink (literal "/p"))',
    '(deny file-write* (subpath "/p/.ollm"))',
    '(deny file-read* file-write* (subpath "/home/.ssh"))',
  ];
  expect(lines.filter((line) => order.includes(line))).toEqual(order);
});

test('the profile opens the network if it was granted', () => {
  expect(seatbeltProfile(PATHS, true)).not.toContain('network');
});

test('the profile denies control of other programs', () => {
  const profile = seatbeltProfile(PATHS, true);
  expect(profile).toContain('(deny appleevent-send)');
  expect(profile).toMatch(/\(deny signal\)\n\(allow signal \(target same-sandbox\)\)/);
});

test('the profile escapes every path', () => {
  const path = '/p/"))(allow default)(deny file-write* (literal "\\';
  const profile = seatbeltProfile({ mounts: [{ path, isWritable: true }], absent: [], hidden: [] }, false);
  expect(profile).toContain(
    String.raw`(allow file-write* (subpath "/p/\"))(allow default)(deny file-write* (literal \"\\"))`,
  );
});

test('the command runs the program in a temporary directory of its own, which is removed afterwards', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-seatbelt-')));
  try {
    mkdirSync(join(root, 'p'));
    const scope = { writable: [join(root, 'p')], protected: [], hidden: [], network: false };
    const { argv, end, guardsTree } = createSeatbelt(nodeFileSystem, systemIds).confine(['/bin/ls', '-l'], scope, root);
    expect([argv[0], argv[1], ...argv.slice(-2)]).toEqual(['/usr/bin/sandbox-exec', '-p', '/bin/ls', '-l']);
    expect(argv[2]).toContain(`(allow file-write* (subpath "${join(root, 'p')}"))`);
    const temporary = /^TMPDIR=(.+)$/.exec(argv[4]!)![1]!;
    expect(argv[2]).toContain(`(allow file-write* (subpath "${temporary}"))`);
    expect(existsSync(temporary)).toBe(true);
    end?.();
    expect(existsSync(temporary)).toBe(false);
    expect(guardsTree).toBeUndefined();
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('the profile for reading commands allows only the places in scope, except hidden ones', () => {
  const lines = seatbeltProfile(PATHS, false, ['/usr', '/p']).split('\n');
  const order = [
    '(allow default)',
    '(deny file-read-data)',
    '(allow file-read-data (literal "/"))',
    '(allow file-read-data (subpath "/usr"))',
    '(allow file-read-data (subpath "/p"))',
    '(deny file-read* file-write* (subpath "/home/.ssh"))',
  ];
  expect(lines.filter((line) => order.includes(line))).toEqual(order);
  expect(seatbeltProfile(PATHS, false)).not.toContain('file-read-data');
});

test('files for a program are in its temporary directory, named by variables', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-seatbelt-')));
  const given = [{ name: 'settings', text: '[a]\n', variables: (place: string) => ({ SETTINGS: place }) }];
  const scope = { writable: [], protected: [], hidden: [], network: false, visible: ['/usr'], given };
  const { argv, end } = createSeatbelt(nodeFileSystem, systemIds).confine(['/bin/ls'], scope, root);
  try {
    const path = /^SETTINGS=(.+)$/.exec(argv[5]!)![1]!;
    expect(readFileSync(path, 'utf8')).toBe('[a]\n');
    expect(argv[2]).toContain(`(allow file-read-data (subpath "${dirname(dirname(path))}"))`);
  } finally {
    end?.();
    rmSync(root, { recursive: true });
  }
});
