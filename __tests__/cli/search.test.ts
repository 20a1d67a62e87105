// `ollm search` and `ollm sync` as a person and a script see them.
import { createHome, type Home, OLLM } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

const message = (role: string, text: string) => ({
  type: 'message.added',
  data: { role, parts: [{ type: 'text', text }], tokens: { count: 1, method: 'estimated' }, trusted: true },
});

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.append('oak', [message('user', 'Why does the connection reset?'), message('assistant', 'It was idle.')]);
  await home.append('elm', [message('user', 'A clean \x1b[31mconnection\x1b[0m\u0007\tof pipes')]);
}, 300_000);
afterAll(() => home[Symbol.dispose]());

describe('ollm sync', () => {
  it('says what it read', async () => {
    expect(await home.run(['sync'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '2 sessions of 2 read, 3 new texts.\n',
    });
    const { stdout } = await home.run(['sync', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 2, rows: 0, skipped: [], damaged: 0 });
  });
});

describe('ollm search', () => {
  it('prints a line of cells for each hit through a pipe', async () => {
    const { exitCode, stdout, stderr } = await home.run(['search', 'idle']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ollm:oak#2\t20\d\d-\S+Z\tassistant\ttext\tWhy does the connection reset\?\tIt was idle\.\n$/,
    );
  });

  it('prints a document for each hit with --json', async () => {
    const { stdout } = await home.run(['search', '--json', 'connection', '--role', 'user']);
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
      'at',
      'score',
      'live',
      'gone',
      'excerpt',
    ]);
  });

  it('lets no control character of a session reach a pipe or a terminal', async () => {
    const { stdout } = await home.run(['search', 'pipes']);
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
    [['search', 'connection', '--agent', 'claude'], []],
  ])('understands %j', async (args, addresses) => {
    const { exitCode, stdout } = await home.run(args);
    expect(exitCode).toBe(0);
    expect(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(addresses);
  });

  it('says that nothing was found, and ends with 0: the search was done', async () => {
    expect(await home.run(['search', 'walrus'])).toEqual(
      expect.objectContaining({ exitCode: 0, stdout: '', stderr: expect.stringMatching(/^Nothing was found\. .*\n$/) }),
    );
  });

  it.each([
    [['search'], "missing required argument 'words'"],
    [['search', '-pipes'], 'unknown option'],
    [['search', '…'], 'needs a word'],
    [['search', '--regex', '('], 'Invalid regular expression'],
    [['search', 'x', '--role', 'robot'], 'Allowed choices are'],
    [['search', 'x', '--since', 'ever'], 'takes an age'],
  ])('%j is wrong usage', async (args, reason) => {
    const { exitCode, stderr } = await home.run(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(reason) });
  });
});
