// What each service does when something goes wrong, one strategy after the other: the fault is made, the service goes
// on, and the log tells service, operation, context and, where there is something to do, what.
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { openFileStore } from '../../lib/file-store/file-store.ts';
import { openMemoryStore } from '../../lib/file-store/memory-store.ts';
import { createChatCompressionService } from '../../lib/library/chat-compression-service.ts';
import { createChatRecordingService, type SessionMessage } from '../../lib/library/chat-recording-service.ts';
import { createContextManager } from '../../lib/library/context-manager.ts';
import { createEnvironmentSanitizationService } from '../../lib/library/environment-sanitization-service.ts';
import { createFileDiscoveryService } from '../../lib/library/file-discovery-service.ts';
import { createLoopDetectionService } from '../../lib/library/loop-detection-service.ts';
import {
  type LogFields,
  type LogLevel,
  manualClock,
  memoryFileSystem,
  systemIds,
  thisProcess,
} from '../../lib/platform/index.ts';
import { createSession } from '../../lib/session/create.ts';
import { faultyFileSystem } from '../support/faulty-file-system.ts';
import { createTree } from '../support/tree.ts';

interface Line extends LogFields {
  readonly level: LogLevel;
  readonly message: string;
}

function keepingLog() {
  const lines: Line[] = [];
  const at = (level: LogLevel) => (fields: LogFields, message: string) =>
    void lines.push({ ...fields, level, message });
  return { lines, log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } };
}

const said = (text: string, role: SessionMessage['role'] = 'user'): SessionMessage => ({
  role,
  parts: [{ type: 'text', text }],
  timestamp: '2026-01-01T00:00:00.000Z',
});

async function recordingWorld() {
  const clock = manualClock();
  const disk = memoryFileSystem({ clock });
  disk.makeDirectory('/sessions');
  const fileSystem = faultyFileSystem(disk);
  const { lines, log } = keepingLog();
  const store = openFileStore(
    { fileSystem, clock, ids: systemIds, process: thisProcess('test'), log },
    { directory: '/sessions' },
  );
  const service = createChatRecordingService({ store, log });
  const textsOf = async (id: string) =>
    ((await service.getSession(id))?.messages ?? []).map(({ parts: [part] }) => part?.type === 'text' && part.text);
  const recordingLines = () => lines.filter((line) => line.service === 'chat-recording');
  return { disk, fileSystem, store, service, textsOf, recordingLines };
}

