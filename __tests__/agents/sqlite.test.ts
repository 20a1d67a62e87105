import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../lib/agents/sqlite.ts';
import { nodeFileSystem } from '../../lib/platform/index.ts';
import { createTree } from '../support/tree.ts';

const files = { fileSystem: nodeFileSystem, uid: process.getuid?.() };
const COLUMNS = { talk: ['id', 'text', 'absent'], missing: ['id'] };
const ALL = 'SELECT id, text FROM talk ORDER BY id';

/** The content of the directory, byte for byte, but for what SQLite keeps for the processes that share a database. */
function listing(root: string) {
  return readdirSync(root).map((name) => [name, name.endsWith('-shm') ? '' : readFileSync(join(root, name), 'hex')]);
}

function made(root: string, mode: 'wal' | 'delete' = 'wal'): { path: string; owner: DatabaseSync } {
  const path = join(root, 'a talk?.db');
  const owner = new DatabaseSync(path);
  owner.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE talk(id INTEGER PRIMARY KEY, text TEXT, secret TEXT)`);
  owner.exec("INSERT INTO talk VALUES (1, 'one', 'key'), (2, 'two', 'key')");
  return { path, owner };
}

/** A process that had the database open, and was killed. */
async function killed(root: string): Promise<string> {
  const path = join(root, 'talk.db');
  const program = `
    const { DatabaseSync } = require('node:sqlite');
    const owner = new DatabaseSync(${JSON.stringify(path)});
    owner.exec("PRAGMA journal_mode = WAL; CREATE TABLE talk(id INTEGER PRIMARY KEY, text TEXT)");
    owner.exec("INSERT INTO talk VALUES (1, 'one')");
    console.log('ready');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--no-warnings', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return path;
}

function textsIn(path: string): unknown[] {
  const database = openDatabase(files, path, COLUMNS);
  try {
    return database.all(ALL).map(({ text }) => text);
  } finally {
    database.close();
  }
}

describe('a database of a foreign program', () => {
  it('is read while its owner continues writing, with the new rows', () => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    const before = listing(tree.root);
    const database = openDatabase(files, path, COLUMNS);
    expect(database.all(ALL)).toEqual([
      { id: 1, text: 'one' },
      { id: 2, text: 'two' },
    ]);
    expect(listing(tree.root)).toEqual(before);
    owner.exec("INSERT INTO talk VALUES (3, 'three', '')");
    expect(database.all(`${ALL} LIMIT ?`, 10)).toHaveLength(3);
    owner.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(database.all(ALL)).toHaveLength(3);
    database.close();
    owner.close();
    expect(readdirSync(tree.root)).toEqual(['a talk?.db']);
  });

  it('is read after its owner was killed', async () => {
    using tree = createTree();
    const path = await killed(tree.root);
    const before = listing(tree.root);
    expect(before.map(([name]) => name)).toEqual(['talk.db', 'talk.db-shm', 'talk.db-wal']);
    expect(textsIn(path)).toEqual(['one']);
    expect(listing(tree.root)).toEqual(before);
  });

  it('is read from a copy if only its log was left', async () => {
    using tree = createTree();
    const path = await killed(tree.root);
    unlinkSync(`${path}-shm`);
    const before = listing(tree.root);
    expect(textsIn(path)).toEqual(['one']);
    expect(listing(tree.root)).toEqual(before);
  });

  it.each(['wal', 'delete'] as const)('is read if no process has it open, in mode %s', (mode) => {
    using tree = createTree();
    const { path, owner } = made(tree.root, mode);
    owner.close();
    const before = listing(tree.root);
    expect(textsIn(path)).toEqual(['one', 'two']);
    expect(listing(tree.root)).toEqual(before);
  });

  it('returns no rows that were read while its owner began to write', () => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    owner.close();
    const database = openDatabase(files, path, COLUMNS);
    const again = new DatabaseSync(path);
    again.exec("INSERT INTO talk VALUES (3, 'three', '')");
    expect(() => database.all(ALL)).toThrow(/was written while it was read/);
    database.close();
    again.close();
    expect(textsIn(path)).toEqual(['one', 'two', 'three']);
  });

  it('has its columns listed by version', () => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    const database = openDatabase(files, path, COLUMNS);
    expect([
      database.has('talk', 'text'),
      database.has('talk', 'absent'),
      database.has('talk', 'secret'),
      database.has('missing', 'id'),
    ]).toEqual([true, false, false, false]);
    database.close();
    owner.close();
  });

  it('returns numbers that JSON cannot represent, bytes and nulls as JSON', () => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    owner.exec("DELETE FROM talk; INSERT INTO talk VALUES (9223372036854775807, x'00ff', NULL), (3, NULL, NULL)");
    const database = openDatabase(files, path, COLUMNS);
    expect(database.all(ALL)).toEqual([
      { id: 3, text: null },
      { id: 2 ** 63, text: 'AP8=' },
    ]);
    database.close();
    owner.close();
  });

  it.each([
    'SELECT secret FROM talk',
    'SELECT * FROM talk',
    'SELECT name FROM sqlite_schema',
    'SELECT upper(text) FROM talk',
    "SELECT load_extension('x')",
    'DELETE FROM talk',
    'PRAGMA user_version',
    "ATTACH '/tmp/other.db' AS other",
    'CREATE TEMP TABLE t(a)',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n',
  ])('refuses the statement “%s”', (sql) => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    const database = openDatabase(files, path, COLUMNS);
    expect(() => database.all(sql)).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
    database.close();
    owner.close();
  });

  it.each<[string, string]>([
    [
      'a view without an end in the place of a table',
      `CREATE VIEW talk AS WITH RECURSIVE n(id, text) AS (SELECT 1, 'x' UNION ALL SELECT id + 1, text FROM n)
       SELECT id, text FROM n`,
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE talk USING fts5(id, text)'],
    [
      'a computed column',
      'CREATE TABLE talk(id INTEGER PRIMARY KEY, text TEXT GENERATED ALWAYS AS (hex(zeroblob(id))) VIRTUAL)',
    ],
  ])('is not read: %s', (_, sql) => {
    using tree = createTree();
    const path = join(tree.root, 'hostile.db');
    const owner = new DatabaseSync(path);
    owner.exec(sql);
    owner.close();
    expect(() => textsIn(path)).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
  });

  it('is refused if it is a link, a file of a different user, one in a write, or not a database', () => {
    using tree = createTree();
    const { path, owner } = made(tree.root);
    owner.close();
    const refusedAs = (words: RegExp, change: () => void) => {
      change();
      expect(() => textsIn(path)).toThrow(expect.objectContaining({ code: 'IO_FAILED' }));
      expect(() => textsIn(path)).toThrow(words);
    };
    expect(() => openDatabase({ ...files, uid: (files.uid ?? 0) + 1 }, path, COLUMNS)).toThrow(/another user/);
    refusedAs(/in the middle of a write/, () => writeFileSync(`${path}-journal`, 'x'));
    unlinkSync(`${path}-journal`);
    refusedAs(/is a link/, () => {
      renameSync(path, `${path}.moved`);
      symlinkSync(`${path}.moved`, path);
    });
    unlinkSync(path);
    refusedAs(/cannot be read/, () =>
      writeFileSync(path, 'not a database, but long enough to be taken for one'.repeat(50)),
    );
    unlinkSync(path);
    expect(() => textsIn(path)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
  });
});
