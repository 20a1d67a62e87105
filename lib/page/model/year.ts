// A year in numbers, from the server's sums. Pure.
import type { StatsOfAll, StatsRowOfAll } from '../api/types.ts';
import { tokensOf } from './cost-days.ts';

export interface Year {
  readonly total: StatsOfAll['total'];
  /** Weeks of seven days, the first day of each a Monday; undefined: outside of the year. */
  readonly weeks: readonly (readonly (YearDay | undefined)[])[];
  readonly busiest: YearDay | undefined;
  /** Days on which something was said. */
  readonly activeDays: number;
  /** Longest run of such days. */
  readonly longestRun: number;
  /** Prompts by hour of the day, 24. */
  readonly hours: readonly number[];
}

interface YearDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly turns: number;
}

export const DAYS = 365;
const DAY_MS = 86_400_000;

export function yearOf(byDay: StatsOfAll, byHour: StatsOfAll, today: Date): Year {
  const turns = new Map(byDay.rows.map((row) => [row.day ?? '', row.turns]));
  // Days of the calendar are counted at noon: a clock that is put forward or back changes none.
  const last = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate(), 12);
  const days: YearDay[] = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(last - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, turns: turns.get(day) ?? 0 };
  });
  const before = (new Date(`${days[0]!.day}T12:00:00Z`).getUTCDay() + 6) % 7;
  const placed: (YearDay | undefined)[] = [...new Array<undefined>(before).fill(undefined), ...days];
  const weeks = Array.from({ length: Math.ceil(placed.length / 7) }, (_, week) => placed.slice(week * 7, week * 7 + 7));
  const busiest = days.reduce((best, each) => (each.turns > best.turns ? each : best));
  let [run, longestRun] = [0, 0];
  for (const { turns: said } of days) {
    run = said > 0 ? run + 1 : 0;
    longestRun = Math.max(longestRun, run);
  }
  const hours = new Array<number>(24).fill(0);
  for (const { hour, turns: said } of byHour.rows) if (hour !== undefined) hours[Number(hour)] = said;
  return {
    total: byDay.total,
    weeks,
    busiest: busiest.turns > 0 ? busiest : undefined,
    activeDays: days.filter((each) => each.turns > 0).length,
    longestRun,
    hours,
  };
}

/** How dark a day is, from 0 to 4. */
export function shadeOf(turns: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (turns === 0 || most === 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((4 * Math.sqrt(turns)) / Math.sqrt(most)))) as 1 | 2 | 3 | 4;
}

export interface RankedName {
  readonly name: string;
  readonly value: number;
}

const MOST = 6;

/** The greatest rows by a figure, without those that have none of it. */
export function greatest(
  { rows }: StatsOfAll,
  figure: 'turns' | 'failedCalls' | 'tokens',
  nameOf: (row: StatsRowOfAll) => string,
): RankedName[] {
  const amountOf = (row: StatsRowOfAll) => (figure === 'tokens' ? (tokensOf(row) ?? 0) : row[figure]);
  return rows
    .map((row) => ({ name: nameOf(row), value: amountOf(row) }))
    .filter((each) => each.value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST);
}
