// The example of docs/blame.md, run as it is there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the example of a blame', ['bash', 'git', 'grep'], () => {
  it('prints the lines of the page', async () => {
    using project = createTree();
    using home = createTree();
    expect(await runPage('docs/blame.md', { project: project.root, home: home.root })).toBe(10);
  });
});
