import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { programProblem } from '../../../lib/app/start/program-problem.ts';
import { nodeFileSystem, thisProcess } from '../../../lib/platform/index.ts';
import { createTree } from '../../support/tree.ts';

const problemOf = (...words: string[]) =>
  programProblem({ fileSystem: nodeFileSystem, process: thisProcess('test') }, words);

describe('a program that ollm starts for the user', () => {
  it.each<[string, number, string]>([
    ['its file', 0o777, 'bin/hook'],
    ['its file, by its group', 0o775, 'bin/hook'],
    ['its directory', 0o777, 'bin'],
    ['a directory above it', 0o777, ''],
  ])('is reported if other users can write %s', (_, mode, changed) => {
    using tree = createTree({ 'bin/hook': '' });
    const place = (path: string) => (path === '' ? tree.root : join(tree.root, path));
    chmodSync(tree.root, 0o755);
    chmodSync(place('bin'), 0o755);
    chmodSync(place('bin/hook'), 0o755);
    symlinkSync(place('bin/hook'), place('link'));
    for (const words of [[place('bin/hook')], [place('link')], ['/bin/sh', place('bin/hook')]]) {
      expect(problemOf(...words)).toBeUndefined();
    }
    chmodSync(place(changed), mode);
    for (const words of [[place('bin/hook')], [place('link')], ['/bin/sh', place('bin/hook')]]) {
      expect(problemOf(...words)).toEqual({
        text: `${place(changed)} can be written by other users: they decide what is run for you.`,
        remedy: `Run "chmod go-w ${place(changed)}".`,
      });
    }
  });

  it('is not searched among arguments that are not files', () => {
    expect(problemOf('/bin/sh', '/missing', '--all', 'x')).toBeUndefined();
  });
});
