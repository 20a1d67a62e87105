// Puts each seeded bug into a copy of lib/ and lets the lab loose on it, in a process of its own: the lab has to turn
// red.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdit, type Bug } from './bug.ts';
import type { Report } from './report.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Proof {
  readonly bug: string;
  readonly found: boolean;
  /** The promise that was seen broken. */
  readonly by: string;
  readonly schedules: number;
  readonly seconds: number;
  readonly seed: number;
}

/** A copy of the files that the lab needs, inside the repository, so that its dependencies are found. */
export class Copy {
  readonly #directory: string;

  constructor() {
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    this.#directory = mkdtempSync(join(ROOT, '.tmp', 'lab-'));
    for (const part of ['lib', '__tests__/lab', '__tests__/support/at-once.ts', 'package.json']) {
      cpSync(join(ROOT, part), join(this.#directory, part), { recursive: true });
    }
  }

  /** Lets the lab loose on the copy with this bug in it, or with none. */
  async prove(bug: Bug | undefined, options: { readonly seed: number; readonly budgetMs: number }): Promise<Proof> {
    const before = new Map<string, string>();
    for (const edit of bug?.edits ?? []) {
      const path = join(this.#directory, edit.file);
      const text = readFileSync(path, 'utf8');
      if (!before.has(path)) before.set(path, text);
      writeFileSync(path, applyEdit(text, edit));
    }
    try {
      const report = await runCopy(this.#directory, options);
      const finding = report.parts.flatMap(({ findings }) => findings)[0];
      const { seconds, schedules } = finding ?? report.totals;
      const by = finding ? (finding.message.split('\n')[0] ?? '') : 'nothing';
      const seed = finding?.seed ?? options.seed;
      return { bug: bug?.name ?? 'none', found: finding !== undefined, by, schedules, seconds, seed };
    } finally {
      for (const [path, text] of before) writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function runCopy(directory: string, { seed, budgetMs }: { seed: number; budgetMs: number }): Promise<Report> {
  const json = join(directory, 'report.json');
  const given = [
    '--minutes',
    String(budgetMs / 60_000),
    '--seed',
    String(seed),
    '--only',
    'schedules',
    '--stop-at-first',
    '--json',
    json,
  ];
  const lab = join(directory, '__tests__', 'lab', 'run.ts');
  const child = spawn(process.execPath, ['--no-warnings', lab, ...given], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => {
      try {
        resolve(JSON.parse(readFileSync(json, 'utf8')) as Report);
      } catch {
        reject(new Error(`The lab did not run on the copy: ${complaint}`));
      }
    });
  });
}
