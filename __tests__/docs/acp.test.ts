// The example of docs/acp.md, run as it is there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the example of an editor', ['bash', 'grep'], () => {
  it('prints the lines of the page', async () => {
    using project = createTree();
    using home = createTree();
    expect(await runPage('docs/acp.md', { project: project.root, home: home.root })).toBe(2);
  });
});
