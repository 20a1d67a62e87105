// The kernel cases as a part of the lab: `npm run lab -- --only kernel`.
import type { Finding, Part, PartOptions, PartReport } from '../report.ts';
import { newStatistics } from '../world.ts';
import { runKernelCases } from './run.ts';

export const kernelPart: Part = { name: 'kernel', share: 1, run: runPart };

async function runPart({ seed, budgetMs, stopAtFirst, onProgress }: PartOptions): Promise<PartReport> {
  const startMs = performance.now();
  const seconds = () => (performance.now() - startMs) / 1000;
  const findings: Finding[] = [];
  const { runs, checked, lastSeed, skipped } = await runKernelCases({
    minutes: budgetMs / 60_000,
    seed,
    stopAtFirst,
    onProgress: (progress) => {
      for (const { seed: at, message } of progress.violations.slice(findings.length)) {
        findings.push({
          kind: message.includes('is lost') ? 'loss' : 'broken promise',
          message,
          replay: `npm run lab -- --only kernel --minutes 1 --seed ${at}`,
          seed: at,
          schedule: '',
          schedules: progress.runs,
          seconds: seconds(),
        });
      }
      onProgress(`kernel: ${progress.runs} runs, ${progress.checked} events checked, ${findings.length} findings`);
    },
  });
  const statistics = { ...newStatistics(), kills: runs, checked };
  return {
    part: 'kernel',
    seconds: seconds(),
    schedules: runs,
    seeds: { first: seed, last: lastSeed },
    statistics,
    findings,
    skipped,
  };
}
