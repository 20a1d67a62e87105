import { asf } from '../../../lib/agents/asf/asf.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, statesOf, textsInView } from '../reading.ts';

describeAgent(asf);

it('an entry that follows an older one continues from there', async () => {
  const { view } = await statesOf(asf, caseOf('asf', 'unknown-and-damaged'));
  expect(textsInView(view)).not.toContain('Two');
  expect(textsInView(view)).toContain('No');
});
