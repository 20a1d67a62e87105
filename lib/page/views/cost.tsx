// What all sessions cost: by day and by model.
import { ask } from '../api/request.ts';
import type { CostOfAll } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { count, money, plural } from '../model/numbers.ts';
import { oneLine } from '../model/visible.ts';
import { FailureState, Skeleton, State } from '../parts/state.tsx';
import { go } from '../router.ts';
import { useTitle } from '../state/title.ts';

export function CostView({ days }: { days: number }) {
  const cost = useResource(`cost ${days}`, (signal) => ask<CostOfAll>('/cost', { query: { days }, signal }));
  useTitle('Cost');
  const all = cost.value;
  const byDay = daysOf(all?.byDay ?? [], days);
  const most = Math.max(...byDay.map((day) => day.cost), 0.0001);
  return (
    <>
      <header class="view-head">
        <div class="view-title">
          <h1>Cost</h1>
          <fieldset class="choice" aria-label="How long">
            {[7, 30, 90].map((each) => (
              <button key={each} type="button" aria-pressed={days === each} onClick={() => go(`/cost?days=${each}`)}>
                {each} days
              </button>
            ))}
          </fieldset>
        </div>
      </header>
      {cost.failure ? (
        <FailureState failure={cost.failure} retry={cost.reload} isPage={false} />
      ) : (
        <div class="view-body" tabIndex={0}>
          {all === undefined ? (
            <Skeleton />
          ) : all.total.sessions === 0 ? (
            <State icon="cost" title="Nothing in these days">
              No session had a request in the last {days} days.
            </State>
          ) : (
            <>
              <div class="figures">
                <div>
                  <span class="meta">Last {days} days</span>
                  <b>{money(all.total.withoutPrice === all.total.sessions ? undefined : all.total.cost)}</b>
                  <span class="meta">{plural(all.total.sessions, 'session')}</span>
                </div>
                <div>
                  <span class="meta">Without a price</span>
                  <b>{count(all.total.withoutPrice)}</b>
                  <span class="meta">sessions, not in these sums</span>
                </div>
              </div>
              <h2 class="section-title">By day</h2>
              <svg class="chart" viewBox="0 0 720 160" role="img" aria-label={`Cost by day, at most ${money(most)}`}>
                {[0, 0.25, 0.5, 0.75].map((share) => (
                  <line
                    key={share}
                    x1="0"
                    x2="720"
                    y1={140 - 120 * share}
                    y2={140 - 120 * share}
                    stroke="var(--line)"
                  />
                ))}
                {byDay.map((day, index) => {
                  const width = 720 / byDay.length;
                  const height = (120 * day.cost) / most;
                  return (
                    <rect
                      key={day.day}
                      x={index * width + 0.75}
                      y={140 - height}
                      width={Math.max(1, width - 1.5)}
                      height={height}
                      fill="var(--c1)"
                    >
                      <title>{`${day.day}: ${money(day.cost)}`}</title>
                    </rect>
                  );
                })}
                <text x="0" y="156">
                  {byDay[0]?.day}
                </text>
                <text x="720" y="156" text-anchor="end">
                  {byDay.at(-1)?.day}
                </text>
              </svg>
              <h2 class="section-title">By model</h2>
              <table class="plain-table">
                <thead>
                  <tr>
                    <th>Model</th>
                    <th>Sessions</th>
                    <th>Cost</th>
                  </tr>
                </thead>
                <tbody>
                  {all.byModel.map((row) => (
                    <tr key={row.model}>
                      <td>{oneLine(row.model)}</td>
                      <td>{count(row.sessions)}</td>
                      <td>{money(row.withoutPrice === row.sessions ? undefined : row.cost)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )}
        </div>
      )}
    </>
  );
}

/** One for each day, also for those without a session. */
function daysOf(rows: CostOfAll['byDay'], days: number): { readonly day: string; readonly cost: number }[] {
  const sums = new Map<string, number>();
  for (const { day, cost } of rows) sums.set(day, (sums.get(day) ?? 0) + cost);
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(Date.now() - (days - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return { day, cost: sums.get(day) ?? 0 };
  });
}
