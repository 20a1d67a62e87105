import { antigravity } from '../../../lib/agents/antigravity/antigravity.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files } from '../reading.ts';

describeAgent(antigravity, { real: (path) => /\/agents-new\/antigravity\/.*\.jsonl$/.test(path) });

it('the results of an answer belong to its calls in their order, and one without a call has its own name', async () => {
  const events = await eventsOf(openForeign(antigravity, caseOf('antigravity', 'steps'), files));
  const dataOf = (type: string) => events.flatMap((event) => (event.type === type ? [event.data] : []));
  expect(dataOf('tool.requested').map(({ callId, name, args }) => [callId, name, args])).toEqual([
    ['3.1', 'run_command', { CommandLine: 'wc -l nails.txt', toolSummary: 'Counting' }],
    ['3.2', 'view_file', { AbsolutePath: '/nowhere', StartLine: 40 }],
    ['10', 'GREP_SEARCH', {}],
  ]);
  expect(dataOf('tool.finished').map(({ callId, status }) => [callId, status])).toEqual([
    ['3.1', 'ok'],
    ['3.2', 'error'],
    ['10', 'ok'],
  ]);
});

it('a list shows the model that was chosen last, and the first prompt without its wrapping', () => {
  expect(readHead(antigravity, caseOf('antigravity', 'steps'), files)).toMatchObject({
    model: 'Gemini 3.1 Pro (High)',
    firstPrompt: 'How many nails?',
    startedAt: '2026-01-02T10:00:00.000Z',
    lastActivity: '2026-01-02T10:00:31.000Z',
  });
});
