import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Source } from '../../../lib/agents/agent.ts';
import { cline, roo } from '../../../lib/agents/cline/cline.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, lookBelow, overKept, statesOf, textsInView, textsOf } from '../reading.ts';

describeAgent(cline);

const STORAGE = '.config/Code/User/globalStorage/saoudrizwan.claude-dev';
const START = 1_767_348_000_000;

it('a prompt is the task, the text after its end, and the text after a break', async () => {
  const { summary, view } = await statesOf(overKept(cline), caseOf('cline', 'task'));
  expect(summary).toMatchObject({ turnCount: 3 });
  expect(textsInView(view)).toEqual(expect.arrayContaining(['How many nails?', 'And screws?', 'Leave it.']));
});

it('calls that a model wrote as text have their arguments and their results', async () => {
  const events = await eventsOf(openForeign(overKept(cline), caseOf('cline', 'calls-in-text'), files));
  const dataOf = (type: string) => events.flatMap((event) => (event.type === type ? [event.data] : []));
  expect(dataOf('tool.requested').map(({ name, args }) => [name, args])).toEqual([
    ['write_to_file', { path: 'nails.md', content: '# Nails\n<b>200</b>' }],
    ['execute_command', { command: 'rm nails.txt', requires_approval: 'true' }],
    ['attempt_completion', { result: 'It is in nails.md.' }],
  ]);
  expect(dataOf('tool.finished').map(({ status, result }) => [status, (result as JsonObject).llmContent])).toEqual([
    ['ok', 'The content was saved.'],
    ['denied', 'The user denied this operation.'],
  ]);
  expect(textsOf(events).at(-1)).toBe('I read <read_file> <path>nails');
});

describe('the folder of a task', () => {
  it.each([
    ['by the place in the list of messages', { conversationHistoryIndex: -1 }, {}],
    ['by the time', {}, { ts: START + 900 }],
  ])('has usage and times of a request, which only the list for the screen has: %s', async (_, shown, kept) => {
    using home = taskIn({
      messages: [
        { role: 'user', content: [{ type: 'text', text: '<task>\nHow many nails?\n</task>' }], ...kept },
        { role: 'assistant', content: [{ type: 'text', text: '200.' }], ...kept },
      ],
      shown: [
        { ts: START + 500, type: 'say', say: 'text', text: 'How many nails?', ...shown },
        { ts: START + 900, type: 'say', say: 'api_req_started', text: request({ tokensIn: 5, cost: 0.5 }), ...shown },
        { ts: START + 1500, type: 'say', say: 'text', text: '200.', conversationHistoryIndex: 0 },
      ],
    });
    const before = lookBelow(home.root);
    const source = onlySource(home.root);
    const events = await eventsOf(openForeign(cline, source, files));
    expect(events.map(({ type }) => type)).toEqual([
      'session.created',
      'turn.started',
      'message.added',
      'message.added',
      'usage.reported',
    ]);
    const { model, inputTokens, totalCost, message } = events.at(-1)!.data;
    expect({ model, inputTokens, totalCost, message }).toEqual({
      model: 'claude-opus-4-5',
      inputTokens: 10,
      totalCost: 0.5,
      message: events[3]!.data.message,
    });
    expect(events[2]!.ts).toBe(new Date(START + 900).toISOString());
    expect(readHead(cline, source, files)).toMatchObject({
      startedAt: new Date(START + 900).toISOString(),
      cwd: '/home/ada/boat',
      model: 'claude-opus-4-5',
      version: '3.51.0',
      firstPrompt: 'How many nails?',
    });
    expect(lookBelow(home.root)).toEqual(before);
  });

  it('has no usage for a running request, or with a half written list', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: '<task>\nHow many nails?\n</task>' }] }];
    const going = { ts: START + 900, type: 'say', say: 'api_req_started', conversationHistoryIndex: -1 };
    using home = taskIn({ messages, shown: [{ ...going, text: '{"request":"…"}' }] });
    const reader = openForeign(cline, onlySource(home.root), files);
    const first = await eventsOf(reader);
    expect(first.map(({ type }) => type)).toEqual(['session.created', 'turn.started', 'message.added']);
    appendFileSync(join(home.root, STORAGE, `tasks/${START}/ui_messages.json`), '[{"ts":');
    expect(textsOf(await eventsOf(reader))).toEqual(['How many nails?']);
  });
});

