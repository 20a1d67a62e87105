// npm run bench: measures, prints tables, and never fails by a time. Each case runs in a process of its own, so that no
// case warms, litters or crashes another. A figure means something only next to the floor or the peer of the same run.
import { fork } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import buildUnlessFresh from '../.ci/build.ts';
import type { CaseOrder } from './case.ts';
import type { Row } from './measure.ts';
import { documented, table } from './table.ts';

/** Measured unless others are named: what each user meets. */
const CORE = ['append', 'read', 'commands', 'turns', 'discovery'];
/** Cases of one part of ollm each; docs/ has their figures on the pages of these parts. */
const OTHERS = ['agents', 'blame', 'hub', 'search', 'retrieval', 'server', 'nats'];
const ALL: readonly string[] = [...CORE, ...OTHERS];
/** Installs the libraries that it compares, so it is not one of all. */
const COMPARE = 'compare';
const RESULTS = join(import.meta.dirname, 'results');
const USAGE = `npm run bench -- [options] [cases]

  cases            ${CORE.join(', ')} (the default);
                   ${OTHERS.join(', ')}; or all;
                   ${COMPARE}, which installs other libraries with npm
  --scale N        multiplies sizes and rounds: 0.01 shows quickly that every case runs (default: 1)
  --directory DIR  where the files are that are measured (default: the system's directory for temporary files)
  --document       writes the tables of these cases into the pages of docs/ that have a place for them
  --held-out       retrieval: asks the questions that were put aside, in place of those that it was made with

Examples:
  npm run bench -- append --directory /var/tmp
  npm run bench -- all --scale 0.01
`;

const { cases, scale, directory: parent, document, 'held-out': heldOut, help } = options();
if (help) process.stdout.write(USAGE);
else await run();

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        scale: { type: 'string', default: '1' },
        directory: { type: 'string', default: tmpdir() },
        document: { type: 'boolean', default: false },
        'held-out': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const cases = positionals.includes('all') ? ALL : positionals.length > 0 ? positionals : CORE;
    const unknown = cases.find((name) => name !== COMPARE && !ALL.includes(name));
    if (unknown !== undefined) throw new TypeError(`There is no case ${unknown}.`);
    const scale = Number(values.scale);
    if (!(scale > 0 && scale <= 1)) throw new TypeError('--scale takes a number above 0, up to 1.');
    if (values.document && scale !== 1) throw new TypeError('--document writes figures of full size.');
    return { ...values, cases, scale };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

async function run(): Promise<void> {
  // npm starts a script at the root of its package.
  const directory = mkdtempSync(join(resolve(process.env.INIT_CWD ?? '.', parent), 'ollm-bench-'));
  buildUnlessFresh();
  const date = new Date().toISOString();
  const results: Record<string, readonly Row[]> = {};
  try {
    process.stdout.write(`${machine()}\n`);
    for (const name of cases) {
      const own = mkdtempSync(join(directory, `${name}-`));
      const taken = `Taken on ${date.slice(0, 10)}: ${machine()}.`;
      const started = performance.now();
      const rows = await runCase({ name, scale, directory: own, heldOut });
      results[name] = rows;
      rmSync(own, { recursive: true, force: true });
      process.stdout.write(`\n${name} (${Math.round((performance.now() - started) / 1000)} s)\n${table(rows)}\n`);
      if (document) intoPages(name, `${table(rows)}\n\n${taken}`);
    }
    mkdirSync(RESULTS, { recursive: true });
    const file = join(RESULTS, `${date.slice(0, 19).replaceAll(':', '-')}.json`);
    writeFileSync(file, `${JSON.stringify({ date, machine: machine(), scale, results }, null, 2)}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** A case that breaks off fails the run and leaves the rows that it had. */
function runCase(order: CaseOrder): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const show = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);
  show(`${order.name}\r`);
  const child = fork(join(import.meta.dirname, 'case.ts'), [JSON.stringify(order)], {
    execArgv: ['--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // JSON has no infinity: the ratio to a floor of 0, which small sizes have, would arrive as null.
    serialization: 'advanced',
  });
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  return new Promise((done) => {
    child.on('message', (row: Row) => {
      rows.push(row);
      show(`${order.name}, after ${row.what}\r`);
    });
    child.on('close', (code) => {
      process.off('exit', stop);
      show('');
      if (code !== 0) process.exitCode = 1;
      done(code === 0 ? rows : [...rows, { what: order.name, skipped: 'it broke off; see above' }]);
    });
  });
}

function intoPages(name: string, text: string): void {
  for (const path of globSync(join(import.meta.dirname, '../docs/*.md'))) {
    const page = readFileSync(path, 'utf8');
    const changed = documented(page, name, text);
    if (changed !== page) writeFileSync(path, changed);
  }
}

/** Which machine the figures are taken on, and how busy it is now. */
function machine(): string {
  const processors = `${cpus().length} cores (${cpus()[0]?.model.trim()})`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = `load ${loadavg()[0]!.toFixed(1)}`;
  return [processors, memory, `${platform()} ${arch()}`, `Node ${process.versions.node}`, load].join(', ');
}
