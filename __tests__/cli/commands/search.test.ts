// `ollm search` and `ollm sync` as a person and a script see them.
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

const message = (role: string, text: string) => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true },
});

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.append('oak', [message('user', 'Why does the connection reset?'), message('assistant', 'It was idle.')]);
  await home.append('elm', [message('user', 'A clean \x1b[31mconnection\x1b[0m\u0007\tof pipes')]);
});
afterAll(() => home[Symbol.dispose]());

describe('ollm sync', () => {
  it('reports the sources that it read', async () => {
    expect(await home.here(['sync'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '2 sessions of 2 read, 3 new texts.\n',
    });
    const { stdout } = await home.here(['sync', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, rows: 0, skipped: [], damaged: 0 });
  });

  it('names each session with unreadable parts and the command that shows where, and exits with 4', async () => {
    using home = createHome();
    const folder = join(home.path, '.claude', 'projects', '-home-ada-garden');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'ash.jsonl'),
      '{"broken\n{"type":"user","uuid":"u","message":{"role":"user","content":"x"}}\n',
    );
    symlinkSync(join(folder, 'ash.jsonl'), join(folder, 'link.jsonl'));
    mkdirSync(join(home.path, '.codex/sessions/2026/01/05'), { recursive: true });
    writeFileSync(join(home.path, '.codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-x.jsonl.zst'), 'x');
    const { exitCode, stdout, stderr } = await home.here(['sync', '--json']);
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      damaged: 1,
      damage: [{ address: 'claude:ash', places: 1 }],
      skipped: [{ address: 'codex:x', reason: expect.stringContaining('cannot be unpacked'), code: 'IO_FAILED' }],
    });
    expect(stderr).toContain('codex:x was skipped: ');
    expect(stderr).toContain('claude:ash: 1 place could not be read. See "ollm show claude:ash".');
    expect((await home.here(['show', 'claude:ash'])).stderr).toContain('line 1');
  });

  it('names each further home that is not there', async () => {
    using home = createHome();
    const run = await home.here(['sync'], { env: { OLLM_HUB__HOMES: '/nowhere/ada' } });
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        '/nowhere/ada, one of hub.homes, is not there: its sessions stay as they were.\n',
      ),
    });
  });

  it('with one file reads only that file, by whichever path, and leaves other sessions unchanged', async () => {
    using home = createHome();
    const folder = join(home.path, '.claude', 'projects', '-home-ada-garden');
    mkdirSync(folder, { recursive: true });
    const line = (text: string) =>
      `${JSON.stringify({ type: 'user', uuid: text, timestamp: '2026-01-02T03:04:05.000Z', sessionId: 'a', cwd: '/home/ada', message: { role: 'user', content: text } })}\n`;
    const [ash, beech] = [join(folder, 'ash.jsonl'), join(folder, 'beech.jsonl')];
    for (const path of [ash, beech]) writeFileSync(path, line('sapling'));
    await home.append('oak', [message('user', 'An acorn')]);
    const sync = async (...args: string[]) =>
      JSON.parse((await home.here(['sync', '--json', ...args])).stdout) as object;
    expect(await sync(ash)).toMatchObject({ sessions: 1, rows: 1, vanished: 0 });
    expect(await sync()).toMatchObject({ sessions: 3, rows: 2 });
    for (const path of [ash, beech]) appendFileSync(path, line('trunk'));
    rmSync(home.journal('oak'));
    symlinkSync(join(home.path, '.claude'), join(home.path, 'elsewhere'));
    expect(await sync(join(home.path, 'elsewhere', 'projects', '-home-ada-garden', 'ash.jsonl'))).toMatchObject({
      ...{ sessions: 1, rows: 1, vanished: 0 },
    });
    expect(await sync(ash)).toMatchObject({ sessions: 1, rows: 0 });
    expect(await sync()).toMatchObject({ sessions: 2, rows: 1, vanished: 1 });
    expect((await home.here(['search', 'trunk'])).stdout.trim().split('\n')).toHaveLength(2);
    await home.append('elm', [message('user', 'A leaf')]);
    expect(await sync(home.journal('elm'))).toMatchObject({ sessions: 1, rows: 1 });
  });

  it('with a file that contains no session of a known program says what to do', async () => {
    for (const path of ['talk.jsonl', home.path]) {
      expect(await home.here(['sync', path])).toMatchObject({
        exitCode: 3,
        stderr: expect.stringMatching(/is not a file in which a program keeps its sessions\.[\s\S]*ollm import --file/),
      });
    }
  });
});

