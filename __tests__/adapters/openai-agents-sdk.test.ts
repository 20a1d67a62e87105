// The session under the OpenAI Agents SDK itself: its runner leads conversations against a model server of the test,
// and its own session in memory is the model for each method. Skipped where the package is not installed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { openaiAgentsSession } from '../../lib/adapters/openai-agents.ts';
import { openFileStore, openMemoryStore } from '../../lib/index.ts';
import { PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { ROOT } from '../support/cli.ts';
import { talkOfFerries } from './ferry-talk.ts';
import { codeUnder, typeProblems } from './typed-against.ts';

const FOLDER = join(PROGRAMS_FOLDER, 'openai-agents');
const PACKAGE = join(FOLDER, 'node_modules/@openai/agents/dist/index.mjs');
/** This file only: the whole package starts to send reports when it is loaded. */
const MEMORY = join(FOLDER, 'node_modules/@openai/agents-core/dist/memory/memorySession.mjs');

/** Leads one turn in a process of its own that has both packages. `dies`: it is killed before it closes the session. */
const PROGRAM = (url: string, directory: string) => `
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from ${JSON.stringify(pathToFileURL(PACKAGE).href)};
import { openFileStore } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)};
import { openaiAgentsSession } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/adapters/openai-agents.js')).href)};
setTracingDisabled(true);
const [prompt, dies] = process.argv.slice(2);
const times = tool({
  name: 'times',
  description: 'When a ferry leaves.',
  parameters: {
    type: 'object',
    properties: { line: { type: 'number' } },
    required: ['line'],
    additionalProperties: false,
  },
  execute: async () => 'At nine.',
});
const modelProvider = new OpenAIProvider({ apiKey: 'test', baseURL: ${JSON.stringify(`${url}/v1`)}, useResponses: true });
const runner = new Runner({ modelProvider });
const agent = new Agent({ name: 'Harbour', model: 'gpt-5', instructions: 'Be terse.', tools: [times] });
await using session = openaiAgentsSession({ store: openFileStore(${JSON.stringify(directory)}), name: 'ferry' });
const { finalOutput } = await runner.run(agent, prompt, { session });
console.log(finalOutput);
if (dies) process.kill(process.pid, 'SIGKILL');
`;

const describeInstalled = existsSync(PACKAGE) ? describe : describe.skip;
describeInstalled('the OpenAI Agents SDK (skipped where it is not installed: run .ci/install-agents)', () => {
  it('continues a conversation from process to process, also after a killed one', async () => {
    await using offline = await talkOfFerries((url) => PROGRAM(url, './sessions'));
    const store = openFileStore(join(offline.home, 'sessions'));
    const items = await openaiAgentsSession({ store, name: 'ferry' }).getItems();
    expect(items.map(({ type, role }) => role ?? type)).toEqual([
      ...['user', 'function_call', 'function_call_result', 'assistant'],
      ...['user', 'function_call', 'function_call_result', 'assistant'],
      ...['user', 'assistant'],
    ]);
    const journal = readFileSync(join(offline.home, 'sessions', 'ferry.jsonl'), 'utf8');
    expect(journal).toContain('"type":"tool.finished"');
  });

  it('gets the same items as from its own session in memory after any sequence of calls', async () => {
    const { MemorySession } = (await import(MEMORY)) as { MemorySession: new () => AnySession };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (list) => {
        const store = openMemoryStore();
        const theirs = new MemorySession();
        const open = () => openaiAgentsSession({ store, name: 'same' }) as unknown as AnySession;
        let ours = open();
        for (const step of list) {
          if (step.kind === 'reopen') {
            await ours.close?.();
            ours = open();
          } else {
            const [wanted, given] = await Promise.all([outcomeOf(theirs, step), outcomeOf(ours, step)]);
            expect(given).toEqual(wanted);
          }
          expect(await ours.getItems!()).toEqual(await theirs.getItems!());
        }
        await ours.close?.();
      }),
      { numRuns: 100 },
    );
  });

  it('accepts the session by its types', () => {
    const use = `
      import { Agent, run, type AgentInputItem, type Session, type SessionHistoryRewriteAwareSession,
        type SessionHistoryTransactionAwareSession } from '@openai/agents';
      import { openFileStore } from 'ollm';
      import { openaiAgentsSession } from 'ollm/adapters/openai-agents';
      const session = openaiAgentsSession({ store: openFileStore('s'), name: 'n' });
      await run(new Agent({ name: 'a' }), 'Hello', { session });
      const typed = openaiAgentsSession<AgentInputItem>({ store: openFileStore('s') });
      const as: [Session, SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession] = [typed, typed, typed];
      const items: AgentInputItem[] = await typed.getItems();
      export { as, items };`;
    expect(typeProblems(FOLDER, use)).toBe('');
    expect(typeProblems(FOLDER, codeUnder('OpenAI Agents SDK'))).toBe('');
    expect(typeProblems(FOLDER, use.replace('getItems()', 'getItems(true)'))).toContain('TS2345');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: two sessions of whatever items
type AnySession = { readonly [method: string]: (...args: any[]) => Promise<any> };

const item = fc.oneof(
  fc.string().map((content) => ({ type: 'message', role: 'user', content })),
  fc.string().map((text) => ({
    ...{ type: 'message', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text }],
  })),
  fc.constantFrom('a', 'b').map((callId) => ({ type: 'function_call', callId, name: 'f', arguments: '{}' })),
  fc.constantFrom('a', 'b').map((callId) => ({
    ...{ type: 'function_call_result', name: 'f', callId, status: 'completed' },
    output: 'done',
  })),
  fc.constant({ type: 'compaction', encrypted_content: 'x' }),
);
const itemList = fc.array(item, { maxLength: 3 });
const operationId = fc.constantFrom('o1', 'o2');
const steps = fc.oneof(
  fc.record({ kind: fc.constant('addItems'), args: itemList.map((list) => [list]) }),
  fc.record({ kind: fc.constant('popItem'), args: fc.constant([]) }),
  fc.record({ kind: fc.constant('getItems'), args: fc.nat(5).map((limit) => [limit]) }),
  fc.record({ kind: fc.constant('clearSession'), args: fc.constant([]) }),
  fc.record({ kind: fc.constant('reopen'), args: fc.constant([]) }),
  fc.record({
    kind: fc.constant('applyHistoryMutations'),
    args: fc.constantFrom('a', 'b').map((callId) => [
      {
        mutations: [
          {
            type: 'replace_function_call',
            callId,
            replacement: { type: 'function_call', callId, name: 'g', arguments: '' },
          },
        ],
      },
    ]),
  }),
  fc.record({
    kind: fc.constant('applyHistoryTransaction'),
    args: fc
      .tuple(operationId, itemList)
      .map(([id, items]) => [{ operationId: id, transaction: { type: 'append_items', items } }]),
  }),
  fc.record({ kind: fc.constant('replaceEnd'), args: fc.tuple(operationId, fc.nat(3), itemList) }),
);

/** The value of the call, or that it was refused. */
async function outcomeOf(session: AnySession, { kind, args }: { kind: string; args: readonly unknown[] }) {
  try {
    if (kind !== 'replaceEnd') return { value: await session[kind]!(...structuredClone(args)) };
    const [operationId, count, replacement] = args as [string, number, unknown[]];
    const there = await session.getItems!();
    const expectedSuffix = there.slice(Math.max(0, there.length - count));
    const transaction = { type: 'replace_suffix', expectedSuffix, replacement };
    return { value: await session.applyHistoryTransaction!({ operationId, transaction }) };
  } catch {
    return { refused: true };
  }
}
