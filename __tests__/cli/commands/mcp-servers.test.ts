import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveMcp } from '../../mcp/http-server.ts';
import { createHome } from '../../support/cli.ts';

const GOOD_SERVER = join(import.meta.dirname, '../../mcp/good-server.ts');

// The examples of docs/mcp.md run the rest.
describe('ollm mcp add', () => {
  it('keeps an existing server of that name without --replace, and refuses a variable without a value', async () => {
    using home = createHome();
    const cwd = join(home.path, 'project');
    mkdirSync(cwd);
    const run = (...words: string[]) => home.here(['mcp', 'add', ...words], { cwd });
    const path = join(home.path, '.cursor/mcp.json');
    const user = ['--agent', 'cursor', '--scope', 'user'];
    expect(await run('docs', ...user, '--env', 'KEY=one', '--', 'docs-server', '--fast')).toMatchObject({
      exitCode: 0,
    });
    const before = readFileSync(path, 'utf8');
    expect(JSON.parse(before)).toEqual({
      mcpServers: { docs: { command: 'docs-server', args: ['--fast'], env: { KEY: 'one' } } },
    });
    const refused = await run('docs', ...user, 'other');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--replace')]);
    for (const wrong of [
      ['--env', 'KEY', '--', 'x'],
      ['--header', 'x', 'https://example.org'],
    ]) {
      expect(await run('more', ...user, ...wrong)).toMatchObject({ exitCode: 2 });
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(await run('docs', ...user, '--replace', 'other')).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(readFileSync(path, 'utf8')).mcpServers.docs).toEqual({ command: 'other' });
    const local = await run('docs', '--agent', 'codex', '--scope', 'local', 'x');
    expect([local.exitCode, local.stderr]).toEqual([2, expect.stringContaining('codex has no servers of the scope')]);
    expect(existsSync(join(home.path, '.codex'))).toBe(false);
  });
});

describe('ollm mcp add, with the words after --env', () => {
  it.each([
    ['NAME and program after a variable', ['--env', 'A=b', 'docs', 'docs-server', 'x=1'], { A: 'b' }, ['x=1']],
    ['the short form', ['-e', 'A=b', '-e', 'C=d', 'docs', '--', 'docs-server'], { A: 'b', C: 'd' }, undefined],
    ['a program after a variable', ['docs', '--env', 'A=b', 'docs-server'], { A: 'b' }, undefined],
    [
      'an --env of the program',
      ['docs', '--env', 'A=b', '--', 'docs-server', '--env', 'C'],
      { A: 'b' },
      ['--env', 'C'],
    ],
  ])('understands %s', async (_name, words, env, args) => {
    using home = createHome();
    expect(await home.here(['mcp', 'add', '--agent', 'cursor', '--scope', 'user', ...words])).toMatchObject({
      exitCode: 0,
    });
    const { mcpServers } = JSON.parse(readFileSync(join(home.path, '.cursor/mcp.json'), 'utf8'));
    expect(mcpServers).toEqual({ docs: { command: 'docs-server', env, ...(args && { args }) } });
  });

  it('refuses a variable without its option or its name, and says how it is written, without its value', async () => {
    using home = createHome();
    for (const [hint, ...words] of [
      ['--env A=… --env C=…', '--env', 'A=s3cret', 'C=s3cret', 'docs', '--', 'docs-server'],
      ['--env A=… --env C=…', 'docs', '--env', 'A=s3cret', 'C=s3cret', '--', 'docs-server'],
      ['--env NAME=value', 'docs', '--env', 's3cret', '--', 'docs-server'],
      ['--header "NAME: value"', 'docs', 'https://example.org/mcp', '--header', 's3cret'],
    ]) {
      const { exitCode, stderr } = await home.here(['mcp', 'add', '--agent', 'cursor', ...words]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint!)]);
      expect(stderr).not.toContain('s3cret');
    }
  });
});

describe('the servers of the settings', () => {
  it('are shown without their keys by each command, and with them only by --show-secrets', async () => {
    using home = createHome();
    const keys = [`sk-${'aB3dE5gH7jK9'.repeat(3)}`, 'q7Hd82jLmPz9xW41', 'x5Rt7yUi'];
    writeFileSync(
      join(home.path, 'config.yaml'),
      `mcp:
  servers:
    docs: {command: [docs-server, ${keys[0]}, --token, ${keys[1]}], disabled: true}
    web: {url: 'https://example.org/mcp?id=${keys[2]}'}
    bad: {command: ['./docs --token ${keys[2]}']}
    worse: {url: 'example.org/mcp?key=${keys[2]}'}
hooks: {beforeTurn: ['~docs" --token ${keys[2]}']}
`,
      { mode: 0o600 },
    );
    const outputs: string[] = [];
    for (const line of [
      ...['mcp list', 'mcp list --json', 'config', 'config explain --json', 'doctor', 'mcp test bad', 'mcp test worse'],
      ...['config get mcp.servers', 'config get mcp.servers --json', 'config get mcp.servers.docs.command'],
      ...['config get mcp.servers.web.url', 'config get hooks.beforeTurn', 'config unset mcp.servers.worse --json'],
    ]) {
      const { stdout, stderr } = await home.here(line.split(' '));
      outputs.push(`${line}\n${stdout}${stderr}`);
    }
    for (const output of outputs) for (const key of keys) expect(output).not.toContain(key);
    expect(outputs[0]).toMatch(/docs-server \S+.* --token \[hidden\]\n/);
    expect(outputs.filter((output) => output.startsWith('config get') && !output.includes('--show-secrets'))).toEqual(
      [],
    );
    const open = await home.here(['config', 'get', 'mcp.servers', '--show-secrets', '--json']);
    expect(JSON.parse(open.stdout)).toMatchObject({
      docs: { command: ['docs-server', keys[0], '--token', keys[1]] },
      web: { url: `https://example.org/mcp?id=${keys[2]}` },
    });
    expect(open.stderr).toBe('');
  });
});