describe('ollm search', () => {
  it('prints one line of cells for each hit through a pipe', async () => {
    const { exitCode, stdout, stderr } = await home.here(['search', 'idle']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ollm:oak#2\t20\d\d-\S+Z\tassistant\ttext\tWhy does the connection reset\?\tIt was idle\.\n$/,
    );
  });

  it('prints one document for each hit with --json', async () => {
    const { stdout } = await home.here(['search', '--json', 'connection', '--role', 'user']);
    const hits = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(hits.map(({ address }) => address).sort()).toEqual(['ollm:elm#1', 'ollm:oak#1']);
    expect(Object.keys(hits[0]!)).toEqual([
      'address',
      'agent',
      'id',
      'key',
      'title',
      'project',
      'role',
      'kind',
      'why',
      'at',
      'score',
      'isNear',
      'live',
      'gone',
      'excerpt',
      'resume',
    ]);
  });

  it('writes no control character of a session to a pipe or a terminal', async () => {
    const { stdout } = await home.here(['search', 'pipes']);
    expect(stdout).not.toMatch(/[\x1b\x07]/);
    expect(stdout.split('\t')).toHaveLength(6);
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home.path, OLLM_HOME: home.path, TERM: 'xterm' };
    await using terminal = openTerminal(process.execPath, [OLLM, 'search', 'pipes'], { cwd: home.path, env });
    await terminal.waitFor(/A clean connection.* of pipes/);
  });

  it.each([
    [['search', 'connection', '--', '-pipes'], ['ollm:oak#1']],
    [['search', 'connection -pipes'], ['ollm:oak#1']],
    [['search', '"the connection"'], ['ollm:oak#1']],
    [['search', 'conn*', '--limit', '1', 'pipes'], ['ollm:elm#1']],
    [['search', '--regex', 're.et\\?$'], ['ollm:oak#1']],
    [
      ['search', 'connection', '--since', '1h', '--agent', 'ollm'],
      ['ollm:elm#1', 'ollm:oak#1'],
    ],
    [
      ['search', 'connection', '--since', '2026-01-21'],
      ['ollm:elm#1', 'ollm:oak#1'],
    ],
    [['search', 'connection', '--since', '9999-01-21'], []],
    [['search', 'connection', '--agent', 'claude'], []],
  ])('understands %j', async (args, addresses) => {
    const { exitCode, stdout } = await home.here(args);
    expect(exitCode).toBe(0);
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(addresses);
  });

  it('says that it found nothing, and ends with 0, because the search succeeded', async () => {
    expect(await home.here(['search', 'walrus'])).toEqual(
      expect.objectContaining({ exitCode: 0, stdout: '', stderr: 'Nothing was found.\n' }),
    );
  });

  it.each([
    [['search'], 'A search needs a word'],
    [['search', '-pipes'], 'unknown option'],
    [['search', '--ifm-color'], 'As a word it comes after --: ollm search -- --ifm-color.'],
    [['search', '--ifm color'], "ollm search -- '--ifm color'."],
    [['recall', '--ifm-color'], 'ollm recall -- --ifm-color.'],
    [['list', '--ifm-color'], `unknown option '--ifm-color'.\nDid you mean --no-color? See "ollm list`],
    ...['--tool', '--path', '--title'].map(
      (option) => [['search', 'x', option, ''], `by ${option.slice(2)} needs a word of it`] as [string[], string],
    ),
    [['list', '--since', '2026-13-40'], 'such as 2w, 12h or 2026-11-21'],
    [['stats', '--since', 'ever'], 'such as 2w, 12h or 2026-11-21'],
    [['search', '…'], 'needs a word'],
    [['search', 'title:boat -test'], 'not only words that must not be there'],
    [['search', '--regex', '('], 'Invalid regular expression'],
    [['search', 'x', '--role', 'robot'], 'Allowed choices are'],
    [['search', 'x', '--since', 'ever'], 'takes an age'],
  ])('%j is wrong usage', async (args, reason) => {
    const { exitCode, stderr } = await home.here(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(reason) });
  });
});
