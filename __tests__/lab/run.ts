// `npm run lab`: looks for faults as long as it is given time, and proves on request that it finds those that it
// should. With --states it counts crash states over many runs. Exit 0: nothing found, or every seeded bug found. Exit
// 1: a finding, or a seeded bug that nothing finds. Exit 2: usage.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bug } from './bug.ts';
import { BUGS } from './bugs/index.ts';
import { kernelPart } from './kernel/kernel-part.ts';
import { Copy, type Proof } from './prove.ts';
import { type Part, type Report, renderReport, reportOf } from './report.ts';
import { schedulePart } from './schedule-part.ts';
import { countStates, newSeed } from './tally.ts';

const PARTS: readonly Part[] = [schedulePart, kernelPart];
const PROOF_BUDGET_MS = 120_000;
const CONTROL_BUDGET_MS = 10_000;

const USAGE = `npm run lab -- [--minutes N] [--seed S] [--only part,…] [--json FILE]
npm run lab -- --states N --tally FILE [--minutes N] [--json FILE]
npm run lab -- --prove [--only bug,…] [--seed S] [--json FILE]
parts: ${PARTS.map(({ name }) => name).join(', ')}
bugs:  ${BUGS.map(({ name }) => name).join(', ')}`;

const progress = process.stderr.isTTY
  ? (line: string) => process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  : () => {};

type Numbers = [number, number, number];

function options() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: String(newSeed()) },
        states: { type: 'string' },
        tally: { type: 'string' },
        only: { type: 'string' },
        json: { type: 'string' },
        prove: { type: 'boolean', default: false },
        'stop-at-first': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const [minutes, seed, states] = [values.minutes, values.seed, values.states ?? '1'].map(Number) as Numbers;
    if (!(minutes > 0 && states > 0) || !Number.isSafeInteger(seed)) {
      throw new TypeError('--minutes, --seed and --states take a number.');
    }
    if ((values.states === undefined) !== (values.tally === undefined)) {
      throw new TypeError('--states and --tally go together: the file holds what is counted so far.');
    }
    const only = values.only?.split(',');
    const known: readonly string[] = (values.prove ? BUGS : PARTS).map(({ name }) => name);
    const unknown = only?.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new TypeError(`There is no ${unknown}: ${known.join(', ')}.`);
    return { ...values, minutes, seed, states, isWanted: ({ name }: { name: string }) => only?.includes(name) ?? true };
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    return process.exit(2);
  }
}

const given = options();
if (given.help) console.log(USAGE);
else if (given.prove) process.exitCode = await proveAll();
else process.exitCode = show(given.tally === undefined ? await look() : await count(given.tally));

async function look(): Promise<Report> {
  const parts = PARTS.filter(given.isWanted);
  const shares = parts.reduce((sum, { share }) => sum + share, 0);
  // Now, and not only in the report: a run that is killed is to be repeated, too.
  console.log(`The seed is ${given.seed}.`);
  const reports = [];
  for (const part of parts) {
    const budgetMs = (given.minutes * 60_000 * part.share) / shares;
    const stopAtFirst = given['stop-at-first'];
    const onProgress = (line: string) => progress(`${part.name}: ${line}`);
    reports.push(await part.run({ seed: given.seed, budgetMs, stopAtFirst, onProgress }));
  }
  return reportOf(reports);
}

async function count(file: string): Promise<Report> {
  const { states, minutes } = given;
  try {
    const onSeed = (seed: number) => console.log(`The seed is ${seed}.`);
    return await countStates({ file, states, budgetMs: minutes * 60_000, onProgress: progress, onSeed });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    return process.exit(2);
  }
}

function show(report: Report): number {
  progress('');
  if (given.json) writeFileSync(given.json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(renderReport(report));
  const missing = given.states - report.totals.crashStates;
  if (given.tally !== undefined && missing > 0) {
    console.log(`${missing.toLocaleString('en')} crash states are missing: the same command continues.`);
  }
  return report.parts.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

async function proveAll(): Promise<number> {
  const copy = new Copy();
  const proofs: Proof[] = [];
  const show = async (bug: Bug | undefined, budgetMs: number): Promise<Proof> => {
    progress(bug ? `${bug.name}: ${bug.what}` : 'no bug at all, to see that nothing is found');
    const proof = await copy.prove(bug, { seed: given.seed, budgetMs });
    progress('');
    const { schedules, seconds, seed, by } = proof;
    console.log(row(proof.bug, String(schedules), seconds.toFixed(1), String(seed), by));
    return proof;
  };
  console.log(row('bug', 'schedules', 'seconds', 'seed', 'found by'));
  try {
    const control = await show(undefined, CONTROL_BUDGET_MS);
    if (control.found) {
      console.log('Something is found without any bug, so that nothing would be proven: run the lab by itself first.');
      return 1;
    }
    for (const bug of BUGS.filter(given.isWanted)) proofs.push(await show(bug, PROOF_BUDGET_MS));
  } finally {
    copy.remove();
  }
  if (given.json) writeFileSync(given.json, `${JSON.stringify(proofs, null, 2)}\n`);
  const missed = proofs.filter(({ found }) => !found).length;
  console.log(missed === 0 ? `All ${proofs.length} were found.` : `${missed} of ${proofs.length} were not found.`);
  return missed === 0 ? 0 : 1;
}

function row(bug: string, schedules: string, seconds: string, seed: string, by: string): string {
  return `${bug.padEnd(32)}${schedules.padStart(9)}${seconds.padStart(9)}${seed.padStart(9)}  ${by}`;
}
