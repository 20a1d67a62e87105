// The built-in tools, the policy and the sandbox of this machine in one turn, over real files.
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { type AppParts, createApp } from '../../lib/app/compose.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { listTools, switchTool } from '../../lib/app/tools/toolbox.ts';
import { ask } from '../../lib/lead/ask.ts';
import type { AskOptions } from '../../lib/lead/types.ts';
import { silentLog } from '../../lib/platform/index.ts';
import type { ApprovalRequest } from '../../lib/tools/decision.ts';
import { eventsOf } from '../session/world.ts';
import { type Script, says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { asksOnce, resultsOf, testTool, toolSteps } from '../turn/tool-world.ts';

const FILES = {
  'project/.git/HEAD': 'ref: refs/heads/main\n',
  'project/notes.md': 'The port is 4711.\n',
  'project/.env': 'KEY=1\n',
  'elsewhere/secret.txt': 'not for you\n',
};

async function world(
  tree: Tree,
  script: Script,
  { config = '', parts = {}, name = 'work' }: { config?: string; parts?: AppParts; name?: string } = {},
) {
  tree.write({ 'home/.ollm/config.yaml': config || '{}' });
  chmodSync(join(tree.root, 'home/.ollm'), 0o700);
  const provider = { ...scriptedProvider(script), name: 'offline' };
  const home = join(tree.root, 'home');
  const app = await createApp({
    env: { HOME: home, OLLM_HOME: join(home, '.ollm'), PATH: process.env.PATH, DEPLOY_PASSWORD: 'opensesame' },
    cwd: join(tree.root, 'project'),
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog, providers: { offline: async () => provider }, ...parts },
  });
  const conversation = await openSession(app, { kind: 'new', name });
  const tell = (text: string, options: AskOptions = {}) =>
    lastValueFrom(ask(app, conversation, { text }, options).pipe(toArray()));
  const events = async () => await eventsOf(app.store, name);
  const close = async () => {
    await conversation.session.close('exit');
    await app.close();
  };
  return { app, conversation, provider, tell, events, close };
}

describe('a turn with the built-in tools', () => {
  it('reads in the project without asking, and nowhere else', async () => {
    using tree = createTree(FILES);
    const script = asksOnce(
      { name: 'file_read', args: { path: 'notes.md' } },
      { name: 'file_read', args: { path: '.env' } },
      { name: 'file_read', args: { path: '../elsewhere/secret.txt' } },
    );
    const { tell, provider, close, events } = await world(tree, script);
    await tell('What is the port?');
    const [notes, env, outside] = resultsOf(provider.requests[1]);
    expect(notes).toContain('The port is 4711.');
    expect(env).not.toContain('KEY=1');
    expect(outside).not.toContain('not for you');
    expect(toolSteps(await events()).filter((step) => step.startsWith('started'))).toEqual(['started c1']);
    await close();
  });

  it('writes the text that the user approved, and not if the file changed in the meantime', async () => {
    using tree = createTree(FILES);
    const edit = { name: 'file_edit', args: { path: 'notes.md', old_string: '4711', new_string: '4712' } };
    const seen: ApprovalRequest[] = [];
    const { tell, close, provider } = await world(tree, (_request, _signal, round) =>
      round % 2 === 0 ? asksOnce(edit)(_request, _signal, 0) : says('Done.'),
    );
    const path = join(tree.root, 'project/notes.md');
    await tell('Change it', {
      approver: {
        ask: async (request) => {
          seen.push(request);
          tree.write({ 'project/notes.md': 'The port is 4711. Or not.\n' });
          return { kind: 'once' };
        },
      },
    });
    expect(seen[0]?.action.preview).toMatchObject({
      kind: 'diff',
      text: expect.stringContaining('+The port is 4712.'),
    });
    expect(readFileSync(path, 'utf8')).toBe('The port is 4711. Or not.\n');
    expect(resultsOf(provider.requests[1])[0]).toMatch(/changed/);
    await tell('Again', { approver: { ask: async () => ({ kind: 'once' }) } });
    expect(readFileSync(path, 'utf8')).toBe('The port is 4712. Or not.\n');
    await close();
  });

  it('without a user writes nothing, unless a rule allows it', async () => {
    using tree = createTree(FILES);
    const script = asksOnce({ name: 'file_write', args: { path: 'new.txt', content: 'new\n' } });
    const denied = await world(tree, script);
    expect(await denied.tell('Write')).toContainEqual(expect.objectContaining({ type: 'tool_result', unasked: true }));
    expect(existsSync(join(tree.root, 'project/new.txt'))).toBe(false);
    await denied.close();
    const allowed = await world(tree, script, {
      name: 'allowed',
      config: 'tools:\n  allow: ["file_write(*.txt)"]\n',
    });
    await allowed.tell('Write');
    expect(readFileSync(join(tree.root, 'project/new.txt'), 'utf8')).toBe('new\n');
    await allowed.close();
  });

  it('runs a command that was allowed, and names its sandbox', async () => {
    using tree = createTree(FILES);
    const script = asksOnce({
      name: 'bash',
      args: { command: 'cat notes.md | tr a-z A-Z; echo "[$DEPLOY_PASSWORD]"' },
    });
    const { tell, events, close, provider } = await world(tree, script);
    let boundary = '';
    await tell('Shout it', {
      approver: {
        ask: async ({ sandbox }) => {
          boundary = sandbox;
          return { kind: 'once' };
        },
      },
    });
    expect(resultsOf(provider.requests[1])[0]).toContain('THE PORT IS 4711.\n[]\n');
    const started = (await events()).find(({ type }) => type === 'tool.started')?.data;
    expect(started).toMatchObject({ command: expect.stringContaining('tr a-z'), cwd: join(tree.root, 'project') });
    expect(boundary).toContain(started?.sandbox === 'none' ? 'not confined' : String(started?.sandbox));
    await close();
  });
});

