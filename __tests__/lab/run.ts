import fc from 'fast-check';
import { run, schedules } from './schedule.ts';
import { newStatistics } from './world.ts';

const seed = Number(process.argv[2] ?? 1),
  runs = Number(process.argv[3] ?? 100);
const statistics = newStatistics();
const t = Date.now();
let n = 0;
const result = await fc.check(
  fc.asyncProperty(schedules(30), fc.scheduler(), (s, c) => {
    n++;
    return run(s, c, statistics);
  }),
  { numRuns: runs, seed, endOnFailure: false },
);
console.log(n, Date.now() - t, statistics);
if (result.failed) {
  const [s] = result.counterexample!;
  console.log(
    JSON.stringify(s, null, 1).replace(/\n\s+/g, ' '),
    String(result.counterexample![1]),
    (result.errorInstance as Error)?.stack?.split('\n').slice(0, 14).join('\n'),
    result.seed,
    result.counterexamplePath,
    result.numShrinks,
  );
}
