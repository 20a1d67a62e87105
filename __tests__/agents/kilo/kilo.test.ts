import { kilo } from '../../../lib/agents/cline/cline.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, overKept } from '../reading.ts';

describeAgent(kilo);

it('a request of an older version does not count cached tokens as input', async () => {
  const events = await eventsOf(openForeign(overKept(kilo), caseOf('kilo', 'task-of-an-older-version'), files));
  const usage = events.find(({ type }) => type === 'usage.reported')?.data;
  expect(usage).toMatchObject({ inputTokens: 9000, cachedTokens: 4000, totalCost: 0.01 });
});