describe('the sessions of Cline', () => {
  it('are tasks in the storage of every editor, with the directory from the list of tasks', () => {
    using tree = createTree({
      [`${STORAGE}/tasks/${START}/api_conversation_history.json`]: '[]',
      [`${STORAGE}/tasks/empty/settings.json`]: '{}',
      [`${STORAGE}/state/taskHistory.json`]: JSON.stringify([
        { id: String(START), task: 'How many nails?', cwdOnTaskInitialization: '/home/ada/boat' },
      ]),
      '.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/2/api_conversation_history.json': '[]',
      '.cline/data/tasks/3/api_conversation_history.json': '[]',
    });
    expect(sourcesIn(tree.root).map(({ id, startedAt, facts }) => ({ id, startedAt, facts }))).toEqual([
      { id: '3', startedAt: undefined, facts: undefined },
      { id: String(START), startedAt: new Date(START).toISOString(), facts: { cwd: '/home/ada/boat' } },
      { id: '2', startedAt: undefined, facts: undefined },
    ]);
  });

  it('include a task that a different one began, with that as its parent', () => {
    using tree = createTree({
      '.config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks/b/api_conversation_history.json': '[]',
      '.config/VSCodium/User/globalStorage/rooveterinaryinc.roo-cline/tasks/b/history_item.json': JSON.stringify({
        id: 'b',
        parentTaskId: 'a',
        workspace: '/home/ada/boat',
      }),
    });
    const [found] = [...discover(roo, { env: {}, home: tree.root, platform: 'linux' }, files)];
    expect(found).toMatchObject({ source: { id: 'b', parent: 'a', facts: { cwd: '/home/ada/boat' } } });
  });

  it('include the sessions of Cline 3 with their directories, their titles and their agents', () => {
    using tree = createTree({
      '.cline/data/sessions/1767348000000_ab1cd/1767348000000_ab1cd.messages.json': '{"messages":[]}',
      '.cline/data/sessions/1767348000000_ab1cd/1767348000000_ab1cd.json': JSON.stringify({
        cwd: '/home/ada/boat',
        prompt: 'How many nails?',
        metadata: { title: 'Nails' },
      }),
      '.cline/data/sessions/1767348000000_ab1cd/scout.messages.json': '{"messages":[]}',
    });
    const [main, scout] = sourcesIn(tree.root).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(main).toMatchObject({ id: '1767348000000_ab1cd', facts: { cwd: '/home/ada/boat', title: 'Nails' } });
    expect(scout).toMatchObject({ id: 'scout', parent: main?.id, facts: { cwd: '/home/ada/boat' } });
    expect(readHead(cline, main!, files)).toMatchObject({ title: 'Nails', cwd: '/home/ada/boat' });
  });
});

function request(more: JsonObject): string {
  return JSON.stringify({ request: 'all', tokensOut: 7, cacheWrites: 0, cacheReads: 5, ...more });
}

function taskIn({ messages, shown }: { readonly messages: readonly object[]; readonly shown: readonly object[] }) {
  const folder = `${STORAGE}/tasks/${START}`;
  return createTree({
    [`${folder}/api_conversation_history.json`]: JSON.stringify(messages),
    [`${folder}/ui_messages.json`]: JSON.stringify(shown),
    [`${folder}/task_metadata.json`]: JSON.stringify({
      model_usage: [{ ts: START, model_id: 'claude-opus-4-5', model_provider_id: 'anthropic', mode: 'act' }],
      environment_history: [{ ts: START, cline_version: '3.51.0' }],
    }),
    [`${STORAGE}/state/taskHistory.json`]: JSON.stringify([
      { id: String(START), cwdOnTaskInitialization: '/home/ada/boat' },
    ]),
  });
}

function sourcesIn(home: string): Source[] {
  const found = [...discover(cline, { env: {}, home, platform: 'linux' }, files)];
  return found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
}

function onlySource(home: string): Source {
  const [source] = sourcesIn(home);
  return source!;
}
