// The library with invalid arguments, with a disk that fails, and with secrets in its log.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStore as openFiles } from '../../lib/file-store/file-store.ts';
import {
  createApp,
  createChatCompressionService,
  createChatRecordingService,
  createContextManager,
  createFileDiscoveryService,
  createLoopDetectionService,
  createSession,
  deleteSession,
  exportSession,
  forkSession,
  type LogFields,
  openConversation,
  openFileStore,
  openMemoryStore,
  openSession,
  replay,
  resetSession,
  restoreSession,
  type SessionMessage,
  showSession,
  summaryFold,
  titleSession,
  undoTurn,
} from '../../lib/index.ts';
import { manualClock, memoryFileSystem, silentLog, systemIds, thisProcess } from '../../lib/platform/index.ts';
import { faultyFileSystem } from '../support/faulty-file-system.ts';
import { createTree } from '../support/tree.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const said = (text: string, role: SessionMessage['role'] = 'user'): SessionMessage => ({
  role,
  parts: [{ type: 'text', text }],
  timestamp: '2026-01-01T00:00:00.000Z',
});
const talk = Array.from({ length: 12 }, (_, index) =>
  said(`${index} ${'word '.repeat(60)}`, index % 2 ? 'assistant' : 'user'),
);

function keepingLog() {
  const lines: (LogFields & { message: string })[] = [];
  const keep = (fields: LogFields, message: string) => void lines.push({ ...fields, message });
  return { lines, log: { error: keep, warn: keep, info: keep, debug: keep } };
}

describe('the two ways to name a session', () => {
  it('open it by the name that it was created with, and by its id', async () => {
    const store = openMemoryStore();
    const created = await createSession(store, { name: 'Über Straße', model: 'tiny', provider: 'offline' });
    await created.close('exit');
    for (const name of ['Über Straße', created.id]) {
      const session = await openSession(store, name);
      expect(session.id).toBe(created.id);
      await session.close('exit');
    }
    await expect(openSession(store, 'Straße')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('are a reference or an open conversation, and the wrong one is refused with its reason', async () => {
    using tree = createTree();
    const env = { HOME: tree.root, PATH: process.env.PATH };
    const app = await createApp({ env, cwd: tree.root, command: 'test', parts: { store: openMemoryStore() } });
    const conversation = await openConversation(app, { kind: 'new', name: 'notes' });
    const wrong = conversation as never;
    for (const confused of [
      () => exportSession(app, wrong, { format: 'md' }),
      () => forkSession(app, wrong, {}),
      () => resetSession(app, wrong, { reason: 'reset' } as never),
      () => deleteSession(app, wrong, {}),
      () => showSession(app, wrong),
      () => restoreSession(app, wrong),
    ]) {
      await expect((async () => confused())()).rejects.toMatchObject({
        code: 'USAGE',
        hint: expect.stringContaining('session.id'),
      });
    }
    for (const confused of [() => titleSession(app, 'notes' as never, 'x'), () => undoTurn(app, 'notes' as never)]) {
      await expect((async () => confused())()).rejects.toMatchObject({
        code: 'USAGE',
        message: 'This takes an open conversation, not "notes".',
      });
    }
    await conversation.session.close('exit');
  });
});

describe('the log of a service', () => {
  it('has no secret in it, also in an error, its cause and its hint', async () => {
    const { lines, log } = keepingLog();
    const summaries = () =>
      Promise.reject(Object.assign(new Error(`401 for ${SECRET}`, { cause: new Error(SECRET) }), { hint: SECRET }));
    const compression = createChatCompressionService({ summaries, log });
    await compression.compress(talk, { strategy: 'hybrid', preserveRecentTokens: 100 });
    createContextManager({ log }).addContext('key', 'text', { source: SECRET });
    createLoopDetectionService({}, { log }).recordToolCall(SECRET, { big: 1n });
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      error: { name: 'Error', message: '401 for [redacted github-token 40]', cause: { name: 'Error' } },
    });
    expect(JSON.stringify(lines)).not.toContain(SECRET);
  });

  it('has shortened texts', async () => {
    using tree = createTree({ 'a.ts': '' });
    const { lines, log } = keepingLog();
    const service = createFileDiscoveryService({ log });
    await service.discoverAll({ root: tree.root, includePatterns: [`[${'x'.repeat(70_000)}`] });
    service.dispose();
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message.length).toBeLessThan(2_100);
  });
});

