// Providers as a user configures them: a config.yaml, variables, a key in a file, a server on loopback, a session on
// disk.
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../../lib/app/compose.ts';
import { checkProviders } from '../../../lib/app/doctor/check-providers.ts';
import { chooseProvider } from '../../../lib/app/providers/choose-provider.ts';
import { timeoutSecondsOf } from '../../../lib/app/providers/provider-loaders.ts';
import { openSession } from '../../../lib/app/sessions/open/open-session.ts';
import { switchModel } from '../../../lib/app/sessions/open/switch-model.ts';
import { ask } from '../../../lib/lead/ask.ts';
import { type Answer, deadUrl, startFaultServer } from '../../support/fault-server.ts';
import { createTree, type Tree } from '../../support/tree.ts';
import { messages as anthropic, block, start, stop } from '../anthropic/dialect.ts';
import { chunk, end } from '../compatible/dialect.ts';

const KEY = 'planted-key-0123456789abcdef';

async function appOf(tree: Tree, config: object, env: Readonly<Record<string, string>> = {}) {
  tree.write({ 'home/.ollm/config.yaml': JSON.stringify(config), 'project/': '' });
  chmodSync(join(tree.root, 'home/.ollm'), 0o700);
  return await createApp({
    env: { HOME: join(tree.root, 'home'), OLLAMA_HOST: '127.0.0.1:9', PATH: process.env.PATH, ...env },
    cwd: join(tree.root, 'project'),
    command: 'test',
  });
}

const list = (...ids: string[]): Answer => ({
  type: 'application/json',
  steps: [JSON.stringify({ data: ids.map((id) => ({ id, context_length: 4096 })) })],
});
const serverWith = (models: Answer, chat: Answer | readonly Answer[] = { steps: [] }) =>
  startFaultServer({ '/v1/models': models, '/v1/chat/completions': chat });
const fine: Answer = { type: 'text/event-stream', steps: [chunk({ content: 'fine' }), end('stop')] };
const refuses = (status: number, message: string): Answer => ({
  status,
  type: 'application/json',
  steps: [JSON.stringify({ error: { message } })],
});

test('each server of the configuration is a provider by its name, and the built-in names stay', async () => {
  using tree = createTree();
  await using server = await serverWith(list('one'));
  const baseUrl = `${server.url}/v1`;
  const app = await appOf(tree, { providers: { compatible: { box: { baseUrl }, ollama: { baseUrl } } } });
  expect([...app.providers.names].sort()).toEqual([
    'anthropic',
    'bedrock',
    'box',
    'gemini',
    'offline',
    'ollama',
    'openai',
  ]);
  expect(await app.providers.load('ollama')).toHaveProperty('probe');
  const { provider, model, contextWindow } = await chooseProvider(app, { provider: 'box' });
  expect([provider.name, model, contextWindow]).toEqual(['box', 'one', 4096]);
  await app.close();
});

test('a cloud provider is never chosen just because its key exists', async () => {
  using tree = createTree();
  const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, GEMINI_API_KEY: KEY, AWS_BEARER_TOKEN_BEDROCK: KEY };
  const app = await appOf(tree, {}, keys);
  expect((await chooseProvider(app)).provider.name).toBe('offline');
  await app.close();
});

test('one of several models must be named, or set, and nothing that costs is picked automatically', async () => {
  using tree = createTree();
  await using server = await serverWith(list('small', 'large'));
  const box = { baseUrl: `${server.url}/v1` };
  const app = await appOf(tree, { providers: { compatible: { box, set: { ...box, model: 'large' } } } });
  await expect(chooseProvider(app, { provider: 'box' })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
    hint: expect.stringMatching(/--model.*small, large/),
  });
  expect((await chooseProvider(app, { provider: 'box', model: 'small' })).model).toBe('small');
  expect((await chooseProvider(app, { provider: 'set' })).model).toBe('large');
  await app.close();
});

