// A bar for each day, its models stacked. The highest has its sum; a day with a request that has no price has a
// hatched foot, because its bar is lower than its cost. A click, or Enter, shows the sessions of a day.
import { useState } from 'preact/hooks';
import type { CostDays } from '../model/cost-days.ts';
import { money, plural, tokens } from '../model/numbers.ts';
import type { CostPlace } from '../model/place.ts';
import { modelName } from '../model/short-names.ts';
import { costLink, go } from '../router.ts';
import { dayOf, fillOf, useWidth } from './cost-parts.tsx';
import './cost-parts.css';

const HEIGHT = 200;
/** Room above the bars for the sum of the highest. */
const HEAD = 20;
const FOOT = 6;
const LEFT = 48;
const GAP = 1.5;
const WIDEST = 48;
/** Pixels at both sides of a bar that belong to it, unless a bar is nearer. */
const REACH = 12;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

export function DaysChart({ measure, series, days, place }: CostDays & { place: CostPlace }) {
  const said = measure === 'cost' ? money : tokens;
  const [box, width] = useWidth();
  const [at, setAt] = useState<number>();
  const most = Math.max(...days.map(({ value }) => value));
  const top = most || 1;
  const y = (value: number) => HEAD + HEIGHT * (1 - value / top);
  const slot = (width - LEFT) / days.length;
  const wide = Math.max(1, Math.min(WIDEST, slot - GAP));
  const x = (at: number) => LEFT + slot * (at + 0.5) - wide / 2;
  const highest = days.findIndex(({ value }) => value === most);
  const middle = x(highest) + wide / 2;
  const within = (index: number): number => Math.max(0, Math.min(days.length - 1, index));
  const show = (index: number): void => go(costLink({ ...place, by: 'session', day: days[index]!.date }));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -days.length, End: days.length }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt(within((at ?? (step > 0 ? -1 : days.length)) + step));
    } else if (event.key === 'Enter' && at !== undefined) show(at);
  };
  const indexAt = (event: MouseEvent): number => {
    const { left, width: wide } = (event.currentTarget as Element).getBoundingClientRect();
    const index = within(Math.floor((((event.clientX - left) / wide) * width - LEFT) / slot));
    // A bar of a year is narrower than a finger.
    const isAt = (each: number) => (days[each]?.turns ?? 0) > 0 || days[each]?.tokens !== undefined;
    const reach = Math.ceil(REACH / slot);
    const near = Array.from({ length: 2 * reach + 1 }, (_, step) => index + (step % 2 ? 1 : -1) * Math.ceil(step / 2));
    return near.find(isAt) ?? index;
  };
  const chosen = days.findIndex(({ date }) => date === place.day);
  return (
    <div ref={box}>
      <p class="meta chart-says" aria-live="polite">
        {at === undefined
          ? 'Point at a day, or use the arrow keys; a click or Enter shows its sessions.'
          : wordsOf(days[at]!, { measure, series })}
      </p>
      <svg
        class="chart leads"
        // An attribute of SVG has its letters as they are written.
        tabindex={0}
        onKeyDown={onKeyDown}
        onMouseMove={(event) => setAt(indexAt(event))}
        onMouseLeave={() => setAt(undefined)}
        onClick={(event) => show(indexAt(event))}
        width={width}
        height={HEAD + HEIGHT + FOOT + 20}
        role="img"
        aria-label={
          most === 0
            ? `No price and no tokens are known for these ${plural(days.length, 'day')}`
            : `${measure === 'cost' ? 'Cost' : 'Tokens'} of ${plural(days.length, 'day')}; the most on ${dayOf(days[highest]!.start)}: ${said(most)}`
        }
      >
        {[at, chosen].map((index, of) =>
          index === undefined || index < 0 ? null : (
            <rect
              key={of}
              x={LEFT + slot * index}
              width={slot}
              y={HEAD}
              height={HEIGHT + FOOT + 1}
              fill={of === 0 ? 'var(--hover)' : 'var(--accent-bg)'}
            />
          ),
        )}
        {(most === 0 ? [0] : SHARES).map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={width} y1={y(top * share)} y2={y(top * share)} stroke="var(--line)" />
            <text x={LEFT - 8} y={y(top * share) + 4} text-anchor="end">
              {said(top * share)}
            </text>
          </g>
        ))}
        {days.map((day, at) => (
          <g key={day.start.getTime()}>
            {day.values.map((value, index) => (
              <rect
                key={series[index]}
                x={x(at)}
                width={wide}
                y={y(sumTo(day.values, index + 1))}
                height={(HEIGHT * value) / top}
                fill={fillOf(index)}
              />
            ))}
            {measure === 'cost' && day.withoutPrice > 0 ? (
              <rect x={x(at)} width={wide} y={HEAD + HEIGHT + 1} height={FOOT} fill="url(#hatched)" />
            ) : null}
          </g>
        ))}
        {most === 0 ? null : (
          <text class="strong" x={Math.max(LEFT + 24, Math.min(width - 24, middle))} y={HEAD - 6} text-anchor="middle">
            {said(most)}
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

function sumTo(values: readonly number[], end: number): number {
  return values.slice(0, end).reduce((sum, value) => sum + value, 0);
}

function wordsOf(day: CostDays['days'][number], { measure, series }: Pick<CostDays, 'measure' | 'series'>): string {
  const said = measure === 'cost' ? money : tokens;
  const parts = day.values.flatMap((value, at) => (value === 0 ? [] : [`${modelName(series[at]!)} ${said(value)}`]));
  const without =
    measure === 'cost' && day.withoutPrice > 0 ? [`${plural(day.withoutPrice, 'request')} without a price`] : [];
  return `${dayOf(day.start)}: ${[said(day.value), ...parts, ...without].join(', ')}`;
}