describe('ChatRecordingService', () => {
  it.each([
    ['has no byte', ''],
    ['is junk', 'no line\n'],
    ['was torn in its first line', '{"seq":0,"ts":"2026'],
  ])('does not list a journal that %s, logs a warning, and refuses its id', async (_, content) => {
    const { disk, service, recordingLines } = await recordingWorld();
    const id = await service.createSession('m', 'p');
    await service.recordMessage(id, said('one'));
    await service.close();
    const file = disk.open('/sessions/unreadable.jsonl', 'create', 0o600);
    if (content !== '') file.write(Buffer.from(content));
    file.close();
    expect((await service.listSessions()).map(({ sessionId }) => sessionId)).toEqual([id]);
    expect(recordingLines()).toMatchObject([{ level: 'warn', operation: 'list', sessionId: 'unreadable' }]);
    await expect(service.getSession('unreadable')).rejects.toMatchObject({ code: 'JOURNAL_EMPTY' });
    expect(await service.getSession('missing')).toBeNull();
  });

  it.each(['write', 'dataSync'] as const)(
    'continues when a %s fails, logs it, and stores it with the next recording, once and in order',
    async (call) => {
      const { fileSystem, service, textsOf, recordingLines } = await recordingWorld();
      const id = await service.createSession('m', 'p');
      await service.recordMessage(id, said('one'));
      fileSystem.fail({ call, answer: call === 'write' ? 'ENOSPC' : 'EIO' });
      await service.recordMessage(id, said('two'));
      expect(recordingLines()).toMatchObject([
        {
          level: 'error',
          operation: 'record',
          sessionId: id,
          unstored: 1,
          action: expect.stringContaining('tried again'),
        },
      ]);
      await service.recordMessage(id, said('three'));
      expect(await textsOf(id)).toEqual(['one', 'two', 'three']);
      await service.close();
      expect(await textsOf(id)).toEqual(['one', 'two', 'three']);
    },
  );

  it('keeps the order of recordings, however many fail at the same time and how often', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ atOnce: fc.integer({ min: 1, max: 6 }), failures: fc.nat(4) }), { maxLength: 5 }),
        async (rounds) => {
          const { fileSystem, service, textsOf } = await recordingWorld();
          const id = await service.createSession('m', 'p');
          const handedIn: string[] = [];
          for (const { atOnce, failures } of rounds) {
            if (failures > 0) fileSystem.fail({ call: 'write', answer: 'ENOSPC', times: failures });
            const texts = Array.from({ length: atOnce }, (_, index) => `${handedIn.length + index}`);
            handedIn.push(...texts);
            await Promise.all(texts.map((text) => service.recordMessage(id, said(text))));
            expect(await textsOf(id)).toEqual(handedIn);
          }
          for (let tries = 0; tries < 30; tries++)
            if (
              await service.saveSession(id).then(
                () => true,
                () => false,
              )
            )
              break;
          await service.close();
          expect(await textsOf(id)).toEqual(handedIn);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('reports on saving and closing the waiting recordings, and stores them when the disk takes them again', async () => {
    const { fileSystem, service, textsOf } = await recordingWorld();
    const id = await service.createSession('m', 'p');
    fileSystem.fail({ call: 'write', answer: 'ENOSPC', times: 40 });
    await service.recordMessage(id, said('one'));
    await expect(service.saveSession(id)).rejects.toMatchObject({ exitCode: 9 });
    await expect(service.close()).rejects.toMatchObject({ exitCode: 9 });
    let isSaved = false;
    for (let attempt = 0; attempt < 40 && !isSaved; attempt++) {
      isSaved = await service.saveSession(id).then(
        () => true,
        () => false,
      );
    }
    expect(isSaved).toBe(true);
    expect(await textsOf(id)).toEqual(['one']);
    await service.close();
  });

  it('reports an unreadable session as such, lists the others, and creates new ones', async () => {
    const { disk, service, recordingLines } = await recordingWorld();
    const broken = await service.createSession('m', 'p');
    await service.close();
    const handle = disk.open(`/sessions/${broken}.jsonl`, 'append');
    handle.truncate(0);
    handle.close();
    await expect(service.recordMessage(broken, said('one'))).rejects.toMatchObject({ code: expect.any(String) });
    const id = await service.createSession('m', 'p');
    await service.recordMessage(id, said('one'));
    expect((await service.listSessions()).map(({ sessionId }) => sessionId)).toContain(id);
    expect(recordingLines().every(({ level, action }) => level === 'warn' && action !== undefined)).toBe(true);
    await service.close();
  });

  it('recovers from bytes that are not a line, with all whole lines', async () => {
    const { disk, service, textsOf } = await recordingWorld();
    const id = await service.createSession('m', 'p');
    await service.recordMessage(id, said('one'));
    await service.close();
    const handle = disk.open(`/sessions/${id}.jsonl`, 'append');
    handle.write(new TextEncoder().encode('{"seq":3,"ty'));
    handle.close();
    await service.recordMessage(id, said('two'));
    expect(await textsOf(id)).toEqual(['one', 'two']);
    await service.close();
  });
});

