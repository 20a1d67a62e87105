// Every command line of docs/journal-format.md, run as it is there, with the reader that the page shows.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECOVERY_TABLE } from '../../lib/journal/reading/recovery.ts';
import { documentedCommands, runInOneShell } from '../support/documented-commands.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/journal-format.md');
const page = readFileSync(PAGE, 'utf8');
const missing = ['bash', 'jq', 'xxh64sum', 'ssh-keygen'].filter((tool) => spawnSync(tool, ['--version']).error);

if (missing.length > 0) console.info(`skipped: the commands of docs/journal-format.md need ${missing.join(', ')}`);

const withoutBlankEnd = (lines: readonly string[]) => lines.join('\n').trimEnd().split('\n');

describe('docs/journal-format.md', () => {
  (missing.length > 0 ? it.skip : it)('prints the output of its commands', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ollm-docs-'));
    try {
      cpSync(join(ROOT, 'fixtures/journals'), directory, { recursive: true });
      writeFileSync(join(directory, 'read-journal'), /```bash\n([\s\S]*?)```/.exec(page)![1]!);
      const commands = documentedCommands(PAGE);
      const runs = await runInOneShell(commands, { cwd: directory, env: process.env });
      expect(commands.length).toBeGreaterThan(8);
      for (const [index, { command, expected, line }] of commands.entries()) {
        const output = runs[index]!.output.trimEnd().split('\n');
        expect({ line, command, output }).toEqual({ line, command, output: withoutBlankEnd(expected) });
      }
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('has every row of the recovery table', () => {
    for (const [name, { kinds }] of Object.entries(RECOVERY_TABLE)) {
      const row = new RegExp(`^\\| ${name} \\|.*$`, 'm').exec(page)?.[0];
      for (const kind of kinds) expect(row).toContain(`\`${kind}\``);
    }
  });
});
