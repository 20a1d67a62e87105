// Finding a project's files under nested ignore rules, against git itself and the packages that JavaScript programs use.
// Each side gives the same files. ollm also tells size and time of each, as do those that can; those that do not read
// .gitignore are handed the patterns, which spares them work.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDiscoveryCache, discoverAll } from '../../lib/discovery/index.ts';
import type { Case } from '../bench.ts';
import { measure, type Reference, seconds } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';

type Glob = (pattern: string, options: object) => Promise<unknown[]>;

const FILES_PER_DIRECTORY = 20;
const IGNORED = ['**/dist/**', '**/*.log', '**/node_modules/**'];

export const run: Case = async function* ({ quick, pairs, directory, progress }) {
  for (const count of quick ? [10_000] : [10_000, 100_000]) {
    progress(`making ${count} files`);
    const root = join(directory, `tree-${count}`);
    const listed = makeTree(root, count);
    const what = `discovery of ${count.toLocaleString('en')} files`;
    const time = async (find: () => Promise<number> | number) => {
      let found = 0;
      const taken = await seconds(async () => {
        found = await find();
      });
      if (found !== listed) throw new Error(`${found} files found of ${listed}`);
      return taken * 1000;
    };

    const against: Reference[] = [
      {
        name: 'git ls-files -co --exclude-standard',
        run: () => time(() => lineCount(root, 'git', ['ls-files', '-co', '--exclude-standard'])),
      },
    ];
    if (spawnSync('rg', ['--version']).status === 0) {
      const run = () => time(() => lineCount(root, 'rg', ['--files', '--hidden', '--glob', '!.git']));
      against.push({ name: 'rg --files', goal: { atMost: 3 }, run });
    } else yield { kind: 'skipped', what: `${what} against ripgrep`, reason: 'rg is not installed' };

    const globby = (await loadPeer<{ globby: Glob }>('globby'))?.globby;
    const fastGlob = (await loadPeer<{ default: Glob }>('fast-glob'))?.default;
    const tinyglobby = (await loadPeer<{ glob: Glob }>('tinyglobby'))?.glob;
    const peers: readonly (readonly [string, Glob | undefined, object])[] = [
      ['globby, gitignore, stats', globby, { gitignore: true, ignore: ['.git'], stats: true }],
      ['fast-glob, patterns given, stats', fastGlob, { ignore: ['.git', ...IGNORED], stats: true }],
      [
        'tinyglobby, patterns given, names alone',
        tinyglobby,
        { ignore: ['.git', ...IGNORED], expandDirectories: false },
      ],
    ];
    for (const [name, glob, options] of peers) {
      if (!glob) yield missingPeer(`${what} against ${name}`, name.split(',')[0]!);
      else {
        const run = () => time(async () => (await glob('**', { cwd: root, dot: true, ...options })).length);
        against.push({ name, goal: { atMost: 1 }, run });
      }
    }

    progress(`${count} files`);
    const subject = () =>
      time(async () => {
        const entries = await discoverAll({ root });
        return entries.filter(({ type }) => type === 'file').length;
      });
    yield* await measure({ what, unit: 'ms', subject, against }, pairs);

    const cache = createDiscoveryCache();
    const again = () =>
      time(async () => (await cache.discoverAll({ root })).filter(({ type }) => type === 'file').length);
    await again();
    const second = { what: `${what}, a second time`, unit: 'ms', subject: again };
    yield* await measure({ ...second, against: [{ name: 'the first', goal: { atMost: 0.1 }, run: subject }] }, pairs);
    await cache.dispose();
  }
};

/** A repository of `count` files, some of them ignored by rules in two depths. Returns how many are not. */
function makeTree(root: string, count: number): number {
  let made = 0;
  let ignored = 0;
  for (let number = 0; made < count; number++) {
    const path = join(root, `part-${number % 20}`, `module-${number}`);
    mkdirSync(join(path, 'dist'), { recursive: true });
    for (let file = 0; file < FILES_PER_DIRECTORY; file++, made++) {
      const isLog = file % 10 === 9;
      const isBuilt = file % 10 === 8;
      if (isLog || isBuilt) ignored++;
      writeFileSync(join(path, isBuilt ? 'dist' : '', `file-${file}.${isLog ? 'log' : 'ts'}`), 'x\n');
    }
    if (number % 10 === 0) {
      writeFileSync(join(path, '.gitignore'), '*.log\n');
      made++;
    }
  }
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.log\nnode_modules/\n');
  execFileSync('git', ['init', '-q', root]);
  return made + 1 - ignored;
}

function lineCount(cwd: string, command: string, options: readonly string[]): number {
  const output = execFileSync(command, options, { cwd, maxBuffer: 2 ** 28 });
  let lines = 0;
  for (const byte of output) if (byte === 0x0a) lines++;
  return lines;
}
