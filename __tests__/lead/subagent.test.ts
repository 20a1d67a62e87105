// Agents that a model begins, over real files, with the policy and the user of the conversation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom, toArray } from 'rxjs';
import { createApp } from '../../lib/app/compose.ts';
import { resolveId } from '../../lib/app/find/find-session.ts';
import { listSessions } from '../../lib/app/list/list-sessions.ts';
import { openSession } from '../../lib/app/sessions/open/open-session.ts';
import { exportSession } from '../../lib/app/sessions/read/export-session.ts';
import { showSession } from '../../lib/app/sessions/read/show-session.ts';
import { costOfAgents, spentByAgents } from '../../lib/app/sessions/read/spent-by-agents.ts';
import { switchTool } from '../../lib/app/tools/toolbox.ts';
import { ask } from '../../lib/lead/ask.ts';
import type { AskOptions } from '../../lib/lead/types.ts';
import { silentLog } from '../../lib/platform/index.ts';
import { viewFold } from '../../lib/projections/view.ts';
import type { ModelRequest, ProviderSignal } from '../../lib/providers/provider.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../lib/tools/decision.ts';
import { eventsOf } from '../session/world.ts';
import { forever, type Script, says, scriptedProvider } from '../support/scripted-provider.ts';
import { createTree, type Tree } from '../support/tree.ts';
import { until } from '../support/until.ts';
import { callsTools, resultsOf } from '../turn/tool-world.ts';

const FILES = { 'project/.git/HEAD': 'ref: refs/heads/main\n', 'project/notes.md': 'The port is 4711.\n' };
const isAgent = ({ system }: ModelRequest) => system.includes('one task for another model');
const agent = (task: string, tools?: readonly string[]) => ({ name: 'agent', args: { task, ...(tools && { tools }) } });
const isFirst = ({ messages }: ModelRequest) => !messages.some(({ role }) => role === 'tool');

/** The model of the conversation asks for these agents once; `work` is what each of them does. */
const begins =
  (agents: readonly ReturnType<typeof agent>[], work: Script): Script =>
  (request, signal, round) => {
    if (isAgent(request)) return work(request, signal, round);
    return isFirst(request)
      ? callsTools(...agents.map((call, index) => ({ ...call, callId: `a${index}` })))
      : says('Done.');
  };

async function* costs(totalCost: number, text: string): AsyncGenerator<ProviderSignal> {
  yield { type: 'text', text };
  yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 1, totalCost } };
  yield { type: 'finish', reason: 'stop' };
}

async function world(tree: Tree, script: Script, env: Readonly<Record<string, string>> = {}) {
  mkdirSync(join(tree.root, 'home/.ollm'), { recursive: true, mode: 0o700 });
  const provider = { ...scriptedProvider(script), name: 'offline' };
  const home = join(tree.root, 'home');
  const app = await createApp({
    env: { HOME: home, OLLM_HOME: join(home, '.ollm'), PATH: process.env.PATH, ...env },
    cwd: join(tree.root, 'project'),
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog, providers: { offline: async () => provider } },
  });
  const conversation = await openSession(app, { kind: 'new', name: 'work' });
  const tell = (text: string, options: AskOptions = {}) =>
    lastValueFrom(ask(app, conversation, { text }, options).pipe(toArray()));
  const agents = async () => (await app.store.list()).map(({ id }) => id).filter((id) => id.startsWith('agent-'));
  const requests = () => provider.requests.filter(isAgent);
  const close = async () => {
    await conversation.session.close('exit');
    await app.close();
  };
  return { app, conversation, provider, tell, agents, requests, close };
}

const approving = (seen: ApprovalRequest[], answer: ApprovalAnswer = { kind: 'once' }): AskOptions => ({
  approver: {
    async ask(request) {
      seen.push(request);
      return answer;
    },
  },
});

