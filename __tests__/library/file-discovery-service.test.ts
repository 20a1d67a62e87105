import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createFileDiscoveryService,
  type Disposable,
  type FileDiscoveryService,
  type FileEntry,
  type Log,
  type LogFields,
  silentLog,
} from '../../lib/index.ts';
import { createTree } from '../support/tree.ts';

function opened(settings: Parameters<typeof createFileDiscoveryService>[0] = {}) {
  const service = createFileDiscoveryService(settings);
  return { ...service, [Symbol.dispose]: service.dispose };
}

describe('FileDiscoveryService', () => {
  test('has the methods of the design', () => {
    const service: FileDiscoveryService & Disposable = createFileDiscoveryService();
    expect(Object.keys(service).sort()).toEqual([
      'discover',
      'discoverAll',
      'dispose',
      'loadIgnorePatterns',
      'shouldIgnore',
      'watchChanges',
    ]);
  });

  test('discover and discoverAll find the same entries', async () => {
    using tree = createTree({ '.gitignore': '*.log\n', 'lib/a.ts': '123', 'b.log': '', 'dist/c.js': '' });
    using service = opened();
    const streamed: FileEntry[] = [];
    for await (const entry of service.discover(tree)) streamed.push(entry);
    expect(streamed.map(({ relativePath }) => relativePath).sort()).toEqual(['.gitignore', 'lib', 'lib/a.ts']);
    expect(await service.discoverAll(tree)).toEqual(
      streamed.sort((a, b) => (a.relativePath < b.relativePath ? -1 : 1)),
    );
  });

  test('uses the settings of the service unless a call has its own', async () => {
    using tree = createTree({ 'a/b/c.ts': '', 'target/x.ts': '', 'dist/y.ts': '' });
    using service = opened({ maxDepth: 1, builtinIgnores: ['target'] });
    const names = async (options: object) =>
      (await service.discoverAll({ root: tree.root, includePatterns: ['*.ts'], ...options })).map(
        ({ relativePath }) => relativePath,
      );
    expect(await names({})).toEqual(['dist/y.ts']);
    expect(await names({ maxDepth: 5 })).toEqual(['a/b/c.ts', 'dist/y.ts']);
  });

  test('logs an unusable pattern as a warning, with a hint', async () => {
    using tree = createTree({ 'a.ts': '' });
    const logged: LogFields[] = [];
    const log: Log = { ...silentLog, warn: (fields) => logged.push(fields) };
    using service = opened({ log });
    expect(await service.discoverAll({ root: tree.root, includePatterns: ['[a'] })).toHaveLength(1);
    expect(logged).toMatchObject([{ service: 'discovery', operation: 'discover', action: 'Correct the pattern.' }]);
  });

  test('ends its watches when it is closed', async () => {
    using tree = createTree({ 'a.ts': '' });
    const files = createFileDiscoveryService();
    const told: string[] = [];
    const watch = files.watchChanges(tree.root, (event) => told.push(event));
    await watch.ready;
    files.dispose();
    tree.write({ 'b.ts': '' });
    await pause(300);
    expect(told).toEqual([]);
  });

  test('reports absolute paths from watchChanges, under the same rules, until it is disposed of', async () => {
    using tree = createTree({ '.gitignore': '*.log\n' });
    using service = opened();
    const told: string[] = [];
    const watch = service.watchChanges(tree.root, (event, path) => told.push(`${event} ${path}`));
    for (let attempt = 0; attempt < 500 && told.length === 0; attempt++) {
      tree.write({ 'b.log': '', [`try-${attempt}`]: '' });
      await pause(10);
    }
    expect(told[0]).toMatch(`add ${join(tree.root, 'try-')}`);
    expect(told.filter((line) => line.includes('.log'))).toEqual([]);
    watch.dispose();
  });

  test('has consistent results of loadIgnorePatterns and shouldIgnore', async () => {
    using tree = createTree({ '.gitignore': '*.log\n' });
    using service = opened();
    const patterns = await service.loadIgnorePatterns(tree.root);
    expect(['a.log', 'node_modules/', 'a.ts'].map((path) => service.shouldIgnore(path, patterns))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
