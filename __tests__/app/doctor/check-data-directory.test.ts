import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../../lib/app/app.ts';
import { createApp } from '../../../lib/app/compose.ts';
import type { Check } from '../../../lib/app/doctor/check.ts';
import { checkDataDirectory } from '../../../lib/app/doctor/check-data-directory.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { type DiskSpace, nodeFileSystem } from '../../../lib/platform/index.ts';
import { changedStat } from '../../support/changed-stat.ts';

const MIB = 1024 * 1024;
const ROOMY: DiskSpace = { freeBytes: 50_000 * MIB, totalBytes: 100_000 * MIB, type: 0xef53 };
let root: string;
let sessions: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ollm-doctor-'));
  sessions = join(root, 'session-data');
});
afterEach(() => rmSync(root, { recursive: true }));

async function appOn(space: DiskSpace = ROOMY, allowNetworkFileSystem?: boolean, home = root): Promise<App> {
  return createApp({
    env: { HOME: root, OLLM_HOME: home, OLLM_PROVIDER: 'offline' },
    cwd: root,
    command: 'ollm test',
    flags: { allowNetworkFileSystem },
    parts: { fileSystem: { ...nodeFileSystem, space: () => space } },
  });
}

async function makeSession(name: string): Promise<void> {
  const { session } = await openSession(await appOn(), { kind: 'name', name });
  await session.append({ type: 'session.titled', data: { title: name, by: 'user' } });
  await session.close('exit');
}

async function checksOf(app: App): Promise<Map<string, Check>> {
  const checks = await Array.fromAsync(checkDataDirectory(app));
  return new Map(checks.map((check) => [check.name, check]));
}
async function check(name: string, app?: App): Promise<Check | undefined> {
  return (await checksOf(app ?? (await appOn()))).get(name);
}
const put = (name: string, text = '') => {
  mkdirSync(join(sessions, name, '..'), { recursive: true });
  writeFileSync(join(sessions, name), text, { mode: 0o600 });
};

