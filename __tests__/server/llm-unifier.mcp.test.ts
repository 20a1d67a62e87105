// The MCP configuration of the LLM module, from a real server: the servers of four programs in their scopes, by real
// files, with every byte around them as it was.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';
import { createTree, type Tree } from '../support/tree.ts';

const GOOD_SERVER = join(import.meta.dirname, '../mcp/good-server.ts');
const SECRET = 'a-value-that-nobody-sees';

let home: Home;
let project: Tree;
let server: Served;
beforeEach(async () => {
  home = createHome();
  project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
  server = await serve(home, [], { cwd: project.root });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  project[Symbol.dispose]();
  home[Symbol.dispose]();
});

const at = (provider: string, rest = '') => `/api/llm/providers/${provider}/mcp/servers${rest}`;
const put = (path: string, body: object) =>
  server.post(path, body, { method: 'PUT' }).then(({ status, body: answer }) => ({ status, ...answer }));
const remove = (path: string) => server.ask(path, { method: 'DELETE' });
const inHome = (name: string) => readFileSync(join(home.path, name), 'utf8');
const inProject = (name: string) => readFileSync(join(project.root, name), 'utf8');

function write(root: string, name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

const STARTED = { name: 'docs', transport: 'stdio', command: 'docs-server', args: ['--fast'], env: { KEY: SECRET } };
const ASKED = { name: 'web', transport: 'http', url: 'https://example.org/mcp', headers: { 'X-Key': SECRET } };

it.each([
  ['claude', 'user', '.claude.json', 'home'],
  ['claude', 'local', '.claude.json', 'home'],
  ['claude', 'project', '.mcp.json', 'project'],
  ['codex', 'user', '.codex/config.toml', 'home'],
  ['codex', 'project', '.codex/config.toml', 'project'],
  ['cursor', 'user', '.cursor/mcp.json', 'home'],
  ['cursor', 'project', '.cursor/mcp.json', 'project'],
  ['gemini', 'user', '.gemini/settings.json', 'home'],
  ['gemini', 'project', '.gemini/settings.json', 'project'],
])('the routes add, list, change and remove servers of %s in the scope %s', async (provider, scope, file, where) => {
  const text = () => (where === 'home' ? inHome(file) : inProject(file));
  for (const body of [STARTED, ASKED]) {
    const { status, body: answer } = await server.post(at(provider), { ...body, scope });
    expect([status, answer.data]).toMatchObject([201, { provider, scope, name: body.name }]);
  }
  expect(text()).toContain(SECRET);
  const listed = await server.data(at(provider));
  expect(listed.scopes[scope]).toMatchObject([
    { name: 'docs', transport: 'stdio', command: 'docs-server', args: ['--fast'], env: { KEY: '[hidden]' } },
    { name: 'web', transport: 'http', url: 'https://example.org/mcp', headers: { 'X-Key': '[hidden]' } },
  ]);
  expect(JSON.stringify(listed)).not.toContain(SECRET);
  expect(Object.keys((await server.data(at(provider, `?scope=${scope}`))).scopes)).toEqual([scope]);
  // A server as it was listed changes no byte.
  const before = text();
  for (const each of listed.scopes[scope]) expect((await put(at(provider, `/${each.name}`), each)).status).toBe(200);
  expect(text()).toBe(before);
  const changed = { ...listed.scopes[scope][0], args: ['--slow'], env: { KEY: '[hidden]', MORE: 'x' } };
  expect(await put(at(provider, '/docs'), changed)).toMatchObject({ data: { args: ['--slow'] } });
  expect(text()).toContain(SECRET);
  expect(text()).toContain('--slow');
  expect((await remove(at(provider, `/docs?scope=${scope}`))).body.data).toMatchObject({ removed: true, scope });
  expect((await remove(at(provider, `/docs?scope=${scope}`))).body.data).toMatchObject({ removed: false });
  expect((await server.data(at(provider))).scopes[scope]).toMatchObject([{ name: 'web' }]);
});

it('no key in an argument or an address is shown, and each stays where it is not changed', async () => {
  const keys = Array.from({ length: 8 }, (_, index) => `harbour-${index}`);
  const args = [
    `--token=${keys[0]}`,
    '--api-key',
    keys[1]!,
    '-v',
    `TOKEN=${keys[2]}`,
    '-H',
    `Authorization: Bearer ${keys[3]}`,
  ];
  const url = `https://${keys[4]}:${keys[5]}@example.org/mcp?key=${keys[6]}&more=${keys[7]}`;
  const mcpServers = { a: { command: 'a', args: [...args, '--fast'] }, b: { type: 'http', url } };
  write(project.root, '.mcp.json', JSON.stringify({ mcpServers }, null, 2));
  const text = inProject('.mcp.json');
  const listed = await server.data(at('claude'));
  const refused = await server.post(at('claude', '/a/run'), {});
  for (const key of keys) {
    expect([key, JSON.stringify(listed).includes(key)]).toEqual([key, false]);
    expect([key, JSON.stringify(refused.body).includes(key)]).toEqual([key, false]);
  }
  const [a, b] = listed.scopes.project;
  expect(a.args).toEqual([
    '--token=[hidden]',
    '--api-key',
    '[hidden]',
    '-v',
    'TOKEN=[hidden]',
    '-H',
    'Authorization: [hidden]',
    '--fast',
  ]);
  expect(b.url).toBe('https://[hidden]@example.org/mcp?[hidden]');
  for (const each of [a, b]) expect((await put(at('claude', `/${each.name}`), each)).status).toBe(200);
  expect(inProject('.mcp.json')).toBe(text);
  expect((await put(at('claude', '/a'), { ...a, args: [...a.args.slice(0, -1), '--slow'] })).status).toBe(200);
  expect(inProject('.mcp.json')).toBe(text.replace('--fast', '--slow'));
  // A hidden value cannot move to a place where it is not known.
  expect((await put(at('claude', '/b'), { ...b, url: 'https://[hidden]@other.org/mcp?[hidden]' })).status).toBe(400);
  expect((await put(at('claude', '/c'), { ...a, name: 'c' })).status).toBe(400);
});

it('a change keeps comments, order, indentation and unknown members, and a copy of the file', async () => {
  const json = [
    '{',
    '   // of mine',
    '   "theme": "dark",',
    '   "mcpServers": {',
    '      "docs": {',
    '         "trust": true, // I know it',
    '         "command": "docs-server",',
    '         "args": ["--fast"] // quick',
    '      },',
    '      "z": { "url": "https://example.org/sse" }',
    '   }',
    '}',
    '',
  ].join('\n');
  write(home.path, '.gemini/settings.json', json);
  const body = { transport: 'stdio', command: 'docs-server', args: ['--slow'], scope: 'user' };
  expect((await put(at('gemini', '/docs'), body)).status).toBe(200);
  expect(inHome('.gemini/settings.json')).toBe(json.replace('"--fast"', '"--slow"'));
  const toml = [
    'model = "x" # the model',
    '',
    '[mcp_servers.docs] # mine',
    'command = "docs-server"',
    'startup_timeout_sec = 20 # slow',
    'args = ["--fast"]',
    '',
    '# the rest',
    '[mcp_servers.other]',
    'command = "o"',
    '',
  ].join('\n');
  write(home.path, '.codex/config.toml', toml);
  expect((await put(at('codex', '/docs'), body)).status).toBe(200);
  expect(inHome('.codex/config.toml')).toBe(toml.replace('"--fast"', '"--slow"').replace('["--slow"]', '[ "--slow" ]'));
  const kept = join(home.path, 'backups');
  const copies = readdirSync(kept).sort();
  expect(copies.map((name) => name.replace(/-[\dTZ]+$/, ''))).toEqual(['codex-user', 'gemini-user']);
  expect(copies.map((name) => readFileSync(join(kept, name), 'utf8'))).toEqual([toml, json]);
  for (const name of copies) expect(statSync(join(kept, name)).mode & 0o777).toBe(0o600);
});

it('a server is added to all four programs, with the result of each', async () => {
  write(project.root, '.cursor/mcp.json', '[not json');
  const { status, body } = await server.post('/api/llm/mcp/servers/global', STARTED);
  expect(status).toBe(201);
  expect(body.data.results).toMatchObject([
    { provider: 'claude', created: true },
    { provider: 'codex', created: true },
    { provider: 'cursor', created: false, error: expect.stringContaining('is not valid JSON') },
    { provider: 'gemini', created: true },
  ]);
  expect(inProject('.cursor/mcp.json')).toBe('[not json');
  expect(JSON.parse(inProject('.mcp.json')).mcpServers.docs.command).toBe('docs-server');
  const { problems } = await server.data(at('cursor'));
  expect(problems).toMatchObject([{ scope: 'project', path: join(project.root, '.cursor/mcp.json') }]);
});

it.each<[string, string, object, string]>([
  ['without a name', 'claude', { transport: 'stdio', command: 'a' }, 'MCP_NAME_REQUIRED'],
  ['with a name that is a path', 'claude', { name: '../a', transport: 'stdio', command: 'a' }, 'MCP_NAME_REQUIRED'],
  ['without a transport', 'claude', { name: 'a', command: 'a' }, 'MCP_TRANSPORT_REQUIRED'],
  ['of another transport', 'claude', { name: 'a', transport: 'pipe' }, 'INVALID_MCP_TRANSPORT'],
  ['of another scope', 'claude', { name: 'a', transport: 'stdio', scope: 'team' }, 'INVALID_MCP_SCOPE'],
  ['without a command', 'gemini', { name: 'a', transport: 'stdio' }, 'MCP_COMMAND_REQUIRED'],
  ['without an address', 'cursor', { name: 'a', transport: 'http' }, 'MCP_URL_REQUIRED'],
  [
    'with a slash in a password',
    'cursor',
    { name: 'a', transport: 'http', url: 'https://a:b/c@d' },
    'MCP_URL_REQUIRED',
  ],
  [
    'with a question mark in a password',
    'cursor',
    { name: 'a', transport: 'http', url: 'https://a:1?c@d' },
    'MCP_URL_REQUIRED',
  ],
  ['with a file for an address', 'cursor', { name: 'a', transport: 'http', url: 'file:///a' }, 'MCP_URL_REQUIRED'],
  ['in a scope that is not there', 'codex', { ...STARTED, scope: 'local' }, 'MCP_SCOPE_NOT_SUPPORTED'],
  ['by events, for Codex', 'codex', { ...ASKED, transport: 'sse' }, 'MCP_TRANSPORT_NOT_SUPPORTED'],
  ['with a directory, for Claude Code', 'claude', { ...STARTED, cwd: '/tmp' }, 'MCP_MEMBER_NOT_SUPPORTED'],
  ['with a header, for a program', 'gemini', { ...STARTED, headers: { A: 'b' } }, 'MCP_MEMBER_NOT_SUPPORTED'],
  ['with a hidden value that is not known', 'claude', { ...STARTED, env: { KEY: '[hidden]' } }, 'USAGE'],
  ['with a wrong member', 'claude', { ...STARTED, args: 'x' }, 'INVALID_REQUEST_BODY'],
  ['of an unknown program', 'nobody', STARTED, 'UNSUPPORTED_PROVIDER'],
])('a server %s is refused', async (_, provider, body, code) => {
  const { status, body: answer } = await server.post(at(provider), body);
  expect([status, answer.error.code]).toEqual([400, code]);
});

it("settings are written only in directories of the server's workspaces", async () => {
  using elsewhere = createTree();
  const body = { ...STARTED, workspacePath: elsewhere.root };
  expect((await server.post(at('claude'), body)).body.error.code).toBe('WORKSPACE_NOT_ALLOWED');
  expect(readdirSync(elsewhere.root)).toEqual([]);
});

it('a server is started for a test only after a yes to exactly this command, and its tools are listed', async () => {
  const body = { name: 'good', transport: 'stdio', command: process.execPath, args: ['--no-warnings', GOOD_SERVER] };
  expect((await server.post(at('claude'), body)).status).toBe(201);
  const test = (more = '') => server.post(at('claude', `/good/run${more}`));
  const refused = await test();
  expect([refused.status, refused.body.error.code]).toEqual([403, 'WORKSPACE_NOT_TRUSTED']);
  const { trust, starts } = refused.body.error.details;
  expect(starts).toEqual([process.execPath, '--no-warnings', GOOD_SERVER]);
  const { data } = (await test(`?trust=${trust}`)).body;
  expect(data).toMatchObject({ reachable: true, transport: 'stdio' });
  expect(data.tools.length).toBeGreaterThan(0);
  // A yes to one command is none to another.
  await put(at('claude', '/good'), { ...body, args: [GOOD_SERVER] });
  expect((await test(`?trust=${trust}`)).status).toBe(403);
  expect((await server.post(at('claude', '/none/run'))).body.error.code).toBe('MCP_SERVER_NOT_FOUND');
});

it('a server at an address is tested with its headers, and the error says why it cannot be reached', async () => {
  const seen: (string | undefined)[] = [];
  const web = createServer((request, response) => {
    seen.push(request.headers['x-key'] as string | undefined);
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  await server.post(at('gemini'), { ...ASKED, url, scope: 'user' });
  const { body } = await server.post(at('gemini', '/web/run?scope=user'));
  expect(body.data).toMatchObject({ reachable: false, transport: 'http', tools: [], error: expect.any(String) });
  expect(seen[0]).toBe(SECRET);
  await new Promise((resolve) => web.close(resolve));
});
