// The example of docs/policy.md, run as it is there; and the names of rules on the page, held against those in the
// code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

const PAGE = 'docs/policy.md';

describeExamples('the example', ['bash'], () => {
  it('prints the output on the page', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes/.keep': '' });
    using home = createTree();
    expect(await runPage(PAGE, { project: project.root, home: home.root })).toBeGreaterThan(5);
    expect(readFileSync(join(project.root, 'notes', 'today.md'), 'utf8')).toBe('Oil the wheel.\n');
  });
});

it('the page names every built-in rule of the policy', () => {
  const directory = join(ROOT, 'lib', 'tools', 'policy');
  const names = new Set(
    readdirSync(directory).flatMap((file) =>
      [...readFileSync(join(directory, file), 'utf8').matchAll(/'((?:default|sandbox):[a-z-]+)'/g)].map(
        ([, name]) => name,
      ),
    ),
  );
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
