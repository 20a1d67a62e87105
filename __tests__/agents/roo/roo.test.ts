import { roo } from '../../../lib/agents/cline/cline.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, overKept, statesOf, textsInView } from '../reading.ts';

describeAgent(roo);

it('a summary replaces the messages before it', async () => {
  const { view } = await statesOf(overKept(roo), caseOf('roo', 'task'));
  expect(textsInView(view)).toEqual(['Fine.']);
  expect(JSON.stringify(view)).toContain('Nails were asked for.');
});

it('the model of a task is the one named in its environment text', async () => {
  const [created] = await eventsOf(openForeign(overKept(roo), caseOf('roo', 'task'), files));
  expect(created?.data).toMatchObject({ model: 'gpt-5.4', cwd: '/home/ada/boat' });
});
