// The examples of docs/debugging.md, run as they are written there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the examples print the output on the page', ['bash', 'jq'], () => {
  it('docs/debugging.md', async () => {
    using project = createTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      'harbour.md': 'The harbour is behind the dunes.\n',
    });
    using home = createTree();
    expect(await runPage('docs/debugging.md', { project: project.root, home: home.root })).toBeGreaterThan(4);
  });
});
