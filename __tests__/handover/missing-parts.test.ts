// Conversations as requests of each protocol: nothing is missing of a whole one, and each part is missed that is taken
// out of it, changed, or under another role.
import fc from 'fast-check';
import { compareRequest } from '../../lib/handover/proof/missing-parts.ts';
import { sentParts } from '../../lib/handover/proof/sent-parts.ts';
import type { WrittenCall, WrittenItem, WrittenMessage } from '../../lib/handover/target.ts';
import { PNG } from '../support/conversations-in-forms.ts';

const AT = '2026-01-02T10:00:00.000Z';
const text = fc.string({ minLength: 1 }).filter((said) => /\S/.test(said));
const said = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  text,
  hasPicture: fc.boolean(),
});
const asked = fc.record({
  name: fc.constantFrom('Read', 'Bash'),
  args: fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value))),
  result: text,
});

/** Numbers make all of them different. */
const conversation = fc
  .array(fc.oneof(said, asked), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((each, index): WrittenItem => ('role' in each ? messageOf(each, index) : callOf(each, index))));

function messageOf({ role, text, hasPicture }: typeof said extends fc.Arbitrary<infer T> ? T : never, index: number) {
  const pictures =
    role === 'user' && hasPicture ? [{ kind: 'picture' as const, mediaType: 'image/png', base64: PNG }] : [];
  const pieces = [{ kind: 'text' as const, text: `<${index}> ${text}` }, ...pictures];
  return { kind: 'message', role, pieces, at: AT } satisfies WrittenMessage;
}

function callOf({ name, args, result }: typeof asked extends fc.Arbitrary<infer T> ? T : never, index: number) {
  const numbered = { ...args, number: index };
  return {
    ...{ kind: 'call' as const, step: index, id: `call_${index}`, name, args: numbered },
    ...{ result: `<${index}> ${result}`, isError: false, pictures: [], at: AT },
  } satisfies WrittenCall;
}

/** A body with an element for each part, in order. */
const PROTOCOLS: Readonly<Record<string, (items: readonly WrittenItem[]) => readonly object[]>> = {
  messages: (items) =>
    items.flatMap((item): object[] => {
      if (item.kind === 'message')
        return item.pieces.map((piece) => ({ role: item.role, content: [anthropic(piece)] }));
      const { id, name, args: input, result: content } = item;
      return [
        { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
      ];
    }),
  completions: (items) =>
    items.flatMap((item): object[] => {
      if (item.kind === 'message') {
        return item.pieces.map((piece) => ({
          role: item.role,
          content: piece.kind === 'text' ? piece.text : [{ type: 'image_url', image_url: { url: '' } }],
        }));
      }
      const { id, name, args, result: content } = item;
      const called = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
      return [
        { role: 'assistant', content: null, tool_calls: [called] },
        { role: 'tool', tool_call_id: id, content },
      ];
    }),
  input: (items) =>
    items.flatMap((item): object[] => {
      if (item.kind === 'message') {
        return item.pieces.map((piece) => ({
          ...{ type: 'message', role: item.role },
          content: [piece.kind === 'text' ? { type: 'input_text', text: piece.text } : { type: 'input_image' }],
        }));
      }
      const { id: call_id, name, args, result: output } = item;
      return [
        { type: 'function_call', call_id, name, arguments: JSON.stringify(args) },
        { type: 'function_call_output', call_id, output },
      ];
    }),
  contents: (items) =>
    items.flatMap((item): object[] => {
      if (item.kind === 'message') {
        const role = item.role === 'user' ? 'user' : 'model';
        return item.pieces.map((piece) => ({
          role,
          parts: [piece.kind === 'text' ? { text: piece.text } : { inlineData: { mimeType: 'image/png', data: '' } }],
        }));
      }
      const { name, args, result: output } = item;
      return [
        { role: 'model', parts: [{ functionCall: { name, args } }] },
        { role: 'user', parts: [{ functionResponse: { name, response: { output } } }] },
      ];
    }),
};

function anthropic(piece: WrittenMessage['pieces'][number]): object {
  return piece.kind === 'text' ? { type: 'text', text: piece.text } : { type: 'image', source: {} };
}

function bodyOf(protocol: string, elements: readonly object[]): object {
  return { [protocol === 'completions' ? 'messages' : protocol]: elements };
}

describe.each(Object.keys(PROTOCOLS))('a request of the protocol with %s', (protocol) => {
  const elementsOf = PROTOCOLS[protocol]!;

  it('has every part of its conversation', () => {
    fc.assert(
      fc.property(conversation, (items) => {
        const { counts, missing } = compareRequest(items, sentParts(bodyOf(protocol, elementsOf(items))));
        expect(missing).toBeUndefined();
        const written = Object.values(counts).reduce((sum, each) => sum + each.written, 0);
        expect(written).toBe(elementsOf(items).length);
        for (const each of Object.values(counts)) expect(each.sent).toBe(each.written);
      }),
    );
  });

  it('is reported for any part that is removed', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (items, number) => {
        const elements = elementsOf(items);
        const without = elements.toSpliced(number % elements.length, 1);
        expect(compareRequest(items, sentParts(bodyOf(protocol, without))).missing).toBeDefined();
      }),
    );
  });

  it('is reported for a text under a different role, in a different order, or a result of a different call', () => {
    const first = messageOf({ role: 'user', text: 'first', hasPicture: false }, 0);
    const second = messageOf({ role: 'assistant', text: 'second', hasPicture: false }, 1);
    const [one, other] = [0, 1].map((index) => callOf({ name: 'Read', args: {}, result: 'done' }, index));
    const calls: readonly WrittenItem[] = [one!, other!];
    const missing = (written: readonly WrittenItem[], sent: readonly WrittenItem[]) =>
      compareRequest(written, sentParts(bodyOf(protocol, elementsOf(sent)))).missing;
    expect(missing([first], [{ ...first, role: 'assistant' }])).toBe('a text of the user (<0> first)');
    expect(missing([first, second], [second, first])).toBe('a text of the assistant (<1> second)');
    const swapped = [
      { ...one!, result: other!.result },
      { ...other!, result: one!.result },
    ];
    expect(missing(calls, swapped)).toBe('the result of Read (<0> done)');
    expect(missing(calls, [{ ...one!, args: { number: 7 } }, other!])).toBe('the call of Read ({"number":0})');
  });
});

it.each([undefined, null, 7, 'x', {}, { messages: 'x' }, { contents: [null, 1, { parts: [{ functionCall: 7 }] }] }])(
  'a body that is not a conversation has no part that is missing or found: %j',
  (body) => {
    expect(sentParts(body).filter(({ kind }) => kind !== 'text')).toEqual([]);
  },
);

it('a call under the new name of its tool is recognized, and under a different name not', () => {
  const call: WrittenCall = { ...callOf({ name: 'Read', args: {}, result: 'done' }, 0), name: 'Task' };
  const parts = sentParts(bodyOf('messages', PROTOCOLS.messages!([{ ...call, name: 'Agent' }])));
  expect(compareRequest([call], parts, { Task: 'Agent' }).missing).toBeUndefined();
  expect(compareRequest([call], parts).missing).toContain('the call of Task');
});
