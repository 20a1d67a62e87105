// The session store and those of other libraries. Each keeps one conversation by the program bench/compare/NAME.mjs,
// which is all that a user writes. They are installed into directories of their own: none is a dependency of ollm.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../case.ts';
import { milliseconds, quantile } from '../measure.ts';
import { runToEnd } from '../program.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = join(import.meta.dirname, '../compare');
const ROUNDS = 3;
/** Each with its program, and the arguments of npm install. */
const OTHERS = [
  ['AI SDK 7.0, the example of its guide', 'ai-sdk', 'ai@7.0.173'],
  // The peers of this package are the services that it can speak to.
  ['LangChain 1.1, file history', 'langchain', '--legacy-peer-deps @langchain/community@1.1.29 @langchain/core@1.4.0'],
  ['hypercore 11.39', 'hypercore', 'hypercore@11.39.5'],
  ['castore 2.4, in memory', 'castore', '@castore/core@2.4.2 @castore/event-storage-adapter-in-memory@2.4.2'],
  ['`node:sqlite` by hand', 'node-sqlite', ''],
] as const;

export const run: Case = async function* ({ directory, size }) {
  const appends = size(1_500, 15);
  const kills = size(10, 1);
  const engine = runToEnd(process.execPath, ['.ci/pack-engine.ts', directory], { cwd: ROOT }).trim();
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory];
  const store = join(directory, runToEnd('npm', pack, { cwd: ROOT }).trim().split('\n').at(-1)!);
  const rows: string[][] = [];
  const own = [
    ['`@ollm/journal`', 'ollm-journal', engine],
    ['`ollm/store`', 'ollm', store],
  ] as const;
  for (const [what, program, packages] of [...own, ...OTHERS]) {
    const project = join(directory, program);
    mkdirSync(project);
    cpSync(PROGRAMS, project, { recursive: true });
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages.split(' ')];
    if (packages !== '') runToEnd('npm', install, { cwd: project });
    const work = (...args: readonly string[]) =>
      JSON.parse(runToEnd(process.execPath, ['--no-warnings', 'work.mjs', ...args], { cwd: project })) as Worked;

    const [starts, rates, readings]: number[][] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const data = join(project, `long-${round}`);
      starts!.push(work(program, 'import').processorMs / work('empty', 'import').processorMs);
      rates!.push(work(program, 'append', data, String(appends)).perSecond);
      const { kept, processorMs } = work(program, 'reopen', data);
      if (kept >= appends) readings!.push(processorMs);
    }

    // Killed while it appends, it has each message that it had acknowledged.
    const startMs = await milliseconds(() => work(program, 'append', join(project, 'one'), '1'));
    const untilKilled = ['--no-warnings', 'work.mjs', program, 'until-killed'];
    let [whole, unreadable] = [0, 0];
    for (let kill = 0; kill < kills; kill += 1) {
      const data = join(project, `killed-${kill}`);
      let acknowledged = 0;
      for (let timeout = Math.round(startMs) + kill * 37; acknowledged === 0; timeout *= 2) {
        const killed = { cwd: project, killSignal: 'SIGKILL', timeout, encoding: 'utf8' } as const;
        acknowledged = spawnSync(process.execPath, [...untilKilled, data], killed).stdout.split('\n').length - 1;
      }
      try {
        if (work(program, 'reopen', data).kept >= acknowledged) whole += 1;
      } catch {
        unreadable += 1;
      }
    }
    rows.push([
      what,
      ...installed(join(project, 'node_modules'), packages !== ''),
      `${quantile(starts!).toFixed(1)} ×`,
      Math.round(quantile(rates!)).toLocaleString('en'),
      `${whole} of ${kills}${unreadable > 0 ? `, ${unreadable} unreadable` : ''}`,
      readings!.length === 0 ? '–' : `${Math.round(quantile(readings!))} ms`,
    ]);
  }
  const headings = `|  | install | packages | start | appends/s | kills survived | ${appends} read again |`;
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  yield { what: 'stores of other libraries', text: [headings, `|---|${'---:|'.repeat(6)}`, ...lines].join('\n') };
};

interface Worked {
  readonly processorMs: number;
  readonly perSecond: number;
  /** Messages that were read. */
  readonly kept: number;
}

/** The size of an installation, and its packages. */
function installed(folder: string, isThere: boolean): readonly [string, string] {
  if (!isThere) return ['–', '0'];
  const bytes = Number.parseInt(runToEnd('du', ['--summarize', '--bytes', folder]), 10);
  const { packages } = JSON.parse(readFileSync(join(folder, '.package-lock.json'), 'utf8')) as { packages: object };
  return [`${(bytes / 1e6).toFixed(1)} MB`, String(Object.keys(packages).length)];
}
