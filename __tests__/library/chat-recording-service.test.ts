import { join } from 'node:path';
import fc from 'fast-check';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import {
  createChatRecordingService,
  type SessionMessage,
  type SessionToolCall,
} from '../../lib/library/chat-recording-service.ts';
import { manualClock, memoryFileSystem, silentLog, systemIds, thisProcess } from '../../lib/platform/index.ts';

const DIRECTORY = '/home/me/sessions';
const RUNS = { numRuns: 100 };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

async function world(maxSessions?: number) {
  const clock = manualClock();
  const fileSystem = memoryFileSystem({ clock });
  fileSystem.makeDirectory('/home/me');
  for (const directory of ['/', '/home', '/home/me']) await fileSystem.syncDirectory(directory);
  const start = () => {
    const process = thisProcess('test');
    const store = openFileStore(
      { fileSystem, clock, ids: systemIds, process, log: silentLog },
      { directory: DIRECTORY },
    );
    return { store, recording: createChatRecordingService({ store, maxSessions }) };
  };
  const json = (id: string): Record<string, unknown> => {
    const handle = fileSystem.open(join(DIRECTORY, `${id}.json`), 'read');
    const bytes = new Uint8Array(handle.stat().size);
    handle.read(bytes, 0);
    handle.close();
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  return { clock, fileSystem, start, json, ...start() };
}

const timestamp = fc
  .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const message: fc.Arbitrary<SessionMessage> = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  parts: fc.array(
    fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1, maxLength: 100 }) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  timestamp,
});
const toolCall: fc.Arbitrary<SessionToolCall> = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('read_file', 'shell'),
  args: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ maxLength: 30 })).map((args) => ({ ...args })),
  result: fc.oneof(
    fc.record({ llmContent: fc.string({ maxLength: 60 }) }),
    fc.record({ llmContent: fc.string({ maxLength: 60 }), returnDisplay: fc.string({ maxLength: 30 }) }),
  ),
  timestamp,
});
const fact = fc.oneof(
  message.map((data) => ({ kind: 'message' as const, data })),
  toolCall.map((data) => ({ kind: 'call' as const, data })),
);
const facts = fc.uniqueArray(fact, {
  maxLength: 8,
  selector: (one) => (one.kind === 'call' ? one.data.id : one),
});

type Recording = ReturnType<typeof createChatRecordingService>;
async function record(
  recording: Recording,
  id: string,
  list: (typeof fact extends fc.Arbitrary<infer F> ? F : never)[],
) {
  for (const one of list) {
    if (one.kind === 'message') await recording.recordMessage(id, one.data);
    else await recording.recordToolCall(id, one.data);
  }
}

const only = <Kind extends string, Data>(list: readonly { kind: string; data: unknown }[], kind: Kind) =>
  list.flatMap((one) => (one.kind === kind ? [one.data as Data] : []));

