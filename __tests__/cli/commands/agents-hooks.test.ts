// `ollm agents --hooks` on files as the programs have them. That they call it is in agent-config/real-hooks.test.ts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home[Symbol.dispose]());

function write(name: string, text: string): void {
  const path = join(home.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const read = (name: string) => readFileSync(join(home.path, name), 'utf8');
const hooks = (...args: string[]) => home.run(['agents', '--hooks', ...args]);
/** As `createHome` has OLLM_HOME. */
const command = () => `OLLM_HOME=${home.path} ${process.execPath} ${OLLM} sync --hook`;
const groupOf = (members: object) => ({ hooks: [{ type: 'command', command: command(), ...members }] });

describe('ollm agents --hooks', () => {
  it('shows each file with its changes, and writes nothing without --yes', async () => {
    write('.codex/config.toml', '');
    for (const [args, exitCode] of [
      [['--dry-run'], 0],
      [[], 2],
    ] as const) {
      const run = await hooks(...args);
      expect(run).toMatchObject({ exitCode, stdout: expect.stringContaining('at Stop and SessionEnd, in') });
      expect(run.stdout).toContain('+    "Stop": [');
    }
    expect(existsSync(join(home.path, '.codex/hooks.json'))).toBe(false);
  });

  it('adds its hooks to each program that was started here, after existing hooks and with every other byte kept', async () => {
    const settings = '{\n  // mine\n  "hooks": {\n    "Stop": [\n      { "hooks": [] } // first\n    ]\n  }\n}\n';
    write('.claude/settings.json', settings);
    write('.codex/.keep', '');
    write('.gemini/settings.json', '{"theme":"dark"}');
    const run = await hooks('--yes');
    expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('you reviewed them there') });
    expect(read('.claude/settings.json')).toContain('{\n  // mine\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }');
    expect(JSON.parse(read('.claude/settings.json').replaceAll(/ \/\/ (?:mine|first)/g, ''))).toEqual({
      hooks: { Stop: [{ hooks: [] }, groupOf({ timeout: 60, async: true })], SessionEnd: [groupOf({ timeout: 10 })] },
    });
    expect(JSON.parse(read('.codex/hooks.json'))).toEqual({
      hooks: { Stop: [groupOf({ timeout: 10 })], SessionEnd: [groupOf({ timeout: 3 })] },
    });
    const timed = [groupOf({ name: 'ollm', timeout: 10_000 })];
    expect(JSON.parse(read('.gemini/settings.json'))).toEqual({
      theme: 'dark',
      hooks: { AfterAgent: timed, SessionEnd: timed },
    });
  });

  it('changes nothing the second time, and removes its hooks so that every byte is as before', async () => {
    const settings = '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": []\n      }\n    ]\n  }\n}\n';
    write('.claude/settings.json', settings);
    await hooks('--yes');
    const after = read('.claude/settings.json');
    expect(await hooks('--yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`calls "${command()}"`),
    });
    expect(read('.claude/settings.json')).toBe(after);
    const { stdout } = await hooks('--remove', '--yes');
    expect(read('.claude/settings.json')).toBe(settings);
    const kept = /the file as it was: (.*)\n/.exec(stdout)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe(after);
    expect(await hooks('--remove')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('does not call ollm'),
    });
  });

  it('changes a hook that calls an ollm at a different place, and adds a missing event', async () => {
    write(
      '.codex/hooks.json',
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: '/gone/ollm sync --hook' }] }] } }),
    );
    const { stdout } = await hooks('--yes', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'codex', state: 'change', events: ['Stop', 'SessionEnd'] }]);
    expect(JSON.parse(read('.codex/hooks.json'))).toEqual({
      hooks: { Stop: [groupOf({ timeout: 10 })], SessionEnd: [groupOf({ timeout: 3 })] },
    });
  });

  it.each([
    ['{"hooks":', 'is not valid JSON'],
    ['{"hooks":[]}', 'is not a group'],
    ['{"hooks":{"Stop":1,"Stop":2}}', 'cannot be changed as it is written'],
  ])('leaves %s unchanged, and says why', async (text, reason) => {
    write('.claude/settings.json', text);
    expect(await hooks('--yes')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(reason) });
    expect(read('.claude/settings.json')).toBe(text);
  });

  it('configures a program that was never started here only if the user names it', async () => {
    expect(await hooks('gemini')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('never started here') });
    expect(await hooks()).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No program was found here') });
  });

  it.each([
    [['agents', '--hooks', '--mcp']],
    [['agents', '--hooks', '--all-projects']],
    [['agents', '--remove']],
    [['agents', '--hooks', 'qwen']],
  ])('refuses %j', async (args) => {
    expect(await home.here(args)).toMatchObject({ exitCode: 2 });
  });
});
