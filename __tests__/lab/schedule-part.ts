// Random schedules for as long as there is time. They come in runs of a hundred, each with a seed of its own, so that
// memory stays bounded and a finding is shown again within seconds.
import fc from 'fast-check';
import { Violation } from './model.ts';
import type { Finding, Part, PartOptions, PartReport } from './report.ts';
import { run, type Schedule, schedules } from './schedule.ts';
import { newStatistics } from './world.ts';

const RUNS_PER_SEED = 100;
const MAX_STEPS = 30;
const MAX_FINDINGS = 5;
/** A finding may take longer than the rest of the budget to shrink. */
const SHRINKING_MS = 20_000;

export const schedulePart: Part = { name: 'schedules', share: 3, run: runSchedules };

async function runSchedules({ seed, budgetMs, stopAtFirst, onProgress }: PartOptions): Promise<PartReport> {
  const startMs = performance.now();
  const elapsedMs = () => performance.now() - startMs;
  const statistics = newStatistics();
  const findings: Finding[] = [];
  let count = 0;
  let last = seed;
  for (; elapsedMs() < budgetMs && findings.length < (stopAtFirst ? 1 : MAX_FINDINGS); last += 1) {
    let found: { readonly error: unknown; readonly schedules: number; readonly seconds: number } | undefined;
    const property = fc.asyncProperty(schedules(MAX_STEPS), fc.scheduler(), async (schedule, scheduler) => {
      if (found === undefined) count += 1;
      try {
        await run(schedule, scheduler, statistics);
      } catch (error) {
        found ??= { error, schedules: count, seconds: elapsedMs() / 1000 };
        throw error;
      }
    });
    const interruptAfterTimeLimit = Math.max(0, budgetMs - elapsedMs()) + SHRINKING_MS;
    const result = await fc.check(property, { seed: last, numRuns: RUNS_PER_SEED, interruptAfterTimeLimit });
    if (found) findings.push(findingOf(last, found, result.counterexample, result.errorInstance));
    const minutes = (elapsedMs() / 60_000).toFixed(1);
    const { crashStates, checked } = statistics;
    onProgress(
      `${minutes} min, seed ${last}: ${count} schedules, ${crashStates} crash states, ${checked} events checked`,
    );
  }
  const seeds = { first: seed, last: Math.max(seed, last - 1) };
  return { part: 'schedules', seconds: elapsedMs() / 1000, schedules: count, seeds, statistics, findings };
}

function findingOf(
  seed: number,
  found: { readonly error: unknown; readonly schedules: number; readonly seconds: number },
  smallest: [Schedule, fc.Scheduler] | null,
  shrunk: unknown,
): Finding {
  const error = shrunk ?? found.error;
  return {
    kind: error instanceof Violation ? error.kind : ((error as Error | undefined)?.name ?? 'unknown'),
    message: error instanceof Violation ? error.message : String((error as Error | undefined)?.stack ?? error),
    replay: `npm run lab -- --only schedules --minutes 0.1 --seed ${seed}`,
    seed,
    schedule: JSON.stringify(smallest?.[0]),
    schedules: found.schedules,
    seconds: found.seconds,
  };
}