describe('ollm mcp add, for an address with a key', () => {
  it('stores the name of a variable, asks the server with its value, and never shows the value', async () => {
    await using web = await serveMcp('q7+Hd82jL');
    using home = createHome();
    const run = (key: string | undefined, ...words: string[]) =>
      home.here(['mcp', ...words], { env: { WEB_KEY: key } });
    const refused = await run(undefined, 'add', 'web', `${web.url}?key=q7+Hd82jL`);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`Write $\{NAME}`)]);
    const added = await run(undefined, 'add', 'web', `${web.url}?key=$\{WEB_KEY}`);
    expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('The variable WEB_KEY, which its') });
    expect(readFileSync(join(home.path, 'config.yaml'), 'utf8')).toContain(`${web.url}?key=$\{WEB_KEY}`);
    expect(await run('q7%2BHd82jL', 'test', 'web')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^web answers/),
    });
    const wrong = await run('wrong-q7Hd82jL', 'test', 'web');
    expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not reachable') });
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong');
    const elsewhere = await run('q7', 'add', 'host', `https://example.org$\{WEB_KEY}/mcp`);
    expect(elsewhere.stderr).toContain('in the path and the query');
  });

  it.each([
    ['claude', 'https://example.org/mcp?token=abc', 'has a key in its query', `write $\{NAME}`],
    ['cursor', 'https://me:word@example.org/mcp', 'has a name or a password', `write $\{env:NAME}`],
    ['codex', 'https://example.org/s/q7Hd82jLmPz9xW41/mcp', 'may have a key', '--bearer-token-env-var'],
    ['gemini', `https://example.org/mcp?token=$\{A_KEY}`, undefined, undefined],
  ])('warns where the settings of %s have the key of %s now', async (agent, url, what, instead) => {
    using home = createHome();
    const { exitCode, stderr } = await home.here(['mcp', 'add', 'web', url, '--agent', agent, '--scope', 'user']);
    expect(exitCode).toBe(0);
    if (what === undefined) return expect(stderr).toBe('');
    expect(stderr).toMatch(new RegExp(`^warning: The address ${what}.* is now in .*${agent}.* as text`));
    expect(stderr).toContain(instead);
  });
});

describe('ollm mcp add, remove and test, in process', () => {
  it('start a server of the settings and list its tools, or say why there is none', async () => {
    using home = createHome();
    const cwd = join(home.path, 'project');
    mkdirSync(cwd);
    const run = (...words: string[]) => home.here(['mcp', ...words], { cwd });
    expect(await run('add', 'good', '--', process.execPath, GOOD_SERVER)).toMatchObject({
      stderr: expect.stringContaining('ollm mcp test good'),
    });
    expect(await run('test', 'good')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^good answers: \d+ tools\.\n {2}\S/),
    });
    expect(JSON.parse((await run('test', 'good', '--json')).stdout)).toMatchObject({
      reachable: true,
      transport: 'stdio',
      tools: expect.arrayContaining([{ name: expect.any(String), description: expect.any(String) }]),
    });
    await run('add', 'bad', '--', './bad');
    expect(await run('test', 'bad')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('bad is not reachable. The path of its program must be absolute'),
    });
    for (const name of ['none', 'toString']) {
      expect(await run('test', name)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('ollm mcp list') });
    }
    expect(await run('test', 'good', '--scope', 'project')).toMatchObject({ exitCode: 2 });
  });

  it('keep comments of the settings, store names of variables without values, and say why a server will not start', async () => {
    using home = createHome();
    const path = join(home.path, 'config.yaml');
    writeFileSync(path, '# mine\nmodel: a # keep\n');
    const run = (...words: string[]) => home.here(['mcp', ...words], { env: { NOTES_KEY: 'x' } });
    const add = (...words: string[]) => run('add', 'notes', ...words);
    expect(await add('--env', 'NOTES_KEY', '--', 'sh', '-c', 'cat')).toMatchObject({ exitCode: 0 });
    const before = readFileSync(path, 'utf8');
    expect(before).toContain('# mine\nmodel: a # keep\nmcp:');
    for (const [words, hint] of [
      [['--', 'other'], '--replace'],
      [['--replace', '--env', 'KEY=value', '--', 'sh'], 'no values: “KEY”'],
      [['--replace', '--env', 'x', '--', 'https://example.org'], '--env is not for an address'],
      [['--replace', '--header', 'A: b', '--', 'https://example.org'], 'no headers'],
      [['--replace', '--transport', 'sse', 'https://example.org'], 'sse'],
      [['--replace', '--bearer-token-env-var', 'A', '--', 'sh'], 'not for a program'],
      [['--replace', '--scope', 'project', 'sh'], 'of the scope'],
      [['--replace', 'sh', 'ghp_0123456789abcdefghijABCDEFGHIJ012345'], 'looks like a secret'],
    ] as const) {
      const refused = await add(...words);
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(hint)]);
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(await run('add', 'no/name', 'sh')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('letters'),
    });
    expect(await add('--replace', './sh')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('It will not be started. The path of its program must be absolute'),
    });
    expect(await add('--replace', '--bearer-token-env-var', 'NOTES_KEY', 'https://example.org/mcp')).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('not be started'),
    });
    expect((await run('list')).stdout).toContain('https://example.org/mcp');
    expect(await run('remove', 'notes')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).toBe('# mine\nmodel: a # keep\n');
    expect(await run('remove', 'notes')).toMatchObject({ exitCode: 3 });
  });
});
