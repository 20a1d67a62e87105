// What all sessions cost: the figures, each day with its models stacked, and each model. Loaded when it is first shown.
import { useMemo } from 'preact/hooks';
import type { CostOfAll } from '../api/types.ts';
import { costDays } from '../model/cost-days.ts';
import { modelName } from '../model/model-name.ts';
import { count, money, plural, tokens } from '../model/numbers.ts';
import { DaysChart } from './cost-days-chart.tsx';
import { AsTable, dayOf, fillOf, Hatches } from './cost-parts.tsx';

export function CostOfDays({ all, days }: { all: CostOfAll; days: number }) {
  const stacked = useMemo(() => costDays(all, new Date()), [all]);
  const { total } = all;
  const priced = total.sessions - total.withoutPrice;
  const models = [...all.byModel].sort((a, b) => b.cost - a.cost || b.tokens - a.tokens);
  return (
    <>
      <Hatches />
      <div class="figures">
        <div>
          <span class="meta">Last {days} days</span>
          <b>{money(priced === 0 ? undefined : total.cost)}</b>
          <span class="meta">
            {plural(total.sessions, 'session')}
            {total.withoutPrice === 0 || priced === 0 ? '' : `, ${count(total.withoutPrice)} without a price left out`}
          </span>
        </div>
        <div>
          <span class="meta">Tokens</span>
          <b>{tokens(total.tokens)}</b>
          <span class="meta">of {plural(all.byModel.length, 'model')}</span>
        </div>
        <div>
          <span class="meta">A session, on average</span>
          <b>{money(priced === 0 ? undefined : total.cost / priced)}</b>
          <span class="meta">{tokens(Math.round(total.tokens / total.sessions))} tokens</span>
        </div>
      </div>
      <h2 class="section-title">By day</h2>
      <ul class="legend">
        {stacked.series.map((name, at) => (
          <li key={name}>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={fillOf(at)} />
            </svg>
            {modelName(name)}
          </li>
        ))}
        {total.withoutPrice > 0 ? (
          <li>
            <svg width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill="url(#hatched)" />
            </svg>
            no price
          </li>
        ) : null}
      </ul>
      <DaysChart {...stacked} />
      <AsTable
        heads={['Day', ...stacked.series.map(modelName), 'Cost', 'Tokens', 'Sessions', 'Without a price']}
        rows={stacked.days
          .filter((day) => day.sessions > 0)
          .map((day) => [
            dayOf(day.start),
            ...day.costs.map((cost) => (cost === 0 ? '' : money(cost))),
            money(day.withoutPrice === day.sessions ? undefined : day.cost),
            tokens(day.tokens),
            count(day.sessions),
            day.withoutPrice === 0 ? '' : count(day.withoutPrice),
          ])}
      />
      <h2 class="section-title">By model</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th>Model</th>
            <th>Sessions</th>
            <th>Tokens</th>
            <th>Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map((row) => (
            <tr key={row.model}>
              <td class="name">{modelName(row.model)}</td>
              <td>{count(row.sessions)}</td>
              <td>{tokens(row.tokens)}</td>
              <td>
                <b>{money(row.withoutPrice === row.sessions ? undefined : row.cost)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