it('a subagent works in a session of its own with reading tools, and its last message is the result', async () => {
  using tree = createTree(FILES);
  const work: Script = (request) =>
    isFirst(request) ? callsTools({ name: 'file_read', args: { path: 'notes.md' } }) : says('It is 4711.');
  const its = await world(tree, begins([agent('Find the port.')], work));
  const signals = await its.tell('Which port?');
  expect(resultsOf(its.provider.requests.at(-1))[0]).toContain('It is 4711.');
  const [first] = its.requests();
  expect(JSON.stringify(first?.messages)).toContain('Find the port.');
  expect(JSON.stringify(first?.messages)).not.toContain('Which port?');
  expect(first?.tools.map(({ name }) => name).filter((name) => /agent|write|edit|history/.test(name))).toEqual([]);
  expect(signals.flatMap((signal) => (signal.type === 'tool_output' ? [signal.text] : []))).toEqual([
    expect.stringMatching(/^Read notes\.md · 0 requests\n$|^Read notes\.md · 1 request\n$/),
  ]);

  const [id] = await its.agents();
  const events = await eventsOf(its.app.store, id!);
  expect(events[0]?.data).toMatchObject({ subagentOf: { sessionId: 'work' } });
  expect(events.at(-1)?.type).toBe('session.closed');
  const started = (await eventsOf(its.app.store, 'work')).find(({ type }) => type === 'tool.started');
  expect(started?.data.subagent).toBe(id);
  await its.close();
});

it('the session of a subagent is left out of lists and of @last, named by its parent, and listed once the parent is gone', async () => {
  using tree = createTree(FILES);
  const its = await world(
    tree,
    begins([agent('Look.')], () => says('Seen.')),
  );
  await its.tell('Look');
  const [id] = await its.agents();
  expect(await spentByAgents(its.app, its.conversation)).toMatchObject({
    agents: 1,
    spent: { calls: 1, inputTokens: 10, outputTokens: 1 },
  });
  await its.close();
  expect((await listSessions(its.app)).map((row) => row.id)).toEqual(['work']);
  expect(await resolveId(its.app, '@last')).toBe('work');
  expect(await showSession(its.app, 'work')).toMatchObject({ subagents: [id] });
  expect(await showSession(its.app, id!)).toMatchObject({ subagentOf: 'work' });
  const { chunks } = await exportSession(its.app, 'work', { format: 'md', transient: true });
  let text = '';
  for await (const chunk of chunks) text += String(chunk);
  expect(text).toContain(`The agent worked in the session ${id}.`);
  await its.app.store.trash('work');
  expect((await listSessions(its.app)).map((row) => row.id)).toEqual([id]);
});

it('the cost of a subagent stays when a long conversation forgets the call that began it', async () => {
  using tree = createTree(FILES);
  const its = await world(tree, (request) => {
    if (isAgent(request)) return costs(1.5, 'Seen.');
    const said = request.messages.at(-1);
    const isAsked = said?.role === 'user' && JSON.stringify(said).includes('Look');
    return isAsked ? callsTools({ ...agent('Look.'), callId: `a${request.messages.length}` }) : says('Done.');
  });
  const { view } = its.conversation.session.states;
  const cost = () => costOfAgents(its.app, its.conversation);
  await its.tell('Look');
  expect(await cost()).toBe(1.5);
  await its.tell('Thanks');
  viewFold.trim!(view, 0);
  expect(view.timeline.entries.filter(({ kind }) => kind === 'call')).toEqual([]);
  await its.tell('Look once more');
  expect(await its.agents()).toHaveLength(2);
  expect(await cost()).toBe(3);
  await its.close();
});

it('a subagent changes nothing unless it is given tools, with any grants of the user', async () => {
  using tree = createTree(FILES);
  const work: Script = (request) =>
    isFirst(request) ? callsTools({ name: 'bash', args: { command: 'touch made' } }) : says('Tried.');
  const its = await world(tree, begins([agent('Make it.')], work), { OLLM_TOOLS__ALLOW: 'bash' });
  const seen: ApprovalRequest[] = [];
  await its.tell('Make it', approving(seen));
  expect(seen).toEqual([]);
  expect(resultsOf(its.requests().at(-1))[0]).toContain('This agent only reads.');
  expect(existsSync(join(tree.root, 'project/made'))).toBe(false);
  await its.close();
});

it('a subagent with tools asks the same user, who is told which agent asks', async () => {
  using tree = createTree(FILES);
  const work: Script = (request) =>
    isFirst(request) ? callsTools({ name: 'file_write', args: { path: 'made', content: 'x' } }) : says('Made.');
  const its = await world(tree, begins([agent('Make it.', ['file_write'])], work));
  const seen: ApprovalRequest[] = [];
  await its.tell('Make it', approving(seen));
  expect(seen.map(({ asker, action }) => [asker, action.tool])).toEqual([['agent “Make it.”', 'file_write']]);
  expect(existsSync(join(tree.root, 'project/made'))).toBe(true);
  expect(its.requests()[0]?.tools.map(({ name }) => name)).toEqual(['file_write']);
  await its.close();
});

