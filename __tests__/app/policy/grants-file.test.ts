import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openGrants } from '../../../lib/app/policy/grants-file.ts';
import { nodeFileSystem, systemIds } from '../../../lib/platform/index.ts';
import type { GrantStore } from '../../../lib/tools/policy/grants.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-grants-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const clock = { now: () => Date.parse('2026-11-22T10:00:00Z'), monotonic: () => 0 };
const open = (project = '/project', fileSystem = nodeFileSystem, uid = process.getuid?.()): GrantStore =>
  openGrants({ mode: 'global', paths: { home, project }, fileSystem, ids: systemIds, clock, process: { uid } });
const path = (root = '/project') => join(home, 'grants', `${hash('sha256', root, 'hex').slice(0, 32)}.json`);
const rulesOf = (grants: GrantStore) => grants.list().map(({ rule }) => rule);

describe('grants in a file', () => {
  it('are available in the next run, under numbers that are never reused', async () => {
    expect(open().list()).toEqual([]);
    expect(await open().add('bash(npm test)')).toEqual({
      number: 1,
      rule: 'bash(npm test)',
      grantedAt: '2026-11-22T10:00:00.000Z',
    });
    await open().add('file_write(src/**)');
    expect((await open().add('bash(npm test)')).number).toBe(1);
    expect(await open().revoke(2)).toBe(true);
    expect(await open().revoke(2)).toBe(false);
    expect((await open().add('bash(ls)')).number).toBe(3);
    expect(rulesOf(open())).toEqual(['bash(npm test)', 'bash(ls)']);
    expect(open().problem()).toBeUndefined();
  });

  it('include denials, which replace a grant of the same rule and share its numbers', async () => {
    await open().add('bash(npm test)');
    expect(await open().deny('bash(npm test)')).toMatchObject({ number: 2, rule: 'bash(npm test)' });
    expect((await open().deny('bash(npm test)')).number).toBe(2);
    expect(rulesOf(open())).toEqual([]);
    expect(open().denials()).toHaveLength(1);
    // A version of ollm that knows no denials must not take one for a grant.
    expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ format: 1, grants: [] });
    expect((await open().add('bash(npm test)')).number).toBe(3);
    expect(open().denials()).toEqual([]);
    await open().deny('bash(ls)');
    expect(await open().revoke(4)).toBe(true);
    expect(open().denials()).toEqual([]);
  });

  it('of an older version are read, and have no denials', () => {
    const grant = { number: 1, rule: 'bash(ls)', grantedAt: '2026-11-22T10:00:00.000Z' };
    mkdirSync(join(home, 'grants'), { recursive: true });
    const old = { format: 1, root: '/project', last: 1, grants: [grant] };
    writeFileSync(path(), JSON.stringify(old), { mode: 0o600 });
    expect([open().list(), open().denials()]).toEqual([[grant], []]);
  });

  it('are readable only by the user, and no other file is left next to them', async () => {
    await open().add('bash(ls)');
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'grants')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'grants')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('apply only to their project', async () => {
    await open().add('bash(ls)');
    expect(open('/other').list()).toEqual([]);
    // The file of one project in the place of another's.
    writeFileSync(path('/other'), readFileSync(path()), { mode: 0o600 });
    expect(open('/other').list()).toEqual([]);
    expect(open('/other').problem()).toMatch('about another project');
  });

  it('are revoked immediately when a different process revoked one', async () => {
    const [one, other] = [open(), open()];
    await one.add('bash(ls)');
    expect(rulesOf(other)).toEqual(['bash(ls)']);
    await other.revoke(1);
    expect(rulesOf(one)).toEqual([]);
  });

  it.each<[string, () => void, RegExp]>([
    ['text that is not JSON', () => writeFileSync(path(), '{"format":1,', { mode: 0o600 }), /not JSON/],
    ['an unknown format', () => writeFileSync(path(), '{"format":2}', { mode: 0o600 }), /another format/],
    ['null', () => writeFileSync(path(), 'null', { mode: 0o600 }), /another format/],
    [
      'grants that are none',
      () =>
        writeFileSync(path(), '{"format":1,"root":"/project","last":0,"grants":[{"rule":"bash"}]}', { mode: 0o600 }),
      /damaged/,
    ],
    ['a directory', () => mkdirSync(path()), /not a regular file/],
    ['a link', () => symlinkSync('/etc/passwd', path()), /not a regular file/],
    ['more than such a file gets', () => writeFileSync(path(), ' '.repeat(2 * 1024 * 1024), { mode: 0o600 }), /larger/],
  ])('grant nothing if there is %s, and are not overwritten', async (_what, put, problem) => {
    mkdirSync(join(home, 'grants'), { recursive: true });
    put();
    const grants = open();
    expect(grants.list()).toEqual([]);
    expect(grants.problem()).toMatch(problem);
    await expect(grants.add('bash(ls)')).rejects.toMatchObject({ code: 'GRANTS_UNUSABLE' });
    await expect(grants.revoke(1)).rejects.toMatchObject({ code: 'GRANTS_UNUSABLE' });
  });

  it('grant nothing if other users could have written them, or have them under a second name', async () => {
    await open().add('bash(ls)');
    chmodSync(path(), 0o666);
    expect(open().list()).toEqual([]);
    expect(open().problem()).toMatch('can be written by other users');
    chmodSync(path(), 0o600);
    expect(rulesOf(open())).toEqual(['bash(ls)']);
    linkSync(path(), join(home, 'second'));
    expect(open().list()).toEqual([]);
  });

  it('grant nothing if they belong to a different user', async () => {
    await open().add('bash(ls)');
    const stranger = open('/project', nodeFileSystem, 54321);
    expect(stranger.list()).toEqual([]);
    expect(stranger.problem()).toMatch('another user');
  });

  it('in an empty file, as a crash may leave it, are none, and the file can be used', async () => {
    mkdirSync(join(home, 'grants'));
    writeFileSync(path(), '', { mode: 0o600 });
    expect(open().list()).toEqual([]);
    expect((await open().add('bash(ls)')).number).toBe(1);
  });

  it('stay unchanged when the disk is full, and nothing half written is left', async () => {
    await open().add('bash(ls)');
    const full = {
      ...nodeFileSystem,
      open: (...given: Parameters<typeof nodeFileSystem.open>) => {
        const handle = nodeFileSystem.open(...given);
        if (given[1] !== 'create') return handle;
        return Object.assign(Object.create(handle), {
          write: () => {
            throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
          },
        });
      },
    };
    await expect(open('/project', full).add('bash(a)')).rejects.toMatchObject({ code: 'GRANTS_UNUSABLE' });
    expect(rulesOf(open())).toEqual(['bash(ls)']);
    expect(readdirSync(join(home, 'grants')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('are all kept when several processes add at the same time', async () => {
    const lib = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../../lib/${name}`, import.meta.url)));
    const script = `
      import { openGrants } from ${lib('app/policy/grants-file.ts')};
      import { nodeFileSystem, systemClock, systemIds } from ${lib('platform/index.ts')};
      const [home, name] = process.argv.slice(1);
      const paths = { home, project: '/project' };
      const owner = { uid: process.getuid?.() };
      const grants = openGrants({ mode: 'global', paths, fileSystem: nodeFileSystem, ids: systemIds, clock: systemClock, process: owner });
      for (let index = 0; index < 15; index += 1) await grants.add('bash(' + name + ' ' + index + ')');
    `;
    const run = promisify(execFile);
    const add = (name: string) => run(process.execPath, ['--input-type=module', '-e', script, home, name]);
    await Promise.all([add('one'), add('two'), add('three')]);
    const grants = open().list();
    expect(grants).toHaveLength(45);
    expect(new Set(grants.map(({ number }) => number)).size).toBe(45);
  });
});
