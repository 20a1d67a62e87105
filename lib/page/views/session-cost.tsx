// What a session cost: its charts are loaded with their own part of the program.
import { server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { FailureState } from '../parts/failure-state.tsx';
import { lazy } from '../parts/lazy.tsx';
import { Skeleton } from '../parts/state.tsx';

const CostCharts = lazy(async () => (await import('./cost-charts.tsx')).CostCharts);

export function SessionCost({ address }: { address: string }) {
  const cost = useResource(address, (signal) => server.getRequests({ parameters: { id: address }, signal }));
  if (cost.failure) return <FailureState failure={cost.failure} retry={cost.reload} isPage={false} />;
  return (
    <div class="view-body" tabIndex={0}>
      {cost.value ? <CostCharts cost={cost.value} address={address} /> : <Skeleton />}
    </div>
  );
}
