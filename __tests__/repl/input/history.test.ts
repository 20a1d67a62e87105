import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nodeFileSystem } from '../../../lib/platform/files/node-file-system.ts';
import { createHistory } from '../../../lib/repl/input/history.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ollm-history-'));
  path = join(folder, 'repl-history');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const history = () => createHistory(nodeFileSystem, path);

describe('the history of the REPL', () => {
  it('is available in the next run, newest first, with messages of several lines whole', () => {
    const first = history();
    for (const entry of ['one', 'two\nlines', 'naïve 日本']) first.add(entry);
    expect(history().load()).toEqual(['naïve 日本', 'two\nlines', 'one']);
  });

  it('does not keep lines that start with a space', () => {
    history().add(' export TOKEN=secret');
    expect(history().load()).toEqual([]);
  });

  it('stores nothing while an encrypted session is open', () => {
    let isPaused = true;
    const paused = createHistory(nodeFileSystem, path, undefined, { isPaused: () => isPaused });
    paused.add('the plan');
    isPaused = false;
    paused.add('hello');
    expect(history().load()).toEqual(['hello']);
  });

  it('stores consecutive equal lines once', () => {
    const one = history();
    one.add('again');
    one.add('again');
    expect(history().load()).toEqual(['again']);
  });

  it('is readable only by its owner', () => {
    history().add('one');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('skips lines that are not entries', () => {
    writeFileSync(path, '"one"\nnot json\n{"a":1}\n"two"\n"torn');
    expect(history().load()).toEqual(['two', 'one']);
  });

  it('follows no link, and works without a file that cannot be opened', () => {
    const target = join(folder, 'target');
    writeFileSync(target, '');
    symlinkSync(target, path);
    history().add('one');
    expect(readFileSync(target, 'utf8')).toBe('');
    expect(history().load()).toEqual([]);
  });

  it('stays bounded', () => {
    const one = history();
    const entry = 'x'.repeat(9000);
    for (let index = 0; index < 300; index++) one.add(`${index} ${entry}`);
    expect(statSync(path).size).toBeLessThan(1_200_000);
    expect(history().load()[0]).toBe(`299 ${entry}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('loses nothing when two REPLs append at the same time', async () => {
    const script = `
      const { nodeFileSystem } = await import(${JSON.stringify(resolve('lib/platform/files/node-file-system.ts'))});
      const { createHistory } = await import(${JSON.stringify(resolve('lib/repl/input/history.ts'))});
      const history = createHistory(nodeFileSystem, process.argv[1]);
      for (let index = 0; index < 200; index++) history.add(process.argv[2] + index);`;
    const { spawn } = await import('node:child_process');
    const run = (name: string) =>
      new Promise((done) =>
        spawn(process.execPath, ['--input-type=module', '-e', script, path, name]).on('exit', done),
      );
    expect(await Promise.all([run('a'), run('b')])).toEqual([0, 0]);
    const entries = history().load();
    for (const name of ['a', 'b']) {
      const own = entries.filter((entry) => entry.startsWith(name)).reverse();
      expect(own).toEqual(Array.from({ length: 200 }, (_, index) => `${name}${index}`));
    }
  });
});
