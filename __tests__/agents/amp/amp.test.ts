import { amp } from '../../../lib/agents/amp/amp.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf, textsInView } from '../reading.ts';

describeAgent(amp);

it('results of calls begin no turn, and an answer without calls ends one', async () => {
  const { view, summary } = await statesOf(amp, caseOf('amp', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 2 });
  expect(textsInView(view)).toEqual(
    expect.arrayContaining(['How many nails are there?', 'There are 201 now.', 'What does this show?', 'A nail.']),
  );
});

describe('the threads of Amp', () => {
  it('are documents named by the id of a thread, in the places of XDG_DATA_HOME and AMP_DATA_DIR', () => {
    const id = 'T-019c2f11-6a40-7b1c-9d2e-1057aaaa0001';
    using tree = createTree({
      [`.local/share/amp/threads/${id}.json`]: '{}',
      '.local/share/amp/threads/settings.json': '{}',
      '.local/share/amp/threads/T-x.json': '{}',
      [`data/amp/threads/${id}.json`]: '{}',
      [`here/threads/${id}.json`]: '{}',
    });
    const found = (env: Record<string, string>) =>
      [...discover(amp, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
        each.kind === 'source' ? each.source.path.slice(tree.root.length + 1) : each.reason,
      );
    expect(found({})).toEqual([`.local/share/amp/threads/${id}.json`]);
    expect(found({ XDG_DATA_HOME: `${tree.root}/data` })).toEqual([`data/amp/threads/${id}.json`]);
    expect(found({ AMP_DATA_DIR: `${tree.root}/here` })).toEqual([`here/threads/${id}.json`]);
  });
});
