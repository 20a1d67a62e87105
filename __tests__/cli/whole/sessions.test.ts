import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM, parseLines, type RunResult } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

let home: Home;
const ollm = (...args: string[]): Promise<RunResult> => home.here(args);

beforeEach(() => {
  home = createHome();
});
afterEach(() => home[Symbol.dispose]());

const turn = (turn: number, input: string) => [
  { type: 'turn.started', turn, data: { input } },
  {
    type: 'message.added',
    turn,
    data: {
      role: 'user',
      parts: [{ type: 'text', text: input }],
      tokens: { count: 1, method: 'estimated' },
      trusted: true,
    },
  },
  { type: 'turn.ended', turn, data: { status: 'completed', steps: 1, durationMs: 1 } },
];

describe('the life of a session', () => {
  it('delete moves to the trash, restore brings back, and each names the next command', async () => {
    await home.append('walk', turn(1, 'hello'));
    const journal = readFileSync(home.journal('walk'), 'utf8');
    expect(await ollm('delete', 'walk')).toMatchObject({
      exitCode: 0,
      stdout: 'Deleted walk. "ollm restore walk" brings it back.\n',
    });
    expect((await ollm('show', 'walk')).exitCode).toBe(3);
    expect(await ollm('restore', 'walk')).toMatchObject({ exitCode: 0, stdout: 'Restored walk.\n' });
    expect(readFileSync(home.journal('walk'), 'utf8')).toBe(journal);
  });

  it('restore without an id lists the sessions in the trash, or says that it is empty', async () => {
    expect(await ollm('restore')).toMatchObject({ exitCode: 0, stdout: '', stderr: 'The trash is empty.\n' });
    await home.append('walk', turn(1, 'hello'));
    await ollm('delete', 'walk');
    expect((await ollm('restore')).stdout).toMatch(/^walk\t\d+\t\d{4}-\d\d-\d\dT\S+Z\n$/);
    expect(JSON.parse((await ollm('restore', '--json')).stdout)).toMatchObject([{ id: 'walk' }]);
  });

  it('delete --purge needs --yes without a terminal, and then removes the session', async () => {
    await home.append('walk', []);
    const refused = await ollm('delete', 'walk', '--purge');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    expect((await ollm('delete', 'walk', '--purge', '--yes')).exitCode).toBe(0);
    expect((await ollm('restore', 'walk')).exitCode).toBe(3);
  });

  it('prune --dry-run names the sessions that prune moves to the trash', async () => {
    for (const id of ['one', 'two', 'three']) await home.append(id, []);
    const plan = await ollm('prune', '--keep', '1', '--dry-run');
    expect(plan.stdout.match(/^\S+/gm)?.sort()).toEqual(['one', 'two']);
    expect((await ollm('prune', '--dry-run')).stdout).toBe('');
    await ollm('config', 'set', 'services.session.maxSessions', '1');
    expect((await ollm('prune', '--dry-run')).stdout).toBe(plan.stdout);
    expect(JSON.parse((await ollm('list', '--json')).stdout)).toHaveLength(3);
    expect((await ollm('prune', '--keep', '1')).stderr).toContain('ollm restore ID');
    expect(JSON.parse((await ollm('list', '--json')).stdout)).toMatchObject([{ id: 'three' }]);
    expect((await ollm('restore', 'one')).exitCode).toBe(0);
  });

  it('fork copies the events, and diff shows the shared part and the part of each', async () => {
    await home.append('walk', [...turn(1, 'first'), ...turn(2, 'second')]);
    const fork = await ollm('fork', 'walk', '--at', '3', '--name', 'side');
    expect(fork).toMatchObject({ exitCode: 0, stdout: 'side\n' });
    await home.append('side', turn(2, 'another way'));
    const diff = JSON.parse((await ollm('diff', 'walk', 'side', '--json')).stdout);
    // The fork has a title of its own as well.
    expect(diff).toMatchObject({ shared: 3, a: { id: 'walk', own: 3 }, b: { id: 'side', own: 4 } });
    const { stdout } = await ollm('diff', 'walk', 'side');
    expect(stdout).toMatch(/^3 events in common, the last is event 3 of walk/);
    expect(stdout).toMatch(/^< .*turn\.started +second$/m);
    expect(stdout).toMatch(/^> .*turn\.started +another way$/m);
    expect((await ollm('fork', 'walk', '--at', '99')).exitCode).toBe(3);
  });

  it('reset archives the journal and starts an empty one', async () => {
    await home.append('walk', turn(1, 'hello'));
    const { exitCode, stdout } = await ollm('reset', 'walk');
    expect(exitCode).toBe(0);
    const archive = /archive\/(\S+\.jsonl)/.exec(stdout)![1]!;
    expect(readFileSync(join(home.sessions, 'archive', archive), 'utf8')).toContain('hello');
    expect(JSON.parse((await ollm('replay', 'walk')).stdout)).toMatchObject({ sessionId: 'walk', messages: [] });
  });
});

