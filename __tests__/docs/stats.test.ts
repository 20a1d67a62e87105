// The examples of docs/stats.md, run as they are there, over sessions of other programs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFiles } from '../support/agent-homes.ts';
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the examples of numbers over all sessions', ['bash', 'cut', 'grep'], () => {
  it('print the lines of the page', async () => {
    using project = createTree();
    using home = createTree();
    for (const [path, text] of Object.entries(agentFiles())) {
      const file = join(home.root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(await runPage('docs/stats.md', { project: project.root, home: home.root })).toBe(8);
  });
});
