import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../../support/cli.ts';

const TEXT = ['export const LIMIT = 20;', 'export const MAXIMUM_LIMIT = 500;', ''].join('\n');

let home: Home;
beforeAll(async () => {
  home = createHome();
  mkdirSync(join(home.path, 'src'));
  writeFileSync(join(home.path, 'src/limit.ts'), `${TEXT}// see the ticket\n`);
  git('init', '-q');
  git('add', 'src');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'A limit');
  const args = { path: join(home.path, 'src/limit.ts'), content: TEXT };
  const result = { llmContent: 'done' };
  await home.append('oak', [
    { type: 'tool.requested', data: { callId: 'c-1', name: 'file_write', args } },
    { type: 'tool.finished', data: { callId: 'c-1', status: 'ok', result, durationMs: 1, trusted: false } },
  ]);
});
afterAll(() => home[Symbol.dispose]());

function git(...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: home.path };
  return execFileSync('git', args, { cwd: home.path, env, encoding: 'utf8', stdio: 'pipe' });
}

it('ollm blame --porcelain has the form of git: the members of each line, in their order, and its text', async () => {
  const { stdout } = await home.run(['blame', 'src/limit.ts', '--porcelain']);
  const ofGit = git('blame', '--line-porcelain', 'src/limit.ts');
  const formOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .filter((row) => row !== 'boundary')
      .map((row) => (row.startsWith('\t') ? row : row.replace(/^([0-9a-f]{40} \d+ \d+).*/, '$1').split(' ', 1)[0]));
  expect(formOf(stdout)).toEqual(formOf(ofGit));
  expect(stdout).toMatch(/^author-mail <ollm:oak#\d+>$/m);
  expect(stdout).toContain('\nfilename src/limit.ts\n');
  expect(stdout).toContain('author Not known\nauthor-mail <>');
});

it('ollm blame refuses an unknown program name, and lists the known ones', async () => {
  const { exitCode, stderr } = await home.run(['blame', 'src/limit.ts', '--agent', 'nobody']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('“nobody” is not an agent');
});
