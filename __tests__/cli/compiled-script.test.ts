// Compiled code that is kept by the command, next to Node's own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { doorsTo, setApart } from '../../.ci/called-later.ts';

const MODULE = new URL('../../lib/cli/compiled-script.ts', import.meta.url).href;
const DAY_MS = 24 * 60 * 60 * 1_000;

it('a call, and names in brackets, are no part of the function before them, and are there from the start', () => {
  const first = 'known.push(1);\nvar [ONE, TWO] = [1, 2];\n';
  const later = 'function later() {\n  return `\nno.statement();\n`;\n}\n';
  const { body, middle } = setApart(`// lib/later.ts\n${later}${first}`, [], (module) => module === 'lib/later.ts');
  expect([body.slice(0, middle), body.slice(middle)]).toEqual([
    `\n// lib/later.ts\n${first}`,
    `\n// lib/later.ts\n${later}`,
  ]);
});

describe('the compiled code of scripts', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'compiled-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is removed after 30 days when other code is kept, and errors name the line of the part', () => {
    const head = "import { six } from './six.js';\n";
    const both = `// lib/later.ts
var NOTHING = /x/;
function later() {
  return NOTHING.test(six) ? [] : new Error().stack.split(/\\s+at /).slice(1, 2);
}

// lib/first.ts
function answer() {
  return [six * 7, ...later()];
}
`;
    const { body, middle, doors } = setApart(both, ['answer'], (module) => module === 'lib/later.ts');
    expect([body.slice(middle), doors]).toEqual([`\n${both.slice(0, both.indexOf('// lib/first'))}`, ['later']]);
    const file = join(directory, 'part.js');
    writeFileSync(file, `${head}${body}export { answer as reply };\n`);
    const added = ['(function (six) {\n', doorsTo(doors), `return [${doors}]; } return [answer]; })`];
    const place = { file, from: head.length, middle: head.length + middle, to: head.length + body.length, added };
    const run = (digest: string, ...words: string[]) => {
      const part = { ...place, line: 1, digest, commands: 'show list', taken: [6] };
      const code = `const { runScript } = await import('${MODULE}');
        const [reply] = runScript(${JSON.stringify(part)});
        console.log(...reply());`;
      const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'cache') };
      const args = [
        '--no-warnings',
        '--input-type=module',
        '-e',
        code,
        'main',
        ...(words.length > 0 ? words : ['list']),
      ];
      const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual([`42 later (${file}:11:35)\n`, '']);
      return readdirSync(cache()).filter((name) => name.includes('-') || name === 'other');
    };
    const cache = () => {
      const [name] = readdirSync(join(directory, 'cache'));
      return join(directory, 'cache', name!);
    };
    const age = (name: string, days: number) => {
      const at = new Date(Date.now() - days * DAY_MS);
      utimesSync(join(cache(), name), at, at);
    };
    const names = ['1', '2', '3'].map((digit) => digit.repeat(16));
    expect(run(names[0]!)).toEqual([`${names[0]}-list`]);
    expect(run(names[1]!)).toHaveLength(2);
    for (const typed of ['lsit', 'sohw', '']) expect(run(names[1]!, typed)).toContain(`${names[1]}-other`);
    rmSync(join(cache(), `${names[1]}-other`));
    // The help on a command does not keep its code: the command would find nothing that it calls.
    expect(run(names[1]!, 'list', '--help')).toContain(`${names[1]}-help`);
    rmSync(join(cache(), `${names[1]}-help`));
    expect(run(names[1]!)).toHaveLength(2);
    // Left by a run that was killed, and a file of Node.
    for (const left of [`${names[0]}-list.4711`, 'other']) {
      writeFileSync(join(cache(), left), '');
      age(left, 31);
    }
    age(`${names[0]}-list`, 31);
    age(`${names[1]}-list`, 29);
    // Code that is used is not written again, so that nothing is removed.
    expect(run(names[1]!)).toHaveLength(4);
    expect(run(names[2]!).sort()).toEqual([`${names[1]}-list`, `${names[2]}-list`, 'other']);
  });

  it('is kept of as many parts as a start has, without a warning', () => {
    const file = join(directory, 'part.js');
    writeFileSync(file, 'const one = 1;\n');
    const code = `const { runScript } = await import('${MODULE}');
      const place = { file: ${JSON.stringify(file)}, from: 0, middle: 15, to: 15, line: 1, commands: 'list' };
      const part = { ...place, added: ['(function () {', '', 'return [one]; })'], taken: [] };
      for (let each = 10; each < 30; each += 1) runScript({ ...part, digest: String(each).repeat(8) });`;
    const env = { ...process.env, NODE_OPTIONS: '', NODE_COMPILE_CACHE: join(directory, 'cache') };
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code, 'main', 'list'];
    expect(spawnSync(process.execPath, args, { env, encoding: 'utf8' }).stderr).toBe('');
    const [name] = readdirSync(join(directory, 'cache'));
    const kept = readdirSync(join(directory, 'cache', name!)).filter((each) => each.endsWith('-list'));
    expect(kept).toHaveLength(20);
  });
});
