// The example of docs/sharing.md, run as it is there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the example of a shared page', ['bash', 'grep', 'head'], () => {
  it('prints the lines of the page', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    using home = createTree();
    expect(await runPage('docs/sharing.md', { project: project.root, home: home.root })).toBe(5);
  });
});
