// `ollm agents --mcp` on settings as the programs have them. That they start the server so is in
// mcp-server/real-programs.test.ts.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHome, type Home, OLLM } from '../../support/cli.ts';
import { openTerminal } from '../../support/terminal.ts';

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home[Symbol.dispose]());

const SERVE = [process.execPath, OLLM, 'mcp', 'serve'];
const [NODE, ...ARGS] = SERVE;
/** As `createHome` has OLLM_HOME. */
const ENV = () => ({ OLLM_HOME: home.path });

function write(name: string, text: string): void {
  const path = join(home.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const read = (name: string) => readFileSync(join(home.path, name), 'utf8');
const mcp = (...args: string[]) => home.run(['agents', '--mcp', ...args]);

async function rowsOf(...args: string[]): Promise<Record<string, { state: string; reason?: string; kept?: string }>> {
  const { stdout } = await mcp('--json', ...args);
  return Object.fromEntries(JSON.parse(stdout).map((row: { name: string }) => [row.name, row]));
}

describe('ollm agents --mcp', () => {
  it('names the files that it would change, and writes nothing without --yes', async () => {
    write('.claude.json', '{"userID":"me"}');
    write('.claude/.keep', '');
    for (const [args, exitCode] of [
      [['--dry-run'], 0],
      [[], 2],
    ] as const) {
      const run = await mcp(...args);
      expect(run).toMatchObject({ exitCode });
      expect(run.stdout + run.stderr).toContain(`Claude Code: add ollm (${SERVE.join(' ')}) to`);
    }
    expect(read('.claude.json')).toBe('{"userID":"me"}');
    expect(existsSync(join(home.path, 'backups'))).toBe(false);
  });

  it('shows the change as a diff, without secrets and without the rest of a long line', async () => {
    const token = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    write('.codex/config.toml', `model = "a"\n\n[mcp_servers.b.env]\nKEY = "${token}"\n`);
    write('.qwen/settings.json', JSON.stringify({ long: 'x'.repeat(1000), mcpServers: { b: {} } }));
    const { stdout } = await mcp('--dry-run');
    expect(stdout).toContain('/.codex/config.toml\n@@');
    expect(stdout).toContain('\n+[mcp_servers.ollm]\n+command = ');
    expect(stdout).toContain('\n+…,"ollm":{"command":');
    expect(stdout).not.toContain(token);
    expect(stdout).not.toContain('xxx');
    const [codex] = JSON.parse((await mcp('--dry-run', '--json')).stdout);
    expect(codex).toMatchObject({ name: 'codex', diff: expect.stringContaining('+[mcp_servers.ollm]') });
  });

  it('two runs at the same time each keep the entry that the other wrote', async () => {
    write('.qwen/settings.json', '{}');
    const runs = await Promise.all([mcp('--yes'), mcp('--yes'), mcp('--yes')]);
    expect(runs.filter(({ exitCode }) => exitCode === 0).length).toBeGreaterThan(0);
    expect(Object.keys(JSON.parse(read('.qwen/settings.json')).mcpServers)).toEqual(['ollm']);
    expect(readdirSync(join(home.path, '.qwen'))).toEqual(['settings.json']);
  });

  it('adds ollm to each program that was started here, in the form of its own command', async () => {
    write('.claude/.keep', '');
    write('.claude.json', '{\n  "userID": "me"\n}\n');
    write('.codex/config.toml', 'model = "gpt-5.5" # mine\n');
    write('.config/opencode/opencode.jsonc', '{\n  // mine\n  "model": "a/b"\n}\n');
    for (const each of ['.gemini', '.qwen', '.copilot']) write(`${each}/.keep`, '');
    expect(await mcp('--yes')).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('started next') });
    const entry = { command: NODE, args: ARGS, env: ENV() };
    expect(JSON.parse(read('.claude.json'))).toEqual({
      userID: 'me',
      mcpServers: { ollm: { type: 'stdio', ...entry } },
    });
    for (const name of ['.gemini/settings.json', '.qwen/settings.json'])
      expect(JSON.parse(read(name))).toEqual({ mcpServers: { ollm: entry } });
    expect(JSON.parse(read('.copilot/mcp-config.json'))).toEqual({
      mcpServers: { ollm: { type: 'local', ...entry, tools: ['*'] } },
    });
    const opencode = { type: 'local', command: SERVE, enabled: true, environment: ENV() };
    expect(JSON.parse(read('.config/opencode/opencode.jsonc').replace(/\/\/ mine/, ''))).toEqual({
      model: 'a/b',
      mcp: { ollm: opencode },
    });
    expect(read('.codex/config.toml')).toBe(
      `model = "gpt-5.5" # mine\n\n[mcp_servers.ollm]\ncommand = "${NODE}"\n` +
        `args = [ ${ARGS.map((word) => `"${word}"`).join(', ')} ]\n\n[mcp_servers.ollm.env]\nOLLM_HOME = "${home.path}"\n`,
    );
  });

  it('changes nothing the second time, and removes its own entries', async () => {
    write('.claude/.keep', '');
    const before = '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n';
    write('.claude.json', before);
    const first = await rowsOf('--yes');
    expect(first).toEqual({ claude: expect.objectContaining({ state: 'add', kept: expect.any(String) }) });
    expect(readFileSync(first.claude!.kept!, 'utf8')).toBe(before);
    expect(statSync(first.claude!.kept!).mode & 0o777).toBe(0o600);
    const after = read('.claude.json');
    expect(await rowsOf()).toEqual({ claude: expect.objectContaining({ state: 'done' }) });
    expect(read('.claude.json')).toBe(after);
    expect(await rowsOf('--remove', '--yes')).toEqual({ claude: expect.objectContaining({ state: 'remove' }) });
    expect(read('.claude.json')).toBe(before);
    expect(await rowsOf('--remove')).toEqual({ claude: expect.objectContaining({ state: 'done' }) });
  });

  it('writes the name ollm without a path if PATH finds this program under it', async () => {
    write('.codex/.keep', '');
    mkdirSync(join(home.path, 'bin'));
    symlinkSync(OLLM, join(home.path, 'bin', 'ollm'));
    const env = { PATH: `${join(home.path, 'bin')}:${process.env.PATH}` };
    const cwd = join(home.path, 'project');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    await home.run(['agents', '--mcp', '--yes'], { env, cwd });
    expect(read('.codex/config.toml')).toContain('command = "ollm"\nargs = [ "mcp", "serve" ]\n');
  });

  it('changes an entry that starts an ollm at a different place, and keeps its other members', async () => {
    const old = { command: '/gone/ollm', args: ['mcp', 'serve', '--project', '/home/me/app'] };
    const entry = { timeout: 5, ...old, env: { LANG: 'C', OLLM_HOME: '/gone' }, trust: true };
    write('.gemini/settings.json', JSON.stringify({ mcpServers: { past: entry } }));
    expect(await rowsOf('--yes')).toEqual({ gemini: expect.objectContaining({ state: 'change', server: 'past' }) });
    expect(JSON.parse(read('.gemini/settings.json')).mcpServers).toEqual({
      past: {
        ...{ timeout: 5, trust: true, command: NODE },
        args: [...ARGS, '--project', '/home/me/app'],
        env: { LANG: 'C', ...ENV() },
      },
    });
  });

  it('adds --all-projects only if the user passes it, and keeps it in later runs', async () => {
    write('.qwen/.keep', '');
    await mcp('--yes');
    expect(await rowsOf('--all-projects', '--yes')).toEqual({ qwen: expect.objectContaining({ state: 'change' }) });
    expect(JSON.parse(read('.qwen/settings.json')).mcpServers.ollm.args).toEqual([...ARGS, '--all-projects']);
    // A later call without the flag leaves the user's word as it is.
    expect(await rowsOf()).toEqual({ qwen: expect.objectContaining({ state: 'done' }) });
  });

  it('leaves a server with the same name, and files that it cannot read, and configures the other programs', async () => {
    write('.gemini/settings.json', '{"mcpServers":{"ollm":{"command":"node","args":["x.js"],"env":{"KEY":"secret"}}}}');
    write('.qwen/settings.json', '{"mcpServers":');
    write('.codex/config.toml', 'mcp_servers = { a = { command = "b" } }\n');
    write('.copilot/.keep', '');
    const run = await mcp('--yes', '--json');
    expect(run).toMatchObject({ exitCode: 1 });
    expect(run.stdout).not.toContain('secret');
    expect(JSON.parse(run.stdout)).toMatchObject([
      { name: 'codex', state: 'refused', reason: expect.stringContaining('cannot be changed as it is written') },
      { name: 'copilot', state: 'add' },
      { name: 'gemini', state: 'taken' },
      { name: 'qwen', state: 'refused', reason: expect.stringContaining('is not valid JSON') },
    ]);
    expect(read('.qwen/settings.json')).toBe('{"mcpServers":');
    expect(existsSync(join(home.path, '.copilot/mcp-config.json'))).toBe(true);
  });

  it('configures a program that was never started here only if the user names it', async () => {
    expect(await rowsOf()).toEqual({});
    const run = await mcp('codex', '--yes');
    expect(run).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('Codex: it was never started here') });
    expect(readdirSync(home.path)).not.toContain('.codex');
  });

  it('keeps the last ten copies of the settings of a program', async () => {
    write('.qwen/.keep', '');
    for (let count = 1; count <= 7; count += 1) {
      await mcp('--yes');
      await mcp('--yes', '--remove');
    }
    expect(readdirSync(join(home.path, 'backups'))).toHaveLength(10);
  });

  it('asks at a terminal, and changes nothing after n', async () => {
    write('.codex/config.toml', '# mine\n');
    for (const [key, isChanged] of [
      ['n', false],
      ['y', true],
    ] as const) {
      await using terminal = openTerminal(process.execPath, [OLLM, 'agents', '--mcp'], {
        columns: 200,
        rows: 20,
        cwd: home.path,
        env: { ...process.env, OLLM_HOME: home.path, HOME: home.path },
      });
      await terminal.waitFor('Go on?');
      terminal.type(`${key}\r`);
      expect(await terminal.exit).toMatchObject({ code: isChanged ? 0 : 1 });
      expect(read('.codex/config.toml') !== '# mine\n').toBe(isChanged);
    }
  });

  it.each([
    [['agents', '--yes']],
    [['agents', '--mcp', '--report']],
    [['agents', '--mcp', '--remove', '--all-projects']],
  ])('refuses %j', async (args) => {
    expect(await home.here(args)).toMatchObject({ exitCode: 2 });
  });
});
