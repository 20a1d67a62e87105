// Whatever a session holds, its next request keeps the rules of each vendor: the bytes that are sent are checked, over
// six wires. `npm test -- __tests__/lab/continued-sessions` does the same with every session at hand.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { AGENT_NAMES, loadAgent } from '../../../lib/agents/registry.ts';
import { assemble } from '../../../lib/context/assemble.ts';
import type { RequestMessage } from '../../../lib/context/assembled.ts';
import { createReplayer } from '../../../lib/projections/replayer.ts';
import { type ViewState, viewFold } from '../../../lib/projections/view.ts';
import type { HistoryForm } from '../../../lib/providers/refused-history.ts';
import { overKept } from '../../agents/reading.ts';
import { arbitrarySession } from '../../support/arbitrary-session.ts';
import { type CheckingServer, startCheckingServer, WIRES } from '../../support/checking-server.ts';
import { continueElsewhere, type StoredElsewhere } from '../../support/continued-session.ts';
import { event, stored } from '../../support/event-list.ts';
import { brokenRules, WIRE_NAMES } from '../../support/vendor-rules.ts';
import { collect } from '../provider.contract.ts';

const CASES = fileURLToPath(new URL('../../agents/', import.meta.url));
const TOOLS = [{ name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } }];

let server: CheckingServer;
beforeAll(async () => {
  server = await startCheckingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

async function casesOf(name: string): Promise<StoredElsewhere[]> {
  const agent = await loadAgent(name);
  const directory = join(CASES, name, 'cases');
  return readdirSync(directory).map((id) => {
    const [path] = ['record.jsonl', 'record.json'].map((file) => join(directory, id, file)).filter(existsSync);
    const about = join(directory, id, 'source.json');
    const facts = existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')) : {};
    // A case in lines has the records as an import keeps them, also those of a database or of several files.
    return {
      agent: path!.endsWith('.jsonl') ? overKept(agent) : agent,
      source: { ...facts, agent: name, id: facts.id ?? id, path: path! },
    };
  });
}

/** Large enough for all of it, and so small that older messages make room. */
const WINDOWS = [
  { contextWindow: 200_000, withTools: true },
  { contextWindow: 4_000, withTools: false },
] as const;

describe.each(AGENT_NAMES)('a session of %s', (name) => {
  it('is continued over each wire, with any contents', async () => {
    const faults: Record<string, readonly string[]> = {};
    const empty: string[] = [];
    const cases = await casesOf(name);
    for (const [index, one] of cases.entries()) {
      const continued = await continueElsewhere(one, server, WINDOWS[index % WINDOWS.length]!);
      if (!continued.isConversation) empty.push(one.source.path);
      if (continued.faults.length > 0) faults[one.source.id] = continued.faults;
    }
    expect(faults).toEqual({});
    expect(empty.filter((path) => readFileSync(join(dirname(path), 'events.jsonl'), 'utf8').trim() !== '')).toEqual([]);
    expect(empty.length).toBeLessThan(cases.length);
  });
});

function viewOf(events: Parameters<typeof stored>[0]): ViewState {
  const replayer = createReplayer({ view: viewFold });
  for (const one of stored(events)) replayer.see(one);
  return replayer.states.view;
}

/** The messages of the user, and the results of tools. */
function textsOf(messages: readonly RequestMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'context') return [message.text];
    if (message.role === 'tool') return message.results.map(({ content }) => content);
    return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  });
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
/** Some packages send a failure as JSON in JSON. */
const holds = (body: unknown, text: string) =>
  [inJson(text), inJson(inJson(text))].some((form) => JSON.stringify(body).includes(form));

/** As a history is written after a refusal, too. */
const arbitraryForm: fc.Arbitrary<HistoryForm> = fc.record({
  reasoning: fc.constantFrom(undefined, 'current', 'none', 'filled'),
  attachments: fc.constantFrom(undefined, 'current'),
  callIds: fc.constantFrom(undefined, 'short'),
  calls: fc.constantFrom(undefined, 'words'),
});

describe('any session', () => {
  it.each(WIRE_NAMES)('follows the rules of %s in its next request', async (wire) => {
    const { model, provider: make } = WIRES[wire];
    const provider = make(server.url);
    await fc.assert(
      fc.asyncProperty(arbitrarySession(), fc.boolean(), arbitraryForm, async (events, withTools, form) => {
        const changed = { type: 'model.changed', data: { provider: provider.name, model } } as const;
        const view = viewOf([...events, changed, event.said('user', 'Where were we?')]);
        const { system, messages, stable } = assemble(view, { reserveTokens: 0, contextWindow: 1_000_000, form });
        server.requests.length = 0;
        const tools = withTools ? TOOLS : [];
        const asked = { model, system, messages, stable, tools, readBlob: async () => undefined };
        await collect(provider, asked).catch(() => []);
        expect(server.requests.map(({ broken }) => broken)).toEqual([[]]);
        expect(textsOf(messages).filter((text) => !holds(server.requests[0]?.body, text))).toEqual([]);
      }),
    );
  });
});

describe('a session with halves of characters in every text', () => {
  const half = 'a \ud83d b';
  it.each(WIRE_NAMES)('is sent to %s with whole characters', async (wire) => {
    const { model, provider: make } = WIRES[wire];
    const provider = make(server.url);
    const view = viewOf([
      event.created(),
      event.said('system', half),
      event.said('user', half),
      event.said('assistant', half),
      event.asked('c1', 'read', { [half]: [half] }),
      event.finished('c1', half),
      { type: 'model.changed', data: { provider: provider.name, model } },
      event.said('user', half),
    ]);
    const { system, messages, stable } = assemble(view, { reserveTokens: 0 });
    server.requests.length = 0;
    await collect(provider, { model, system, messages, stable, tools: TOOLS, readBlob: async () => undefined });
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent.match(/a \ufffd b/g)).toHaveLength(7);
  });
});

describe('the rules of the vendors', () => {
  const asks = (content: unknown) => ({ role: 'user', content });
  const calls = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] };

  it('reject a call without its result, an empty text, the wrong order and half a character', () => {
    const go = asks([{ type: 'text', text: 'go' }]);
    expect(brokenRules('anthropic', { messages: [go] })).toEqual([]);
    expect(brokenRules('anthropic', { messages: [go, calls, go] })).toHaveLength(1);
    expect(brokenRules('anthropic', { messages: [calls, go] })).not.toEqual([]);
    expect(brokenRules('anthropic', { messages: [asks([{ type: 'text', text: ' ' }])] })).toHaveLength(1);
    expect(brokenRules('anthropic', { messages: [asks([{ type: 'text', text: '\ud83d' }])] })).toHaveLength(1);
    expect(
      brokenRules('openai', { store: false, input: [{ type: 'function_call_output', call_id: 'c1' }] }),
    ).not.toEqual([]);
    expect(brokenRules('gemini', { contents: [{ role: 'model', parts: [{ text: 'hm' }] }] })).not.toEqual([]);
    expect(brokenRules('bedrock', { messages: [asks([{ text: '' }])] })).toHaveLength(1);
    expect(
      brokenRules('compatible', { messages: [asks('go'), { role: 'tool', tool_call_id: 'c1', content: 'x' }] }),
    ).toHaveLength(1);
    expect(
      brokenRules('ollama', { messages: [asks('go'), { role: 'tool', content: 'x', tool_name: 'read' }] }),
    ).toHaveLength(1);
  });
});
