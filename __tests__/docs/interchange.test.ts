// The examples of docs/interchange.md, run as they are there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the examples of sessions for other programs', ['bash', 'grep'], () => {
  it('print the lines of the page', async () => {
    using project = createTree();
    using home = createTree();
    expect(await runPage('docs/interchange.md', { project: project.root, home: home.root })).toBe(5);
  });
});
