import { atif, devin } from '../../../lib/agents/atif/atif.ts';
import { discover } from '../../../lib/agents/discover.ts';
import { createTree } from '../../support/tree.ts';
import { describeAgent } from '../contract.ts';
import { caseOf, files, statesOf, textsInView } from '../reading.ts';

describeAgent(atif);
describeAgent(devin);

it('an answer without calls continues if the environment answered its text', async () => {
  const { view, summary } = await statesOf(atif, caseOf('atif', 'one-turn'));
  expect(summary).toMatchObject({ turnCount: 2 });
  expect(textsInView(view)).toEqual(expect.arrayContaining(['You mend boats.', 'ls', 'screws.txt', 'A file of them.']));
});

it('Devin CLI stores a document for each session, in the place of XDG_DATA_HOME', () => {
  using tree = createTree({
    '.local/share/devin/cli/transcripts/axiomatic-jeans.json': '{}',
    '.local/share/devin/cli/transcripts/notes.txt': '',
    'there/devin/cli/transcripts/other.json': '{}',
  });
  const found = (env: Record<string, string>) =>
    [...discover(devin, { env, home: tree.root, platform: 'linux' }, files)].map((each) =>
      each.kind === 'source' ? each.source.id : each.reason,
    );
  expect(found({})).toEqual(['axiomatic-jeans']);
  expect(found({ XDG_DATA_HOME: `${tree.root}/there` })).toEqual(['other']);
});
