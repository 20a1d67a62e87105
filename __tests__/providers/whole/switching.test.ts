// From one provider to another in the middle of a session: the canonical form is ours, so that calls and results go
// along, and what belongs only to one vendor is left out.
import { modelMessages } from '../../../lib/context/model-messages.ts';
import type { ModelMessage, ProviderSignal } from '../../../lib/providers/provider.ts';
import { messages as anthropic } from '../anthropic/dialect.ts';
import { converse as bedrock } from '../bedrock/dialect.ts';
import { chat as compatible } from '../compatible/dialect.ts';
import { generateContent as gemini } from '../gemini/dialect.ts';
import { responsesDialect as openai } from '../openai/dialect.ts';
import { collect, textOf } from '../provider.contract.ts';
import { type Dialect, messagesAfter, sceneOf } from '../vendor-scenes.ts';

const vendors: Readonly<Record<string, Dialect>> = { openai, anthropic, gemini, bedrock, compatible };
const names = Object.keys(vendors);
const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

/** An answer as each of them might have given it, with things in it that only its maker understands. */
const answerOf = (maker: string): readonly ProviderSignal[] => [
  { type: 'reasoning', text: 'private thoughts' },
  { type: 'reasoning', opaque: `{"model":"test","kind":"reasoning","secret":"of ${maker}"}` },
  { type: 'text', text: 'I look.' },
  { type: 'tool-call', call: { callId: `${maker}:call/1 é`, name: 'mcp__box__do it', args: { path: 'x' } } },
  { type: 'tool-call', call: { callId: `${maker}:call/2`, name: 'read', args: '{"path":' } },
  { type: 'finish', reason: 'tool-calls' },
];

/** As the core does before it asks a different provider: the reasoning of the previous one is left out. */
const forAnother = (messages: readonly ModelMessage[], from: string, to: string): readonly ModelMessage[] => {
  const items = messages.flatMap((message) => {
    if (message.role !== 'assistant') return [];
    return [{ kind: 'message' as const, role: 'assistant' as const, parts: message.parts, provider: from }];
  });
  const kept = modelMessages([{ items } as unknown as Parameters<typeof modelMessages>[0][number]], { provider: to });
  return messages.map((message) =>
    message.role === 'assistant' ? { ...message, parts: kept[0]?.role === 'assistant' ? kept[0].parts : [] } : message,
  );
};

test.each(pairs)('from %s to %s: calls and their results are sent, thoughts are not', async (from, to) => {
  const dialect = vendors[to]!;
  const tools = [
    { name: 'mcp__box__do it', description: 'does it', parameters: { type: 'object', properties: {} } },
    { name: 'read', description: 'reads', parameters: { type: 'object', properties: {} } },
  ];
  const history = forAnother(messagesAfter(answerOf(from), from), from, to);
  const steps = [dialect.begin ?? '', dialect.says('fine'), dialect.end];
  await using scene = await sceneOf(dialect, { steps }, {}, { tools, messages: history });
  expect(textOf(await collect(scene.provider, scene.request))).toBe('fine');
  const body = JSON.stringify(scene.server.requests[0]!.body);
  expect(body).not.toMatch(/private thoughts|of (openai|anthropic|gemini|bedrock|compatible)/);
  expect(body).toContain('I look.');
  expect(body.split('done')).toHaveLength(3);
  // No vendor takes such an id or name.
  expect(body).not.toMatch(/call\/1|do it"/);
});
