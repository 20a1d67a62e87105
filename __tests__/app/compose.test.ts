import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import type { ConfigFlags } from '../../lib/config/types.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));

async function appIn(
  root: string,
  cwd: string,
  { env = {}, ...flags }: ConfigFlags & { env?: Record<string, string> } = {},
) {
  return createApp({
    env: { HOME: root, ...env },
    cwd: join(root, cwd),
    flags: { provider: 'offline', ...flags },
    command: 'test',
    parts: { log: silentLog },
  });
}

describe('the place of the sessions', () => {
  it('is the home of ollm, unless a flag says otherwise', async () => {
    using tree = createTree({ 'work/': '' });
    const app = await appIn(tree.root, 'work');
    expect(app.paths).toMatchObject({
      home: join(tree.root, '.ollm'),
      sessions: join(tree.root, '.ollm', 'session-data'),
    });
    expect((await appIn(tree.root, 'work', { env: { OLLM_HOME: join(tree.root, 'other') } })).paths.home).toBe(
      join(tree.root, 'other'),
    );
  });

  it('is the project in project mode: the nearest directory with a .ollm or .git', async () => {
    using tree = createTree({ 'work/.git/HEAD': '', 'work/src/deep/': '', 'plain/': '' });
    const app = await appIn(tree.root, 'work/src/deep', { mode: 'session' });
    expect(app.paths.sessions).toBe(join(tree.root, 'work', '.ollm', 'session-data'));
    // The home of ollm is not a project, though it is called .ollm.
    await (await openSession(await appIn(tree.root, 'plain'), { kind: 'new' })).session.close('exit');
    expect((await appIn(tree.root, 'plain')).paths.project).toBe(join(tree.root, 'plain'));
  });

  it('is memory in ephemeral mode', async () => {
    using tree = createTree({ 'work/': '' });
    const app = await appIn(tree.root, 'work', { mode: 'ephemeral' });
    const { session, ephemeral } = await openSession(app, { kind: 'new' });
    expect(ephemeral).toBe(true);
    await session.close('exit');
    expect(app.fileSystem.stat(join(tree.root, '.ollm'))).toBeUndefined();
  });
});

describe('the index of passages', () => {
  it('is shared by apps over the same sessions, with a model for embeddings for each', async () => {
    using tree = createTree({ 'work/': '' });
    const env = { HOME: tree.root, OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' };
    const options = { env, cwd: join(tree.root, 'work'), command: 'test' };
    const app = await createApp({ ...options, parts: { log: silentLog } });
    const other = await createApp({ ...options, parts: { log: silentLog, shared: app } });
    expect(await app.passages()).toBeDefined();
    expect(await app.passages()).toBe(await other.passages());
    expect(await app.embeddings()).toBe(await app.embeddings());
    expect(await app.embeddings()).not.toBe(await other.embeddings());
    for (const each of [other, app]) await each.close();
  });

  it('does not exist for sessions in memory', async () => {
    using tree = createTree({ 'work/': '' });
    const app = await appIn(tree.root, 'work', {
      mode: 'ephemeral',
      env: { OLLM_RETRIEVAL__EMBEDDINGS__MODEL: 'hash' },
    });
    expect([await app.passages(), await app.embeddings()]).toEqual([undefined, undefined]);
    await app.close();
  });
});

it('a command that only lists and reads loads neither rxjs nor yaml, ollama, the tokenizer or pino', () => {
  const program = `
    const { createApp } = await import(${JSON.stringify(`${LIB}app/compose.ts`)});
    const { listSessions } = await import(${JSON.stringify(`${LIB}app/list/list-sessions.ts`)});
    const { registerHooks } = await import('node:module');
    const app = await createApp({ env: { HOME: '/nonexistent' }, cwd: '/', command: 'test' });
    await listSessions(app);
  `;
  const hooks = `
    import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => { process.stdout.write(url + '\\n'); return next(url, context); } });
  `;
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [
      '--no-warnings',
      '--import',
      `data:text/javascript,${encodeURIComponent(hooks)}`,
      '--input-type=module',
      '-e',
      program,
    ],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const packages = new Set([...stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name));
  for (const heavy of ['rxjs', 'yaml', 'ollama', 'gpt-tokenizer', 'pino', 'chokidar', 'marked']) {
    expect([...packages]).not.toContain(heavy);
  }
  expect(stdout).toContain('lib/app/compose.ts');
});
