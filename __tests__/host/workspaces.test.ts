import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isOllmError } from '../../lib/errors/index.ts';
import type { Host } from '../../lib/host/open-host.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { hostWorld } from './world.ts';

const allowed = async (host: Host, path: string): Promise<string> => {
  try {
    return await host.workspaces.resolve(path);
  } catch (error) {
    if (isOllmError(error)) return error.code;
    throw error;
  }
};

const directory = (...parts: string[]): string => {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
};

describe('the workspaces of a server', () => {
  it('are the one that it was started in, and those with a session', async () => {
    await using world = await hostWorld();
    const other = directory(dirname(world.project), 'other');
    expect(await allowed(world.host, world.project)).toBe(world.project);
    expect(await allowed(world.host, other)).toBe('WORKSPACE_NOT_ALLOWED');
    await world.host.workspaces.open(other);
    const { sessionId } = await world.host.sessions.start({ text: 'x', workspace: other });
    await world.host.sessions.wait(sessionId);
    expect(world.journal(sessionId)[0]?.data.cwd).toBe(other);
    expect(await world.host.workspaces.list()).toEqual([
      { path: other, because: 'opened' },
      { path: world.project, because: 'opened' },
    ]);
    await world.host.close();
    expect(await allowed(await world.another(), other)).toBe(other);
  });

  it('are never the root, the home of the user, a directory above it, or the home of ollm', async () => {
    await using world = await hostWorld();
    const home = dirname(world.home);
    symlinkSync(home, join(world.project, 'home'));
    const paths = ['/', dirname(home), home, join(world.project, 'home'), world.home, directory(world.home, 'run')];
    for (const path of paths) {
      const error: unknown = await world.host.workspaces.open(path).catch((each: unknown) => each);
      expect({ path, error }).toMatchObject({ path, error: { code: 'WORKSPACE_NOT_ALLOWED' } });
      expect(await allowed(world.host, path)).toBe('WORKSPACE_NOT_ALLOWED');
    }
    // An earlier version took them.
    const document = { format: 1, opened: paths };
    writeFileSync(join(world.home, 'workspaces.json'), JSON.stringify(document), { mode: 0o600 });
    for (const path of [...paths, '/etc']) expect(await allowed(world.host, path)).toBe('WORKSPACE_NOT_ALLOWED');
    expect((await world.host.workspaces.list()).map(({ path }) => path)).toEqual([world.project]);
  });

  it('are judged by the target of a path', async () => {
    await using world = await hostWorld();
    const outside = directory(dirname(world.project), 'outside');
    symlinkSync(outside, join(world.project, 'link'));
    symlinkSync(world.project, join(outside, 'back'));
    writeFileSync(join(world.project, 'file'), '');
    const refused = ['link', 'file', 'missing', '..', '../outside'].map((name) => `${world.project}/${name}`);
    for (const path of [...refused, 'project', '', '/', '\0', `${world.project}\0`, `/${'a/'.repeat(5000)}`]) {
      expect(await allowed(world.host, path)).toBe('WORKSPACE_NOT_ALLOWED');
    }
    expect(await allowed(world.host, join(outside, 'back'))).toBe(world.project);
  });

  it('do not follow a directory that was replaced by a link', async () => {
    await using world = await hostWorld();
    const [outside, opened, led] = ['outside', 'opened', 'led'].map((name) => directory(dirname(world.project), name));
    const started = await world.another();
    await started.workspaces.open(opened!);
    await started.workspaces.open(led!);
    const { sessionId } = await started.sessions.start({ text: 'x', workspace: led! });
    await started.sessions.wait(sessionId);
    await started.close();
    rmSync(join(world.home, 'workspaces.json'));
    await world.host.workspaces.open(opened!);
    for (const path of [world.project, opened!, led!]) {
      renameSync(path, `${path}-before`);
      symlinkSync(outside!, path);
      expect(await allowed(world.host, path)).toBe('WORKSPACE_NOT_ALLOWED');
    }
    expect(await allowed(world.host, outside!)).toBe('WORKSPACE_NOT_ALLOWED');
    await expect(world.host.sessions.prompt(sessionId, { text: 'again' })).rejects.toMatchObject({
      code: 'WORKSPACE_NOT_ALLOWED',
    });
    expect((await world.host.workspaces.list()).map(({ path }) => path)).not.toContain(outside);
  });

  it('apply to a session that does not name its directory', async () => {
    await using world = await hostWorld();
    const root = directory(dirname(world.project), 'work');
    const created = { provider: 'ollama', model: 'm-1', ollm: '0.0.0' };
    const session = await createSession(world.host.app.store, { id: 'oak', created }, { log: silentLog });
    await session.close('exit');
    writeFileSync(join(world.home, 'config.yaml'), `server:\n  workspaces: [${JSON.stringify(root)}]\n`);
    const host = await world.another();
    await expect(host.sessions.prompt('oak', { text: 'x' })).rejects.toMatchObject({ code: 'WORKSPACE_NOT_ALLOWED' });
    await world.host.sessions.rename('oak', 'Oak');
  });

  it('are only those of the setting if it is set, with all directories below them', async () => {
    await using world = await hostWorld();
    const root = directory(dirname(world.project), 'work');
    const below = directory(root, 'a', 'b');
    directory(`${root}-beside`);
    writeFileSync(join(world.home, 'config.yaml'), `server:\n  workspaces: [${JSON.stringify(root)}]\n`);
    const host = await world.another();
    expect(await allowed(host, root)).toBe(root);
    expect(await allowed(host, below)).toBe(below);
    for (const path of [world.project, `${root}-beside`, dirname(root)]) {
      expect(await allowed(host, path)).toBe('WORKSPACE_NOT_ALLOWED');
    }
  });

  it('share the sessions, and each has its own settings', async () => {
    await using world = await hostWorld();
    const other = directory(dirname(world.project), 'other');
    mkdirSync(join(other, '.ollm'));
    writeFileSync(join(other, '.ollm', 'config.yaml'), 'tools:\n  disabled: [bash]\n');
    await world.host.workspaces.open(other);
    const seen = await world.host.workspaces.with(other, async (app) => ({
      disabled: app.config.tools.disabled,
      isShared: app.store === world.host.app.store && app.catalog === world.host.app.catalog,
    }));
    expect(seen).toEqual({ disabled: ['bash'], isShared: true });
    expect(world.host.app.config.tools.disabled).toEqual([]);
  });

  it('stay open while in use, and a limited number of others', async () => {
    await using world = await hostWorld({ limits: { workspaces: 2 } });
    const paths = ['a', 'b', 'c', 'd'].map((name) => directory(dirname(world.project), name));
    for (const path of paths) await world.host.workspaces.open(path);
    const [first] = paths;
    await world.host.workspaces.with(first!, async (kept) => {
      for (const path of paths) await world.host.workspaces.with(path, async () => {});
      expect(world.host.figures().workspaces).toBeLessThanOrEqual(2);
      await world.host.workspaces.with(first!, async (app) => expect(app).toBe(kept));
    });
  });

  it('that were opened are remembered in a file that only the user can read', async () => {
    await using world = await hostWorld();
    await world.host.workspaces.open(world.project);
    const file = join(world.home, 'workspaces.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'not JSON');
    expect(await allowed(world.host, world.project)).toBe(world.project);
    await world.host.workspaces.open(world.project);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ format: 1, opened: [world.project] });
  });
});
