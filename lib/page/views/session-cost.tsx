// What a session cost: its charts are loaded with their own part of the program.
import { server } from '../api/server.ts';
import { useResource } from '../api/use-resource.ts';
import { lazy } from '../parts/lazy.tsx';
import { Loaded } from '../parts/loaded.tsx';

const CostCharts = lazy(async () => (await import('./cost-charts.tsx')).CostCharts);

export function SessionCost({ address }: { address: string }) {
  const cost = useResource(address, (signal) => server.getRequests({ parameters: { id: address }, signal }));
  return <Loaded of={cost}>{(value) => <CostCharts cost={value} address={address} />}</Loaded>;
}