describe('the check of the data directory', () => {
  it('finds nothing in a missing directory, and no fault in one that ollm made', async () => {
    const statuses = async () => [...(await checksOf(await appOn())).values()].filter(({ status }) => status !== 'ok');
    expect(await statuses()).toEqual([]);
    await makeSession('notes');
    await makeSession('other');
    expect(await statuses()).toEqual([]);
  });

  it('reports that the directory cannot be created because the one above it cannot be written', async () => {
    const home = join(root, 'home');
    mkdirSync(home);
    const app = await appOn(ROOMY, undefined, home);
    const asUser = (uid: number) => ({ ...app, process: { ...app.process, uid } });
    const owner = statSync(home).uid || 1000;
    const owned = (mode: number) => ({
      ...asUser(owner),
      fileSystem: {
        ...app.fileSystem,
        stat: (path: string) => {
          const stat = app.fileSystem.stat(path);
          return stat && path === home ? changedStat(stat, { uid: owner, mode }) : stat;
        },
      },
    });
    expect(await check('data directory', owned(0o700))).toMatchObject({ status: 'ok' });
    expect(await check('data directory', owned(0o555))).toMatchObject({
      status: 'fail',
      text: `${home}/session-data cannot be made: ${home} is not writable`,
      remedy: expect.stringMatching(/dataDir\.$/),
    });
    rmSync(home, { recursive: true });
    writeFileSync(home, '');
    expect(await check('data directory', app)).toMatchObject({
      status: 'fail',
      text: expect.stringMatching(/home is not a directory$/),
    });
  });

  it.each<[string, DiskSpace, string, string, RegExp]>([
    ['little room', { ...ROOMY, freeBytes: 30 * MIB }, 'free space', 'warn', /31 MB of 105 GB/],
    ['no room', { ...ROOMY, freeBytes: 3 * MIB }, 'free space', 'fail', /no turn is begun/],
    ['a network', { ...ROOMY, type: 0x6969 }, 'file system', 'fail', /NFS.*nothing is written/],
    ['memory', { ...ROOMY, type: 0x01021994 }, 'file system', 'warn', /tmpfs.*do not survive a restart/],
    ['a program', { ...ROOMY, type: 0x65735546 }, 'file system', 'warn', /FUSE/],
  ])('reports %s', async (_what, space, name, status, text) => {
    const found = await check(name, await appOn(space));
    expect(found).toMatchObject({ status, text: expect.stringMatching(text), remedy: expect.stringMatching(/\.$/) });
  });

  it('reports a network that the settings allow, and a folder in a cloud', async () => {
    expect(await check('file system', await appOn({ ...ROOMY, type: 0x6969 }, true))).toMatchObject({ status: 'warn' });
    const inCloud = await appOn(ROOMY, false, join(root, 'Nextcloud'));
    expect(await check('file system', inCloud)).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('Nextcloud'),
    });
  });

  it.each<[string, () => void, RegExp]>([
    ['open to others', () => chmodSync(join(sessions, 'notes.jsonl'), 0o644), /notes\.jsonl is open to others/],
    ['of two names', () => linkSync(join(sessions, 'notes.jsonl'), join(root, 'also')), /notes\.jsonl has 2 names/],
    ['of a name that no list has', () => put('My notes.jsonl'), /My notes\.jsonl is in no list, by its name/],
    ['no files', () => symlinkSync('/etc/passwd', join(sessions, 'link.jsonl')), /link\.jsonl is not a regular file/],
  ])('reports journals that are %s', async (_what, hurt, text) => {
    await makeSession('notes');
    const app = await appOn();
    hurt();
    expect(await check('files', app)).toMatchObject({ status: 'warn', text: expect.stringMatching(text) });
  });

  it.each([
    'notes.state.json.0011.tmp',
    'notes.jsonl.0011.repair',
    'notes.jsonl.0011.repair.lock',
    'trash/.purge-notes.0011/notes.jsonl',
    'archive/notes.x.tmp',
    'quarantine/.notes.0011.tmp',
    'blobs/aa.tmp',
    'gone.lock',
  ])('reports %s, left by a crash', async (name) => {
    await makeSession('notes');
    put(name);
    const found = await check('leftovers');
    expect(found).toMatchObject({ status: 'warn', remedy: expect.stringContaining('remove them') });
    expect(found?.text).toContain(name.split('/').slice(0, 2).join('/'));
  });

  it('ignores a lock under a name that no session can have', async () => {
    await makeSession('notes');
    put('Cargo.lock');
    expect(await check('leftovers')).toMatchObject({ status: 'ok' });
  });

  it('does not report the lock of a session that is being created, or of one with events, as a leftover', async () => {
    put('held.lock');
    put('telling.lock', 'something');
    const lock = nodeFileSystem.open(join(sessions, 'held.lock'), 'lock');
    expect(lock.tryLock()).toBe(true);
    // The holder is known only by the lock: there is no journal yet.
    expect(await check('leftovers')).toMatchObject({ status: 'ok' });
    lock.close();
    expect((await check('leftovers'))?.text).toContain('held.lock');
  });

  it('distinguishes torn ends that were kept from evidence of lost events', async () => {
    await makeSession('notes');
    put('quarantine/notes.100.0011aabb.bin', 'x');
    expect(await check('set aside')).toMatchObject({
      status: 'ok',
      text: expect.stringContaining('never acknowledged'),
    });
    put('notes.state.json.20260101-000000.suspect', '{}');
    expect(await check('set aside')).toMatchObject({ status: 'warn', remedy: expect.stringContaining('backup') });
  });

  it.each(['state', 'snapshot'] as const)('reports a %s file that is ahead of its journal', async (kind) => {
    await makeSession('notes');
    rmSync(join(sessions, kind === 'state' ? 'notes.json' : 'notes.state.json'));
    truncateSync(join(sessions, 'notes.jsonl'), 300);
    expect(await check('derived files')).toMatchObject({
      status: 'fail',
      remedy: expect.stringContaining('ollm verify notes'),
    });
  });

  it('lists the open sessions, with their processes', async () => {
    await makeSession('notes');
    const app = await appOn();
    const { session } = await openSession(app, { kind: 'name', name: 'notes' });
    expect((await check('open sessions'))?.text).toBe(`notes by process ${process.pid}`);
    await session.close('exit');
  });

  it('changes nothing', async () => {
    await makeSession('notes');
    put('notes.state.json.0011.tmp', 'left');
    const listing = () => nodeFileSystem.readDirectory(sessions);
    const before = listing();
    await checksOf(await appOn());
    expect(listing()).toEqual(before);
  });
});
