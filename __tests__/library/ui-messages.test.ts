// Messages as the pages of the AI SDK show them: those that a program appends come back as they were, and those that
// came in other forms, or were said in ollm, are worked out.
import fc from 'fast-check';
import { openMemoryStore, openSessionStore } from '../../lib/index.ts';
import { FORMS } from '../../lib/providers/forms/forms.ts';
import { CONVERSATIONS, FORM_NAMES, PDF, PNG } from '../support/conversations-in-forms.ts';

const METADATA = { anthropic: { signature: 'c2ln' } };
const asked = {
  id: 'u1',
  role: 'user',
  metadata: { at: 7 },
  parts: [
    { type: 'text', text: 'What is in these?' },
    { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` },
    { type: 'file', mediaType: 'application/pdf', filename: 'page.pdf', url: `data:application/pdf;base64,${PDF}` },
  ],
};
const answered = {
  id: 'a1',
  role: 'assistant',
  parts: [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Look first.', state: 'done', providerMetadata: METADATA },
    { type: 'text', text: 'I look.', state: 'done' },
    {
      ...{
        type: 'tool-look',
        toolCallId: 'c1',
        state: 'output-available',
        input: { at: 1 },
        output: { shows: 'a dot' },
      },
      callProviderMetadata: { google: { thoughtSignature: 'Y2FsbA' } },
    },
    {
      type: 'dynamic-tool',
      toolName: 'read',
      toolCallId: 'c2',
      state: 'output-error',
      input: {},
      errorText: 'no page',
    },
    { type: 'step-start' },
    { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'A page' },
    { type: 'data-weather', id: 'w', data: { degrees: 7 } },
    { type: 'text', text: 'A dot, and one page.', state: 'done' },
  ],
};

async function opened(store = openMemoryStore(), provider = 'google') {
  const session = await openSessionStore(store).openOrCreate({ id: 'garden', provider, model: 'm' });
  return { store, session };
}

it('a UIMessage is returned unchanged, also after the session was closed', async () => {
  const { session, store } = await opened();
  await session.append([asked, answered], 'ai-sdk-ui');
  expect(await session.messages('ai-sdk-ui')).toEqual({ messages: [asked, answered] });
  await session.close();
  const { session: again } = await opened(store);
  expect(await again.messages('ai-sdk-ui')).toEqual({ messages: [asked, answered] });
});

it('a UIMessage gives the model its steps, calls and results, and the session shows them', async () => {
  const { session } = await opened();
  await session.append([asked, answered], 'ai-sdk-ui');
  const { messages } = await session.messages('ai-sdk');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(messages[0]?.content).toMatchObject(
    CONVERSATIONS['ai-sdk'][0] ? [{ type: 'text' }, { data: PNG }, { data: PDF }] : [],
  );
  expect(messages[1]?.content).toMatchObject([
    { type: 'reasoning', text: 'Look first.', providerOptions: METADATA },
    { type: 'text', text: 'I look.' },
    {
      toolCallId: 'c1',
      toolName: 'look',
      input: { at: 1 },
      providerOptions: { google: { thoughtSignature: 'Y2FsbA' } },
    },
    { toolCallId: 'c2', toolName: 'read' },
  ]);
  expect(JSON.stringify(messages[2])).toMatch(/output of look>>>.*shows.*a dot[\s\S]*"error-text".*no page/);
  expect(JSON.stringify(messages)).not.toMatch(/weather|example\.org/);
});

it('a UIMessage without content for a model is kept', async () => {
  const { session } = await opened();
  const data = { id: 'd', role: 'assistant', parts: [{ type: 'data-note', data: 1 }] };
  const pending = {
    ...{ id: 'p', role: 'assistant' },
    parts: [{ type: 'tool-look', toolCallId: 'c9', state: 'input-streaming', rawInput: '{"a' }],
  };
  await session.append([asked, data, pending], 'ai-sdk-ui');
  expect((await session.messages('ai-sdk-ui')).messages).toEqual([asked, data, pending]);
  expect((await session.messages('ai-sdk')).messages).toHaveLength(1);
});

it('a call that was added without a result shows its later result', async () => {
  const { session, store } = await opened();
  const part = { type: 'tool-look', toolCallId: 'c1', input: {} };
  await session.append(
    [asked, { id: 'a', role: 'assistant', parts: [{ ...part, state: 'input-available' }] }],
    'ai-sdk-ui',
  );
  // As a kill leaves it.
  await session.session.writer.close();
  const { session: again } = await opened(store);
  const { messages } = await again.messages('ai-sdk-ui');
  expect(messages[1]?.parts).toEqual([
    { ...part, state: 'output-error', errorText: expect.stringContaining('Whether it ran is not known') },
  ]);
});

it.each(FORM_NAMES)(
  'a conversation in the form %s is shown as two questions and one answer of two steps',
  async (form) => {
    // Reasoning goes back to the vendor that made it.
    const provider = FORMS[form].provider ?? 'mine';
    const { session } = await opened(openMemoryStore(), provider);
    await session.append(CONVERSATIONS[form], form);
    const { messages } = await session.messages('ai-sdk-ui');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    const [question, answer] = messages;
    expect(question?.parts).toMatchObject([
      { type: 'text', text: 'What is in these?' },
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` },
      { type: 'file', mediaType: 'application/pdf', url: `data:application/pdf;base64,${PDF}` },
    ]);
    const parts = answer?.parts.filter(({ type }) => type !== 'reasoning');
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'I look.' },
      { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: { at: 1 }, output: 'a dot' },
      // Chat completions and responses do not say that a result is a failure.
      { type: 'tool-read', toolCallId: 'c2', input: { page: 2 } },
      { type: 'step-start' },
      { type: 'text', text: 'A dot, and one page.' },
    ]);
    const marks = { 'ai-sdk': 'c2ln', anthropic: 'c2ln', gemini: 'dGhvdWdodA', 'openai-responses': 'ZW5jcnlwdGVk' };
    if (form !== 'openai-chat') expect(JSON.stringify(answer)).toContain(marks[form]);
    // The shown messages can be said again.
    const { session: other } = await opened(openMemoryStore(), provider);
    await other.append(messages, 'ai-sdk-ui');
    expect(await other.messages('ai-sdk-ui')).toEqual({ messages });
    expect(await withoutNonces(other)).toEqual(await withoutNonces(session));
  },
);

