// `ollm revert`, as a user runs it: real files.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../../lib/app/compose.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { ask } from '../../../lib/lead/ask.ts';
import { createHome, type Home } from '../../support/cli.ts';
import { says, scriptedProvider } from '../../support/scripted-provider.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { until } from '../../support/until.ts';
import { type Call, callsTools } from '../../turn/tool-world.ts';

let home: Home;
let project: Tree;
const run = (...args: string[]) => home.here(args, { cwd: project.root });
const contentOf = (name: string) => readFileSync(join(project.root, name), 'utf8');

/** A session in which a model made these calls in one turn, and the user allowed them. */
async function session(name: string, ...calls: readonly Call[]): Promise<void> {
  const provider = scriptedProvider((_request, _signal, round) => (round === 0 ? callsTools(...calls) : says('Done.')));
  const app = await createApp({
    env: { HOME: home.path, OLLM_HOME: home.path, PATH: process.env.PATH },
    cwd: project.root,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { providers: { offline: async () => ({ ...provider, name: 'offline' }) } },
  });
  const conversation = await openSession(app, { kind: 'new', name });
  const approver = { ask: async () => ({ kind: 'once' }) as const };
  await lastValueFrom(ask(app, conversation, { text: 'Go' }, { approver }).pipe(toArray()));
  await conversation.session.close('exit');
  await app.close();
}

const writes = (path: string, content: string): Call => ({ name: 'file_write', args: { path, content }, callId: path });

beforeEach(() => {
  home = createHome();
  project = createTree({ 'a.txt': 'one\n', 'b.txt': 'one\n', '.git/HEAD': 'ref: refs/heads/main\n' });
});
afterEach(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

describe('ollm revert', () => {
  it('shows the planned changes, and makes them with --yes', async () => {
    await session('notes', writes('a.txt', 'two\n'), writes('new/c.txt', 'c\n'), {
      name: 'bash',
      args: { command: 'touch made' },
    });
    const dry = await run('revert', 'notes', '--dry-run');
    expect(dry.stdout).toContain('restore: a.txt (+1 −1)\n  @@ -1,1 +1,1 @@\n  -two\n  +one\n');
    expect(dry.stdout).toContain('remove: new/c.txt (+0 −1)');
    expect(dry.stderr).toContain('1 other call may have changed files too, which cannot be put back: bash touch made');
    expect(dry.exitCode).toBe(0);
    expect(contentOf('a.txt')).toBe('two\n');

    const done = await run('revert', 'notes', '--yes');
    expect(done.stdout).toContain('restored: a.txt\nremoved: new/c.txt\n');
    expect(done.exitCode).toBe(0);
    expect(contentOf('a.txt')).toBe('one\n');
    expect(existsSync(join(project.root, 'new'))).toBe(false);
    expect((await run('revert', 'notes')).stderr).toContain('No file is changed by tools of notes');
    expect((await run('verify', 'notes')).exitCode).toBe(0);
  });

  it('changes nothing without --yes, and exits with 1 if a file changed since', async () => {
    await session('notes', writes('a.txt', 'two\n'), writes('b.txt', 'two\n'));
    const unasked = await run('revert', 'notes');
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    writeFileSync(join(project.root, 'a.txt'), 'mine\n');
    const { exitCode, stdout } = await run('revert', 'notes', '--yes', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'notes',
      files: [
        { shown: 'a.txt', outcome: 'refused' },
        { shown: 'b.txt', outcome: 'restored' },
      ],
    });
    expect([contentOf('a.txt'), contentOf('b.txt')]).toEqual(['mine\n', 'one\n']);
  });

  it('is suggested by a fork to a point before files were changed', async () => {
    await session('notes', writes('a.txt', 'two\n'));
    const { stderr } = await run('fork', 'notes', '--at', '1');
    expect(stderr).toContain(
      'Tools changed a.txt after event 1, and that stays. To put back what they changed: ollm revert notes --at 1',
    );
  });

  it('leaves each file in its old or its new state when it is killed, says so, and can be finished', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `f${index}.txt`);
    project.write(Object.fromEntries(names.map((name) => [name, 'one\n'])));
    await session('notes', ...names.map((name) => writes(name, 'two\n')));
    const child = home.start(['revert', 'notes', '--yes'], { cwd: project.root });
    await until(() => contentOf('f0.txt') === 'one\n');
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    const left = names.filter((name) => contentOf(name) === 'two\n');
    expect(names.filter((name) => contentOf(name) === 'one\n')).toHaveLength(names.length - left.length);
    const resumed = await run('ask', 'hello', '--resume', 'notes', '--provider', 'offline');
    if (left.length > 0) expect(resumed.stderr).toContain('Putting back 120 files was interrupted');
    const finished = await run('revert', 'notes', '--yes');
    expect(finished.exitCode).toBe(0);
    expect(names.map(contentOf)).toEqual(names.map(() => 'one\n'));
    expect((await run('ask', 'hello', '--resume', 'notes', '--provider', 'offline')).stderr).not.toContain('Putting');
  });
});
