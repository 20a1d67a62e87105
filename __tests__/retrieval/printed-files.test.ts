import { printedFiles } from '../../lib/retrieval/printed-files.ts';

const printed = (line: string) => printedFiles(`bash › command: ${line}`, '/home/ada');

describe('the files that a shell line prints', () => {
  it('are the words after a printing program, relative to its directory', () => {
    expect(printed('cat lib/a.ts')).toEqual(['/home/ada/lib/a.ts']);
    expect(printed("cd lib && sed -n '1,60p' a.ts")).toContain('/home/ada/lib/a.ts');
    expect(printed('bash -lc cat "a b.ts" c.ts')).toContain('/home/ada/c.ts');
    expect(printed('head -n 5 /tmp/x description: Show it')).toContain('/tmp/x');
  });

  it('are none if the line does more, or its end is not known', () => {
    for (const line of ['npm run build', 'cat a.ts | sort', 'cat a.ts; make', 'cat $(ls)', 'echo cat a.ts', 'cat <a'])
      expect(printed(line)).toEqual([]);
    expect(printed(`cat a.ts ${'b.ts '.repeat(40)}`)).toEqual([]);
    expect(printedFiles('docs › cat lib/a.ts', '/home/ada')).toEqual([]);
  });
});