it('undone messages are not shown, and a call of the next step is in a step of its own', async () => {
  const { session } = await opened();
  await session.append({ role: 'user', content: 'Look twice.' });
  const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} });
  for (const id of ['c1', 'c2']) {
    await session.append({ role: 'assistant', content: [call(id)] });
    await session.append({
      role: 'tool',
      content: [{ ...call(id), type: 'tool-result', output: { type: 'text', value: id } }],
    });
  }
  const { head } = session.session.writer;
  await session.append({ role: 'user', content: 'Forget this.' });
  await session.session.append({ type: 'branch.moved', data: { head: head.seq, reason: 'undo' } });
  const { messages } = await session.messages('ai-sdk-ui');
  expect(messages).toHaveLength(2);
  expect(messages[1]?.parts.map((part) => ('output' in part ? part.output : part.type))).toEqual([
    ...['step-start', 'c1', 'step-start', 'c2'],
  ]);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(2);
});

it('a list with an invalid UIMessage is refused as a whole', async () => {
  const { session } = await opened();
  for (const wrong of [
    { role: 'user', content: 'x' },
    { role: 'robot', parts: [] },
    { role: 'user', parts: [7] },
  ])
    await expect(session.append([asked, wrong], 'ai-sdk-ui')).rejects.toMatchObject({ code: 'EVENT_INVALID' });
  expect((await session.messages('ai-sdk-ui')).messages).toEqual([]);
});

it('a secret in a UIMessage is returned as its mark', async () => {
  const { session } = await opened();
  const secret = `sk-ant-api03-${'aB3dE5'.repeat(15)}AA`;
  await session.append({ ...asked, parts: [{ type: 'text', text: `My key is ${secret}, keep it.` }] }, 'ai-sdk-ui');
  const shown = JSON.stringify(await session.messages('ai-sdk-ui'));
  expect(shown).not.toContain(secret);
  expect(shown).toContain('keep it');
});

