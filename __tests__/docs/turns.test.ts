// The example of docs/turns.md, run as it stands there; and what the page says of limits, held against the code.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_TYPES } from '../../lib/events/catalogue.ts';
import { ensureBuilt, OLLM, ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';
import { createTree } from '../support/tree.ts';

const PAGE = join(ROOT, 'docs', 'turns.md');

const hasBash = spawnSync('which', ['bash']).status === 0;
if (!hasBash) console.info('skipped: the example needs bash');

(hasBash ? describe : describe.skip)('the example', () => {
  beforeAll(ensureBuilt, 150_000);

  it('prints what the page shows', async () => {
    using project = createTree({ '.git/HEAD': 'ref: refs/heads/main\n', 'notes.md': '# Notes\n' });
    using home = createTree();
    mkdirSync(join(home.root, 'bin'));
    writeFileSync(join(home.root, 'bin', 'ollm'), `#!/bin/sh\nexec '${process.execPath}' '${OLLM}' "$@"\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${join(home.root, 'bin')}:${process.env.PATH}`, HOME: home.root, LC_ALL: 'C' };
    const commands = documentedCommands(PAGE);
    const runs = await runInOneShell(commands, { cwd: project.root, env });
    expect(commands).toHaveLength(2);
    for (const [index, { command, expected, line }] of commands.entries()) {
      const { output } = runs[index]!;
      if (!outputFits(output, expected))
        expect({ line, command, output }).toEqual({ line, command, output: expected.join('\n') });
    }
  }, 60_000);
});

it('the page names no event that there is not', () => {
  const known: readonly string[] = EVENT_TYPES;
  const named = [...readFileSync(PAGE, 'utf8').matchAll(/`([a-z]+\.[a-z]+)`/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
