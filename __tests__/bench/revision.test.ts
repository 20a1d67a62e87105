// Which code was measured, as git knows it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionOf } from '../../bench/revision.ts';

describe('the revision of a directory', () => {
  const root = mkdtempSync(join(tmpdir(), 'ollm-revision-'));
  afterAll(() => rmSync(root, { recursive: true }));

  function git(...args: string[]): string {
    const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' }).trim();
  }

  it('is not known where no repository has its root', () => {
    expect(revisionOf(root)).toBeUndefined();
  });

  it('is its commit, and whether anything but pages differs from it', () => {
    git('init', '-q');
    writeFileSync(join(root, 'code.ts'), '1');
    git('add', '.');
    git('commit', '-qm', 'First');
    const commit = git('rev-parse', 'HEAD');
    expect(revisionOf(root)).toEqual({ commit, isClean: true });

    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/performance.md'), 'a table');
    expect(revisionOf(root)).toEqual({ commit, isClean: true });

    writeFileSync(join(root, 'code.ts'), '2');
    expect(revisionOf(root)).toEqual({ commit, isClean: false });
  });
});
