// The example of docs/turns.md, run as it is there; and the page's statements about limits, compared with the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '../../lib/events/catalogue.ts';
import { ROOT } from '../support/cli.ts';
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

const PAGE = 'docs/turns.md';

describeExamples('the example', ['bash'], () => {
  it('prints the output on the page', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes.md': '# Notes\n' });
    using home = createTree();
    expect(await runPage(PAGE, { project: project.root, home: home.root })).toBe(2);
  });
});

it('the page names no event that does not exist', () => {
  const known: readonly string[] = EVENT_TYPES;
  const named = [...readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/`([a-z]+\.[a-z]+)`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
