// What all sessions cost, by day and by model, ready to be stacked; tokens, where no price is known at all. A request
// without a price is counted apart and never as 0.
import type { StatsOfAll, StatsRowOfAll } from '../api/types.ts';

interface CostDay {
  /** Midnight, where the reader is. */
  readonly start: Date;
  /** As the server writes it. */
  readonly date: string;
  /** US dollars or tokens of each series, in their order. */
  readonly values: readonly number[];
  readonly value: number;
  readonly cost: number | undefined;
  readonly tokens: number | undefined;
  readonly turns: number;
  /** Requests without a known price. */
  readonly withoutPrice: number;
}

export interface CostDays {
  readonly measure: 'cost' | 'tokens';
  /** Models with a colour of their own, the dearest first; then `OTHERS` if there are more. */
  readonly series: readonly string[];
  /** Each day up to today, also those without a session. */
  readonly days: readonly CostDay[];
}

export const OTHERS = 'others';
export const NO_NAME = 'unknown';
/** Models with a colour of their own. */
const MOST_SERIES = 4;

/** `all`: by day and model, its days those of the reader's clock. */
export function costDays({ rows, total, since }: StatsOfAll, now: Date): CostDays {
  const measure = total.cost === undefined ? 'tokens' : 'cost';
  const amount = (some: readonly StatsRowOfAll[]) =>
    sumOf(some.map(measure === 'cost' ? ({ cost }) => cost : tokensOf)) ?? 0;
  const models = [...Map.groupBy(rows, ({ model = NO_NAME }) => model)].map(
    ([model, some]) => [model, amount(some)] as const,
  );
  const great = models.filter(([, value]) => value > 0).sort(([, a], [, b]) => b - a);
  const own = great.slice(0, MOST_SERIES).map(([model]) => model);
  const series = great.length > MOST_SERIES ? [...own, OTHERS] : own;
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const days: CostDay[] = [];
  const last = midnight(now);
  // By the calendar: where a clock is put forward or back, a day has not 24 hours.
  for (let start = midnight(new Date(since ?? now)); start <= last; start = dayAfter(start)) {
    const date = dateOf(start);
    const some = byDay.get(date) ?? [];
    days.push({
      start,
      date,
      values: series.map((name, at) =>
        amount(some.filter(({ model = NO_NAME }) => (at < MOST_SERIES ? model === name : !own.includes(model)))),
      ),
      value: amount(some),
      cost: sumOf(some.map(({ cost }) => cost)),
      tokens: sumOf(some.map(tokensOf)),
      turns: sumOf(some.map(({ turns }) => turns)) ?? 0,
      withoutPrice: sumOf(some.map((row) => row.withoutPrice)) ?? 0,
    });
  }
  return { measure, series, days };
}

/** Tokens in and out; undefined where none are known. */
export function tokensOf({
  inputTokens,
  outputTokens,
}: Pick<StatsRowOfAll, 'inputTokens' | 'outputTokens'>): number | undefined {
  return sumOf([inputTokens, outputTokens]);
}

/** The time zone of the reader; a browser that hides it counts by UTC. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

function dateOf(day: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(day.getFullYear()).padStart(4, '0')}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

function midnight(time: Date): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate());
}

function dayAfter(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
}
