// What all sessions came to: the figures, and each day with its models stacked. Loaded when it is first shown.
import { useMemo } from 'preact/hooks';
import type { StatsOfAll } from '../api/types.ts';
import { costDays, tokensOf } from '../model/cost-days.ts';
import { count, duration, money, plural, tokens } from '../model/numbers.ts';
import type { CostPlace } from '../model/place.ts';
import { modelName } from '../model/short-names.ts';
import { DaysChart } from './cost-days-chart.tsx';
import { AsTable, dayOf, Figures, fillOf, HATCHED, Hatches, Legend } from './cost-parts.tsx';
import './cost-parts.css';

const orUnknown = (value: number | undefined, say: (known: number) => string) =>
  value === undefined ? 'not known' : say(value);

function leftOutOf({ cost, withoutPrice }: StatsOfAll['total']): string {
  if (cost === undefined) return ', no price is known';
  return withoutPrice > 0 ? `, ${plural(withoutPrice, 'request')} without a price left out` : '';
}

export function CostOfDays({ all, place }: { all: StatsOfAll; place: CostPlace }) {
  const stacked = useMemo(() => costDays(all, new Date()), [all]);
  const { total } = all;
  const used = tokensOf(total);
  const isPriced = stacked.measure === 'cost';
  return (
    <>
      <Hatches />
      <Figures
        boxes={[
          [
            `Last ${place.days} days`,
            total.cost === undefined && used !== undefined ? `${tokens(used)} tokens` : money(total.cost),
            plural(total.sessions, 'session') + leftOutOf(total),
          ],
          ...(total.cost === undefined
            ? []
            : [['Tokens', orUnknown(used, tokens), plural(total.requests, 'request')] as const]),
          [
            'You waited',
            orUnknown(total.youWaitedMs, duration),
            plural(total.turns, 'turn') +
              (total.waitedForYouMs === undefined ? '' : `; ${duration(total.waitedForYouMs)} for you`),
          ],
          [
            'Failed',
            count(total.failedTurns + total.failedCalls),
            `${plural(total.failedTurns, 'turn')}, ${count(total.failedCalls)} of ${plural(total.calls, 'call')}`,
          ],
        ]}
      />
      <h2 class="section-title">{isPriced ? 'By day' : 'Tokens by day'}</h2>
      <Legend
        entries={[
          ...stacked.series.map((name, at) => [modelName(name), fillOf(at)] as const),
          ...(isPriced && total.withoutPrice > 0 ? [['no price', HATCHED] as const] : []),
        ]}
      />
      <DaysChart {...stacked} place={place} />
      <AsTable
        heads={['Day', ...stacked.series.map(modelName), 'Cost', 'Tokens', 'Turns', 'Without a price']}
        rows={stacked.days
          .filter((day) => day.turns > 0 || day.tokens !== undefined)
          .map((day) => [
            dayOf(day.start),
            ...day.values.map((value) => (value === 0 ? '' : isPriced ? money(value) : tokens(value))),
            money(day.cost),
            orUnknown(day.tokens, tokens),
            count(day.turns),
            day.withoutPrice === 0 ? '' : count(day.withoutPrice),
          ])}
      />
    </>
  );
}
