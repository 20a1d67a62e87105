// What a run of the lab comes to: sums over all that was tried, and each finding with what replays it.
import { newStatistics, type Statistics } from './world.ts';

export interface Finding {
  /** `loss`, `undetected damage`, `false alarm`, `broken promise`, or the name of an unexpected error. */
  readonly kind: string;
  readonly message: string;
  /** The command that shows it again. */
  readonly replay: string;
  readonly seed: number;
  /** The smallest schedule that shows it, as far as shrinking came. */
  readonly schedule: string;
  readonly schedules: number;
  readonly seconds: number;
}

export interface PartReport {
  readonly part: string;
  readonly seconds: number;
  readonly schedules: number;
  readonly seeds: { readonly first: number; readonly last: number };
  readonly statistics: Statistics;
  readonly findings: readonly Finding[];
  /** What could not be tried on this machine, and why. */
  readonly skipped?: readonly string[];
}

/** A way of looking for faults. */
export interface Part {
  readonly name: string;
  /** How much of the time it gets, next to the shares of the others. */
  readonly share: number;
  run(options: PartOptions): Promise<PartReport>;
}

export interface PartOptions {
  readonly seed: number;
  readonly budgetMs: number;
  /** Ends at the first finding. */
  readonly stopAtFirst: boolean;
  readonly onProgress: (line: string) => void;
}

export interface Report {
  readonly parts: readonly PartReport[];
  readonly totals: Statistics & { readonly schedules: number; readonly seconds: number };
  readonly losses: number;
  readonly undetectedDamage: number;
  readonly falseAlarms: number;
  readonly otherFindings: number;
}

export function reportOf(parts: readonly PartReport[]): Report {
  const totals = { ...newStatistics(), schedules: 0, seconds: 0 };
  for (const { schedules, seconds, statistics } of parts) {
    totals.schedules += schedules;
    totals.seconds += seconds;
    for (const name of Object.keys(statistics) as (keyof Statistics)[]) totals[name] += statistics[name];
  }
  const kinds = parts.flatMap(({ findings }) => findings.map(({ kind }) => kind));
  const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
  const [losses, undetectedDamage, falseAlarms] = ['loss', 'undetected damage', 'false alarm'].map(count) as [
    number,
    number,
    number,
  ];
  const otherFindings = kinds.length - losses - undetectedDamage - falseAlarms;
  return { parts, totals, losses, undetectedDamage, falseAlarms, otherFindings };
}

export function renderReport(report: Report): string {
  const { totals } = report;
  const rows: [string, number][] = [
    ['schedules', totals.schedules],
    ['steps', totals.steps],
    ['crash states', totals.crashStates],
    ['processes killed', totals.kills],
    ['faults that struck', totals.faults],
    ['events acknowledged', totals.acknowledged],
    ['acknowledged events checked', totals.checked],
    ['damage found and reported', totals.findings],
    ['refusals, each with a reason', totals.refusals],
    ['acknowledged events lost', report.losses],
    ['damage undetected', report.undetectedDamage],
    ['false alarms', report.falseAlarms],
    ['other broken promises', report.otherFindings],
  ];
  const seeds = report.parts.map(({ part, seeds: { first, last } }) => `${part} ${first} to ${last}`).join(', ');
  const lines = rows.map(([name, value]) => `${name.padEnd(30)}${value.toLocaleString('en').padStart(14)}`);
  const skipped = report.parts.flatMap((part) => part.skipped ?? []).map((reason) => `skipped: ${reason}`);
  const findings = report.parts.flatMap(({ findings: each }) => each).map(renderFinding);
  return [
    ...lines,
    `${'seconds'.padEnd(30)}${totals.seconds.toFixed(0).padStart(14)}`,
    `seeds: ${seeds}`,
    ...skipped,
    ...findings,
  ].join('\n');
}

function renderFinding({ message, replay, schedule }: Finding): string {
  return `\n${message}\n  ${schedule}\n  Show it again: ${replay}`;
}
