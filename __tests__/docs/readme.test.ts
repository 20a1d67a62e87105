import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/cli.ts';
import { documentedCommands, outputFits, runInOneShell } from '../support/documented-commands.ts';
import { writeSessionsOfOthers } from '../support/sessions-of-others.ts';

describe('the recording at the top of the README', () => {
  const svg = readFileSync(join(ROOT, 'docs', 'recording', 'session.svg'), 'utf8');

  it('is on the page, and moves without a script', () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/recording/session.svg)');
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-label="/);
    expect(svg).not.toMatch(/<script|href="(?!#)|url\((?!#)|@import/);
    expect(svg.length).toBeLessThan(120_000);
  });

  it('shows a question before a change, its approval, and a journal that is verified', () => {
    const said = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text).join('\n');
    expect(said).toMatch(/file_edit asks: Edit src\/greet\.ts/);
    expect(said).toContain('allow by user');
    expect(said).toMatch(/ollm verify greeting\n(?:[\s\S]*\n)?greeting: \nok\n/);
  });

  it('names nothing of the machine that recorded it', () => {
    for (const word of [ROOT, tmpdir(), process.env.HOME ?? ROOT])
      expect(svg).not.toContain(`${word}/`.replace('//', '/'));
  });
});

const missing = ['bash', 'jq', 'xxh64sum'].filter((tool) => spawnSync('which', [tool]).status !== 0);
if (missing.length > 0) console.log(`skipped: the README's walk-through needs ${missing.join(', ')}`);

(missing.length > 0 ? describe.skip : describe)("the README's walk-through prints the output on the page", () => {
  const commands = documentedCommands(join(ROOT, 'README.md'));
  let home: string;
  let runs: Awaited<ReturnType<typeof runInOneShell>>;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'ollm-readme-'));
    writeSessionsOfOthers(home);
    const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
    runs = await runInOneShell(
      // The files that it makes belong into the home of the test.
      commands.map((each) => ({ ...each, command: each.command.replace(/-o (\S+)/, `-o "$HOME/$1"`) })),
      { cwd: ROOT, env },
    );
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('the README has commands', () => expect(commands.length).toBeGreaterThan(10));

  it.each(commands.map((shown, index) => [shown.command, shown, index] as const))(
    'the README prints: %s',
    (_, shown, index) => {
      const run = runs[index];
      if (run === undefined || !outputFits(run.output, shown.expected)) {
        expect(`$ ${shown.command}\n${run?.output}`).toBe(`$ ${shown.command}\n${shown.expected.join('\n')}`);
      }
    },
  );

  it('the README prints the same checksum twice', () => {
    const at = commands.findIndex(({ command }) => command.includes('xxh64sum'));
    expect(runs[at]?.output).toMatch(/^[0-9a-f]{16}\n$/);
    expect(runs[at + 1]?.output).toBe(runs[at]?.output);
  });
});
