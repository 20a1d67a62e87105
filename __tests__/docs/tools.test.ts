// The example of docs/tools.md, run as it is there, in the project that the page shows; and the page's statements about
// the tools, compared with them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { discover } from '../../lib/discovery/index.ts';
import { nodeFileSystem, systemIds } from '../../lib/platform/index.ts';
import { createBuiltinTools } from '../../lib/tools/builtin/index.ts';
import { ROOT } from '../support/cli.ts';
import { describeExamples, runPage } from '../support/documented-page.ts';
import { createTree } from '../support/tree.ts';

const PAGE = 'docs/tools.md';

describeExamples('the example', ['bash'], () => {
  it('prints the output on the page', async () => {
    using project = createTree({
      '.git/HEAD': 'ref: refs/heads/main\n',
      'notes.md': '# Notes\n\nOil the wheel.\n',
      'lib/main.ts': "import { wheel } from './parts/wheel.ts';\n",
      'lib/parts/wheel.ts': "export const wheel = 'round';\n",
    });
    using home = createTree();
    expect(await runPage(PAGE, { project: project.root, home: home.root })).toBeGreaterThan(5);
    expect(readFileSync(join(project.root, 'notes.md'), 'utf8')).toBe('# Notes\n\nOil the hinge.\n');
  });
});

it('the table names every tool with all of its arguments, the required ones in bold', () => {
  const tools = createBuiltinTools({
    fileSystem: nodeFileSystem,
    ids: systemIds,
    discovery: async () => discover,
    history: { search: async () => [], read: async () => [] },
    recall: { find: async () => ({ passages: [], notes: [] }) },
    skills: { trusted: async () => [], instruct: async () => {} },
    agents: { newId: () => 'agent-00000000-x', run: async () => ({ content: '' }) },
    web: { privateHosts: [], mayFetch: () => false, search: 'https://searx.example/search' },
    maxOutputTokens: 8192,
    timeoutMs: 120_000,
    maxOutputBytes: 1024,
  });
  const rows = readFileSync(join(ROOT, PAGE), 'utf8').matchAll(/^\| `([a-z_]+)` \| ([^|]+) \|/gm);
  const documented = new Map([...rows].map(([, name, members]) => [name, members!]));
  expect([...documented.keys()]).toEqual(tools.map(({ name }) => name));
  for (const { name, parameters } of tools) {
    const { properties, required = [] } = parameters as { properties: object; required?: readonly string[] };
    const row = documented.get(name)!;
    expect([...row.matchAll(/`([a-z_]+)`/g)].map(([, member]) => member).sort()).toEqual(
      Object.keys(properties).sort(),
    );
    expect([...row.matchAll(/\*\*`([a-z_]+)`\*\*/g)].map(([, member]) => member)).toEqual(required);
  }
});