describe('a session with a name', () => {
  const QUESTION = 'How long is the mast?';

  it.each([
    ['list', []],
    ['list --all', ['--all']],
  ])('is listed by %s with its first question, since its id is the name', async (_, flags) => {
    await home.here(['ask', QUESTION, '--provider', 'offline', '--name', 'Release notes']);
    await home.here(['ask', QUESTION, '--provider', 'offline', '--name', 'C++']);
    const { stdout } = await ollm('list', ...flags);
    const cells = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(cells.map((row) => row.at(-1))).toEqual([QUESTION, QUESTION]);
    expect(cells.map((row) => row[0]!.replace('ollm:', '')).sort()).toEqual([
      expect.stringMatching(/^c-[0-9a-f]+$/),
      'release-notes',
    ]);
  });

  it('is found by its name, which --json prints too', async () => {
    await home.here(['ask', QUESTION, '--provider', 'offline', '--name', 'C++']);
    expect(JSON.parse((await ollm('list', '--json')).stdout)).toMatchObject([{ title: 'C++' }]);
    expect((await ollm('show', 'c++')).exitCode).toBe(0);
  });

  it('is listed with its title if the user set one or has asked nothing yet', async () => {
    await home.append('walk', [
      { type: 'session.titled', data: { title: 'Down to the harbour' } },
      ...turn(1, QUESTION),
    ]);
    await home.append('sail', [{ type: 'session.titled', data: { title: 'Sail' } }]);
    const { stdout } = await ollm('list', '--all');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t').at(-1))
        .sort(),
    ).toEqual(['Down to the harbour', 'Sail']);
  });
});

describe('a terminal session', () => {
  it('asks before it deletes, shows colours, and does not ask with --yes', async () => {
    await home.append('walk', turn(1, 'hello'));
    const options = { cwd: home.path, env: { PATH: process.env.PATH!, HOME: home.path, OLLM_HOME: home.path } };
    await using terminal = openTerminal(process.execPath, [OLLM, 'delete', 'walk'], options);
    await terminal.waitFor('goes to the trash');
    terminal.type('n');
    expect((await terminal.exit).code).toBe(1);
    expect((await ollm('show', 'walk')).exitCode).toBe(0);

    await using list = openTerminal(process.execPath, [OLLM, 'list'], { ...options, columns: 40 });
    expect((await list.exit).code).toBe(0);
    expect(list.raw()).toContain('\u001b[36m');
    expect(Math.max(...list.lines().map((line) => line.length))).toBeLessThanOrEqual(40);

    await using plain = openTerminal(process.execPath, [OLLM, 'list'], {
      ...options,
      env: { ...options.env, NO_COLOR: '1' },
    });
    await plain.exit;
    expect(plain.raw()).not.toContain('\u001b[36m');

    await using removed = openTerminal(process.execPath, [OLLM, 'delete', 'walk', '--yes'], options);
    expect((await removed.exit).code).toBe(0);
  });
});

