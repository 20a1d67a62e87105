import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../../lib/app/compose.ts';
import { lastOfProject } from '../../../../lib/app/sessions/find/last-of-project.ts';
import { openSession } from '../../../../lib/app/sessions/open/open-session.ts';
import { createTree } from '../../../support/tree.ts';

it('the last session of a project is found there; after a rename of the directory the refusal names it', async () => {
  using tree = createTree();
  const [before, after] = [join(tree.root, 'before'), join(tree.root, 'after')];
  mkdirSync(before);
  const env = { HOME: tree.root, OLLM_HOME: join(tree.root, '.ollm') };
  const appIn = (cwd: string) => createApp({ env, cwd, flags: { provider: 'offline' }, command: 'test' });
  const app = await appIn(before);
  const { session } = await openSession(app, { kind: 'new' });
  await session.append({ type: 'session.titled', data: { title: 'Walk', by: 'user' } });
  await session.close('exit');
  expect(await lastOfProject(app)).toBe(session.id);
  await app.close();
  renameSync(before, after);
  const moved = await appIn(after);
  await expect(lastOfProject(moved)).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
    hint: expect.stringContaining(`if it was renamed to this one, "ollm --resume ${session.id}" continues it.`),
  });
  await moved.close();
});