const SECRET = `sk-ant-api03-${'aB3dE5'.repeat(15)}AA`;
type PageMessage = { readonly id: string; readonly role: string; readonly parts: readonly object[] };
/** A page changes its list as `useChat` does, and hands in all of it. */
const change = fc.record({
  kind: fc.constantFrom('ask', 'answer', 'grow', 'edit', 'regenerate', 'nothing'),
  at: fc.nat(5),
  text: fc.constantFrom('When?', 'Where?', `With ${SECRET}`),
});

function changed(
  list: readonly PageMessage[],
  { kind, at, text }: { kind: string; at: number; text: string },
  id: string,
) {
  const parts = [{ type: 'text', text }];
  const [place, last] = [Math.min(at, list.length - 1), list.at(-1)];
  if (kind === 'ask') return [...list, { id, role: 'user', parts }];
  if (kind === 'answer') return [...list, { id, role: 'assistant', parts }];
  if (last === undefined || kind === 'nothing') return list;
  if (kind === 'grow') return [...list.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }];
  if (kind === 'regenerate' && list.length > 1) return [...list.slice(0, -1), { ...last, id, parts }];
  if (kind !== 'edit') return list;
  return [...list.slice(0, place), { ...list[place]!, parts: [...parts, { type: 'text', text: id }] }];
}

it('a page that passes its whole list after each change has that list, and nothing is stored twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const { session } = await opened();
      let list: readonly PageMessage[] = [];
      for (const [index, one] of changes.entries()) {
        list = changed(list, one, `m${index}`);
        await session.append(list, 'ai-sdk-ui');
        const { messages } = await session.messages('ai-sdk-ui');
        const shown = JSON.parse(JSON.stringify(list).replaceAll(SECRET, `[redacted anthropic-key ${SECRET.length}]`));
        expect(messages.map(({ id, parts }) => [id, parts])).toEqual(
          shown.map(({ id, parts }: PageMessage) => [id, parts]),
        );
        expect(await session.append(list, 'ai-sdk-ui')).toEqual([]);
      }
      const [asks, tokens] = [await session.messages('ai-sdk'), session.tokens().used];
      await session.append(await shownBy(session), 'ai-sdk-ui');
      expect([await session.messages('ai-sdk'), session.tokens().used]).toEqual([asks, tokens]);
      await session.close();
    }),
    { numRuns: 100 },
  );
});

it('a message from a different form is stored once too when the page passes its UIMessage', async () => {
  const { session } = await opened();
  await session.append(CONVERSATIONS['ai-sdk'], 'ai-sdk');
  const messages = await shownBy(session);
  expect(await session.append(messages, 'ai-sdk-ui')).toEqual([]);
  const next = { id: 'u9', role: 'user', parts: [{ type: 'text', text: 'And now?' }] };
  expect(await session.append([...messages, next], 'ai-sdk-ui')).toHaveLength(1);
  expect(await shownBy(session)).toEqual([...messages, next]);
});

it('a changed message replaces the stored one in requests, and the journal keeps both', async () => {
  const { session, store } = await opened();
  const waiting = {
    ...answered,
    parts: [{ type: 'tool-look', toolCallId: 'c1', state: 'input-available', input: {} }],
  };
  await session.append([asked, waiting], 'ai-sdk-ui');
  const output = { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: {}, output: 'a dot' };
  await session.append([asked, { ...waiting, parts: [output] }], 'ai-sdk-ui');
  const sent = JSON.stringify(await session.messages('ai-sdk'));
  expect(sent.match(/"tool-call"/g)).toHaveLength(1);
  expect(sent).toContain('a dot');
  await session.close();
  const { session: again } = await opened(store);
  expect(again.report.notices).toEqual([]);
  expect(JSON.stringify(await again.messages('ai-sdk')).match(/"tool-call"/g)).toHaveLength(1);
});

async function shownBy(session: Awaited<ReturnType<typeof opened>>['session']) {
  return (await session.messages('ai-sdk-ui')).messages;
}

async function withoutNonces(session: Awaited<ReturnType<typeof opened>>['session']) {
  const { messages } = await session.messages('ai-sdk');
  return JSON.parse(JSON.stringify(messages).replace(/(<<<(?:untrusted|end)) \w+/g, '$1'));
}
