import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createHome, type Home, parseLines } from '../../support/cli.ts';

let home: Home;
let server: Server;
let address: string;
let asked: string[];
beforeEach(async () => {
  home = createHome();
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'small' }, { id: 'large', context_length: 32768 }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  home[Symbol.dispose]();
});
const configure = (settings: object) =>
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings), { mode: 0o600 });

describe('ollm providers', () => {
  it('shows which provider would answer and why, and the place of each key, without showing or using a key', async () => {
    const keyFile = join(home.path, 'anthropic.key');
    writeFileSync(keyFile, 'a-key-in-a-file', { mode: 0o600 });
    configure({
      providers: {
        anthropic: { apiKeyFile: keyFile },
        compatible: { box: { baseUrl: address, apiKeyEnv: 'BOX_KEY' } },
      },
    });
    const env = { OPENAI_API_KEY: 'sk-of-a-test', OLLAMA_HOST: 'http://127.0.0.1:9', GEMINI_API_KEY: undefined };
    const { stdout, stderr, exitCode } = await home.here(['providers'], { env });
    expect(exitCode).toBe(0);
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    expect(rows).toEqual(
      expect.arrayContaining([
        ['box', '', 'none', address],
        ['ollama', '', '', 'http://127.0.0.1:9'],
        ['openai', '', 'OPENAI_API_KEY', ''],
        ['anthropic', '', keyFile, ''],
        ['gemini', '', 'none', ''],
        ['offline', '*', '', ''],
      ]),
    );
    expect(stderr).toContain('no Ollama answers at http://127.0.0.1:9');
    expect(stdout + stderr).not.toMatch(/sk-of-a-test|a-key-in-a-file/);
    expect(asked).toEqual([]);
  });

  it('reports the fault of the configured provider', async () => {
    configure({ provider: 'box', providers: { compatible: { box: { baseUrl: address } } } });
    const { stdout } = await home.here(['providers', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ why: expect.stringContaining('several models') });
    expect(JSON.parse(stdout).providers).toContainEqual({ name: 'box', answers: true, address });
  });
});

describe('ollm models', () => {
  it('lists the models of the provider that would answer, and marks the selected one', async () => {
    configure({ provider: 'box', model: 'large', providers: { compatible: { box: { baseUrl: address } } } });
    const { stdout, stderr } = await home.here(['models', '--json']);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'small', provider: 'box', answers: false },
      expect.objectContaining({ name: 'large', provider: 'box', answers: true }),
    ]);
    expect(stderr).toContain('Models of box. --provider names another: ');
  });

  it('lists the models of a named provider, and refuses an unknown one', async () => {
    configure({ providers: { compatible: { box: { baseUrl: address } } } });
    expect((await home.here(['models', '--provider', 'box'])).stdout).toMatch(/^small\t.*\nlarge\t.*\n$/);
    expect(await home.here(['models', '--provider', 'bx'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('box'),
    });
  });
});

describe('ollm mcp', () => {
  it('lists the configured servers with their state, and starts none', async () => {
    configure({
      mcp: {
        servers: {
          sums: { command: [process.execPath, '-e', 'process.exit(3)'], env: ['NOT_SET_HERE'] },
          off: { command: ['/bin/false'], disabled: true },
          gone: { command: ['no-such-program-here'] },
          far: { url: 'http://example.org/mcp' },
        },
      },
    });
    const { stdout, exitCode } = await home.here(['mcp', '--json']);
    expect(exitCode).toBe(0);
    expect((JSON.parse(stdout) as object[]).map((each) => ({ ...each, where: undefined }))).toEqual([
      expect.objectContaining({ name: 'sums', state: 'ready', text: '0 tools approved; not set: NOT_SET_HERE' }),
      expect.objectContaining({ name: 'off', state: 'disabled' }),
      expect.objectContaining({ name: 'gone', state: 'refused', text: expect.stringContaining('no-such-program') }),
      expect.objectContaining({ name: 'far', state: 'refused', text: expect.stringContaining('https') }),
    ]);
  });

  it('explains how to configure a server if there is none', async () => {
    expect(await home.here(['mcp'])).toMatchObject({ stdout: '', stderr: expect.stringContaining('mcp.servers') });
    expect(parseLines((await home.here(['mcp', '--json'])).stdout)).toEqual([[]]);
  });
});
