// The examples of docs/discovery.md and docs/secrets.md, run as they stand there, in the project that the page shows.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

describeExamples('the examples print the output on the page', ['bash', 'jq'], () => {
  it.each(['docs/discovery.md', 'docs/secrets.md'])('%s', async (page) => {
    using project = createTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.gitignore': '*.log\n',
      'build.log': '',
      'dist/main.js': '',
      'lib/main.ts': 'export {};\n// \n'.slice(0, 14),
      'lib/parts/wheel.ts': '',
      'notes.md': '',
    });
    symlinkSync('notes.md', join(project.root, 'latest'));
    using home = createTree();
    expect(await runPage(page, { project: project.root, home: home.root })).toBeGreaterThan(3);
  });
});
