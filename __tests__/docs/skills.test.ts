// The example of docs/skills.md, run as it is there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the example of the skills of other programs', ['bash', 'cut', 'grep'], () => {
  it('prints the lines of the page', async () => {
    using project = createTree();
    using home = createTree();
    expect(await runPage('docs/skills.md', { project: project.root, home: home.root })).toBe(5);
  });
});
