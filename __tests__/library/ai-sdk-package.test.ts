// The message forms of the AI SDK, checked with its own package: a streamed answer is stored, and the messages made
// from the journal pass the package's validation and its types. Skipped where the package is not installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openMemoryStore, openSessionStore } from '../../lib/index.ts';
import { typeProblems } from '../adapters/typed-against.ts';
import { PROGRAMS_FOLDER } from '../agents/programs/program.ts';
import { PNG } from '../support/conversations-in-forms.ts';

const FOLDER = join(PROGRAMS_FOLDER, 'ai-sdk');
const PACKAGE = join(FOLDER, 'node_modules/ai/dist');
const isThere = existsSync(join(FOLDER, '.version'));
// biome-ignore lint/suspicious/noExplicitAny: the package is not a dependency
const load = (file: string): Promise<any> => import(pathToFileURL(join(PACKAGE, file)).href);

const stream = (...parts: readonly object[]) =>
  new ReadableStream({
    start(controller) {
      for (const part of [{ type: 'stream-start', warnings: [] }, ...parts]) controller.enqueue(part);
      controller.close();
    },
  });
const usage = { inputTokens: { total: 7 }, outputTokens: { total: 2 } };
const finish = (unified: string) => ({ type: 'finish', usage, finishReason: { unified, raw: unified } });
const text = (id: string, delta: string) => [
  { type: 'text-start', id },
  { type: 'text-delta', id, delta },
  { type: 'text-end', id },
];
const SIGNED = { anthropic: { signature: 'c2ln' } };
const FIRST = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Look first.' },
  { type: 'reasoning-end', id: 'r', providerMetadata: SIGNED },
  ...text('t', 'I look.'),
  { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: '{"at":1}' },
  finish('tool-calls'),
];
const SECOND = [...text('t', 'A dot.'), finish('stop')];

/** The answer of two steps as its stream gives it to a page, and the prompts that the model was sent. */
async function answered(messages: readonly object[]) {
  const ai = await load('index.js');
  const { MockLanguageModelV4 } = await load('test/index.js');
  const answers = [FIRST, SECOND];
  const prompts: object[] = [];
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }: { readonly prompt: object }) => {
      prompts.push(prompt);
      return { stream: stream(...(answers.shift() ?? [])) };
    },
  });
  const look = ai.tool({
    inputSchema: ai.jsonSchema({ type: 'object', properties: { at: { type: 'number' } } }),
    execute: async () => ({ shows: 'a dot' }),
  });
  const result = ai.streamText({ model, tools: { look }, stopWhen: ai.stepCountIs(3), messages });
  const sent = result.toUIMessageStream({ generateMessageId: () => 'a1', sendSources: true });
  let message: object | undefined;
  for await (const each of ai.readUIMessageStream({ stream: sent })) message = each;
  return { ai, message: message!, prompts };
}

(isThere ? it : it.skip)('a streamed answer is returned as a page had it, by the rules of the package', async () => {
  const asked = {
    ...{ id: 'u1', role: 'user' },
    parts: [
      { type: 'text', text: 'What is in this?' },
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` },
    ],
  };
  const session = await openSessionStore(openMemoryStore()).openOrCreate({ name: 'Garden' });
  await session.append(asked, 'ai-sdk-ui');
  const { messages: question } = await session.messages('ai-sdk');
  const { ai, message } = await answered(question);
  await session.append(message, 'ai-sdk-ui');

  const { messages } = await session.messages('ai-sdk-ui');
  expect(messages).toEqual(JSON.parse(JSON.stringify([asked, message])));
  expect(messages[1]?.parts.map(({ type }) => type)).toEqual([
    ...['step-start', 'reasoning', 'text', 'tool-look', 'step-start', 'text'],
  ]);
  await ai.validateUIMessages({ messages });
  // The package makes the same request of the messages, except the delimiters and the system prompt.
  const converted = await ai.convertToModelMessages(messages);
  const { messages: ours } = await session.messages('ai-sdk');
  expect(plain(ours)).toEqual(plain(converted));
});

(isThere ? it : it.skip)('a message derived from a different form is valid for the package', async () => {
  const session = await openSessionStore(openMemoryStore()).openOrCreate({ name: 'Garden' });
  await session.append([
    { role: 'user', content: 'When?' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: 1 } }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: 'May' } }],
    },
    { role: 'assistant', content: 'In May.' },
  ]);
  const ai = await load('index.js');
  const { messages } = await session.messages('ai-sdk-ui');
  await ai.validateUIMessages({ messages });
  expect(plain(await ai.convertToModelMessages(messages))).toEqual(plain((await session.messages('ai-sdk')).messages));
});

(isThere ? it : it.skip)('the types of the package accept both forms', () => {
  const source = `
    import { openMemoryStore, openSessionStore } from 'ollm';
    import { convertToModelMessages, generateText, type UIMessage } from 'ai';
    await using session = await openSessionStore(openMemoryStore()).openOrCreate({ name: 'Garden' });
    const { messages } = await session.messages('ai-sdk-ui');
    const shown: UIMessage[] = messages;
    await convertToModelMessages(shown);
    const result = await generateText({ model: 'a/b', ...(await session.messages('ai-sdk')) });
    await session.append(result, 'ai-sdk');`;
  expect(typeProblems(FOLDER, source)).toBe('');
});

/** Delimiters and the ways in which one thing can be said aside. */
function plain(messages: unknown): unknown {
  const said = JSON.stringify(messages, (key, value) => {
    if (key === 'type' && value === 'json') return 'text';
    if (key === 'value' && typeof value === 'object' && !Array.isArray(value)) return JSON.stringify(value);
    if (value?.type === 'file' && typeof value.data === 'object') return { ...value, data: String(value.data.url) };
    return value;
  });
  return JSON.parse(
    said
      .replace(/<<<untrusted \w+ output of \w+>>>\\n([\s\S]*?)\\n<<<end \w+>>>/g, '$1')
      .replaceAll('data:image/png;base64,', ''),
  );
}
