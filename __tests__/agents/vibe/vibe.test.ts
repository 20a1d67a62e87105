import { discover } from '../../../lib/agents/discover.ts';
import { vibe } from '../../../lib/agents/vibe/vibe.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf, textsInView } from '../reading.ts';

describeAgent(vibe, { real: (path) => /\/mistral-vibe\/.*\.jsonl$/.test(path) });

it('a turn ends with an answer without calls, and a text that the program injected begins none', async () => {
  const { view, summary } = await statesOf(vibe, caseOf('vibe', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 3 });
  expect(textsInView(view)).toEqual(
    expect.arrayContaining(['How many nails?', 'There are 200.', 'And screws?', 'Fine.']),
  );
});

describe('the places of Mistral Vibe', () => {
  it('have each folder under the id of its document, and are in VIBE_HOME', () => {
    const id = '1057aaaa-0000-4000-8000-000000000001';
    const meta = {
      ...{ session_id: id, start_time: '2026-07-07T14:43:26+00:00', git_branch: 'main', git_commit: null },
      ...{ environment: { working_directory: '/home/ada/boat' }, config: { api_key: 'not read' } },
    };
    using tree = createTree({
      '.vibe/logs/session/session_20260707_144326_1057aaaa/messages.jsonl': '',
      '.vibe/logs/session/session_20260707_144326_1057aaaa/meta.json': JSON.stringify(meta),
      '.vibe/logs/session/session_20260708_000000_empty/meta.json': '{}',
      '.vibe/logs/session/notes.jsonl': '',
      'there/logs/session/session_20260709_000000_22222222/messages.jsonl': '',
      'there/logs/session/session_20260709_000000_22222222/meta.json': '{"session_id":"../../x","start_time":7}',
    });
    const found = (env: Record<string, string>) =>
      [...discover(vibe, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
        each.kind === 'source' ? [each.source.id, each.source.startedAt, each.source.facts] : each.reason,
      );
    expect(found({})).toEqual([[id, '2026-07-07T14:43:26.000Z', { cwd: '/home/ada/boat', branch: 'main' }]]);
    expect(found({ VIBE_HOME: `${tree.root}/there` })).toEqual([['session_20260709_000000_22222222', undefined, {}]]);
  });
});
