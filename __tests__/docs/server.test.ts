// The examples of docs/server.md, run as they are written there.
import { describeExamples, runPage } from '../support/documented-page.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the examples print what the page shows', ['bash', 'curl', 'jq'], () => {
  it('docs/server.md', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    using home = createTree();
    writeSessionsOfOthers(home.root);
    expect(await runPage('docs/server.md', { project: project.root, home: home.root })).toBeGreaterThan(5);
  });
});