test('a gateway without a list of models can be chosen, and one with a list reports it', async () => {
  using tree = createTree();
  await using bare = await startFaultServer({});
  await using listing = await serverWith(list('small', 'large'));
  const providers = {
    gemini: { baseUrl: `${bare.url}/v1beta` },
    compatible: { bare: { baseUrl: `${bare.url}/v1` }, box: { baseUrl: `${listing.url}/v1` } },
  };
  const app = await appOf(tree, { providers }, { GEMINI_API_KEY: KEY });
  const conversation = await openSession(app, { kind: 'new', provider: 'offline' });
  const switchTo = async (provider: string, model: string) =>
    (await switchModel(app, conversation, { provider, model })).choice;
  expect(await switchTo('gemini', 'gemini-x')).toMatchObject({ model: 'gemini-x', provider: { name: 'gemini' } });
  expect(await switchTo('bare', 'any')).toMatchObject({ model: 'any' });
  await expect(switchTo('box', 'huge')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
  await conversation.session.close('exit');
  await app.close();
});

test('the search has one model, with any model configured or named', async () => {
  using tree = createTree();
  const app = await appOf(tree, { provider: 'offline', model: 'llama3.2' });
  expect(await chooseProvider(app)).toMatchObject({ model: 'search' });
  await expect(chooseProvider(app, { provider: 'offline', model: 'zzz' })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
    hint: expect.stringContaining('search'),
  });
  await app.close();
});

test.each([
  ['openai', 'OPENAI_API_KEY', 'platform.openai.com'],
  ['anthropic', 'ANTHROPIC_API_KEY', 'console.anthropic.com'],
  ['gemini', 'GEMINI_API_KEY', 'aistudio.google.com'],
  ['bedrock', 'AWS_BEARER_TOKEN_BEDROCK', 'console.aws.amazon.com'],
])('%s without its key names the variable and the page that issues keys', async (name, variable, site) => {
  using tree = createTree();
  const app = await appOf(tree, {}, { AWS_REGION: 'eu-central-1' });
  await expect(chooseProvider(app, { provider: name })).rejects.toMatchObject({
    code: 'PROVIDER_KEY',
    exitCode: 8,
    message: expect.stringContaining(variable),
    hint: expect.stringContaining(site),
  });
  await app.close();
});

test('a key comes from the named variable, or else from the named file, in their present state', async () => {
  using tree = createTree({ 'home/keys/box': `${KEY}-of-file\n` });
  await using server = await serverWith(list('one'));
  const settings = { baseUrl: `${server.url}/v1`, apiKeyEnv: 'BOX_KEY' };
  const config = { providers: { compatible: { box: { ...settings, apiKeyFile: '~/keys/box' } } } };
  const sent = () => server.requests.at(-1)!.headers.authorization;

  const fromFile = await appOf(tree, config);
  await (await fromFile.providers.load('box')).models();
  expect(sent()).toBe(`Bearer ${KEY}-of-file`);
  tree.write({ 'home/keys/box': 'another-key' });
  await (await fromFile.providers.load('box')).models();
  expect(sent()).toBe('Bearer another-key');
  await fromFile.close();

  const fromVariable = await appOf(tree, config, { BOX_KEY: KEY });
  await (await fromVariable.providers.load('box')).models();
  expect(sent()).toBe(`Bearer ${KEY}`);
  await fromVariable.close();
});

test('a key is in no file and no output of ollm, also if the server repeats it', async () => {
  using tree = createTree({ 'home/keys/box': KEY });
  await using server = await serverWith(list('one'), [
    fine,
    refuses(401, `Incorrect API key provided: ${KEY}`),
    refuses(500, `oops ${KEY}`),
    { type: 'text/event-stream', steps: [chunk({ content: 'half' }), `data: {"error":{"message":"bad ${KEY}"}}\n\n`] },
    { type: 'text/html', steps: [KEY] },
  ]);
  const box = { baseUrl: `${server.url}/v1`, apiKeyFile: join(tree.root, 'home/keys/box') };
  const app = await appOf(tree, { log: { level: 'debug' }, providers: { compatible: { box } } });
  const conversation = await openSession(app, { kind: 'new', provider: 'box' });
  const signals: unknown[] = [];
  for (let turn = 0; turn < 5; turn++)
    signals.push(...(await lastValueFrom(ask(app, conversation, { text: 'hello' }).pipe(toArray()))));
  await conversation.session.close('exit');
  await app.close();
  expect(server.requests.filter(({ headers }) => headers.authorization === `Bearer ${KEY}`).length).toBeGreaterThan(4);
  expect(JSON.stringify(signals)).not.toContain(KEY);
  const written = filesUnder(join(tree.root, 'home/.ollm'));
  expect(written.length).toBeGreaterThan(1);
  for (const file of written) expect(readFileSync(file, 'latin1')).not.toContain(KEY);
});

