// The examples of docs/server.md, run as they are written there.
import { join } from 'node:path';
import { describeExamples, runPage, writeProgram } from '../support/documented-page.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';
import { createTree } from '../support/tree.ts';

/** Takes the place of the seconds that a reader waits: a busy machine takes longer. */
const WHILE_IT_STARTS = 'until curl --silent --output /dev/null http://127.0.0.1:4701; do /bin/sleep 0.1; done';

describeExamples('the examples print the output on the page', ['bash', 'curl', 'jq'], () => {
  it('docs/server.md', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n' });
    using home = createTree();
    writeSessionsOfOthers(home.root);
    home.write({ 'bin/': '' });
    writeProgram(join(home.root, 'bin/sleep'), `bash -c '${WHILE_IT_STARTS}'`);
    expect(await runPage('docs/server.md', { project: project.root, home: home.root })).toBeGreaterThan(5);
  });
});
