// Finding a project's files under nested ignore rules, against git, ripgrep, and the packages that JavaScript programs use.
// Every side finds the same files in the same tree, or the case fails; what each does for it differs, and its name says so.
// git, ripgrep and globby read all ignore files themselves. fast-glob and tinyglobby read none: they are handed three patterns
// that come to the same in this tree, which spares them reading and comparing. Names are one contest; names with size and time,
// for which each file is looked at, another; whole processes, with what it takes to start them, the third.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { discover, discoverAll } from '../../lib/discovery/index.ts';
import type { Case } from '../bench.ts';
import { emptyNode } from '../empty-node.ts';
import { makeTree } from '../file-tree.ts';
import { measure, type Reference, type Row, seconds, type Timed } from '../measure.ts';
import { loadPeer, missingPeer } from '../peers.ts';
import { buildProgram } from '../program.ts';

type Glob = (pattern: string, options: object) => Promise<unknown[]>;

const LINE_FEED = 0x0a;
const IGNORED = ['**/dist/**', '**/*.log', '**/node_modules/**'];
const GIT = ['git', 'ls-files', '-co', '--exclude-standard'] as const;
const RIPGREP = ['rg', '--files', '--hidden', '--glob', '!.git'] as const;

export const run: Case = async function* ({ quick, pairs, directory, progress }) {
  const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
  if (!hasRipgrep) yield { kind: 'skipped', what: 'discovery against ripgrep', reason: 'rg is not installed' };
  progress('building');
  const program = await buildProgram(directory);
  const home = join(directory, 'home');
  mkdirSync(home);

  for (const count of quick ? [10_000] : [10_000, 100_000]) {
    progress(`making ${count} files`);
    const root = join(directory, `tree-${count}`);
    const listed = makeTree(root, count);
    const files = `${count.toLocaleString('en')} files`;
    const time = (find: () => Promise<number> | number): Timed => {
      return async () => {
        let found = 0;
        const taken = await seconds(async () => {
          found = await find();
        });
        if (found !== listed) throw new Error(`${found} files found of ${listed}`);
        return taken * 1000;
      };
    };
    const peers = await loadPeers(root, `discovery of ${files}`, time);
    yield* peers.missing;

    // One of the packages takes 15 s for the large tree.
    const rounds = count > 10_000 ? Math.min(pairs, 5) : pairs;
    progress(`${files}, names`);
    const git = { name: 'git ls-files, names', run: time(() => lineCount(root, GIT)) };
    const ripgrep = { name: 'ripgrep --files, names', goal: { atMost: 3 }, run: time(() => lineCount(root, RIPGREP)) };
    const names = time(async () => {
      let found = 0;
      for await (const some of discover({ root }).names()) for (const { type } of some) if (type === 'file') found++;
      return found;
    });
    const others = hasRipgrep ? [git, ripgrep] : [git];
    const what = `discovery of ${files}, names`;
    yield* await measure({ what, unit: 'ms', subject: names, against: [...others, ...peers.names] }, rounds);

    progress(`${files}, size and time`);
    const entries = time(async () => fileCount(await discoverAll({ root })));
    const full = { what: `discovery of ${files}, size and time`, unit: 'ms', subject: entries };
    yield* await measure({ ...full, against: [...others, ...peers.stats] }, rounds);

    progress(`${files}, whole processes`);
    const whole = {
      what: `ollm files, ${files}, whole process`,
      unit: 'ms',
      subject: () => program.run(home, 'files', root, '--quiet', '--depth', '20'),
      against: [
        { name: 'git ls-files', run: () => wholeProcess(root, GIT) },
        ...(hasRipgrep ? [{ name: 'ripgrep --files', run: () => wholeProcess(root, RIPGREP) }] : []),
        { name: 'node -e 0', run: emptyNode },
      ],
    };
    yield* await measure(whole, rounds);
  }
};

interface Peers {
  readonly names: readonly Reference[];
  readonly stats: readonly Reference[];
  readonly missing: readonly Row[];
}

/** The packages, as far as they are installed; ours is to be faster than each. */
async function loadPeers(root: string, what: string, time: (find: () => Promise<number>) => Timed): Promise<Peers> {
  const globby = (await loadPeer<{ globby: Glob }>('globby'))?.globby;
  const fastGlob = (await loadPeer<{ default: Glob }>('fast-glob'))?.default;
  const tinyglobby = (await loadPeer<{ glob: Glob }>('tinyglobby'))?.glob;
  const side = (name: string, glob: Glob | undefined, options: object): Reference[] => {
    if (!glob) return [];
    const run = time(async () => (await glob('**', { cwd: root, dot: true, ...options })).length);
    return [{ name, goal: { atMost: 1 }, run }];
  };
  const readingRules = { gitignore: true, ignore: ['.git'] };
  const withPatterns = { ignore: ['.git', ...IGNORED] };
  const packages = Object.entries({ globby, 'fast-glob': fastGlob, tinyglobby });
  return {
    names: [
      ...side('globby, names', globby, readingRules),
      ...side('fast-glob, patterns given, names', fastGlob, withPatterns),
      ...side('tinyglobby, patterns given, names', tinyglobby, { ...withPatterns, expandDirectories: false }),
    ],
    stats: [
      ...side('globby, size and time', globby, { ...readingRules, stats: true }),
      ...side('fast-glob, patterns given, size and time', fastGlob, { ...withPatterns, stats: true }),
    ],
    missing: packages.filter(([, glob]) => !glob).map(([name]) => missingPeer(`${what} against ${name}`, name)),
  };
}

function fileCount(entries: readonly { readonly type: string }[]): number {
  return entries.filter(({ type }) => type === 'file').length;
}

/** Found as quickly as it can be: the time is theirs. */
function lineCount(cwd: string, [command, ...options]: readonly [string, ...string[]]): number {
  const output = execFileSync(command, options, { cwd, maxBuffer: 2 ** 28 });
  let lines = 0;
  for (let end = output.indexOf(LINE_FEED); end !== -1; end = output.indexOf(LINE_FEED, end + 1)) lines++;
  return lines;
}

/** Its output is thrown away, as the program's is. Milliseconds. */
function wholeProcess(cwd: string, [command, ...options]: readonly [string, ...string[]]): number {
  const started = performance.now();
  const { status } = spawnSync(command, options, { cwd, stdio: 'ignore' });
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return performance.now() - started;
}