it('a subagent never gets more than the conversation has: no tool that is off, none of its session, nothing in plan mode', async () => {
  using tree = createTree(FILES);
  const write: Script = (request) =>
    isFirst(request) ? callsTools({ name: 'file_write', args: { path: 'made', content: 'x' } }) : says('Tried.');
  const tasks = [agent('x', ['bash']), agent('x', ['agent']), agent('x', ['history_read']), agent('x', ['file_write'])];
  const its = await world(tree, begins(tasks, write), { OLLM_TOOLS__ALLOW: 'file_write' });
  await switchTool(its.app, its.conversation, { name: 'bash', enabled: false });
  its.conversation.state.mode = 'plan';
  await its.tell('x', approving([]));
  const results = resultsOf(its.provider.requests.at(-1));
  for (const [index, name] of ['bash', 'agent', 'history_read'].entries())
    expect(results[index]).toContain(`An agent cannot be offered ${name}.`);
  expect(resultsOf(its.requests().at(-1))[0]).toContain('plan mode');
  expect(existsSync(join(tree.root, 'project/made'))).toBe(false);
  await its.close();
});

it('subagents with reading tools work at the same time if one answer calls several', async () => {
  using tree = createTree(FILES);
  let begun = 0;
  const work: Script = async function* (request) {
    begun += 1;
    await until(() => begun === 2);
    yield* says(JSON.stringify(request.messages).includes('first') ? 'One.' : 'Two.');
  };
  const its = await world(tree, begins([agent('the first'), agent('the second')], work));
  await its.tell('Look twice');
  const results = resultsOf(its.provider.requests.at(-1));
  expect(results[0]).toContain('One.');
  expect(results[1]).toContain('Two.');
  expect(await its.agents()).toHaveLength(2);
  await its.close();
});

it('a subagent ends after 40 requests, and says so', async () => {
  using tree = createTree(FILES);
  let count = 0;
  const work: Script = () => callsTools({ name: 'list_files', args: { limit: ++count }, callId: `c${count}` });
  const its = await world(tree, begins([agent('Never end.')], work), {
    OLLM_SERVICES__LOOP_DETECTION__ENABLED: 'false',
  });
  await its.tell('x');
  expect(its.requests()).toHaveLength(40);
  expect(resultsOf(its.provider.requests.at(-1))[0]).toContain('The agent did not finish: ');
  await its.close();
});

it('a subagent ends with the turn, and the journals of both say so', async () => {
  using tree = createTree(FILES);
  const stop = new AbortController();
  const work: Script = async function* () {
    yield { type: 'text', text: 'Half' };
    stop.abort();
    await forever();
  };
  const its = await world(tree, begins([agent('Look.')], work));
  const signals = await its.tell('x', { signal: stop.signal });
  expect(signals.at(-1)?.type).toBe('cancelled');
  const [id] = await its.agents();
  const statuses = async (session: string) =>
    (await eventsOf(its.app.store, session)).flatMap(({ type, data }) =>
      type === 'turn.ended' || type === 'tool.finished' ? [data.status] : [],
    );
  expect(await statuses('work')).toEqual(['cancelled', 'cancelled']);
  await until(async () => (await statuses(id!)).length > 0);
  expect(await statuses(id!)).toEqual(['cancelled']);
  await its.close();
});

it('kill -9 while a subagent works leaves both journals readable, and the effect of its call unknown', async () => {
  using tree = createTree(FILES);
  const program = fileURLToPath(new URL('interrupted-agent.ts', import.meta.url));
  const child = spawn(process.execPath, [program, tree.root], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) if (String(chunk).includes('working')) break;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  const app = await createApp({
    env: { HOME: tree.root, OLLM_HOME: tree.root },
    cwd: tree.root,
    flags: { provider: 'offline' },
    command: 'test',
    parts: { log: silentLog },
  });
  const [id] = (await app.store.list()).map((row) => row.id).filter((each) => each.startsWith('agent-'));
  for (const session of ['killed', id!]) {
    const { session: opened } = await openSession(app, { kind: 'resume', reference: session });
    await opened.close('exit');
  }
  const ends = async (session: string) =>
    (await eventsOf(app.store, session)).flatMap(({ type, data }) =>
      type === 'turn.ended' || type === 'tool.finished' ? [data.status] : [],
    );
  expect(await ends('killed')).toEqual(['unknown', 'interrupted']);
  expect(await ends(id!)).toEqual(['interrupted']);
  await app.close();
});