describe('configuration', () => {
  it('config names the layer of each value', async () => {
    writeFileSync(join(home.path, 'config.yaml'), 'services:\n  session:\n    maxSessions: 7\n');
    expect(await ollm('config', 'get', 'services.session.maxSessions')).toMatchObject({ exitCode: 0, stdout: '7\n' });
    const { stdout } = await ollm('config');
    expect(stdout).toMatch(/^services\.session\.maxSessions\t7\t.*config\.yaml:3$/m);
    const { settings } = JSON.parse((await ollm('config', 'explain', '--json')).stdout) as {
      settings: { key: string; layer: string }[];
    };
    expect(settings.find(({ key }) => key === 'services.session.maxSessions')).toMatchObject({ layer: 'user' });
  });

  it('an invalid file ends any command with exit code 2, and is named with its line', async () => {
    writeFileSync(join(home.path, 'config.yaml'), 'services:\n  sessoin: {}\n');
    const { exitCode, stderr, stdout } = await ollm('list');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/config\.yaml:2/);
  });

  it('--home and --config replace OLLM_HOME and the file in it', async () => {
    const other = join(home.path, 'other');
    writeFileSync(join(home.path, 'mine.yaml'), 'model: mine\n');
    expect((await ollm('config', 'get', 'model', '--config', 'mine.yaml')).stdout).toBe('mine\n');
    await home.here(['append', 'walk', '--create', '--home', other], { input: '' });
    expect(readdirSync(join(other, 'session-data'))).toContain('walk.jsonl');
  });
});

describe('ask and doctor', () => {
  it('ask answers on standard output, appends standard input to the question, and keeps the session', async () => {
    const { exitCode, stdout } = await home.here(['ask', 'Who are you?', '--provider', 'offline', '--name', 'walk'], {
      input: 'some more\n',
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\S/);
    const told = JSON.parse((await ollm('replay', 'walk')).stdout) as {
      messages: { role: string; parts: { text: string }[] }[];
    };
    expect(told.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(told.messages[0]!.parts[0]!.text).toBe('Who are you?\n\nsome more');
  });

  it('ask --json prints each event once it is stored', async () => {
    const { stdout } = await home.here(['ask', 'Who are you?', '--provider', 'offline', '--name', 'walk', '--json']);
    const journal = readFileSync(home.journal('walk'), 'utf8');
    expect(journal).toContain(stdout);
    expect(parseLines(stdout).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['turn.started', 'message.added', 'turn.ended']),
    );
  });

  it('ask exits with 2 for an unknown provider, with 8 for one that is down, and says so', async () => {
    expect(await home.here(['ask', 'x', '--provider', 'oracle'])).toMatchObject({ exitCode: 2, stdout: '' });
    const down = await home.here(['ask', 'x', '--provider', 'ollama', '--model', 'm']);
    expect(down).toMatchObject({ exitCode: 8, stdout: '' });
    expect(down.stderr).toMatch(/^ollm: /m);
    expect((await home.here(['ask'])).exitCode).toBe(2);
  });

  it('doctor reports the state of each part', async () => {
    await home.append('walk', []);
    const checks = JSON.parse(
      (await home.here(['doctor', '--json'], { env: { OLLM_PROVIDER: 'offline' } })).stdout,
    ) as {
      name: string;
      status: string;
    }[];
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Node', 'data directory', 'free space', 'provider']),
    );
  });

  it('doctor finds derived files that are ahead of their journal', async () => {
    await home.append('walk', turn(1, 'hello'));
    await home.here(['ask', 'x', '--provider', 'offline', '--resume', 'walk']);
    const journal = readFileSync(home.journal('walk'), 'utf8').split('\n');
    writeFileSync(home.journal('walk'), `${journal.slice(0, 3).join('\n')}\n`);
    expect((await ollm('doctor')).stdout).toMatch(/^fail {2}derived files .*walk/m);
    const verified = await ollm('verify', 'walk');
    expect(verified.exitCode).toBe(4);
    expect(verified.stdout).toContain('lost: ');
  });
});
