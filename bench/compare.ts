// node bench/compare.ts [--document]: the session store and those of other libraries, in one run. Each keeps one
// conversation by the program bench/compare/NAME.mjs, which is all that a user writes. The others are installed into a
// temporary directory: none of them is a dependency of ollm. --document writes the table into docs/library.md.
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import buildUnlessFresh from '../.ci/build.ts';
import { describeMachine } from './machine.ts';
import { quantile } from './measure.ts';

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS = join(import.meta.dirname, 'compare');
const PAGE = join(ROOT, 'docs/library.md');
const APPENDS = 1_500;
const KILLS = 10;
const ROUNDS = 3;
const IMPORTS = 3;

interface Subject {
  readonly program: string;
  readonly what: string;
  /** Arguments of npm install; a path is a packed package. */
  readonly packages: readonly string[];
}

/** An installed subject with its figures. */
interface Prepared extends Pick<Subject, 'program' | 'what'> {
  readonly project: string;
  readonly bytes: number;
  readonly count: number;
  survived: string;
  /** Processor time of a start with it, as a multiple of an empty one. */
  readonly imports: number[];
  /** Messages a second. */
  readonly rates: number[];
  /** Milliseconds of processor time. */
  readonly readings: number[];
}

buildUnlessFresh();
const directory = mkdtempSync(join(tmpdir(), 'ollm-compare-'));
try {
  const machine = describeMachine(directory);
  const all = subjects().map(prepared);
  for (const one of all) one.survived = await afterKills(one);
  // In turn, so that other work on the machine meets all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const one of all) measure(one, join(one.project, `long-${round}`));
  const taken = `Taken on ${new Date().toISOString().slice(0, 10)}: ${machine.replaceAll('; ', ';\n')}.`;
  const text = `${table(all)}\n\n${taken}`;
  console.log(text);
  if (process.argv.includes('--document')) document(text);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function subjects(): readonly Subject[] {
  const engine = run(ROOT, process.execPath, '.ci/pack-engine.ts', directory).trim();
  const packed = run(ROOT, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', directory);
  const name = packed.trim().split('\n').at(-1)!;
  return [
    { program: 'ollm-journal', what: '`@ollm/journal`', packages: [engine] },
    { program: 'ollm', what: '`ollm/store`', packages: [join(directory, name)] },
    { program: 'ai-sdk', what: 'AI SDK 7.0, the example of its guide', packages: ['ai@7.0.173'] },
    {
      program: 'langchain',
      what: 'LangChain 1.1, file history',
      // The peers of this package are the services that it can speak to.
      packages: ['--legacy-peer-deps', '@langchain/community@1.1.29', '@langchain/core@1.4.0'],
    },
    { program: 'hypercore', what: 'hypercore 11.39', packages: ['hypercore@11.39.5'] },
    {
      program: 'castore',
      what: 'castore 2.4, in memory',
      packages: ['@castore/core@2.4.2', '@castore/event-storage-adapter-in-memory@2.4.2'],
    },
    { program: 'node-sqlite', what: '`node:sqlite` by hand', packages: [] },
  ];
}

function prepared({ program, what, packages }: Subject): Prepared {
  process.stderr.write(`${what}\n`);
  const project = join(directory, program);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  if (packages.length > 0) run(project, 'npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', ...packages);
  for (const file of ['work.mjs', 'empty.mjs', `${program}.mjs`])
    copyFileSync(join(PROGRAMS, file), join(project, file));
  const of = installed(join(project, 'node_modules'));
  return { program, what, project, ...of, survived: '', imports: [], rates: [], readings: [] };
}

function measure({ program, project, imports, rates, readings }: Prepared, data: string): void {
  const ofImport = (each: string) => work<{ readonly processorMs: number }>(project, each, 'import').processorMs;
  for (let time = 0; time < IMPORTS; time += 1) imports.push(ofImport(program) / ofImport('empty'));
  rates.push(work<{ readonly perSecond: number }>(project, program, 'append', data, String(APPENDS)).perSecond);
  const read = work<{ readonly kept: number; readonly processorMs: number }>(project, program, 'reopen', data);
  if (read.kept >= APPENDS) readings.push(read.processorMs);
}

/** Runs one task in a process of its own. */
function work<Result>(project: string, ...args: readonly string[]): Result {
  return JSON.parse(run(project, process.execPath, '--no-warnings', 'work.mjs', ...args)) as Result;
}

/** Kills the program while it appends, and looks for each message that it had acknowledged. */
async function afterKills({ project, program }: Prepared): Promise<string> {
  let [whole, unreadable] = [0, 0];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const data = join(project, `killed-${kill}`);
    const acknowledged = await killedAfter(project, program, data, 50 + kill * 37);
    try {
      if (work<{ readonly kept: number }>(project, program, 'reopen', data).kept >= acknowledged) whole += 1;
    } catch {
      unreadable += 1;
    }
  }
  return `${whole} of ${KILLS}${unreadable > 0 ? `, ${unreadable} unreadable` : ''}`;
}

/** How many messages it had acknowledged by then. */
async function killedAfter(project: string, program: string, data: string, ms: number): Promise<number> {
  const args = ['--no-warnings', 'work.mjs', program, 'until-killed', data];
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  while (!printed.includes('\n') && child.exitCode === null) await pause(5);
  await pause(ms);
  child.kill('SIGKILL');
  await ended;
  return printed.split('\n').length - 1;
}

function run(cwd: string, command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** The bytes of an installation, and its packages. */
function installed(folder: string): { readonly bytes: number; readonly count: number } {
  let [bytes, count] = [0, 0];
  const names = statSync(folder, { throwIfNoEntry: false })
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  for (const name of names) {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat?.isFile()) bytes += stat.size;
    if (/(?:^|node_modules\/)(?:@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(name)) count += 1;
  }
  return { bytes, count };
}

/** How many lines a program has, without comments and empty ones. */
function linesOf(program: string): number {
  const lines = readFileSync(join(PROGRAMS, `${program}.mjs`), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

function table(all: readonly Prepared[]): string {
  const headings = `|  | install | packages | start | lines | appends/s | kills survived | ${APPENDS} read again |`;
  const rule = `|---|${'---:|'.repeat(7)}`;
  const rows = all.map(({ program, what, bytes, count, imports, rates, survived, readings }) => [
    what,
    bytes === 0 ? '–' : `${(bytes / 1e6).toFixed(1)} MB`,
    String(count),
    `${quantile(imports).toFixed(1)} ×`,
    String(linesOf(program)),
    Math.round(quantile(rates)).toLocaleString('en'),
    survived,
    readings.length === 0 ? '–' : `${Math.round(quantile(readings))} ms`,
  ]);
  return [headings, rule, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}

function document(text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const changed = page.replace(
    /(<!-- compare -->\n)[\s\S]*(<!-- \/compare -->)/,
    (_, begin, end) => `${begin}\n${text}\n\n${end}`,
  );
  if (changed === page) throw new Error('docs/library.md has no place for the table.');
  writeFileSync(PAGE, changed);
}