test('Feature: services-sessions, Property 1: a saved and loaded session is equal, with all data', async () => {
  await fc.assert(
    fc.asyncProperty(facts, async (list) => {
      const { recording, start } = await world();
      const id = await recording.createSession('llama3.1:8b', 'ollama');
      await record(recording, id, list);
      await recording.close();
      const session = await start().recording.getSession(id);
      expect(session).toMatchObject({ sessionId: id, model: 'llama3.1:8b', provider: 'ollama' });
      expect(session?.messages).toEqual(only(list, 'message'));
      expect(session?.toolCalls).toEqual(only(list, 'call'));
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 2: the file of a session has every required field, also nested ones', async () => {
  const withCalls = fc.tuple(facts, fc.uniqueArray(toolCall, { minLength: 1, maxLength: 3, selector: ({ id }) => id }));
  await fc.assert(
    fc.asyncProperty(withCalls, async ([others, calls]) => {
      const list = [...others, ...calls.map((data) => ({ kind: 'call' as const, data }))];
      const { recording, json } = await world();
      const id = await recording.createSession('m', 'p');
      await record(recording, id, list);
      await recording.saveSession(id);
      const file = json(id);
      expect(file.messages).toEqual(only(list, 'message'));
      expect(file.toolCalls).toEqual(only(list, 'call'));
      const required = [
        'sessionId',
        'startTime',
        'lastActivity',
        'model',
        'provider',
        'messages',
        'toolCalls',
        'metadata',
      ];
      expect(Object.keys(file)).toEqual(expect.arrayContaining(required));
      for (const each of file.messages as object[]) expect(Object.keys(each)).toEqual(['role', 'parts', 'timestamp']);
      for (const each of file.toolCalls as object[]) {
        expect(Object.keys(each)).toEqual(['id', 'name', 'args', 'result', 'timestamp']);
      }
      expect(file.metadata).toMatchObject({ tokenCount: expect.any(Number), compressionCount: 0 });
      await recording.close();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 3: every timestamp is of ISO 8601, for any input', async () => {
  const stamped = fc.tuple(message, fc.oneof(timestamp, fc.string()));
  await fc.assert(
    fc.asyncProperty(fc.array(stamped, { maxLength: 5 }), async (list) => {
      const { recording } = await world();
      const id = await recording.createSession('m', 'p');
      for (const [each, at] of list) await recording.recordMessage(id, { ...each, timestamp: at });
      const session = await recording.getSession(id);
      const times = [
        session?.startTime,
        session?.lastActivity,
        ...(session?.messages.map((each) => each.timestamp) ?? []),
      ];
      for (const time of times) expect(time).toMatch(ISO_8601);
      await recording.close();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 4: the id of a new session is a unique UUID', async () => {
  const { recording } = await world(1000);
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (model, provider) => {
      const id = await recording.createSession(model, provider);
      expect(id).toMatch(UUID);
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }),
    RUNS,
  );
  await recording.close();
});

test('Feature: services-sessions, Property 5: the list has every session, with right counts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { maxLength: 4 }), async (sessions) => {
      const { recording, clock } = await world();
      const expected = [];
      for (const list of sessions) {
        clock.advance(1000);
        const sessionId = await recording.createSession('m', 'p');
        await record(recording, sessionId, list);
        const messages = only(list, 'message');
        const { metadata, startTime, lastActivity } = (await recording.getSession(sessionId))!;
        const { tokenCount } = metadata;
        expected.unshift({ sessionId, startTime, lastActivity, model: 'm', messageCount: messages.length, tokenCount });
      }
      expect(await recording.listSessions()).toEqual(expected);
      await recording.close();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 6: a deleted session leaves no file, and is not in the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(), async (count, pick) => {
      const { recording, fileSystem } = await world();
      const ids: string[] = [];
      for (let made = 0; made < count; made++) ids.push(await recording.createSession('m', 'p'));
      const gone = ids[pick % count]!;
      await recording.deleteSession(gone);
      for (const extension of ['jsonl', 'json', 'state.json']) {
        expect(fileSystem.stat(join(DIRECTORY, `${gone}.${extension}`))).toBeUndefined();
      }
      expect(await recording.getSession(gone)).toBeNull();
      expect((await recording.listSessions()).map(({ sessionId }) => sessionId).sort()).toEqual(
        ids.filter((id) => id !== gone).sort(),
      );
      await recording.close();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 7: everything recorded survives the death of the process or the machine', async () => {
  await fc.assert(
    fc.asyncProperty(facts, fc.constantFrom('process', 'machine'), async (list, end) => {
      const { recording, fileSystem, start } = await world();
      const id = await recording.createSession('m', 'p');
      await record(recording, id, list);
      if (end === 'process') fileSystem.crash();
      else fileSystem.powerCut();
      const session = await start().recording.getSession(id);
      expect(session?.messages).toEqual(only(list, 'message'));
      expect(session?.toolCalls).toEqual(only(list, 'call'));
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 8: the oldest sessions are removed down to the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 }), async (count, most) => {
      const { recording, clock, store } = await world(most);
      const ids: string[] = [];
      for (let made = 0; made < count; made++) {
        clock.advance(1000);
        ids.push(await recording.createSession('m', 'p'));
      }
      expect((await store.list()).map(({ id }) => id)).toEqual(ids.slice(-most).sort());
      await recording.deleteOldestSessions(1);
      expect((await store.list()).map(({ id }) => id)).toEqual(ids.slice(-1));
      await recording.close();
    }),
    RUNS,
  );
});

test('Feature: services-sessions, Property 9: the time of the last activity never steps back, with any clock', async () => {
  const steps = fc.array(fc.tuple(fact, fc.integer({ min: -5000, max: 5000 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const { recording, clock } = await world();
      const id = await recording.createSession('m', 'p');
      let before = (await recording.getSession(id))!.lastActivity;
      for (const [one, ms] of list) {
        clock.set(clock.now() + ms);
        await record(recording, id, [one]);
        const { lastActivity } = (await recording.getSession(id))!;
        expect(lastActivity! >= before!).toBe(true);
        before = lastActivity;
      }
      await recording.close();
    }),
    RUNS,
  );
});

test('a text that looks like a secret is not recorded, and an unknown session is refused', async () => {
  const { recording } = await world();
  const id = await recording.createSession('m', 'p');
  const text = `ghp_${'a1B2'.repeat(9)}`;
  const parts = [
    { type: 'text' as const, text },
    { type: 'reasoning' as const, text },
  ];
  await recording.recordMessage(id, { role: 'user', parts, timestamp: '' });
  const args = { headers: [{ authorization: text }], [text]: 1 };
  const result = { llmContent: text, returnDisplay: text };
  await recording.recordToolCall(id, { id: 'c', name: 'fetch', args, result, timestamp: '' });
  const kept = await recording.getSession(id);
  expect(kept?.toolCalls).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(text);
  const nowhere = recording.recordMessage('nowhere', { role: 'user', parts: [], timestamp: '' });
  await expect(nowhere).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await recording.close();
});

it('a call that is recorded again is stored once, and a different call with its id is a second one', async () => {
  const { recording, start } = await world();
  const id = await recording.createSession('m', 'p');
  const call = { id: 'call_0', name: 'ls', args: { path: '.' }, result: { llmContent: 'a.ts' }, timestamp: '' };
  await recording.recordToolCall(id, call);
  await recording.recordToolCall(id, { ...call, args: { ...call.args } });
  await recording.close();
  const again = start().recording;
  await again.recordToolCall(id, call);
  await again.recordToolCall(id, { ...call, result: { llmContent: 'b.ts' } });
  const { toolCalls = [] } = (await again.getSession(id)) ?? {};
  expect(toolCalls.map(({ id: callId, result }) => [callId, result.llmContent])).toEqual([
    ['call_0', 'a.ts'],
    ['call_0', 'b.ts'],
  ]);
  await again.close();
});
