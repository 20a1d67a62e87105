import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../lib/platform/processes/find-program.ts';
import { StartFailure } from '../../../lib/platform/processes/start-failure.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ollm-child-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function program(folder: string, name: string, mode = 0o755): string {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, name), '#!/bin/sh\n');
  chmodSync(join(root, folder, name), mode);
  return join(root, folder, name);
}

describe('a program is found', () => {
  test('by its name in the first directory of PATH that has it', () => {
    program('b', 'tool');
    const first = program('a', 'tool');
    expect(findProgram('tool', { path: `/none:${root}/a:${root}/b`, cwd: root })).toBe(first);
  });

  test('after one that may not be executed, and after a directory with its name', () => {
    program('a', 'tool', 0o644);
    mkdirSync(join(root, 'b', 'tool'), { recursive: true });
    const runnable = program('c', 'tool');
    expect(findProgram('tool', { path: `${root}/a:${root}/b:${root}/c`, cwd: root })).toBe(runnable);
    expect(() => findProgram('tool', { path: `${root}/b:${root}/a`, cwd: root })).toThrow(
      `${root}/b/tool cannot be started: it is a directory.`,
    );
  });

  // Root may look into every directory.
  (process.getuid?.() === 0 ? test.skip : test)('after a directory that may not be entered, as a shell does', () => {
    program('closed', 'tool');
    const runnable = program('open', 'tool');
    chmodSync(join(root, 'closed'), 0o600);
    try {
      const path = `${root}/closed:${root}/open`;
      expect(findProgram('tool', { path, cwd: root })).toBe(runnable);
      expect(() => findProgram('other', { path, cwd: root })).toThrow('There is no program other in the directories');
      expect(() => findProgram('./closed/tool', { path, cwd: root })).toThrow('may not be looked into');
    } finally {
      chmodSync(join(root, 'closed'), 0o700);
    }
  });

  test.each(['', '.', './', 'a', '../a', ':', '~/a'])('never by the relative entry %j', (entry) => {
    program('.', 'tool');
    program('a', 'tool');
    expect(() => findProgram('tool', { path: entry ? `${entry}:/none` : '/none:', cwd: root })).toThrow(StartFailure);
  });

  test('never by its name in an untrusted directory', () => {
    program('project/bin', 'tool');
    const options = { path: `${root}/project/bin`, cwd: root, untrusted: [join(root, 'project')] };
    expect(() => findProgram('tool', options)).toThrow(StartFailure);
    expect(findProgram('tool', { ...options, untrusted: [join(root, 'pro')] })).toBe(`${root}/project/bin/tool`);
    symlinkSync('project', join(root, 'link'));
    expect(() => findProgram('tool', { ...options, untrusted: [join(root, 'link')] })).toThrow(StartFailure);
    expect(() => findProgram('tool', { ...options, path: `${root}/link/bin` })).toThrow(StartFailure);
  });

  test('by a path, also a relative one', () => {
    const tool = program('a', 'tool');
    const options = { path: undefined, cwd: join(root, 'a'), untrusted: [root] };
    expect([findProgram('./tool', options), findProgram(tool, options), findProgram('../a/tool', options)]).toEqual([
      tool,
      tool,
      tool,
    ]);
  });

  test('and not by an invalid name', () => {
    for (const name of ['', 'a\0b', '/', 'no/such', '.', '..']) {
      expect(() => findProgram(name, { path: '/usr/bin', cwd: root })).toThrow(StartFailure);
    }
  });

  test('through a link, under the name of the link, because some programs depend on it', () => {
    program('a', 'many');
    symlinkSync('many', join(root, 'a', 'one'));
    expect(findProgram('one', { path: join(root, 'a'), cwd: root })).toBe(join(root, 'a', 'one'));
  });
});
