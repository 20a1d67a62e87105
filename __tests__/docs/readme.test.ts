import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';

const missing = ['bash', 'jq', 'xxh64sum'].filter((tool) => spawnSync('which', [tool]).status !== 0);
if (missing.length > 0) console.log(`skipped: the README's walk-through needs ${missing.join(', ')}`);

(missing.length > 0 ? describe.skip : describe)("the README's walk-through prints what the page shows", () => {
  const commands = documentedCommands(join(ROOT, 'README.md'));
  let home: string;
  let runs: Awaited<ReturnType<typeof runInOneShell>>;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'ollm-readme-'));
    const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
    runs = await runInOneShell(
      // The files that it makes belong into the home of the test.
      commands.map((each) => ({ ...each, command: each.command.replace(/-o (\S+)/, `-o "$HOME/$1"`) })),
      { cwd: ROOT, env },
    );
  }, 300_000);

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('has commands', () => expect(commands.length).toBeGreaterThan(10));

  it.each(commands.map((shown, index) => [shown.command, shown, index] as const))('%s', (_, shown, index) => {
    const run = runs[index];
    if (run === undefined || !outputFits(run.output, shown.expected)) {
      expect(`$ ${shown.command}\n${run?.output}`).toBe(`$ ${shown.command}\n${shown.expected.join('\n')}`);
    }
  });

  it('prints the same checksum twice', () => {
    const at = commands.findIndex(({ command }) => command.includes('xxh64sum'));
    expect(runs[at]?.output).toMatch(/^[0-9a-f]{16}\n$/);
    expect(runs[at + 1]?.output).toBe(runs[at]?.output);
  });
});
