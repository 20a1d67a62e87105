// What all sessions came to in some days: its charts are loaded with their own part of the program.
import { server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { ownZone } from '../model/cost-days.ts';
import type { CostPlace } from '../model/place.ts';
import { oneLine } from '../model/visible.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Skeleton, State } from '../parts/state.tsx';
import { costLink, go } from '../router.ts';
import { useTitle } from '../state/title.ts';
import { NumbersBy } from './cost-by.tsx';
import '../parts/choice.css';
import './cost-parts.css';

const CostOfDays = lazy(async () => (await import('./cost-days.tsx')).CostOfDays);

export function CostView({ place }: { place: CostPlace }) {
  const { days } = place;
  const stats = useResource(`stats ${days}`, (signal) =>
    server.getStats({ query: { by: 'day,model', days, zone: ownZone() }, signal }),
  );
  useTitle('Cost');
  const all = stats.value;
  return (
    <>
      <header class="view-head">
        <div class="view-title">
          <h1>Cost</h1>
          <a class="meta" href="/year">
            A year with your agents
          </a>
          <fieldset class="choice" aria-label="How long">
            {[7, 30, 90, 365].map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={days === each}
                onClick={() => go(costLink({ ...place, days: each, day: undefined }))}
              >
                {each} days
              </button>
            ))}
          </fieldset>
        </div>
      </header>
      {stats.failure ? (
        <FailureState failure={stats.failure} retry={stats.reload} isPage={false} />
      ) : (
        <div class="view-body" tabIndex={0}>
          {all === undefined ? (
            <Skeleton />
          ) : all.total.sessions === 0 ? (
            <State icon="cost" title="Nothing in these days">
              No session had a turn in the last {days} days.
            </State>
          ) : (
            <>
              <CostOfDays all={all} place={place} />
              <NumbersBy place={place} onPriced={stats.reload} />
              {all.leftOut.map((sentence) => (
                <p key={sentence} class="meta">
                  {oneLine(sentence)}
                </p>
              ))}
            </>
          )}
        </div>
      )}
    </>
  );
}
