// The long run of the kernel cases: all of them over and over with new seeds until the time is up. Called by
// the lab through kernel-part.ts, and by itself: `node __tests__/lab/kernel/run.ts [MINUTES] [SEED]`.
import { openWorkshop, type Workshop } from './child.ts';
import { withFileLimit } from './fault-cases.ts';
import { DEADLY_CALLS, killAtRandom, killBefore, prepareTemplate, type Template } from './kill-cases.ts';
import { missing, type Need } from './needs.ts';
import { cutPower, MOUNT_MODES, SHUTDOWNS, type Shutdown } from './power-cases.ts';

export interface KernelProgress {
  /** Processes that were killed, machines that lost power, limits that were hit. */
  runs: number;
  /** Acknowledged events that were looked for and found. */
  checked: number;
  /** The violations found. */
  readonly violations: { readonly seed: number; readonly message: string }[];
  lastSeed: number;
  /** What could not be run here, and why. */
  readonly skipped: string[];
}

export interface KernelOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Ends at the first violation. */
  readonly stopAtFirst?: boolean | undefined;
  readonly onProgress?: ((progress: Readonly<KernelProgress>) => void) | undefined;
}

interface Case {
  readonly need?: Need;
  readonly name: string;
  /** Runs one part; the number of events that it found again. */
  run(workshop: Workshop, template: Template, seed: number): Promise<number>;
}

const LIVES = 10;
const LONGEST_JOURNAL_BYTES = 4700;
/** More than the script makes of any: the last ones find that it lived. */
const MOST_CALLS = 60;

const CASES: readonly Case[] = [
  { name: 'killed at random', run: (workshop, _template, seed) => killAtRandom(workshop, seed, LIVES) },
  ...DEADLY_CALLS.map(
    (call): Case => ({
      name: `killed before ${call}`,
      need: 'strace',
      run: async (workshop, template, seed) =>
        (await killBefore(workshop, template, call, 1 + (seed % MOST_CALLS))) ?? 0,
    }),
  ),
  {
    name: 'files limited',
    need: 'prlimit',
    run: async (workshop, _template, seed) => (await withFileLimit(workshop, seed % LONGEST_JOURNAL_BYTES)).checked,
  },
  ...MOUNT_MODES.flatMap((mode) =>
    (Object.keys(SHUTDOWNS) as Shutdown[]).map(
      (shutdown): Case => ({
        name: `power cut, ${mode}, ${shutdown}`,
        need: 'ext4',
        run: (workshop, _template, seed) => cutPower(workshop, mode, shutdown, seed),
      }),
    ),
  ),
];

export async function runKernelCases({
  minutes,
  seed,
  stopAtFirst = false,
  onProgress,
}: KernelOptions): Promise<KernelProgress> {
  const deadline = performance.now() + minutes * 60_000;
  const progress: KernelProgress = { runs: 0, checked: 0, violations: [], lastSeed: seed, skipped: [] };
  const cases = CASES.filter(({ name, need }) => {
    const reason = need && missing(need);
    if (reason) progress.skipped.push(`${name}: ${reason}`);
    return !reason;
  });
  const isOver = () => performance.now() >= deadline || (stopAtFirst && progress.violations.length > 0);
  for (let current = seed; !isOver(); current += 1) {
    progress.lastSeed = current;
    // A workshop for each round, so that the leftovers of the cases do not fill the disk.
    using workshop = openWorkshop();
    const template = await prepareTemplate(workshop);
    for (const { name, run } of cases) {
      if (isOver()) break;
      try {
        progress.checked += await run(workshop, template, current);
      } catch (error) {
        progress.violations.push({ seed: current, message: `${name}, seed ${current}: ${(error as Error).message}` });
      }
      progress.runs += name === 'killed at random' ? LIVES : 1;
      onProgress?.(progress);
    }
  }
  return progress;
}

if (import.meta.main) {
  const [minutes = '1', seed = '1'] = process.argv.slice(2);
  const { runs, checked, violations, skipped } = await runKernelCases({
    minutes: Number(minutes),
    seed: Number(seed),
    onProgress: (progress) => {
      if (process.stderr.isTTY) {
        process.stderr.write(
          `\r${progress.runs} runs, ${progress.checked} events, ${progress.violations.length} wrong`,
        );
      }
    },
  });
  console.log(`${runs} runs on a real kernel, ${checked} acknowledged events found again, ${violations.length} wrong.`);
  for (const reason of skipped) console.log(`skipped: ${reason}`);
  for (const { message } of violations) console.log(message);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
