// npm run bench: measures and prints, and never fails by a time; what is counted fails it (cases/counts.ts). Each case runs in a
// process of its own, so that none warms, litters or crashes another. Figures mean something only beside their floor or peer of
// the same run.
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES } from './bench.ts';
import { costCurve } from './cost-curve.ts';
import { documented } from './document.ts';
import { describeMachine } from './machine.ts';
import type { Row } from './measure.ts';
import type { CaseMessage, CaseOrder } from './run-case.ts';
import { describe, table } from './table.ts';

const USAGE = `npm run bench -- [options]

  --only PATTERN   cases whose name matches this regular expression; may be given several times
  --quick          shorter sessions, fewer pairs: six to eleven minutes for everything; without it, an hour by estimate
  --seed N         of the generated sessions (default 1)
  --events N       read sessions of this length only; may be given several times. Else 1,000, 10,000, 100,000 and
                   1,000,000 (2 GB on the disk, and as much in memory), with --quick 20,000
  --list           the names of the cases
  --document       also write the tables of these cases into docs/performance.md
  --curve          also draw docs/performance-curve.svg from the case turn-cost
`;

const HERE = fileURLToPath(new URL('.', import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    events: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    document: { type: 'boolean', default: false },
    curve: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else if (values.list) process.stdout.write(`${CASES.join('\n')}\n`);
else await run();

async function run(): Promise<void> {
  const wanted = (values.only ?? ['']).map((pattern) => new RegExp(pattern));
  const names = CASES.filter((name) => wanted.some((pattern) => pattern.test(name)));
  const lengths = values.events?.map(Number) ?? (values.quick ? [20_000] : [1_000, 10_000, 100_000, 1_000_000]);
  if (!lengths.every((length) => Number.isSafeInteger(length) && length > 0)) {
    process.stderr.write(`--events takes a whole number above 0, not ${values.events?.join(', ')}.\n`);
    process.exitCode = 2;
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'ollm-bench-'));
  const shared = mkdtempSync(join(directory, 'shared-'));
  const started = new Date();
  try {
    const machine = describeMachine(directory);
    process.stdout.write(`${describe(machine)}\n`);
    const results: Record<string, readonly Row[]> = {};
    for (const name of names) {
      const rows = await runCase({
        name,
        quick: values.quick,
        seed: Number(values.seed),
        lengths,
        directory: mkdtempSync(join(directory, `${name}-`)),
        shared,
      });
      results[name] = rows;
      process.stdout.write(`\n${table(name, rows)}\n`);
      if (rows.some((row) => row.kind === 'count' && row.count > row.atMost)) process.exitCode = 1;
    }
    writeResults({ started: started.toISOString(), quick: values.quick, seed: Number(values.seed), machine, results });
    if (values.document) {
      const page = join(HERE, '../docs/performance.md');
      writeFileSync(page, documented(readFileSync(page, 'utf8'), machine, results));
    }
    const picture = values.curve && costCurve(results['turn-cost'] ?? []);
    if (picture) writeFileSync(join(HERE, '../docs/performance-curve.svg'), picture);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A case that breaks off is a failure of the bench itself, the only one there is. */
function runCase(order: CaseOrder): Promise<Row[]> {
  const rows: Row[] = [];
  const child = fork(join(HERE, 'run-case.ts'), [JSON.stringify(order)], {
    execArgv: ['--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
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
      rmSync(order.directory, { recursive: true, force: true });
      if (code !== 0) {
        process.exitCode = 1;
        rows.push({ kind: 'skipped', what: order.name, reason: 'it broke off; see above' });
      }
      resolve(rows);
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
