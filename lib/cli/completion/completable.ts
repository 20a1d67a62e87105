// What can be completed, read off the command definitions: the one source of all three shells' scripts.
import type { Command, Option } from 'commander';
import { CONVERSATION_ARGUMENT, SESSION_ARGUMENT } from '../command.ts';

export interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** What its value is; undefined for a switch. */
  readonly value: OptionValue | undefined;
}

type OptionValue =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'session' | 'file' | 'directory' | 'other' };

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  readonly subcommands: readonly string[];
  /** Values of its first argument, where they are fixed. */
  readonly choices: readonly string[];
  readonly takesSession: boolean;
}

export interface CompletedProgram {
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
}

export function completedProgram(program: Command): CompletedProgram {
  return { commands: program.commands.map(completedCommand), options: program.options.map(completedOption) };
}

function completedCommand(command: Command): CompletedCommand {
  const args = command.registeredArguments;
  return {
    name: command.name(),
    description: command.description(),
    options: command.options.filter(({ hidden }) => !hidden).map(completedOption),
    subcommands: command.commands.map((subcommand) => subcommand.name()),
    choices: args[0]?.argChoices ?? [],
    takesSession: args.some(
      ({ description }) => description === SESSION_ARGUMENT || description === CONVERSATION_ARGUMENT,
    ),
  };
}

function completedOption(option: Option): CompletedOption {
  const { long, short, description } = option;
  return { long: long ?? '', short, description, value: optionValue(option) };
}

function optionValue({ required, optional, argChoices, flags, description }: Option): OptionValue | undefined {
  if (!required && !optional) return undefined;
  if (argChoices) return { kind: 'choices', choices: argChoices };
  if (flags.includes('<file>')) return { kind: 'file' };
  if (flags.includes('<directory>')) return { kind: 'directory' };
  return { kind: description.includes(SESSION_ARGUMENT) ? 'session' : 'other' };
}