describe('ChatCompressionService', () => {
  const talk = Array.from({ length: 12 }, (_, index) =>
    said(`${index} ${'word '.repeat(60)}`, index % 2 ? 'assistant' : 'user'),
  );

  it('truncates if the model is not available, and logs that', async () => {
    const { lines, log } = keepingLog();
    const summaries = () => Promise.reject(new Error('connection refused'));
    const service = createChatCompressionService({ summaries, log });
    const result = await service.compress(talk, { strategy: 'hybrid', preserveRecentTokens: 100 });
    expect(result.strategy).toBe('truncate');
    expect(result.compressedTokenCount).toBeLessThan(result.originalTokenCount);
    expect(lines).toMatchObject([
      { level: 'error', service: 'chat-compression', operation: 'hybrid', action: 'It truncates instead.' },
    ]);
  });

  it('continues without compression if nothing helps', async () => {
    const { lines, log } = keepingLog();
    const summaries = async () => 'word '.repeat(5000);
    const service = createChatCompressionService({ summaries, log });
    const small = [said('one'), said('two')];
    const result = await service.compress(small, { strategy: 'summarize', preserveRecentTokens: 0 });
    expect(result.compressedTokenCount).toBeLessThanOrEqual(result.originalTokenCount);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]).toMatchObject({ service: 'chat-compression', operation: 'summarize' });
  });

  it.each([Number.NaN, 0, -1, 2])('uses the default threshold instead of the invalid %d', (threshold) => {
    const service = createChatCompressionService();
    expect(service.shouldCompress(talk, 100, threshold)).toBe(true);
    expect(service.shouldCompress(talk, 1_000_000, threshold)).toBe(false);
  });
});

describe('LoopDetectionService', () => {
  it('uses its defaults if the configuration is invalid', () => {
    const { lines, log } = keepingLog();
    const service = createLoopDetectionService({ repeatThreshold: -3, maxTurns: Number.NaN }, { log });
    for (let count = 0; count < 3; count++) service.recordToolCall('read', { path: 'a' });
    expect(service.checkForLoop()).toMatchObject({ type: 'repeated-tool', count: 3 });
    for (const line of lines)
      expect(line).toMatchObject({ level: 'warn', service: 'loop-detection', action: expect.any(String) });
    expect(lines).toHaveLength(2);
  });

  it('continues to watch after unusual arguments and outputs', () => {
    const { lines, log } = keepingLog();
    const service = createLoopDetectionService({}, { log });
    const circular: Record<string, unknown> = { big: 1n, none: undefined, run: () => 1 };
    circular.self = circular;
    expect(() => service.recordToolCall('strange', circular)).not.toThrow();
    expect(() => service.recordOutput('\ud800'.repeat(100_000))).not.toThrow();
    expect(lines).toMatchObject([{ level: 'warn', operation: 'record', tool: 'strange', action: expect.any(String) }]);
    service.reset();
    for (let count = 0; count < 3; count++) service.recordToolCall('read', { path: 'a' });
    expect(service.checkForLoop()?.type).toBe('repeated-tool');
  });
});

describe('ContextManager', () => {
  it('ignores invalid entries, and sorts by insertion if priorities are equal', () => {
    const { lines, log } = keepingLog();
    const manager = createContextManager({ log });
    manager.addContext('first', 'one', { priority: 5 });
    manager.addContext('', 'no key');
    manager.addContext('empty', '  ');
    manager.addContext('odd', 'text', { priority: Number.NaN });
    manager.addContext('second', 'two', { priority: 5 });
    expect(manager.getContext().map(({ key }) => key)).toEqual(['first', 'second']);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatchObject({ level: 'warn', service: 'context', operation: 'add' });
  });

  it('logs a failed append, and keeps the earlier entries', async () => {
    const { lines, log } = keepingLog();
    const clock = manualClock();
    const store = openMemoryStore({ clock, ids: systemIds, process: thisProcess('test'), log });
    const session = await createSession(
      store,
      { id: 'notes', created: { provider: 'p', model: 'm', ollm: '0' } },
      { log },
    );
    const manager = createContextManager({ session, clock, log });
    manager.addContext('kept', 'one');
    await manager.settled();
    await session.close('exit');
    manager.addContext('lost', 'two');
    await expect(manager.settled()).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' });
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { service: 'context', operation: 'context.added', sessionId: 'notes' },
    ]);
    expect(manager.getContext().map(({ key }) => key)).toEqual(['kept']);
  });
});

