// What sessions cost, by the days of the reader's clock and by model, ready to be stacked. What has no price is counted
// beside the sums and never as 0 in them.
import type { CostOfAll } from '../api/types.ts';

interface CostDay {
  /** Midnight, where the reader is. */
  readonly start: Date;
  /** US dollars of each series, in their order. */
  readonly costs: readonly number[];
  readonly cost: number;
  readonly tokens: number;
  readonly sessions: number;
  /** Sessions that no price is known for. */
  readonly withoutPrice: number;
}

export interface CostDays {
  /** Models with a colour of their own, the dearest first; behind them `OTHERS` if there are more. */
  readonly series: readonly string[];
  /** Each day up to today, also those without a session. */
  readonly days: readonly CostDay[];
}

export const OTHERS = 'others';
/** As the server calls it. */
const NO_MODEL = 'unknown';
/** Models with a colour of their own. */
const MOST_SERIES = 4;

/** A session counts on the day of its last activity. */
export function costDays({ sessions, since, byModel }: CostOfAll, now: Date): CostDays {
  const dear = byModel.filter(({ cost }) => cost > 0).sort((a, b) => b.cost - a.cost);
  const own = dear.slice(0, MOST_SERIES).map(({ model }) => model);
  const series = dear.length > MOST_SERIES ? [...own, OTHERS] : own;
  const bySession = Map.groupBy(sessions, ({ lastActivity = '' }) => midnight(new Date(lastActivity)).getTime());
  const days: CostDay[] = [];
  const last = midnight(now);
  // By the calendar: where a clock is put forward or back, a day has not 24 hours.
  for (let start = midnight(new Date(since)); start <= last; start = dayAfter(start)) {
    const some = bySession.get(start.getTime()) ?? [];
    const sum = (of: typeof some) => of.reduce((all, { cost = 0 }) => all + cost, 0);
    days.push({
      start,
      costs: series.map((name, at) =>
        sum(some.filter(({ model = NO_MODEL }) => (at < MOST_SERIES ? model === name : !own.includes(model)))),
      ),
      cost: sum(some),
      tokens: some.reduce((all, { tokens = 0 }) => all + tokens, 0),
      sessions: some.length,
      withoutPrice: some.filter(({ cost }) => cost === undefined).length,
    });
  }
  return { series, days };
}

function midnight(time: Date): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate());
}

function dayAfter(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
}
