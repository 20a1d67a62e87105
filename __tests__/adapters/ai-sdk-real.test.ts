// Conversations under the AI SDK itself, at its newest version: it asks a model server of the test from process to
// process, and its own streams make the messages of a page. Skipped where the package is not installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aiSdkUiMessages } from '../../lib/adapters/ai-sdk.ts';
import { openFileStore } from '../../lib/index.ts';
import { PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { ROOT } from '../support/cli.ts';
import { createTree } from '../support/tree.ts';
import { talkOfFerries } from './ferry-talk.ts';
import { codeUnder, typeProblems } from './typed-against.ts';

const FOLDER = join(PROGRAMS_FOLDER, 'ai-sdk');
const PACKAGE = join(FOLDER, 'node_modules/ai/dist/index.js');
const MODELS = join(FOLDER, 'node_modules/ai/dist/test/index.js');
const at = (path: string) => JSON.stringify(pathToFileURL(path).href);

/** Leads one turn in a process of its own. `dies`: it is killed before it closes the history. */
const PROGRAM = (url: string) => `
import { generateText, isStepCount, jsonSchema, stepCountIs, tool } from ${at(PACKAGE)};
import { createOpenAI } from ${at(join(ROOT, 'node_modules/@ai-sdk/openai/dist/index.js'))};
import { openFileStore } from ${at(join(ROOT, 'dist/index.js'))};
import { aiSdkModelMessages } from ${at(join(ROOT, 'dist/adapters/ai-sdk.js'))};
const [prompt, dies] = process.argv.slice(2);
const openai = createOpenAI({ apiKey: 'test', baseURL: ${JSON.stringify(`${url}/v1`)} });
const times = tool({
  description: 'When a ferry leaves.',
  inputSchema: jsonSchema({ type: 'object', properties: { line: { type: 'number' } }, required: ['line'] }),
  execute: async () => 'At nine.',
});
await using history = aiSdkModelMessages({ store: openFileStore('./sessions'), name: 'ferry', model: 'gpt-5' });
await history.append({ role: 'user', content: prompt });
const messages = await history.load();
const result = await generateText({ model: openai('gpt-5'), messages, tools: { times }, stopWhen: stepCountIs(5) });
await history.append(result);
console.log(result.text);
if (dies) process.kill(process.pid, 'SIGKILL');
`;

const describeInstalled = existsSync(PACKAGE) ? describe : describe.skip;
describeInstalled('the AI SDK (skipped where it is not installed: run .ci/install-agents)', () => {
  it('continues a conversation from process to process, also after a killed one', async () => {
    await using _ = await talkOfFerries(PROGRAM);
  });

  it('has the messages of a stream: reasoning with its signature, calls, results and files', async () => {
    const ai = (await import(PACKAGE)) as AnyModule;
    const { MockLanguageModelV4, simulateReadableStream } = (await import(MODELS)) as AnyModule;
    const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
    const steps = [
      [
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Ferries.' },
        { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'c2lnbmVk' } } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'times', input: '{"line":7}' },
        { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
      ],
      [
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'It leaves at nine.' },
        { type: 'text-end', id: 't' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
        { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
      ],
    ];
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...steps.shift()!] }),
      }),
    });
    const times = ai.tool({ inputSchema: ai.jsonSchema({ type: 'object' }), execute: async () => ({ at: 'nine' }) });
    using tree = createTree();
    const store = openFileStore(join(tree.root, 'sessions'));
    await using chat = aiSdkUiMessages({ store, id: 'aBcDeFgH12345678' });
    const question = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'When does it leave?' }] };
    await chat.save([question]);
    const messages = await ai.convertToModelMessages(await chat.load());
    const tools = { times };
    const result = ai.streamText({ model, messages, tools, stopWhen: ai.stepCountIs(5) });
    const ended = await new Promise<{ messages: AnyModule[] }>((resolve) => {
      const response = result.toUIMessageStreamResponse({
        ...{ originalMessages: [question], generateMessageId: () => 'a1', sendReasoning: true },
        onFinish: resolve,
      });
      void response.text();
    });
    await chat.save(ended.messages);
    await using again = aiSdkUiMessages({ store, id: 'aBcDeFgH12345678' });
    const loaded = await again.load();
    expect(loaded).toEqual(JSON.parse(JSON.stringify(ended.messages)));
    expect(loaded[1].parts.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['reasoning', 'tool-times', 'text', 'file']),
    );
    expect(JSON.stringify(loaded)).toContain('c2lnbmVk');
    expect(await ai.validateUIMessages({ messages: loaded, tools })).toEqual(loaded);
    expect(await ai.convertToModelMessages(loaded, { tools })).toEqual(
      await ai.convertToModelMessages(ended.messages, { tools }),
    );
  });

  it('accepts the conversations by its types', () => {
    const use = `
      import { convertToModelMessages, generateText, type LanguageModel, type ModelMessage, type UIMessage } from 'ai';
      import { openFileStore } from 'ollm';
      import { aiSdkModelMessages, aiSdkUiMessages } from 'ollm/adapters/ai-sdk';
      const model: LanguageModel = 'openai/gpt-5';
      const history = aiSdkModelMessages<ModelMessage>({ store: openFileStore('s'), id: 'n' });
      await history.append({ role: 'user', content: 'Hello' });
      await history.append(await generateText({ model, messages: await history.load() }));
      const chat = aiSdkUiMessages<UIMessage>({ store: openFileStore('s'), id: 'n' });
      const messages: ModelMessage[] = await convertToModelMessages(await chat.load());
      export { messages };`;
    expect(typeProblems(FOLDER, use)).toBe('');
    expect(typeProblems(FOLDER, codeUnder('AI SDK'))).toBe('');
    expect(typeProblems(FOLDER, use.replace("content: 'Hello'", 'content: 1'))).toContain('TS2');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a package without types here
type AnyModule = Record<string, any>;
