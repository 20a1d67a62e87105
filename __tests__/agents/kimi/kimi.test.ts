import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { discover } from '../../../lib/agents/discover.ts';
import { readHead } from '../../../lib/agents/head.ts';
import { kimi } from '../../../lib/agents/kimi/kimi.ts';
import { openForeign } from '../../../lib/agents/open-foreign.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, eventsOf, files, statesOf, textsInView } from '../reading.ts';

const FIXTURES = fileURLToPath(
  new URL('../../../../shared/data/agents-new/fixtures-agent-sessions/kimi/', import.meta.url),
);

describeAgent(kimi);

it('a turn that the user stopped is cancelled, with and without a record of its end', async () => {
  for (const [name, statuses] of [
    ['turns', ['completed', 'cancelled']],
    ['older-version', ['cancelled', 'completed']],
  ] as const) {
    const events = await eventsOf(openForeign(kimi, caseOf('kimi', name), files));
    expect(events.flatMap(({ type, data }) => (type === 'turn.ended' ? [data.status] : []))).toEqual(statuses);
  }
});

it('a summary replaces the messages before it', async () => {
  const { view } = await statesOf(kimi, caseOf('kimi', 'older-version'));
  expect(textsInView(view)).toEqual(['<git-context>\nnone']);
  expect(JSON.stringify(view)).toContain('Nails and screws.');
});

it('sessions are found with their directories, the titles that the user gave, and their agents', () => {
  const session = '.kimi-code/sessions/wd_boat_1/session_5f3c';
  using tree = createTree({
    [`${session}/agents/main/wire.jsonl`]: '{"type":"metadata","created_at":1767348000000}\n',
    [`${session}/agents/agent-0/wire.jsonl`]: '',
    [`${session}/agents/empty/notes.md`]: '',
    [`${session}/state.json`]: JSON.stringify({
      cwd: '/home/ada/boat',
      title: 'Nails',
      isCustomTitle: true,
      agents: { 'agent-0': { type: 'sub', parentAgentId: 'main' } },
    }),
    '.kimi-code/session_index.jsonl': '{}',
  });
  const found = [...discover(kimi, { env: {}, home: tree.root, platform: 'linux' }, files)];
  const sources = found.flatMap((one) => (one.kind === 'source' ? [one.source] : []));
  const [sub, main] = sources.sort((a, b) => b.id.length - a.id.length);
  expect(sources).toHaveLength(2);
  expect(sub).toMatchObject({ id: 'session_5f3c/agent-0', parent: 'session_5f3c', facts: { cwd: '/home/ada/boat' } });
  expect(readHead(kimi, main!, files)).toMatchObject({
    id: 'session_5f3c',
    title: 'Nails',
    cwd: '/home/ada/boat',
    startedAt: '2026-01-02T10:00:00.000Z',
  });
});

const itIfThere = existsSync(FIXTURES) ? it : it.skip;
itIfThere.each(['small', 'assistant_tools', 'subagent_agent-0'])('all of %s is understood', async (name) => {
  const source = { agent: 'kimi', id: name, path: `${FIXTURES}${name}.jsonl` };
  const reader = openForeign(kimi, source, { ...files, uid: undefined });
  expect(await reader.fidelity()).toMatchObject({ notUnderstood: {}, damaged: [] });
});
