// Settings can start programs. Only those of the user do; where it is not certain whose they are, nothing runs.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHome, parseLines } from '../../support/cli.ts';

const HOOK = 'provider: offline\nhooks:\n  sessionStart: ["touch STARTED"]\n';
const ask = ['ask', '--ephemeral', '--provider', 'offline', '--quiet', 'hello'];

describe('a project with a file of settings that starts a program', () => {
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'ollm-project-'));
    mkdirSync(join(project, '.ollm'));
    writeFileSync(join(project, '.ollm', 'config.yaml'), HOOK);
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  it.each(['', '.', './', '..', 'sub/..'])('starts no program if HOME is %j', async (HOME) => {
    using home = createHome();
    const { exitCode, stderr } = await home.run(ask, { cwd: project, env: { HOME, OLLM_HOME: undefined } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('hooks.sessionStart is ignored');
    expect(existsSync(join(project, 'STARTED'))).toBe(false);
  });

  it.each(['.ollm', './.ollm', 'x/../.ollm'])(
    'starts no program if OLLM_HOME is %j, which is refused',
    async (OLLM_HOME) => {
      using home = createHome();
      const { exitCode, stderr } = await home.run(ask, { cwd: project, env: { OLLM_HOME } });
      expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('not an absolute path') });
      expect(existsSync(join(project, 'STARTED'))).toBe(false);
    },
  );

  it('starts its program if the user names its directory with --home', async () => {
    using home = createHome();
    const { exitCode } = await home.run(['--home', '.ollm', ...ask], { cwd: project });
    expect(exitCode).toBe(0);
    expect(existsSync(join(project, 'STARTED'))).toBe(true);
  });
});

describe('settings that another user could have written', () => {
  it('are refused, and their hooks start no program', async () => {
    using home = createHome();
    writeFileSync(join(home.path, 'config.yaml'), HOOK);
    chmodSync(join(home.path, 'config.yaml'), 0o666);
    const { exitCode, stderr } = await home.run(ask);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/config\.yaml can be written by other users.*\n.*chmod go-w/),
    });
    expect(existsSync(join(home.path, 'STARTED'))).toBe(false);
    expect((await home.run(['doctor'])).stderr).toContain('can be written by other users');
  });

  it('cannot be planted in a home that others may write: the home is closed to them, and the user is told', async () => {
    using home = createHome();
    writeFileSync(join(home.path, 'config.yaml'), HOOK);
    chmodSync(home.path, 0o777);
    const checks = parseLines((await home.run(['doctor', '--json'])).stdout.replaceAll('\n', ''))[0] as unknown as {
      name: string;
      status: string;
    }[];
    expect(checks.find(({ name }) => name === 'home')).toMatchObject({ status: 'fail' });
    expect(statSync(home.path).mode & 0o777).toBe(0o777);
    const { exitCode, stderr } = await home.run(ask);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('could be written by other users; now only you can open it'),
    });
    expect(statSync(home.path).mode & 0o777).toBe(0o700);
    expect((await home.run(ask)).stderr).not.toContain('other users');
  });
});
