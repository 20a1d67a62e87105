import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { codeHash, countStates, filesOf } from './tally.ts';

const ROOT = join(import.meta.dirname, '../..');

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ollm-tally-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a tally of crash states', () => {
  const count = (states: number) =>
    countStates({ file: join(directory, 'tally.json'), states, budgetMs: 1, onProgress: () => {} });

  it('continues after the previous run, with other seeds, until there are enough', async () => {
    const first = await count(1_000_000);
    const second = await count(1_000_000);
    expect(second.totals.crashStates).toBeGreaterThan(first.totals.crashStates);
    expect(new Set(second.parts.map(({ seeds }) => seeds.first)).size).toBe(2);
    expect(await count(second.totals.crashStates)).toEqual(second);
  });

  it('does not count states of different code', async () => {
    writeFileSync(join(directory, 'tally.json'), JSON.stringify({ code: 'of yesterday', runs: [] }));
    await expect(count(1)).rejects.toThrow('was taken of other code');
  });

  it('belongs only to the files that its schedules load', () => {
    const files = filesOf(join(import.meta.dirname, 'schedule-part.ts')).map((file) => relative(ROOT, file));
    const loaded = ['lib/journal/writing/appender.ts', 'lib/journal/line/checksum.ts', 'lib/session/open.ts'];
    expect(files).toEqual(expect.arrayContaining([...loaded, '__tests__/lab/world.ts']));
    expect(files.filter((file) => /^lib\/(repl|cli|providers|tools)\//.test(file))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it('restarts after a change of a loaded file, and continues after any other change', () => {
    const write = (name: string, text: string) => writeFileSync(join(directory, name), text);
    mkdirSync(join(directory, 'deep'));
    write('program.ts', "import { a } from './a.ts';\nimport type { T } from './types.ts';\nexport const b = a;\n");
    write('a.ts', "export {\n  a,\n} from './deep/b.ts';\nawait import('./later.ts');\n");
    write('deep/b.ts', "import '../program.ts';\nexport const a = 1;\n");
    for (const name of ['later.ts', 'types.ts', 'other.ts']) write(name, '');
    const hash = () => codeHash(join(directory, 'program.ts'), directory);
    let before = hash();
    for (const name of ['program.ts', 'a.ts', 'deep/b.ts', 'later.ts']) {
      appendFileSync(join(directory, name), '// changed\n');
      expect(hash()).not.toBe(before);
      before = hash();
    }
    for (const name of ['types.ts', 'other.ts']) appendFileSync(join(directory, name), '// changed\n');
    expect(hash()).toBe(before);
  });
});
