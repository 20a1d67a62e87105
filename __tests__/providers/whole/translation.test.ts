// Laws of the translation: whatever conversation there is, what goes out is one that a vendor takes.
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import fc from 'fast-check';
import { decodeOpaque, digestOf, encodeOpaque } from '../../../lib/providers/ai-sdk/opaque.ts';
import { toCallOptions } from '../../../lib/providers/ai-sdk/prompt.ts';
import { toolNames, wireName } from '../../../lib/providers/ai-sdk/wire-names.ts';
import type { LoadedRequest } from '../../../lib/providers/load-blobs.ts';
import type { ModelMessage } from '../../../lib/providers/provider.ts';
import { requestOf } from '../provider.contract.ts';

const rules = { shows: () => true };
const point = { vendor: { point: true } };

/** Few ids and names, so that they repeat; some that no vendor takes. */
const callId = fc.constantFrom('call_0', 'call_1', '', 'a b', 'ü'.repeat(80), '__proto__', 'x'.repeat(200));
const toolName = fc.constantFrom('read', 'mcp__box__do it!', '9lives', 'ünï', 'a'.repeat(100), 'constructor');
const picture = fc.record({
  type: fc.constant('image' as const),
  mediaType: fc.constant('image/png'),
  blob: fc.constant('gone'),
});
const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.constantFrom('', 'words', '  ') }),
    fc.record({
      type: fc.constant('reasoning' as const),
      text: fc.constant('hm'),
      opaque: fc.constantFrom('', '{', 'null', '{"model":"test","kind":"call"}'),
    }),
    picture,
  ),
  { maxLength: 3 },
);
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), parts }),
  fc.record({
    role: fc.constant('assistant' as const),
    parts,
    toolCalls: fc.array(fc.record({ callId, name: toolName, args: fc.oneof(fc.jsonValue(), fc.constant(undefined)) }), {
      maxLength: 3,
    }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    results: fc.array(
      fc.record(
        {
          callId,
          name: toolName,
          content: fc.string(),
          isError: fc.boolean(),
          images: fc.array(picture, { maxLength: 2 }),
        },
        { requiredKeys: ['callId', 'name', 'content', 'isError'] },
      ),
      { maxLength: 3 },
    ),
  }),
);
const conversation = fc.array(message, { maxLength: 12 });
const loaded = (messages: readonly ModelMessage[]): LoadedRequest => ({
  ...requestOf('', { messages }),
  readBlob: () => undefined,
});
const promptOf = (messages: readonly ModelMessage[]) => toCallOptions(loaded(messages), rules).prompt;

const callsIn = (each: LanguageModelV4Message | undefined) =>
  each?.role === 'assistant' ? each.content.filter((part) => part.type === 'tool-call') : [];
const resultsIn = (each: LanguageModelV4Message | undefined) =>
  each?.role === 'tool' ? each.content.filter((part) => part.type === 'tool-result') : [];

test('every call is followed by its result, every result follows its call, and no id is used twice', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const prompt: LanguageModelV4Prompt = promptOf(messages);
      prompt.forEach((each, index) => {
        const calls = callsIn(each);
        if (calls.length > 0)
          expect(resultsIn(prompt[index + 1]).map(({ toolCallId }) => toolCallId)).toEqual(
            calls.map(({ toolCallId }) => toolCallId),
          );
        if (each.role === 'tool') expect(callsIn(prompt[index - 1]).length).toBe(each.content.length);
      });
      const ids = prompt.flatMap((each) => callsIn(each).map(({ toolCallId }) => toolCallId));
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(id).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    }),
    { numRuns: 300 },
  );
});

test("the first message is a user's, no two follow each other, none is empty, and every call has an object for arguments", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const prompt = promptOf(messages);
      if (prompt.length > 0) expect(prompt[0]!.role).toBe('user');
      prompt.forEach((each, index) => {
        if (index > 0 && each.role === 'user') expect(prompt[index - 1]!.role).not.toBe('user');
        expect(each.content.length).toBeGreaterThan(0);
        for (const part of each.content)
          if (typeof part === 'object' && part.type === 'text') expect(part.text).not.toBe('');
        for (const { input } of callsIn(each)) expect(Object(input) === input && !Array.isArray(input)).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});

test('an addition to a conversation leaves the earlier prompt unchanged, except the newest cache points', () => {
  const marked = { ...rules, cachePoint: point };
  const grow = fc.array(fc.record({ question: fc.constantFrom('a', 'b'), calls: fc.array(callId, { maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 6,
  });
  fc.assert(
    fc.property(grow, (turns) => {
      const messages = turns.flatMap(({ question, calls }): ModelMessage[] => [
        { role: 'user', parts: [{ type: 'text', text: question }] },
        {
          role: 'assistant',
          parts: [{ type: 'text', text: 'ok' }],
          toolCalls: calls.map((id) => ({ callId: id, name: 'read', args: {} })),
        },
        ...(calls.length > 0
          ? [
              {
                role: 'tool' as const,
                results: calls.map((id) => ({ callId: id, name: 'read', content: 'x', isError: false })),
              },
            ]
          : []),
      ]);
      const last: ModelMessage = { role: 'user', parts: [{ type: 'text', text: 'last' }] };
      const prompts = [messages, [...messages, last]].map((each) => {
        const { prompt } = toCallOptions(loaded(each), marked);
        expect(prompt.filter(({ providerOptions }) => providerOptions).length).toBeLessThanOrEqual(2);
        return prompt.map(({ providerOptions: _, ...rest }) => rest);
      });
      expect(prompts[1]!.slice(0, prompts[0]!.length)).toEqual(prompts[0]);
    }),
    { numRuns: 200 },
  );
});

test('any name of a tool can be sent to a vendor, and is recognized when it comes back', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 120 }), { maxLength: 8 }), (names) => {
      const nameOf = toolNames(names.map((name) => ({ name, description: '', parameters: {} })));
      for (const name of names) {
        expect(wireName(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
        expect(nameOf(wireName(name))).toBe(name);
      }
      expect(nameOf('a tool that is not there')).toBe('a tool that is not there');
    }),
    { numRuns: 300 },
  );
});

test('opaque data of a vendor is recognized for the model that made it, and for no other', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.string())),
      (model, other, metadata) => {
        const opaque = { kind: 'reasoning', metadata, digest: digestOf('hm') } as const;
        const text = encodeOpaque(model, opaque);
        expect(decodeOpaque(text, model)).toEqual(JSON.parse(JSON.stringify(opaque)));
        if (other !== model) expect(decodeOpaque(text, other)).toBeUndefined();
      },
    ),
    { numRuns: 200 },
  );
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"model":"m"}',
  '{"model":"m","metadata":[],"kind":"text"}',
  '{"model":"m","metadata":{},"kind":"other"}',
])('any other text is ignored: %j', (text) => {
  expect(decodeOpaque(text, 'm')).toBeUndefined();
});
