// The examples of docs/discovery.md and docs/secrets.md, run as they stand there, in the project that the page shows.
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, OLLM, ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';
import { createTree } from '../support/tree.ts';

const missing = ['bash', 'jq'].filter((tool) => spawnSync('which', [tool]).status !== 0);
if (missing.length > 0) console.info(`skipped: the examples need ${missing.join(', ')}`);

(missing.length > 0 ? describe.skip : describe)('the examples print what the page shows', () => {
  beforeAll(ensureBuilt, 150_000);

  it.each(['docs/discovery.md', 'docs/secrets.md'])(
    '%s',
    async (page) => {
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
      mkdirSync(join(home.root, 'bin'));
      writeFileSync(join(home.root, 'bin', 'ollm'), `#!/bin/sh\nexec '${process.execPath}' '${OLLM}' "$@"\n`, {
        mode: 0o755,
      });
      const env = { PATH: `${join(home.root, 'bin')}:${process.env.PATH}`, HOME: home.root, LC_ALL: 'C' };
      const commands = documentedCommands(join(ROOT, page));
      const runs = await runInOneShell(commands, { cwd: project.root, env });
      expect(commands.length).toBeGreaterThan(3);
      for (const [index, { command, expected, line }] of commands.entries()) {
        const { output } = runs[index]!;
        if (!outputFits(output, expected))
          expect({ line, command, output }).toEqual({ line, command, output: expected.join('\n') });
      }
    },
    60_000,
  );
});
