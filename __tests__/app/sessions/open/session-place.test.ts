import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../../../lib/app/compose.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { isOllmError } from '../../../../lib/errors/index.ts';
import { ask } from '../../../../lib/lead/ask.ts';
import { type DiskSpace, type FileSystem, nodeFileSystem } from '../../../../lib/platform/index.ts';

const MIB = 1024 * 1024;
const ROOMY: DiskSpace = { freeBytes: 50_000 * MIB, totalBytes: 100_000 * MIB, type: 0xef53 };
let root: string;
let project: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ollm-place-'));
  project = join(root, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(root, { recursive: true }));

/** An app whose disk is as `space` says, at any moment. */
async function appOn(space: () => DiskSpace, home = join(root, 'home'), allowNetworkFileSystem?: boolean) {
  const fileSystem: FileSystem = { ...nodeFileSystem, space };
  const env = { HOME: root, OLLM_HOME: home, OLLM_PROVIDER: 'offline' };
  return createApp({
    env,
    cwd: project,
    command: 'ollm test',
    flags: { allowNetworkFileSystem },
    parts: { fileSystem },
  });
}

async function open(space: () => DiskSpace, ...more: [home?: string, allowNetworkFileSystem?: boolean]) {
  const app = await appOn(space, ...more);
  const conversation = await openSession(app, { kind: 'name', name: 'notes' });
  return {
    conversation,
    turn: async (text: string) => {
      const signals = await lastValueFrom(ask(app, conversation, { text }).pipe(toArray()));
      const notices = signals.flatMap((signal) => (signal.type === 'notice' ? [signal.text] : []));
      return { last: signals.at(-1)!, notices };
    },
    close: () => conversation.session.close('exit'),
  };
}

describe('the disk space of a session', () => {
  it('is reported as scarce once, and the turns continue', async () => {
    const { turn, close } = await open(() => ({ ...ROOMY, freeBytes: 40 * MIB }));
    const first = await turn('one');
    expect(first.last.type).toBe('done');
    expect(first.notices).toEqual([expect.stringMatching(/^Only 42 MB are free .* "ollm prune/)]);
    expect(await turn('two')).toMatchObject({ last: { type: 'done' }, notices: [] });
    await close();
  });

  it('prevents a turn if none is left, with an explanation, until there is some', async () => {
    let freeBytes = 10 * MIB;
    const { conversation, turn, close } = await open(() => ({ ...ROOMY, freeBytes }));
    const before = conversation.session.writer.head.seq;
    const { last } = await turn('one');
    expect(last).toMatchObject({
      type: 'error',
      error: { code: 'JOURNAL_FULL', message: expect.stringMatching(/^The turn was not begun: only 10 MB are free/) },
    });
    expect(conversation.session.writer.head.seq).toBe(before);
    freeBytes = ROOMY.freeBytes;
    expect((await turn('one')).last.type).toBe('done');
    await close();
  });

  it('is not checked if the system does not report the size of the disk', async () => {
    const { turn, close } = await open(() => ({ freeBytes: 0, totalBytes: 0, type: 0xef53 }));
    expect(await turn('one')).toMatchObject({ last: { type: 'done' }, notices: [] });
    await close();
  });
});

describe('a place with weaker guarantees', () => {
  it.each([
    ['tmpfs', 0x01021994, /is in memory \(tmpfs\): sessions do not survive a restart/],
    ['NFS, if that is allowed', 0x6969, /is on a network file system \(NFS\)/],
  ])('%s is reported when a session is opened, new or not', async (_name, type, sentence) => {
    for (let round = 0; round < 2; round += 1) {
      const { conversation, close } = await open(() => ({ ...ROOMY, type }), undefined, true);
      expect(conversation.notices.join('\n')).toMatch(sentence);
      await close();
    }
  });

  it('a folder in a cloud is reported as well', async () => {
    const { conversation, close } = await open(() => ROOMY, join(root, 'Dropbox', '.ollm'));
    expect(conversation.notices.join('\n')).toMatch(/kept in step with other machines by Dropbox/);
    await close();
  });

  it('is not reported on a local disk', async () => {
    const { conversation, close } = await open(() => ROOMY);
    expect(conversation.notices).toEqual([]);
    await close();
  });

  it('NFS is refused unless it is allowed, before a file is created', async () => {
    const opening = open(() => ({ ...ROOMY, type: 0x6969 }));
    await expect(opening).rejects.toMatchObject({ code: 'STORE_ON_NETWORK' });
    await opening.catch((error: unknown) => expect(isOllmError(error)).toBe(true));
    expect(nodeFileSystem.stat(join(root, 'home', 'session-data'))).toBeUndefined();
  });
});