/** Root may enter every directory: then an ordinary user looks. */
async function asOrdinaryUser<Result>(look: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return look();
  process.seteuid?.(65_534);
  try {
    return await look();
  } finally {
    process.seteuid?.(0);
  }
}

describe('FileDiscoveryService', () => {
  it('skips directories that it may not enter, and counts them', async () => {
    using tree = createTree({ 'a.ts': '', 'closed/b.ts': '', 'open/c.ts': '' });
    const { lines, log } = keepingLog();
    const service = createFileDiscoveryService({ log });
    chmodSync(tree.root, 0o755);
    chmodSync(join(tree.root, 'closed'), 0o000);
    const found = await asOrdinaryUser(() => service.discoverAll({ root: tree.root }));
    chmodSync(join(tree.root, 'closed'), 0o700);
    service.dispose();
    const paths = found.map(({ relativePath }) => relativePath);
    expect(paths).toEqual(expect.arrayContaining(['a.ts', 'open/c.ts']));
    expect(paths).not.toContain('closed/b.ts');
    expect(lines).toMatchObject([{ level: 'warn', service: 'discovery', operation: 'discover', unreadable: 1 }]);
  });

  it('continues without an invalid pattern, under its built-in ones', async () => {
    using tree = createTree({ 'a.ts': '', 'node_modules/b.ts': '' });
    const { lines, log } = keepingLog();
    const service = createFileDiscoveryService({ log });
    const found = await service.discoverAll({ root: tree.root, excludePatterns: ['[z-', '{a'.repeat(50)] });
    service.dispose();
    expect(found.map(({ relativePath }) => relativePath)).toEqual(['a.ts']);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      service: 'discovery',
      root: tree.root,
      action: 'Correct the pattern.',
    });
  });

  it('breaks the circles of symbolic links', async () => {
    using tree = createTree({ 'in/a.ts': '' });
    mkdirSync(join(tree.root, 'in', 'deep'));
    symlinkSync(tree.root, join(tree.root, 'in', 'deep', 'up'));
    const service = createFileDiscoveryService();
    const found = await service.discoverAll({ root: tree.root, followSymlinks: true });
    service.dispose();
    expect(found.filter(({ relativePath }) => relativePath.endsWith('a.ts'))).toHaveLength(1);
  });
});

describe('EnvironmentSanitizationService', () => {
  const environment = { PATH: '/bin', HOME: '/home/me', EDITOR: 'vi', A_TOKEN: 'hidden-value' };

  it('lets only core variables through if a deny pattern is invalid', () => {
    const { lines, log } = keepingLog();
    const service = createEnvironmentSanitizationService({ config: { denyPatterns: ['[X'] }, log });
    expect(Object.keys(service.sanitize(environment))).toEqual(['PATH', 'HOME']);
    expect(lines[0]).toMatchObject({
      level: 'warn',
      service: 'environment',
      operation: 'configure',
      action: expect.any(String),
    });
    expect(JSON.stringify(lines)).not.toContain('hidden-value');
  });

  it.each<[string, unknown]>([
    ['no list', { allowList: 'PATH' }],
    ['a list of numbers', { denyPatterns: [1] }],
    ['a word', 'PATH'],
  ])('lets only core variables through if the configuration is %s', (_, config) => {
    const { lines, log } = keepingLog();
    const service = createEnvironmentSanitizationService({ config: config as never, log });
    expect(Object.keys(service.sanitize(environment))).toEqual(['PATH', 'HOME']);
    expect(lines[0]).toMatchObject({ level: 'warn', service: 'environment' });
  });
});
