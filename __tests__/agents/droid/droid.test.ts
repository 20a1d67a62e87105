import { discover } from '../../../lib/agents/discover.ts';
import { droid } from '../../../lib/agents/droid/droid.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf, textsInView } from '../reading.ts';

describeAgent(droid, { real: (path) => /\/droid\/session_store_.*\.jsonl$/.test(path) });

it('a prompt without an answer is interrupted, and a text of the program before a prompt begins no turn', async () => {
  const { view, summary } = await statesOf(droid, caseOf('droid', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 3 });
  expect(textsInView(view)).toEqual(
    expect.arrayContaining(['How many nails?', 'There are 200.', 'And screws?', 'Leave it.', 'Fine.']),
  );
});

describe('the places of Factory Droid', () => {
  it('have the files of lines in the folders of projects and above them, without documents of settings', () => {
    const [one, two] = ['5f0c0000-1111-4222-8333-444455556666', '6f0c0000-1111-4222-8333-444455556666'];
    using tree = createTree({
      [`.factory/sessions/-home-ada-boat/${one}.jsonl`]: '',
      [`.factory/sessions/-home-ada-boat/${one}.settings.json`]: '{}',
      [`.factory/sessions/${two}.jsonl`]: '',
      '.factory/sessions/notes.jsonl': '',
    });
    const found = [...discover(droid, { env: {}, home: tree.root, platform: 'linux' }, files)].map((each) =>
      each.kind === 'source' ? each.source.id : each.reason,
    );
    expect(found.sort()).toEqual([one, two]);
  });
});