describe('an invalid argument', () => {
  const store = () => openMemoryStore();

  it.each([null, undefined, 'off', 7])('%p as configuration of the loop detection keeps the defaults', (config) => {
    const { lines, log } = keepingLog();
    const service = createLoopDetectionService({ repeatThreshold: 5 }, { log });
    service.configure(config as never);
    for (let count = 0; count < 3; count++) service.recordToolCall('ls', {});
    expect(service.checkForLoop()).toMatchObject({ type: 'repeated-tool', count: 3 });
    expect(lines).toMatchObject([{ service: 'loop-detection', operation: 'configure' }]);
  });

  it('is not a configuration of the loop detection with only some members, which is used', () => {
    const service = createLoopDetectionService();
    service.configure({ repeatThreshold: 2 });
    for (let count = 0; count < 2; count++) service.recordToolCall('ls', {});
    expect(service.checkForLoop()).toMatchObject({ count: 2 });
  });

  it.each([undefined, null, 7, {}, ['text']])('%p as an output of the loop detection is refused by name', (output) => {
    const service = createLoopDetectionService();
    expect(() => service.recordOutput(output as never)).toThrow(/^recordOutput takes a text as output, not /);
  });

  it('of the context manager takes the defaults', () => {
    const manager = createContextManager();
    manager.addContext('key', 'text', null as never);
    expect(manager.getContext()).toMatchObject([{ key: 'key', priority: 50, source: 'user' }]);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'hello'],
    ['a message without parts', { role: 'user', timestamp: '' }],
    ['a message with a null part', { role: 'user', parts: [null], timestamp: '' }],
    ['a message of an unknown role', { role: 'robot', parts: [], timestamp: '' }],
  ])('of recordMessage is refused: %s', async (_, message) => {
    const recording = createChatRecordingService({ store: store() });
    const id = await recording.createSession('m', 'p');
    await expect(recording.recordMessage(id, message as never)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    await recording.close();
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a call without a result', { id: 'c', name: 'ls', args: {}, timestamp: '' }],
    ['a result without text', { id: 'c', name: 'ls', args: {}, result: {}, timestamp: '' }],
  ])('of recordToolCall is refused: %s', async (_, call) => {
    const recording = createChatRecordingService({ store: store() });
    const id = await recording.createSession('m', 'p');
    await expect(recording.recordToolCall(id, call as never)).rejects.toMatchObject({ code: 'EVENT_INVALID' });
    await recording.close();
  });

  it('of compress is replaced: an unknown strategy runs as hybrid, is reported, and is logged', async () => {
    const { lines, log } = keepingLog();
    const service = createChatCompressionService({ summaries: 'extract', log });
    const result = await service.compress(talk, { strategy: 'weird' as never, preserveRecentTokens: 100 });
    expect(result.strategy).toBe('hybrid');
    expect(lines).toMatchObject([{ strategy: 'weird' }]);
    expect((await service.compress(talk, null as never)).strategy).toBe('hybrid');
  });

  it.each([1, 'now', null, {}])('of a replay is refused: at %p', async (at) => {
    const recording = createChatRecordingService({ store: store() });
    await recording.close();
    const memory = store();
    const session = await createSession(memory, { provider: 'p', model: 'm', name: 'Notes' });
    const replayed = replay(memory.openReader('notes'), { summary: summaryFold }, { at: at as never });
    await expect(replayed).rejects.toMatchObject({ code: 'USAGE' });
    await session.close('exit');
  });

  it('of createApp or openFileStore is refused', async () => {
    await expect(createApp({ home: '/nowhere' } as never)).rejects.toMatchObject({ code: 'USAGE' });
    expect(() => openFileStore('')).toThrow(expect.objectContaining({ code: 'STORE_REFUSED' }));
  });
});

it('an open session cannot be created again, by its name or its id', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-library-'));
  try {
    const store = openFileStore(join(directory, 'sessions'));
    const session = await createSession(store, { provider: 'p', model: 'm', name: 'Notes' });
    const again = () => createSession(store, { provider: 'p', model: 'm', name: 'notes' });
    await expect(again()).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    await session.close('exit');
    await expect(again()).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('recordings that the disk has not taken yet are in getSession and listSessions', async () => {
  const clock = manualClock();
  const fileSystem = faultyFileSystem(memoryFileSystem({ clock }));
  fileSystem.makeDirectory('/sessions');
  const ports = { fileSystem, clock, ids: systemIds, process: thisProcess('test'), log: silentLog };
  const store = openFiles(ports, { directory: '/sessions' });
  const recording = createChatRecordingService({ store, clock });
  const id = await recording.createSession('m', 'p');
  await recording.recordMessage(id, said('one'));
  const before = (await recording.listSessions())[0]!;
  clock.advance(5000);
  fileSystem.fail({ call: 'write', answer: 'ENOSPC', times: 40 });
  await recording.recordMessage(id, said('two'));
  await recording.recordToolCall(id, { id: 'c', name: 'ls', args: {}, result: { llmContent: 'three' }, timestamp: '' });
  const texts = (await recording.getSession(id))?.messages.map(
    ({ parts: [part] }) => part?.type === 'text' && part.text,
  );
  expect(texts).toEqual(['one', 'two']);
  expect((await recording.getSession(id))?.toolCalls).toMatchObject([{ id: 'c', result: { llmContent: 'three' } }]);
  const after = (await recording.listSessions())[0]!;
  expect(after.messageCount).toBe(2);
  expect(after.tokenCount).toBeGreaterThan(before.tokenCount);
  expect(after.lastActivity > before.lastActivity).toBe(true);
});

it('a repeated call without results is not described as having the same result', () => {
  const service = createLoopDetectionService();
  for (let count = 0; count < 3; count++) service.recordToolCall('ls', {});
  expect(service.checkForLoop()?.details).toBe('The tool ls was called 3 times in a row with the same arguments.');
  service.reset();
  for (let count = 0; count < 3; count++) service.recordToolCall('ls', {}, 'a.ts');
  expect(service.checkForLoop()?.details).toContain('and the same result');
});

it('changes are reported once a watch is ready', async () => {
  using tree = createTree({ 'a.ts': '' });
  const service = createFileDiscoveryService();
  const seen = Promise.withResolvers<string>();
  const watch = service.watchChanges(tree.root, (event, path) => seen.resolve(`${event} ${path}`));
  await watch.ready;
  writeFileSync(join(tree.root, 'b.ts'), 'new');
  expect(await seen.promise).toBe(`add ${join(tree.root, 'b.ts')}`);
  watch.dispose();
  service.dispose();
});
