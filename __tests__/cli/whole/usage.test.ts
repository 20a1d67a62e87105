import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandReference, errorReference } from '../../../.ci/reference.ts';
import { examplesOf } from '../../../lib/cli/command.ts';
import { createProgram } from '../../../lib/cli/program.ts';
import { createHome, ROOT } from '../../support/cli.ts';

const program = await createProgram(async () => {});
const commands = program.commands.flatMap((command) => [command, ...command.commands]);

describe('help', () => {
  it('lists each command under one of five headings', () => {
    const headings = program.commands.map((command) => command.helpGroup());
    expect(new Set(headings)).toEqual(
      new Set(['Talk:', 'Look:', 'Sessions of other programs:', 'Keep and repair:', 'Set up:']),
    );
  });
});

describe('short flags that users know from other programs', () => {
  it('-p asks one question, -m names the model and -r the session', async () => {
    using home = createHome();
    const asked = await home.run(['-p', 'Where is it?', '-m', 'search', '--provider', 'offline']);
    expect(asked).toMatchObject({ exitCode: 0 });
    const [row] = JSON.parse((await home.run(['list', '--json'])).stdout) as [{ id: string }];
    const { id } = row;
    const again = await home.run(['-r', id, '-p', 'And now?', '--provider', 'offline']);
    expect(again).toMatchObject({ exitCode: 0 });
    const { stdout } = await home.run(['show', id, '--json']);
    expect(JSON.parse(stdout).summary.turnCount).toBe(2);
  });
});

describe('usage', () => {
  it.each([
    [['tial'], 'Did you mean tail? See "ollm --help".'],
    [['list', '--sorrt', 'size'], 'Did you mean --sort? See "ollm list --help".'],
    [['list', '--sort', 'colour'], 'activity'],
    [['help', 'tial'], "unknown command 'tial'."],
    [['xylophone'], 'To ask a question: ollm repl "…", or ollm ask "…". See "ollm --help".'],
    [['-c', '--resume', 'a'], 'cannot be used with'],
    [['--continue', '--name', 'a'], 'cannot be used with'],
    [['tail'], 'missing required argument'],
    [['tail', 'a', 'b'], 'too many arguments'],
    [['tail', 'a', '--type', 'b', 'c'], 'too many arguments'],
    [['config', 'gett'], 'There is no "ollm config gett".\nDid you mean get?'],
    [['config', 'list'], '"ollm config" lists all settings'],
    [['config', 'explain', 'model'], 'There is no "ollm config explain model".'],
    [['tail', 'walk', '-n', 'ten'], 'whole number'],
    [['prune', '--older-than', '30'], '30d'],
    [['replay', 'walk', '--at', 'noon'], '2026-11-21T20:49:00Z'],
    [['export', 'walk', '--format', 'pdf'], 'md, html, json, jsonl'],
    [['repl', '--resume', 'a', '--new'], 'cannot be used with'],
    [['export', 'walk', '-o', '--redact'], "'--redact' is invalid. Its own value is missing before that"],
    [['fork', 'walk', '--name', '--at'], "'--at' is invalid."],
    [['--home', '--allow-network-fs', 'list'], "'--allow-network-fs' is invalid."],
  ])('%j is wrong, and the error names the right form', async (args, hint) => {
    using home = createHome();
    // Streams of its own: those of Jest, where it has one process, never call back, for which the end of a run waits.
    const { exitCode, stderr } = await home.here(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(stderr).toMatch(/^ollm: /);
    expect(stderr).not.toContain('..');
  });

  it.each([
    [['tial'], 'Did you mean tail?'],
    [['verify'], '--all'],
    [['resume'], 'Choosing a session needs a terminal.\nName a session; @last is the one used last.'],
    [['repl', '--resume'], 'Choosing a session needs a terminal.'],
    [['config', 'get', 'services.session.maxSession'], 'services.session.maxSessions'],
    [['config', 'get', 'tools.sandbx'], 'Did you mean tools.sandbox?'],
  ])('%j ends with exit code 2 and prints only to standard error', async (args, hint) => {
    using home = createHome();
    const { exitCode, stdout, stderr } = await home.run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).toMatch(/^ollm: /);
    expect(stderr).not.toContain('    at ');
  });

  it.each([[['list']], [['repl', '--new']]])(
    '%j on a Node without WebAssembly reports only the missing part',
    async (args) => {
      using home = createHome();
      const { exitCode, stderr } = await home.run(args, { nodeOptions: ['--jitless'] });
      const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Warning: disabling flag'));
      expect({ exitCode, lines }).toEqual({
        exitCode: 2,
        lines: [
          'ollm: Node was started without WebAssembly, which ollm needs.',
          'Leave out --jitless; it may be in NODE_OPTIONS.',
        ],
      });
    },
  );

  it('the help of each command goes to standard output and has an example', async () => {
    using home = createHome();
    const { exitCode, stdout, stderr } = await home.run(['export', '--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('Examples:\n  $ ollm export @last');
    expect(stdout).toContain('Global options: see "ollm --help".');
    expect(stdout).not.toContain('--home <directory>');
    expect(commands.filter((command) => examplesOf(command).length === 0)).toEqual([]);
  });

  it('each example is a command line that the program understands', () => {
    const names = new Set(commands.map((command) => command.name()));
    const words = commands.flatMap((command) =>
      examplesOf(command).map(({ line }) => /\bollm(?: (?:--?\S+|[a-z]+))?/.exec(line)?.[0].split(' ')[1]),
    );
    expect(words.filter((word) => word !== undefined && !word.startsWith('-') && !names.has(word))).toEqual([]);
  });

  it('--version prints the version of package.json', async () => {
    using home = createHome();
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await home.run(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
    expect(await home.run(['-V', '--quiet'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
  });

  it('asking for help or the version leaves no files', async () => {
    using home = createHome();
    await home.run(['--help']);
    await home.run(['--version']);
    expect(readdirSync(home.path)).toEqual([]);
  });
});

describe('the reference in docs/', () => {
  it('lists every command and option', () => {
    expect(readFileSync(join(ROOT, 'docs', 'commands.md'), 'utf8')).toBe(commandReference(program));
  });

  it('lists every error code', () => {
    expect(readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8')).toBe(errorReference());
  });
});

describe('shell completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: the script names every command and its choices', async (shell) => {
    using home = createHome();
    const { exitCode, stdout } = await home.run(['completion', shell]);
    expect(exitCode).toBe(0);
    for (const { name } of commands.map((command) => ({ name: command.name() }))) expect(stdout).toContain(name);
    expect(stdout).toContain('md html json jsonl');
    expect(stdout).toContain('ollm completion ids');
  });

  it('ids lists every id, also that of a session of the older form', async () => {
    using home = createHome();
    await home.append('garden-notes', []);
    writeFileSync(home.journal('garden-plan').replace(/jsonl$/, 'json'), '{}');
    expect(await home.run(['completion', 'ids'])).toMatchObject({
      exitCode: 0,
      stdout: 'garden-notes\ngarden-plan\n',
    });
    expect(await home.run(['completion', 'ids', 'garden-p'])).toMatchObject({ exitCode: 0, stdout: 'garden-plan\n' });
  });
});
