// What all sessions came to in some days: its charts are loaded with their own part of the program.
import { server } from '../api/server.ts';
import { useReadingResource, useResource } from '../api/use-resource.ts';
import { ownZone } from '../model/cost-days.ts';
import type { CostPlace } from '../model/place.ts';
import { Choice } from '../parts/choice.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { State } from '../parts/state.tsx';
import { costLink, go } from '../router.ts';
import { useTitle } from '../state/title.ts';
import { NumbersBy } from './cost-by.tsx';
import { LeftOut } from './cost-parts.tsx';
import './cost-parts.css';

const CostOfDays = lazy(async () => (await import('./cost-days.tsx')).CostOfDays);

export function CostView({ place }: { place: CostPlace }) {
  const { days } = place;
  const stats = useResource(`stats ${days}`, (signal) =>
    server.getStats({ query: { by: 'day,model', days, zone: ownZone() }, signal }),
  );
  useReadingResource(stats);
  useTitle('Cost');
  return (
    <>
      <header class="view-head">
        <div class="view-title">
          <h1>Cost</h1>
          <a class="meta" href="/year">
            A year with your agents
          </a>
          <Choice
            label="How long"
            options={[7, 30, 90, 365].map((each) => [`${each} days`, each])}
            value={days}
            onPick={(each) => go(costLink({ ...place, days: each, day: undefined }))}
          />
        </div>
      </header>
      <Loaded of={stats}>
        {(all) =>
          all.total.sessions === 0 ? (
            <State icon="cost" title="Nothing in these days">
              {all.leftOut.join(' ') || `No session had a turn in the last ${days} days.`}
            </State>
          ) : (
            <>
              <CostOfDays all={all} place={place} />
              <NumbersBy place={place} onPriced={stats.reload} />
              <LeftOut sentences={all.leftOut} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
