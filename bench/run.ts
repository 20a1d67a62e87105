// npm run bench: measures and prints, and never fails by a time; what is counted fails it (cases/counts.ts). Each case runs in a
// process of its own, so that none warms, litters or crashes another. Figures mean something only beside their floor or peer of
// the same run.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES } from './bench.ts';
import { costCurve } from './cost-curve.ts';
import { documented, halfTables } from './document.ts';
import { describeMachine } from './machine.ts';
import type { Row } from './measure.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { removeDirectory } from './remove-directory.ts';
import { revisionOf } from './revision.ts';
import type { CaseMessage, CaseOrder } from './run-case.ts';
import { describe, exceeded, table } from './table.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HERE, '..');
const PAGE = join(ROOT, 'docs/performance.md');

/** The process of the case that is running. */
let running: ChildProcess | undefined;

const order = readOptions(process.argv.slice(2));
if (order.kind === 'help') process.stdout.write(USAGE);
else if (order.kind === 'list') process.stdout.write(`${CASES.join('\n')}\n`);
else if (order.kind === 'refused') refuse(order.reason);
else await begin(order.options);

function refuse(reason: string): void {
  process.stderr.write(`${reason}\nWhat there is: npm run bench -- --help\n`);
  process.exitCode = 2;
}

/** Sees that there is a place to measure at, and one for each table that is to be written. */
async function begin(options: Options): Promise<void> {
  const parent = options.directory === undefined ? tmpdir() : resolve(whereCalled(), options.directory);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) {
    return refuse(`--directory takes a directory that is there, not ${parent}.`);
  }
  const [half] = options.document ? halfTables(readFileSync(PAGE, 'utf8'), options.names) : [];
  if (half) return refuse(`One table of docs/performance.md is of ${half.join(', ')}: --document takes all of them.`);
  await run(options, parent);
}

/** npm starts a script at the root of its package, wherever it was called from. */
function whereCalled(): string {
  return process.env.INIT_CWD ?? process.cwd();
}

async function run(options: Options, parent: string): Promise<void> {
  const { names, quick, seed, lengths } = options;
  const directory = mkdtempSync(join(parent, 'ollm-bench-'));
  const remove = () => removeDirectory(directory);
  for (const signal of SIGNALS) process.once(signal, () => breakOff(signal, remove));
  const shared = mkdtempSync(join(directory, 'shared-'));
  const started = new Date().toISOString();
  const revision = revisionOf(ROOT);
  try {
    const machine = describeMachine(directory);
    process.stdout.write(`${describe(machine)}\n`);
    const results: Record<string, readonly Row[]> = {};
    const whole: Record<string, readonly Row[]> = {};
    const failures: string[] = [];
    for (const name of names) {
      const own = mkdtempSync(join(directory, `${name}-`));
      const begun = performance.now();
      const { rows, isWhole } = await runCase({ name, quick, seed, lengths, directory: own, shared });
      results[name] = rows;
      if (isWhole) whole[name] = rows;
      else failures.push(`${name} broke off`);
      failures.push(...exceeded(rows).map((count) => `${name}: ${count}`));
      const took = Math.round((performance.now() - begun) / 1000);
      process.stdout.write(`\n${table(`${name} (${took} s)`, rows)}\n`);
    }
    writeResults({ started, revision, options, machine, results });
    if (options.document) {
      writeFileSync(PAGE, documented(readFileSync(PAGE, 'utf8'), { started, revision, machine, results: whole }));
    }
    const picture = options.curve && costCurve(results['turn-cost'] ?? []);
    if (picture) writeFileSync(join(ROOT, 'docs/performance-curve.svg'), picture);
    // At the very end, because whoever reads a log begins there.
    if (failures.length > 0) {
      process.stdout.write(`\nfailed:\n${failures.map((failure) => `  ${failure}\n`).join('')}`);
      process.exitCode = 1;
    }
  } finally {
    remove();
  }
}

/** Told to stop: nothing stays behind, neither processes nor files, and whoever told us sees why we ended. */
async function breakOff(signal: NodeJS.Signals, remove: () => void): Promise<void> {
  if (running?.pid !== undefined && running.exitCode === null && running.signalCode === null) {
    // No case comes after this one.
    const closed = once(running.removeAllListeners('close'), 'close');
    // With all that it has started, which lie in a group of their own with it.
    process.kill(-running.pid, 'SIGKILL');
    await closed;
  }
  remove();
  process.kill(process.pid, signal);
}

/** A case that breaks off has the rows that it came to. */
function runCase(order: CaseOrder): Promise<{ readonly rows: readonly Row[]; readonly isWhole: boolean }> {
  const rows: Row[] = [];
  const child = fork(join(HERE, 'run-case.ts'), [JSON.stringify(order)], {
    execArgv: ['--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  running = child;
  const stop = () => child.kill();
  process.once('exit', stop);
  return new Promise((resolve) => {
    child.on('message', (message: CaseMessage) => {
      if (message.kind === 'progress') progress(`${order.name}: ${message.text}`);
      else rows.push(message.row);
    });
    child.on('close', (code) => {
      process.off('exit', stop);
      progress('');
      removeDirectory(order.directory);
      if (code !== 0) rows.push({ kind: 'skipped', what: order.name, reason: 'it broke off; see above' });
      resolve({ rows, isWhole: code === 0 });
    });
  });
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function writeResults(document: { readonly started: string; readonly [member: string]: unknown }): void {
  mkdirSync(join(HERE, 'results'), { recursive: true });
  const path = join(HERE, 'results', `${document.started.replaceAll(':', '-').slice(0, 19)}.json`);
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  process.stdout.write(`\nwritten: ${path}\n`);
}