describe('the offered tools', () => {
  it('are the built-in ones and those of the program, without those that are off', async () => {
    using tree = createTree(FILES);
    const { app, conversation, tell, provider, close } = await world(tree, () => says('ok'), {
      config: 'tools:\n  disabled: [git]\n',
      parts: { tools: [testTool({ name: 'weather' })] },
    });
    await switchTool(app, conversation, { name: 'bash', enabled: false });
    await tell('Hi');
    const names = provider.requests[0]?.tools.map(({ name }) => name);
    expect(names).toEqual([
      ...[
        'file_read',
        'file_write',
        'file_edit',
        'list_files',
        'search_files',
        'history_read',
        'todo_write',
        'web_fetch',
        'agent',
        'weather',
      ],
    ]);
    expect(
      (await listTools(app, conversation)).filter(({ isOffered }) => !isOffered).map(({ tool }) => tool.name),
    ).toEqual(['bash', 'git']);
    await switchTool(app, conversation, { name: 'git', enabled: true });
    await tell('Hi');
    expect(provider.requests[1]?.tools.map(({ name }) => name)).toContain('git');
    await tell('Hi', { tools: ['weather'] });
    expect(provider.requests[2]?.tools.map(({ name }) => name)).toEqual(['weather']);
    expect((await tell('Hi', { tools: ['teleport'] })).at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'USAGE', hint: expect.stringContaining('weather') },
    });
    await expect(switchTool(app, conversation, { name: 'teleport', enabled: true })).rejects.toMatchObject({
      code: 'USAGE',
    });
    await close();
  });

  it('an invalid rule is reported with the first turn, and not again', async () => {
    using tree = createTree(FILES);
    const { tell, close } = await world(tree, () => says('ok'), { config: 'tools:\n  deny: ["bash(rm"]\n' });
    expect(await tell('Hi')).toContainEqual({ type: 'notice', text: expect.stringContaining('bash(rm') });
    expect((await tell('Hi')).map(({ type }) => type)).not.toContain('notice');
    await close();
  });

  it('are none if the settings say so', async () => {
    using tree = createTree(FILES);
    const { tell, provider, close } = await world(tree, () => says('ok'), { config: 'tools:\n  enabled: false\n' });
    await tell('Hi');
    expect(provider.requests[0]?.tools).toEqual([]);
    await close();
  });
});

it('the budget of the settings holds: size of a request, reserve for the answer, and history', async () => {
  using tree = createTree(FILES);
  const config =
    'maxOutputTokens: 700\nservices:\n  budget: {maxTotal: 3000, reserveForOutput: 1000, historyWindow: 200}\n';
  const { tell, provider, close } = await world(tree, () => says('word '.repeat(300)), { config });
  await tell('first');
  await tell('second');
  expect(provider.requests[1]).toMatchObject({
    contextWindow: 3000,
    maxOutputTokens: 700,
    cacheKey: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(JSON.stringify(provider.requests[1]?.messages)).not.toContain('word');
  expect((await tell('x '.repeat(9000))).at(-1)).toMatchObject({
    type: 'error',
    error: { code: 'CONTEXT_TOO_SMALL', message: expect.stringMatching(/of 3000 tokens, 1000 are kept/i) },
  });
  await close();
});
