import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../lib/app/compose.ts';
import { lastOfProject } from '../../../lib/app/find/last-of-project.ts';
import { forkSession } from '../../../lib/app/sessions/change/fork-session.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import type { FileSystem } from '../../../lib/platform/files/file-system.ts';
import { nodeFileSystem } from '../../../lib/platform/index.ts';
import { changedStat } from '../../support/changed-stat.ts';
import { createTree } from '../../support/tree.ts';

/** A file system that does not report when a file was created. */
const AGELESS: FileSystem = {
  ...nodeFileSystem,
  stat: (path) => {
    const stat = nodeFileSystem.stat(path);
    return stat && changedStat(stat, { bornNs: undefined });
  },
};

function worldIn(root: string, fileSystem: FileSystem = nodeFileSystem) {
  const env = { HOME: root, OLLM_HOME: join(root, '.ollm') };
  const within = async <Value>(name: string, use: (app: Awaited<ReturnType<typeof createApp>>) => Promise<Value>) => {
    const cwd = join(root, name);
    const parts = { fileSystem };
    const app = await createApp({ env, cwd, flags: { provider: 'offline' }, command: 'test', parts });
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  };
  return {
    begin: (name: string) =>
      within(name, async (app) => {
        const { session } = await openSession(app, { kind: 'new' });
        await session.append({ type: 'session.titled', data: { title: 'Walk', by: 'user' } });
        await session.close('exit');
        return session.id;
      }),
    fork: (name: string, id: string) => within(name, async (app) => (await forkSession(app, id)).id),
    last: (name: string) => within(name, lastOfProject),
  };
}

describe('the last session of a project', () => {
  const isProvable = statSync(process.cwd(), { bigint: true }).birthtimeNs > 0n;

  it('is found after a rename of its directory, and never from a different directory, also of the old name', async () => {
    using tree = createTree();
    const { begin, fork, last } = worldIn(tree.root);
    mkdirSync(join(tree.root, 'before'));
    mkdirSync(join(tree.root, 'other'));
    const id = await begin('before');
    expect(await last('before')).toBe(id);
    mkdirSync(join(tree.root, 'deep'));
    renameSync(join(tree.root, 'before'), join(tree.root, 'deep', 'after'));
    await expect(last('other')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    if (!isProvable) {
      console.info('The file system does not say when a directory was made: a rename cannot be proved here.');
      return;
    }
    expect(await last('deep/after')).toBe(id);
    const copy = await fork('other', id);
    expect(await last('other')).toBe(copy);
    expect(await last('deep/after')).toBe(id);
    rmSync(join(tree.root, 'deep/after'), { recursive: true });
    mkdirSync(join(tree.root, 'deep/after'));
    await expect(last('deep/after')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('is named by the error if the file system cannot prove the rename', async () => {
    using tree = createTree({ 'before/': '' });
    const { begin, last } = worldIn(tree.root, AGELESS);
    const id = await begin('before');
    renameSync(join(tree.root, 'before'), join(tree.root, 'after'));
    await expect(last('after')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringContaining(`if it was renamed to this one, "ollm --resume ${id}" continues it.`),
    });
  });
});
