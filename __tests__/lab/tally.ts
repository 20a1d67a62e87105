// Crash states are counted over several runs of the lab, each with seeds of its own, until there are as many as were
// asked for. The tally is a file: a run that ended, or was killed, is continued by the next one. It belongs to the code
// that it was taken of: a change of a file that the schedules load begins it again.
import { createHash, randomInt } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type PartReport, type Report, reportOf } from './report.ts';
import { schedulePart } from './schedule-part.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** The file is written this often: that much is lost when a run is killed. */
const STRETCH_MS = 60_000;
const MAX_SEED = 2 ** 31 - 1_000_000;

interface Tally {
  /** `codeHash` of the schedules. */
  readonly code: string;
  readonly runs: PartReport[];
}

export interface TallyOptions {
  readonly file: string;
  /** How many crash states the file is to count in the end. */
  readonly states: number;
  /** How long this run may take. */
  readonly budgetMs: number;
  readonly onProgress: (line: string) => void;
  /** Is told the first seed of each stretch before it begins: a stretch that never ends is to be repeated, too. */
  readonly onSeed?: (seed: number) => void;
}

/** A seed that no other run has. */
export function newSeed(): number {
  return randomInt(MAX_SEED);
}

/** Counts on until there are enough crash states, the time is up, or something is found. */
export async function countStates({ file, states, budgetMs, onProgress, onSeed }: TallyOptions): Promise<Report> {
  const tally = readTally(file);
  const endMs = performance.now() + budgetMs;
  let report = reportOf(tally.runs);
  const isDone = () => report.totals.crashStates >= states || report.parts.some(({ findings }) => findings.length > 0);
  while (!isDone() && performance.now() < endMs) {
    const stretchMs = Math.min(STRETCH_MS, endMs - performance.now());
    const before = report.totals.crashStates.toLocaleString('en');
    const seed = newSeed();
    onSeed?.(seed);
    tally.runs.push(
      await schedulePart.run({
        seed,
        budgetMs: stretchMs,
        stopAtFirst: true,
        onProgress: (line) => onProgress(`${before} of ${states.toLocaleString('en')} crash states; ${line}`),
      }),
    );
    report = reportOf(tally.runs);
    writeFileSync(`${file}.new`, JSON.stringify(tally));
    renameSync(`${file}.new`, file);
  }
  return report;
}

/** @throws TypeError if the file was taken of other code */
function readTally(file: string): Tally {
  const code = codeHash();
  if (!existsSync(file)) return { code, runs: [] };
  const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally;
  if (tally.code === code) return tally;
  throw new TypeError(`${file} was taken of other code: remove it to begin again.`);
}

/** sha256 of a program of the lab and of everything that it loads from this repository. */
export function codeHash(program = join(ROOT, '__tests__', 'lab', 'schedule-part.ts'), root = ROOT): string {
  const hash = createHash('sha256');
  for (const file of filesOf(program).sort()) hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Imports that are gone at run time, `import type`, are left out. */
const IMPORT = /(?:^(?:import|export)\s(?!type\s)[^;']*|\bimport\()'(\.{1,2}\/[^']+)'/gm;

/** A program and the files that it imports, with those that they import. */
export function filesOf(program: string): string[] {
  const files = new Set([program]);
  for (const file of files) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) files.add(join(dirname(file), path));
  }
  return [...files];
}
