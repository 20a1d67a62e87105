import { discover } from '../../../lib/agents/discover.ts';
import { kiro } from '../../../lib/agents/kiro/kiro.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf, textsInView } from '../reading.ts';

describeAgent(kiro, { real: (path) => /\/kiro-cli\/.*\.jsonl$/.test(path) });

it('a turn ends with an answer without calls, and a prompt without an answer is interrupted', async () => {
  const { view, summary } = await statesOf(kiro, caseOf('kiro', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 3 });
  expect(textsInView(view).filter((text) => text.endsWith('.') || text.endsWith('?'))).toEqual(
    expect.arrayContaining(['How many nails?', 'There are 200.', 'And screws?', 'Fine.']),
  );
});

describe('the places of Kiro CLI', () => {
  it('have each file of lines, with the directory of its document, and are in KIRO_HOME', () => {
    const [one, two] = ['1b480526-c7c0-47be-8f84-d4478e7f7687', '2b480526-c7c0-47be-8f84-d4478e7f7687'];
    using tree = createTree({
      [`.kiro/sessions/cli/${one}.jsonl`]: '',
      [`.kiro/sessions/cli/${one}.json`]: '{"cwd":"/home/ada/boat","title":"x"}',
      [`.kiro/sessions/cli/${one}.lock`]: '1',
      '.kiro/sessions/cli/notes.jsonl': '',
      [`there/sessions/cli/${two}.jsonl`]: '',
      [`there/sessions/cli/${two}.json`]: 'broken',
    });
    const found = (env: Record<string, string>) =>
      [...discover(kiro, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
        each.kind === 'source' ? [each.source.id, each.source.facts] : each.reason,
      );
    expect(found({})).toEqual([[one, { cwd: '/home/ada/boat' }]]);
    expect(found({ KIRO_HOME: `${tree.root}/there` })).toEqual([[two, undefined]]);
  });
});
