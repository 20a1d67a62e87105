import { readFileSync } from 'node:fs';
import { createPaint, type StyledLine } from '../../lib/display/paint.ts';
import { textWidth } from '../../lib/display/width.ts';
import type { CommandContext } from '../../lib/repl/commands/command.ts';
import { usageOf } from '../../lib/repl/commands/command.ts';
import { findCommand, namesOf } from '../../lib/repl/commands/find.ts';
import { MEANT } from '../../lib/repl/commands/meant.ts';
import { formatRows } from '../../lib/repl/commands/rows.ts';
import { runCommand } from '../../lib/repl/commands/run.ts';
import { COMMANDS } from '../../lib/repl/commands/table.ts';
import type { Front } from '../../lib/repl/front.ts';

const WORDS = { always: 'always', writable: 'while the journal can be written', 'after-a-turn': 'after a turn' };
const textOf = (line: StyledLine | string) =>
  typeof line === 'string' ? line : line.map((span) => span.text).join('');

async function help(argument: string, columns = 80): Promise<string[]> {
  const printed: string[] = [];
  const front = {
    columns,
    paint: createPaint(false),
    print: (...lines: readonly (StyledLine | string)[]) => void printed.push(...lines.map(textOf)),
    notice: () => undefined,
  } as Partial<Front> as Front;
  const conversation = {} as CommandContext['conversation'];
  await runCommand({ front, commands: COMMANDS, conversation } as CommandContext, `/help ${argument}`);
  return printed;
}

describe('the table of commands', () => {
  it('has each name and alias once', () => {
    const names = COMMANDS.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has an example for each command that begins with it', () => {
    for (const command of COMMANDS) expect(command.example.split(' ')[0]).toBe(`/${command.name}`);
  });

  it('is listed in docs/repl.md', () => {
    const rows = COMMANDS.map(
      (command) => `| \`${usageOf(command).replaceAll('|', '\\|')}\` | ${command.summary} | ${WORDS[command.legal]} |`,
    );
    const page = readFileSync('docs/repl.md', 'utf8').split('\n');
    expect(page.filter((line) => line.startsWith('| `/'))).toEqual(rows);
  });
});

describe('/help', () => {
  it('all lists every command', async () => {
    const text = (await help('all')).join('\n');
    for (const command of COMMANDS) expect(text).toContain(usageOf(command));
  });

  it('lists the twenty most used entries on one screen of 80 columns and 24 rows', async () => {
    const rows = await help('', 79);
    expect(rows).toHaveLength(20);
    expect(rows.join('\n')).toMatch(/@path .*[\s\S]*\/new .*[\s\S]*\/quit /);
  });

  it.each(['', 'all'])('/help %s fits 40 columns', async (argument) => {
    for (const line of await help(argument, 39)) expect(textWidth(line)).toBeLessThanOrEqual(39);
  });

  it('explains one command, with or without its slash, and by its alias', async () => {
    expect((await help('/exit')).join('\n')).toContain('/quit');
    expect((await help('context')).join('\n')).toContain('/context add style');
  });
});

describe('an unknown command', () => {
  it.each([
    ['hlep', 'help'],
    ['contxt', 'context'],
    ['expor', 'export'],
    ['h', 'history'],
    ['exti', 'exit'],
  ])('/%s suggests /%s', (typed, meant) => {
    expect(() => findCommand(COMMANDS, typed)).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining(`/${meant}?`) }),
    );
  });

  it.each(Object.entries(MEANT))("/%s is answered with ollm's own command for it", (typed, sentence) => {
    expect(COMMANDS.flatMap(namesOf)).not.toContain(typed);
    expect(() => findCommand(COMMANDS, typed)).toThrow(expect.objectContaining({ code: 'USAGE', hint: sentence }));
    for (const [, name] of sentence.matchAll(/(?<![\w.])\/([a-z]+)(?![\w/])/g)) {
      expect(COMMANDS.flatMap(namesOf)).toContain(name);
    }
  });

  it.each([
    ['resume', 'load'],
    ['sessions', 'load'],
    ['cost', 'usage'],
    ['stats', 'usage'],
    ['compress', 'compact'],
    ['models', 'model'],
    ['mcp', 'tools'],
    ['permissions', 'tools'],
    ['rewind', 'undo'],
    ['settings', 'config'],
    ['?', 'help'],
  ])('/%s is another name of /%s', (typed, name) => {
    expect(findCommand(COMMANDS, typed).name).toBe(name);
  });

  it('is answered without a suggestion if it resembles no command', () => {
    expect(() => findCommand(COMMANDS, 'xyzzy')).toThrow(
      expect.objectContaining({ hint: expect.not.stringContaining('Did you mean') }),
    );
  });
});

describe('rows of help', () => {
  it('wrap the second column next to the first, or below it if there is no room', () => {
    expect(formatRows(34, [['name', 'some words that are wrapped']]).map(textOf)).toEqual([
      '  name  some words that are',
      '        wrapped',
    ]);
    expect(formatRows(26, [['a long name', 'some words below']]).map(textOf)).toEqual([
      '  a long name',
      '    some words below',
    ]);
  });
});
