// What all sessions cost in some days: its charts are loaded with their own part of the program.
import { ask } from '../api/request.ts';
import type { CostOfAll } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { lazy } from '../parts/lazy.tsx';
import { FailureState, Skeleton, State } from '../parts/state.tsx';
import { go } from '../router.ts';
import { useTitle } from '../state/title.ts';

const CostOfDays = lazy(async () => (await import('./cost-days.tsx')).CostOfDays);

export function CostView({ days }: { days: number }) {
  const cost = useResource(`cost ${days}`, (signal) => ask<CostOfAll>('/cost', { query: { days }, signal }));
  useTitle('Cost');
  const all = cost.value;
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
            <CostOfDays all={all} days={days} />
          )}
        </div>
      )}
    </>
  );
}
