// What all sessions came to: the figures, and each day with its models stacked. Loaded when it is first shown.
import { useMemo } from 'preact/hooks';
import type { StatsOfAll } from '../api/types.ts';
import { costDays, tokensOf } from '../model/cost-days.ts';
import { count, duration, money, plural, tokens } from '../model/numbers.ts';
import type { CostPlace } from '../model/place.ts';
import { modelName } from '../model/short-names.ts';
import { DaysChart } from './cost-days-chart.tsx';
import { AsTable, dayOf, fillOf, Hatches } from './cost-parts.tsx';
import './cost-parts.css';

const UNKNOWN = 'not known';

export function CostOfDays({ all, place }: { all: StatsOfAll; place: CostPlace }) {
  const stacked = useMemo(() => costDays(all, new Date()), [all]);
  const { total } = all;
  const used = tokensOf(total);
  const isPriced = stacked.measure === 'cost';
  return (
    <>
      <Hatches />
      <div class="figures">
        <div>
          <span class="meta">Last {place.days} days</span>
          <b>{total.cost === undefined && used !== undefined ? `${tokens(used)} tokens` : money(total.cost)}</b>
          <span class="meta">
            {plural(total.sessions, 'session')}
            {isPriced && total.withoutPrice > 0
              ? `, ${plural(total.withoutPrice, 'request')} without a price left out`
              : ''}
            {total.cost === undefined ? ', no price is known' : ''}
          </span>
        </div>
        {total.cost === undefined ? null : (
          <div>
            <span class="meta">Tokens</span>
            <b>{used === undefined ? UNKNOWN : tokens(used)}</b>
            <span class="meta">{plural(total.requests, 'request')}</span>
          </div>
        )}
        <div>
          <span class="meta">You waited</span>
          <b>{total.youWaitedMs === undefined ? UNKNOWN : duration(total.youWaitedMs)}</b>
          <span class="meta">
            {plural(total.turns, 'turn')}
            {total.waitedForYouMs === undefined ? '' : `; ${duration(total.waitedForYouMs)} for you`}
          </span>
        </div>
        <div>
          <span class="meta">Failed</span>
          <b>{count(total.failedTurns + total.failedCalls)}</b>
          <span class="meta">
            {plural(total.failedTurns, 'turn')}, {count(total.failedCalls)} of {plural(total.calls, 'call')}
          </span>
        </div>
      </div>
      <h2 class="section-title">{isPriced ? 'By day' : 'Tokens by day'}</h2>
      <ul class="legend">
        {stacked.series.map((name, at) => (
          <li key={name}>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={fillOf(at)} />
            </svg>
            {modelName(name)}
          </li>
        ))}
        {isPriced && total.withoutPrice > 0 ? (
          <li>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill="url(#hatched)" />
            </svg>
            no price
          </li>
        ) : null}
      </ul>
      <DaysChart {...stacked} place={place} />
      <AsTable
        heads={['Day', ...stacked.series.map(modelName), 'Cost', 'Tokens', 'Turns', 'Without a price']}
        rows={stacked.days
          .filter((day) => day.turns > 0 || day.tokens !== undefined)
          .map((day) => [
            dayOf(day.start),
            ...day.values.map((value) => (value === 0 ? '' : isPriced ? money(value) : tokens(value))),
            money(day.cost),
            day.tokens === undefined ? UNKNOWN : tokens(day.tokens),
            count(day.turns),
            day.withoutPrice === 0 ? '' : count(day.withoutPrice),
          ])}
      />
    </>
  );
}
