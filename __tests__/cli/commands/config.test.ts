import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { keepSetting, openUserFile } from '../../../lib/app/start/user-file.ts';
import { checkSettings } from '../../../lib/config/check.ts';
import { withValue } from '../../../lib/config/keys.ts';
import { SETTINGS } from '../../../lib/config/settings.generated.ts';
import { createHome, type Home } from '../../support/cli.ts';

let home: Home;
let file: string;
beforeEach(() => {
  home = createHome();
  file = join(home.path, 'config.yaml');
});
afterEach(() => home[Symbol.dispose]());

const text = () => readFileSync(file, 'utf8');

describe('ollm config set', () => {
  it('creates the file readable only by the user, shows the new value, and the next run uses it', async () => {
    expect(await home.here(['config', 'set', 'model', 'llama3.2'])).toEqual(
      expect.objectContaining({ exitCode: 0, stdout: '', stderr: `model is llama3.2, in ${file}.\n` }),
    );
    expect(text()).toBe('model: llama3.2\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await home.here(['config', 'get', 'model'])).stdout).toBe('llama3.2\n');
  });

  it('keeps comments, order, and a link to the file', async () => {
    mkdirSync(join(home.path, 'dotfiles'));
    const real = join(home.path, 'dotfiles', 'ollm.yaml');
    writeFileSync(real, '# mine\nmodel: a # small\n\nlog:\n  level: warn\n', { mode: 0o600 });
    symlinkSync(real, file);
    await home.here(['config', 'set', 'model', 'b']);
    await home.here(['config', 'set', 'providers.ollama.contextLength', '8192']);
    expect(readFileSync(real, 'utf8')).toBe(
      '# mine\nmodel: b # small\n\nlog:\n  level: warn\nproviders:\n  ollama:\n    contextLength: 8192\n',
    );
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('changes a file in UTF-16, and writes it in UTF-8', async () => {
    writeFileSync(file, Buffer.from('\uFEFFmodel: größer # ü\n', 'utf16le'), { mode: 0o600 });
    expect(await home.here(['config', 'set', 'model', 'b'])).toMatchObject({ exitCode: 0 });
    expect(text()).toBe('model: b # ü\n');
  });

  it.each([
    ['a list', 'trustedDirectories', '/a,/b', 'trustedDirectories:\n  - /a\n  - /b\n'],
    ['one of a list', 'trustedDirectories', '/a', 'trustedDirectories:\n  - /a\n'],
    ['one of a list in quotes', 'trustedDirectories', '"/a, b"', 'trustedDirectories:\n  - /a, b\n'],
    ['a text in quotes', 'model', '"a b"', 'model: a b\n'],
    ['a switch', 'retrieval.enabled', 'false', 'retrieval:\n  enabled: false\n'],
    ['a name that looks like a number', 'model', '7', 'model: "7"\n'],
    [
      'a server of the user’s',
      'providers.compatible.local.baseUrl',
      'http://127.0.0.1:8080/v1',
      'providers:\n  compatible:\n    local:\n      baseUrl: http://127.0.0.1:8080/v1\n',
    ],
    ['JSON', 'prices', '{"a.b": {"input": 1, "output": 2}}', 'prices:\n  a.b:\n    input: 1\n    output: 2\n'],
  ])('takes %s', async (_name, key, value, expected) => {
    expect(await home.here(['config', 'set', key, value])).toMatchObject({ exitCode: 0 });
    expect(text()).toBe(expected);
    expect(await home.here(['config'])).toMatchObject({ exitCode: 0 });
  });

  it('refuses for every setting a value that a start would refuse, and leaves the file unchanged', async () => {
    const options = { env: { OLLM_HOME: home.path }, cwd: home.path, command: 'test' };
    const texts = fc.oneof(fc.constantFrom('true', '0', '-1', '5', '1.5', 'x', 'auto', '[]', '{}', ''), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SETTINGS), texts, async ({ key }, value) => {
        rmSync(file, { force: true });
        const kept = await keepSetting(openUserFile(options), key, value).catch((error: unknown) => error);
        if (kept instanceof Error) {
          expect(kept).toMatchObject({ code: 'CONFIG_INVALID' });
          expect(() => statSync(file)).toThrow();
        } else {
          const { parse } = await import('yaml');
          expect(checkSettings(parse(text()) ?? {})).toEqual([]);
          expect(checkSettings(withValue({}, key, (kept as { value: unknown }).value))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['an unknown key', ['modell', 'x'], 'modell is not a setting; did you mean model?'],
    ['a value of a wrong kind', ['services.session.maxSessions', 'many'], 'must be a whole number, but is "many"'],
    [
      'a server without an address',
      ['providers.compatible.local.model', 'x'],
      'providers.compatible.local needs baseUrl',
    ],
  ])('refuses %s with the reason', async (_name, args, reason) => {
    const { exitCode, stderr } = await home.here(['config', 'set', ...args]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(reason) });
    expect(() => text()).toThrow();
  });

  const KEY = `sk-proj-${'aB3dE5gH7jK9'.repeat(4)}`;
  it.each([
    ['a key in place of its variable', 'providers.openai.apiKeyEnv', KEY],
    ['a key in place of its file', 'providers.openai.apiKeyFile', KEY],
    ['a key under a name of its own', 'providers.openai.apiKey', KEY],
    ['a password in an address', 'providers.ollama.host', 'https://me:word@example.org'],
    ['a key inside JSON', 'providers.compatible', `{"a": {"baseUrl": "http://127.0.0.1:1/v1", "apiKeyEnv": "${KEY}"}}`],
    ['the value of a variable that holds a secret', 'model', 'my-own-secret-value'],
  ])('refuses %s, never quotes it, and names the supported ways to set a key', async (_name, key, value) => {
    const env = { MY_API_KEY: 'my-own-secret-value' };
    const { exitCode, stdout, stderr } = await home.here(['config', 'set', key, value], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/looks like a secret[\s\S]*variable/);
    expect(stderr).not.toContain(value.includes('@') ? 'word' : KEY);
    expect(stderr).not.toContain('my-own-secret-value');
    expect(() => text()).toThrow();
  });

  it.each([
    ['providers.ollama.host', 'me:pa/s3cret@box', 'OLLAMA_HOST'],
    ['providers.ollama.host', 'me:s3cret@box:11434', 'OLLAMA_HOST'],
    ['providers.openai.baseUrl', 'https://me:pa/s3cret@box/v1', 'apiKeyEnv'],
    ['providers.compatible', '{"a":{"baseUrl":"https://me:12/s3cret@box"}}', '%40'],
    ['mcp.servers.docs', '{"url":"https://me:pa/s3cret@box"}', 'tokenEnv'],
    ['mcp.servers.docs.url', 'https://box:x', 'not an address'],
    ['mcp.servers.docs.url', 'https://me:12?s3cret@box', '%40'],
    ['mcp.servers.docs.url', 'https://box/mcp?token=s3cret', `Write $\{NAME} in its place`],
    ['mcp.servers.docs', `{"url":"https://box/mcp?a=1&api_key=$\{KEY:-s3cret}"}`, 'single quotes'],
    ['mcp.servers.docs.url', 'https://box/mcp?code=s3cret-Zx81LmQpT0aY7bC2', 'single quotes'],
    ['mcp.servers.docs.command', '["docs", "--token", "s3cret-Zx81LmQpT0aY7bC2"]', 'name that in env'],
    ['otel.endpoint', 'https://box/v1?token=s3cret', 'OLLM_OTEL__ENDPOINT'],
    ['tools.web.search', 'https://box/search?accessKey=s3cret', 'OLLM_TOOLS__WEB__SEARCH'],
    ['providers.openai.baseUrl', 'https://box/v1?key=s3cret', 'apiKeyEnv'],
    ['otel.endpoint', 'https://me:pa/s3cret@box', 'OTEL_EXPORTER_OTLP_HEADERS'],
    ['otel.endpoint', 'https://box:99999999', 'not an address'],
    ['tools.web.search', 'https://me:pa/s3cret@box', 'OLLM_TOOLS__WEB__SEARCH'],
    ['nats.monitor', 'http://127.0.0.1:8222, http://me:pa/s3cret@box', 'a secret'],
    ['nats.monitor', 'http://127.0.0.1:8222, http://box:99999999', 'not an address'],
    ['store', 'nats://a:4222,me:s3cret@box', 'nats.credentialsFile'],
    ['providers.openai.baseUrl', 'box/v1', 'not an address'],
    ['providers.ollama.host', 'ftp://box', 'http and https'],
  ])('refuses the address %s %s, and says what is possible', async (key, value, possible) => {
    const { exitCode, stdout, stderr } = await home.here(['config', 'set', key, value]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(possible);
    expect(stderr).not.toContain('s3cret');
    expect(() => text()).toThrow();
  });

  it.each([
    'https://box/mcp?to=ann@example.org',
    'http://localhost:3000/mcp#ann@example.org',
    'https://example.org/@scope/mcp',
    'https://box/mcp?monkey=banana&max_tokens=4096&auth=none',
    `https://box/mcp?token=$\{MY_TOKEN}&key=$\{env:MY_KEY}`,
  ])('takes the address %s, which has no user and no key', async (url) => {
    expect(await home.here(['config', 'set', 'mcp.servers.docs.url', url])).toMatchObject({ exitCode: 0 });
    expect(text()).toContain(url);
  });

  it('names the layer that overrides the new value', async () => {
    const { stderr } = await home.here(['config', 'set', 'model', 'a'], { env: { OLLM_MODEL: 'b' } });
    expect(stderr).toBe(
      `model is a, in ${file}.\nwarning: In this directory model is b all the same: OLLM_MODEL says so.\n`,
    );
  });

  it('repairs a file with which no run would start', async () => {
    writeFileSync(file, 'modell: x # typed wrong\nlog:\n  level: loud\n', { mode: 0o600 });
    expect(await home.here(['list'])).toMatchObject({ exitCode: 2 });
    expect(await home.here(['config', 'set', 'log.level', 'info'])).toMatchObject({ exitCode: 0 });
    expect(await home.here(['config', 'unset', 'modell'])).toMatchObject({ exitCode: 0 });
    expect(text()).toBe('log:\n  level: info\n');
    expect(await home.here(['list'])).toMatchObject({ exitCode: 0 });
  });

  it('does not touch a file that other users can write', async () => {
    writeFileSync(file, 'model: a\n');
    chmodSync(file, 0o666);
    expect(await home.here(['config', 'set', 'model', 'b'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('chmod'),
    });
    expect(text()).toBe('model: a\n');
  });
});

describe('ollm config unset', () => {
  it('removes the setting under its former name too, and says so if the file has none', async () => {
    writeFileSync(file, '# mine\nretention:\n  mode: session\nmodel: a\n', { mode: 0o600 });
    expect((await home.here(['config', 'unset', 'services.session.mode'])).stderr).toContain('was session');
    expect(text()).toBe('# mine\nmodel: a\n');
    expect((await home.here(['config', 'unset', 'provider'])).stderr).toBe(`provider is not set in ${file}.\n`);
  });
});

describe('ollm config get and path', () => {
  it('get reads members of settings whose names the user chose', async () => {
    await home.here(['config', 'set', 'providers.compatible.local.baseUrl', 'http://127.0.0.1:1/v1']);
    const { stdout } = await home.here(['config', 'get', 'providers.compatible.local.baseUrl']);
    expect(stdout).toBe('http://127.0.0.1:1/v1\n');
    expect(await home.here(['config', 'get', 'providers.compatible.other'])).toMatchObject({ exitCode: 2 });
  });

  it('path prints the place of the file, also if the file is missing or broken', async () => {
    expect((await home.here(['config', 'path'])).stdout).toBe(`${file}\n`);
    writeFileSync(file, 'a: [\n', { mode: 0o600 });
    const { stdout } = await home.here(['config', 'path', '--json']);
    expect(JSON.parse(stdout)).toEqual({ path: file, exists: true });
    const named = await home.here(['config', 'path', '--config', 'other.yaml']);
    expect(named.stdout).toBe(`${join(home.path, 'other.yaml')}\n`);
  });
});

describe('ollm config edit', () => {
  const editor = (script: string) => ({ VISUAL: undefined, EDITOR: `sh -c '${script}' sh` });

  it('replaces the file with the saved text once that text has no problems', async () => {
    writeFileSync(file, '# mine\nmodel: a\n', { mode: 0o600 });
    const wrong = await home.here(['config', 'edit'], { env: editor('echo "modl: b" >> "$1"') });
    expect(wrong).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/draft\.yaml:3:1: modl is not a setting/),
    });
    expect(text()).toBe('# mine\nmodel: a\n');

    const right = await home.here(['config', 'edit'], { env: editor('sed -i s/modl:/provider:/ "$1"') });
    expect(right).toMatchObject({ exitCode: 0, stderr: `${file} was changed.\n` });
    expect(text()).toBe('# mine\nmodel: a\nprovider: b\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(() => statSync(join(home.path, 'config.draft.yaml'))).toThrow();
  });

  it('begins with a line of instructions, and creates no file from that line', async () => {
    const { stderr, exitCode } = await home.here(['config', 'edit'], {
      env: editor('grep -q docs/configuration "$1"'),
    });
    expect({ stderr, exitCode }).toEqual({ stderr: 'Nothing was changed.\n', exitCode: 0 });
    expect(() => text()).toThrow();
  });

  it('gives up if the editor fails, or the file changed in the meantime', async () => {
    expect(await home.here(['config', 'edit'], { env: editor('exit 3') })).toMatchObject({ exitCode: 1 });
    const env = editor(`echo "model: mine" > "$1"; echo "model: other" > ${file}; chmod 600 ${file}`);
    expect(await home.here(['config', 'edit'], { env })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('draft'),
    });
    expect(text()).toBe('model: other\n');
  });
});
