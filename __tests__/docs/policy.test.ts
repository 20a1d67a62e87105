// The example of docs/policy.md, run as it stands there; and the names of rules on the page, held against those in the code.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, OLLM, ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';
import { createTree } from '../support/tree.ts';

const PAGE = join(ROOT, 'docs', 'policy.md');

const hasBash = spawnSync('which', ['bash']).status === 0;
if (!hasBash) console.info('skipped: the example needs bash');

(hasBash ? describe : describe.skip)('the example', () => {
  beforeAll(ensureBuilt, 150_000);

  it('prints what the page shows', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes/.keep': '' });
    using home = createTree();
    mkdirSync(join(home.root, 'bin'));
    writeFileSync(join(home.root, 'bin', 'ollm'), `#!/bin/sh\nexec '${process.execPath}' '${OLLM}' "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${join(home.root, 'bin')}:${process.env.PATH}`, HOME: home.root, LC_ALL: 'C' };
    const commands = documentedCommands(PAGE);
    const runs = await runInOneShell(commands, { cwd: project.root, env });
    expect(commands.length).toBeGreaterThan(5);
    for (const [index, { command, expected, line }] of commands.entries()) {
      const { output } = runs[index]!;
      if (!outputFits(output, expected))
        expect({ line, command, output }).toEqual({ line, command, output: expected.join('\n') });
    }
    expect(readFileSync(join(project.root, 'notes', 'today.md'), 'utf8')).toBe('Oil the wheel.\n');
  }, 60_000);
});

it('the page names every rule that the policy has of its own', () => {
  const directory = join(ROOT, 'lib', 'tools', 'policy');
  const names = new Set(
    readdirSync(directory).flatMap((file) =>
      [...readFileSync(join(directory, file), 'utf8').matchAll(/'((?:default|sandbox):[a-z-]+)'/g)].map(
        ([, name]) => name,
      ),
    ),
  );
  const page = readFileSync(PAGE, 'utf8');
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
