// No option takes the operands of its command: `ollm tail --type GLOB ID` has an ID.
import type { Command, Option } from 'commander';
import { createProgram } from '../../lib/cli/program.ts';

const program = await createProgram(async () => {});
const all = program.commands.flatMap((command) => [command, ...command.commands]);
const withOperands = all.filter(({ registeredArguments }) => registeredArguments.length > 0);
/** Each option with a value has one of these, or one of its choices. */
const VALUES = ['1', '1d', '1-2', '2026-11-21', 'A=b', '2,3', 'word'];
const OPERANDS = ['first', 'second', 'third'];

function nameOf(command: Command): string {
  return command.parent === program ? command.name() : `${command.parent!.name()} ${command.name()}`;
}

/** The operands that a command finds after the option; undefined if it takes none of the values. */
function operandsAfter(command: Command, option: Option): readonly string[] | undefined {
  for (const value of option.required ? (option.argChoices ?? VALUES) : [undefined]) {
    const words = value === undefined ? [] : [value];
    try {
      return command.parseOptions([option.long ?? option.short!, ...words, ...OPERANDS]).operands;
    } catch {}
  }
  return undefined;
}

it('an option before the operands of any command leaves them to the command', () => {
  const options = withOperands.flatMap((command) => command.options.map((option) => ({ command, option })));
  const wrong = options.filter(
    ({ command, option }) => operandsAfter(command, option)?.join() !== OPERANDS.join() && !option.optional,
  );
  expect(wrong.map(({ command, option }) => `${nameOf(command)} ${option.flags}`)).toEqual([]);
  expect(options.length).toBeGreaterThan(100);
});

it('only two options of commands with operands have a value that may be missing, and both take the session', () => {
  const optional = withOperands.flatMap((command) =>
    command.options.filter(({ optional }) => optional).map(({ flags }) => `${nameOf(command)} ${flags}`),
  );
  expect(optional).toEqual(['repl -r, --resume [id]', 'resume --agent [name]']);
});
