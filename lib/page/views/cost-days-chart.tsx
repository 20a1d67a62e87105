// A bar for each day, its models stacked. The highest says what it is; a day with a session that has no price has a
// hatched foot, because its bar is lower than what it cost.
import type { CostDays } from '../model/cost-days.ts';
import { modelName } from '../model/model-name.ts';
import { money, plural } from '../model/numbers.ts';
import { dayOf, fillOf, useWidth } from './cost-parts.tsx';

const HEIGHT = 200;
/** Room above the bars for what the highest says. */
const HEAD = 20;
const FOOT = 6;
const LEFT = 48;
const GAP = 1.5;
const WIDEST = 48;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export function DaysChart({ series, days }: CostDays) {
  const [box, width] = useWidth();
  const most = Math.max(...days.map(({ cost }) => cost));
  const top = most || 1;
  const y = (cost: number) => HEAD + HEIGHT * (1 - cost / top);
  const slot = (width - LEFT) / days.length;
  const wide = Math.max(1, Math.min(WIDEST, slot - GAP));
  const x = (at: number) => LEFT + slot * (at + 0.5) - wide / 2;
  const highest = days.findIndex(({ cost }) => cost === most);
  const middle = x(highest) + wide / 2;
  return (
    <div ref={box}>
      <svg
        class="chart"
        width={width}
        height={HEAD + HEIGHT + FOOT + 20}
        role="img"
        aria-label={
          most === 0
            ? `No price is known for these ${plural(days.length, 'day')}`
            : `Cost of ${plural(days.length, 'day')}; the dearest is ${dayOf(days[highest]!.start)} with ${money(most)}`
        }
      >
        {(most === 0 ? [0] : SHARES).map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={width} y1={y(top * share)} y2={y(top * share)} stroke="var(--line)" />
            <text x={LEFT - 8} y={y(top * share) + 4} text-anchor="end">
              {money(top * share)}
            </text>
          </g>
        ))}
        {days.map((day, at) => (
          <g key={day.start.getTime()}>
            <title>{wordsOf(day, series)}</title>
            {day.costs.map((cost, index) => (
              <rect
                key={series[index]}
                x={x(at)}
                width={wide}
                y={y(sumTo(day.costs, index + 1))}
                height={(HEIGHT * cost) / top}
                fill={fillOf(index)}
              />
            ))}
            {day.withoutPrice > 0 ? (
              <rect x={x(at)} width={wide} y={HEAD + HEIGHT + 1} height={FOOT} fill="url(#hatched)" />
            ) : null}
          </g>
        ))}
        {most === 0 ? null : (
          <text class="strong" x={Math.max(LEFT + 24, Math.min(width - 24, middle))} y={HEAD - 6} text-anchor="middle">
            {money(most)}
          </text>
        )}
        <text x={LEFT} y={HEAD + HEIGHT + FOOT + 16}>
          {dayOf(days[0]!.start)}
        </text>
        <text x={width} y={HEAD + HEIGHT + FOOT + 16} text-anchor="end">
          today
        </text>
      </svg>
    </div>
  );
}

function sumTo(costs: readonly number[], end: number): number {
  return costs.slice(0, end).reduce((sum, cost) => sum + cost, 0);
}

function wordsOf(day: CostDays['days'][number], series: readonly string[]): string {
  const parts = day.costs.flatMap((cost, at) => (cost === 0 ? [] : [`${modelName(series[at]!)} ${money(cost)}`]));
  const without = day.withoutPrice === 0 ? [] : [`${plural(day.withoutPrice, 'session')} without a price`];
  return `${dayOf(day.start)}: ${[money(day.cost), ...parts, ...without].join(', ')}`;
}
