// Secrets come in by everything that tools bring: their arguments, their output in pieces, what servers and hooks say
// and how they break down. Then every file that the runs wrote, and standard error, are searched for them. What a
// person sees of the output that he asked for is his own; the kept part is not.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home, type RunResult } from '../../support/cli.ts';
import { ALL_SECRETS as ALL, SECRETS } from '../../support/secrets.ts';
import { createTree, type Tree } from '../../support/tree.ts';

const { password, forge } = SECRETS;

const SERVER = `
import { createInterface } from 'node:readline';
const all = ${JSON.stringify(ALL)};
console.error('starting with ' + all);
const tool = (name) => ({ name, description: 'Says ' + all, inputSchema: { type: 'object', properties: {} } });
const answers = {
  initialize: () => ({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: all, version: '1' } } }),
  'tools/list': () => ({ result: { tools: [tool('tell'), tool('fail')] } }),
  'tools/call': ({ name }) => name === 'tell'
    ? { result: { content: [{ type: 'text', text: 'It is ' + all }] } }
    : { error: { code: -32000, message: new Error('no entry for ' + all).stack } },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method]?.(params) ?? { result: {} }) }));
});
`;
const HOOK = `
const all = ${JSON.stringify(ALL)};
console.error('noise ' + all);
let told = '';
for await (const chunk of process.stdin) told += chunk;
const { hook, call } = JSON.parse(told);
if (hook === 'sessionStart') console.log(JSON.stringify({ context: [{ key: 'rota', content: 'Call ' + all }] }));
if (hook === 'beforeTool' && call.name === 'list_files') console.log(JSON.stringify({ veto: 'Not while ' + all }));
if (hook === 'afterTool') throw new Error('broken by ' + all);
`;
/** In pieces that end in the middle of each secret. */
const PRINTER = `
const pieces = ${JSON.stringify([...ALL.matchAll(/.{1,11}/gsu)].map(([piece]) => piece))};
for (const piece of pieces) { process.stdout.write(piece); await new Promise((next) => setTimeout(next, 5)); }
throw new Error(${JSON.stringify(ALL)});
`;

let home: Home;
let project: Tree;
const runs: RunResult[] = [];

async function ollm(args: readonly string[], input = '') {
  const env = { DEPLOY_PASSWORD: password, FORGE_TOKEN: forge };
  const result = await home.run(['--log-level', 'debug', ...args], { cwd: project.root, input, env });
  runs.push(result);
  return result;
}

beforeAll(async () => {
  home = createHome();
  project = createTree({ 'print.mjs': PRINTER, 'notes.md': `${ALL}\n`, '.git/HEAD': 'ref: refs/heads/main\n' });
  const programs = join(home.path, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'server.mjs'), SERVER);
  writeFileSync(join(programs, 'hook.mjs'), HOOK);
  chmodSync(join(programs, 'hook.mjs'), 0o755);
  const hook = `${process.execPath} ${join(programs, 'hook.mjs')}`;
  const settings = {
    provider: 'offline',
    tools: { allow: ['bash', 'file_write', 'file_edit', 'mcp__s__*'] },
    hooks: { sessionStart: [hook], beforeTool: [hook], afterTool: [hook] },
    mcp: { servers: { s: { command: [process.execPath, join(programs, 'server.mjs')] } } },
  };
  writeFileSync(join(home.path, 'config.yaml'), JSON.stringify(settings));
});
afterAll(() => {
  home[Symbol.dispose]();
  project[Symbol.dispose]();
});

it('secrets in the output of tools, servers and hooks', async () => {
  await ollm(['repl', '--name', 'approving'], '/tools approve s\n/tools approve s\n');
  const calls = [
    `bash ${JSON.stringify({ command: `"${process.execPath}" print.mjs` })}`,
    `bash ${JSON.stringify({ command: `echo '${ALL}'` })}`,
    `file_write ${JSON.stringify({ path: 'out.txt', content: ALL })}`,
    `file_edit ${JSON.stringify({ path: 'out.txt', old_string: ' and ', new_string: forge })}`,
    `file_read ${JSON.stringify({ path: 'notes.md' })}`,
    `file_read ${JSON.stringify({ path: `${forge}/${password}` })}`,
    `search_files ${JSON.stringify({ query: password })}`,
    'list_files',
    'mcp__s__tell',
    'mcp__s__fail',
    `no_such_tool_${forge} {}`,
  ];
  // A call that ends well, one that fails in the server, and one of a tool that is not there, each as a program of its
  // own; then all of them in one.
  for (const [index, call] of [calls[0]!, ...calls.slice(-2)].entries())
    await ollm(['ask', '--name', `call-${index}`, call]);
  await ollm(['repl', '--name', 'typed'], `${calls.join('\n')}\n!echo '${ALL}'\n/save ${password}\n/export kept.md\n`);
  await ollm(['audit', 'call-0']);
  await ollm(['doctor']);
  const told = runs.map(({ stdout }) => stdout).join('');
  // All these secrets did arrive: they are the ones to keep out.
  for (const sign of ['It is', 'Not while', 'no entry for', '`search_files` answered']) expect(told).toContain(sign);
  // Typed text is redacted before anything reads it, so the tools were given this.
  const written = readFileSync(join(project.root, 'out.txt'), 'utf8');
  expect(written).toMatch(/^\[redacted environment-value 28\](\[redacted github-token 40\]){2}, /);
});

it('these secrets are in no written file and not on standard error', () => {
  const places = [
    { root: home.path, own: ['programs'] },
    { root: project.root, own: ['print.mjs', 'notes.md'] },
  ];
  const found: string[] = [];
  let files = 0;
  for (const { root, own } of places)
    for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (own.some((name) => file.startsWith(name)) || !statSync(join(root, file)).isFile()) continue;
      files += 1;
      const text = `${file}\n${readFileSync(join(root, file), 'utf8')}`;
      for (const [name, secret] of Object.entries(SECRETS)) if (text.includes(secret)) found.push(`${name} in ${file}`);
    }
  for (const { stderr } of runs)
    for (const [name, secret] of Object.entries(SECRETS))
      if (stderr.includes(secret)) found.push(`${name} on standard error: ${stderr.slice(0, 300)}`);
  expect(found).toEqual([]);
  expect(files).toBeGreaterThan(15);
});