test('a key file that other users can write is refused, and the error says how to change that', async () => {
  using tree = createTree({ 'home/keys/box': KEY });
  await using server = await serverWith(list('one'), [fine]);
  const file = join(tree.root, 'home/keys/box');
  chmodSync(file, 0o666);
  const box = { baseUrl: `${server.url}/v1`, apiKeyFile: file, model: 'one', contextWindow: 4096 };
  const app = await appOf(tree, { providers: { compatible: { box } } });
  const fails = openSession(app, { kind: 'new', provider: 'box' }).then(async (conversation) => {
    const signals = await lastValueFrom(ask(app, conversation, { text: 'hello' }).pipe(toArray()));
    await conversation.session.close('exit');
    const failed = signals.find((signal) => signal.type === 'error');
    if (failed?.type === 'error') throw failed.error;
  });
  await expect(fails).rejects.toMatchObject({
    code: 'PROVIDER_KEY',
    message: `The key file ${file} can be written by other users, and is not used.`,
    hint: expect.stringContaining(`chmod 600 ${file}`),
  });
  expect(server.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
  await app.close();
});

test.each(['box', 'openai'])('a key file that other users can read causes a warning, for %s', async (name) => {
  using tree = createTree({ 'home/keys/box': KEY });
  await using server = await serverWith(list('one'), [fine]);
  const file = join(tree.root, 'home/keys/box');
  const settings = { baseUrl: `${server.url}/v1`, apiKeyFile: file };
  const providers = name === 'openai' ? { openai: settings } : { compatible: { [name]: settings } };
  const app = await appOf(tree, { providers });
  const told = async () => {
    const wish = { provider: name, model: 'one' };
    const { session, notices } = await openSession(app, { kind: 'new', ...wish });
    await session.close('exit');
    const checks: unknown[] = [];
    for await (const { name: check, ...rest } of checkProviders(app))
      if (check === `key of ${name}`) checks.push({ ...rest });
    return { notices: notices.filter((each) => each.includes('key file')), checks };
  };
  const warned = (text: string, remedy: string) => ({
    notices: [`${text} ${remedy}`],
    checks: [{ status: 'warn', text, remedy }],
  });
  const readable = warned(`The key file ${file} can be read by other users.`, `Run "chmod 600 ${file}".`);
  for (const [fileMode, directoryMode, expected] of [
    [0o600, 0o755, { notices: [], checks: [] }],
    [0o644, 0o755, readable],
    [0o640, 0o755, readable],
    [0o644, 0o700, { notices: [], checks: [] }],
  ] as const) {
    for (const each of ['', 'home', 'home/keys']) chmodSync(join(tree.root, each), directoryMode);
    chmodSync(file, fileMode);
    expect(await told()).toEqual(expected);
  }
  await app.close();
});

test.each(['box', 'openai'])('%s, at the address of a server, has its settings for odd answers', async (name) => {
  using tree = createTree();
  const steps = [chunk({ content: '<think>Hm.</think>fine' }), 'data: [DONE]\n\n'];
  await using server = await serverWith(list('one'), { type: 'text/event-stream', steps });
  const answered = async (more: object) => {
    const settings = { baseUrl: `${server.url}/v1`, ...more };
    const providers = name === 'openai' ? { openai: settings } : { compatible: { [name]: settings } };
    const app = await appOf(tree, { providers }, { OPENAI_API_KEY: KEY });
    const { session, ...rest } = await openSession(app, { kind: 'new', provider: name, model: 'one' });
    const signals = await lastValueFrom(ask(app, { session, ...rest }, { text: 'hello' }).pipe(toArray()));
    await session.close('exit');
    await app.close();
    const text = signals.map((signal) => (signal.type === 'delta' ? signal.content : '')).join('');
    return [text, signals.at(-1)!.type];
  };
  expect(await answered({ endsWithDone: true })).toEqual(['fine', 'done']);
  expect(await answered({ endsWithDone: true, thinkTags: false })).toEqual(['<think>Hm.</think>fine', 'done']);
  expect(await answered({})).toEqual([expect.stringContaining('fine'), 'error']);
});

test('an address that would send a key unencrypted is refused when the provider is asked for', async () => {
  using tree = createTree();
  const config = { providers: { anthropic: { baseUrl: 'http://example.com/v1' } } };
  const app = await appOf(tree, config, { ANTHROPIC_API_KEY: KEY });
  await expect(chooseProvider(app, { provider: 'anthropic' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('providers.anthropic.baseUrl'),
  });
  await app.close();
});

test('doctor reports for each configured server whether it answers', async () => {
  using tree = createTree();
  await using server = await serverWith(list('one'));
  await using stuck = await serverWith({ type: 'application/json', steps: [{ fault: 'stall' }] });
  const compatible = {
    box: { baseUrl: `${server.url}/v1` },
    gone: { baseUrl: `${await deadUrl()}/v1` },
    keyed: { baseUrl: `${server.url}/v1`, apiKeyEnv: 'BOX_KEY' },
    stuck: { baseUrl: `${stuck.url}/v1` },
  };
  const app = await appOf(tree, { providers: { compatible } });
  const checks = new Map<string, unknown>();
  for await (const { name, ...check } of checkProviders(app)) checks.set(name, check);
  expect(checks.get('provider box')).toEqual({ status: 'ok', text: 'answers, with the model one' });
  expect(checks.get('provider gone')).toMatchObject({ status: 'warn', text: expect.stringContaining('refused') });
  expect(checks.get('provider keyed')).toMatchObject({ status: 'ok' });
  expect(checks.get('provider stuck')).toMatchObject({ status: 'warn', text: expect.stringContaining('said nothing') });
  await app.close();
});

test('each provider has a time limit of its own for silence', async () => {
  using tree = createTree();
  const box = { baseUrl: 'http://127.0.0.1:9/v1' };
  const compatible = { box, slow: { ...box, timeoutSeconds: 600 } };
  const app = await appOf(tree, { providers: { compatible, openai: { timeoutSeconds: 7 } } });
  const times = ['box', 'slow', 'openai', 'ollama', 'offline', 'constructor', 'unknown'];
  expect(times.map((name) => timeoutSecondsOf(app.config, name))).toEqual([120, 600, 7, 120, 120, 120, 120]);
  await app.close();
});

test('usage has its cost by the configured prices', async () => {
  using tree = createTree();
  await using server = await serverWith(list('one'), fine);
  const providers = { compatible: { box: { baseUrl: `${server.url}/v1` } } };
  const app = await appOf(tree, { providers, prices: { 'o*': { input: 1_000_000, output: 0 } } });
  const conversation = await openSession(app, { kind: 'new', provider: 'box' });
  const signals = await lastValueFrom(ask(app, conversation, { text: 'hello' }).pipe(toArray()));
  expect(signals.at(-1)).toMatchObject({ type: 'done', usage: { inputTokens: 11, totalCost: 11 } });
  await conversation.session.close('exit');
  await app.close();
});

test('signed thinking survives a turn with a tool, and closing and opening the session', async () => {
  using tree = createTree({ 'project/.git/HEAD': 'ref: refs/heads/main\n', 'project/notes.md': 'The port is 4711.\n' });
  const type = 'text/event-stream';
  const asks = [
    start(),
    block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'I must look.' },
      { type: 'signature_delta', signature: 'SIGNED==' },
    ),
    block(1, { type: 'redacted_thinking', data: 'ENCRYPTED==' }),
    block(
      2,
      { type: 'tool_use', id: 'toolu_1', name: 'file_read', input: {} },
      { type: 'input_json_delta', partial_json: '{"path":"notes.md"}' },
    ),
    stop('tool_use'),
  ];
  const says = { type, steps: [anthropic.begin!, anthropic.says('4711'), anthropic.end] };
  await using server = await startFaultServer({ '/v1/messages': [{ type, steps: asks }, says] });
  const config = { providers: { anthropic: { baseUrl: `${server.url}/v1`, thinkingTokens: 1024 } } };
  const app = await appOf(tree, config, { ANTHROPIC_API_KEY: KEY });
  const wish = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
  const first = await openSession(app, { kind: 'name', name: 'work', ...wish });
  await lastValueFrom(ask(app, first, { text: 'What is the port?' }).pipe(toArray()));
  await first.session.close('exit');
  const again = await openSession(app, { kind: 'resume', reference: 'work' });
  await lastValueFrom(ask(app, again, { text: 'Thank you.' }).pipe(toArray()));
  await again.session.close('exit');
  await app.close();

  const sent = server.requests
    .filter(({ path }) => path === '/v1/messages')
    .map(({ body }) => body as { messages: { role: string; content: object[] }[] });
  expect(sent).toHaveLength(3);
  for (const { messages } of sent.slice(1)) {
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I must look.', signature: 'SIGNED==' },
        { type: 'redacted_thinking', data: 'ENCRYPTED==' },
        { type: 'tool_use', id: 'toolu_1', name: 'file_read', input: { path: 'notes.md' } },
      ],
    });
    expect(JSON.stringify(messages[2])).toContain('4711');
  }
});

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => join(directory, file))
    .filter((file) => statSync(file).isFile() && !file.endsWith('config.yaml'));
}
