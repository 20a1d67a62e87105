// The reference of the command line as a page of docs/, made from the command definitions and the list of error codes.
import type { Argument, Command, Option } from 'commander';
import type { Agent } from '../lib/agents/agent.ts';
import { examplesOf } from '../lib/cli/command.ts';
import { ERROR_CODES } from '../lib/errors/index.ts';

/** The text of docs/commands.md. */
export function commandReference(program: Command): string {
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  return `# Commands

<!-- Made from the command definitions in lib/cli/commands/ by "node .ci/generate-docs.ts"; change those, not this page. -->

\`ollm [options] <command>\`. \`ollm\` without a command opens the REPL. Results go to standard output, everything else to standard error.
An \`id\` is the id of a session, a unique prefix of one, a name, or \`@last\`: the session used last.

${commands.map((command) => `- [\`${pathOf(command)}\`](#${pathOf(command).replaceAll(' ', '-')}): ${command.description()}`).join('\n')}

## Options of all commands

${optionTable(program.options)}

${commands.map(section).join('\n\n')}

## Exit codes

| code | means |
|---|---|
${exitCodes()}
`;
}

/** The text of docs/agents.md with the list of what stays in the source as the modules have it. */
export function withLeftOut(page: string, agents: readonly Agent[]): string {
  const lists = agents.flatMap(({ title, leftOut }) => {
    if (Object.keys(leftOut).length === 0) return [];
    const lines = Object.entries(leftOut).flatMap(([reason, names]) =>
      wrapped(`- ${reason}: ${names.map((name) => `\`${name}\``).join(', ')}`),
    );
    return `**${title}**\n\n${lines.join('\n')}`;
  });
  const place = /(<!-- Made from leftOut [^\n]*-->\n)[\s\S]*?(<!-- end -->)/;
  return page.replace(place, (_, begin, end) => `${begin}\n${lists.join('\n\n')}\n\n${end}`);
}

/** At most 120 columns, broken after a comma. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const piece of text.split(/(?<=,) /)) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = piece;
    else if (line.length + 1 + piece.length <= 120) lines[lines.length - 1] = `${line} ${piece}`;
    else lines.push(`  ${piece}`);
  }
  return lines;
}

function section(command: Command): string {
  const parts = [
    `## ${pathOf(command)}`,
    sentence(command.description()),
    `\`\`\`\n${pathOf(command)} ${command.usage()}\n\`\`\``,
  ];
  const examples = examplesOf(command);
  if (examples.length > 0)
    parts.push(examples.map(({ line, does }) => `\`\`\`sh\n# ${does}\n${line}\n\`\`\``).join('\n\n'));
  if (command.registeredArguments.length > 0) parts.push(argumentTable(command.registeredArguments));
  if (command.options.length > 0) parts.push(optionTable(command.options));
  return parts.join('\n\n');
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function argumentTable(args: readonly Argument[]): string {
  const rows = args.map((argument) => {
    const choices = argument.argChoices ? `: ${argument.argChoices.join(', ')}` : '';
    return `| \`${argument.name()}\` | ${cell(argument.description + choices)} |`;
  });
  return `| argument | |\n|---|---|\n${rows.join('\n')}`;
}

function optionTable(options: readonly Option[]): string {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, argChoices, defaultValue }) => {
      const choices = argChoices ? `: ${argChoices.join(', ')}` : '';
      const initial =
        defaultValue === undefined || typeof defaultValue === 'boolean' ? '' : ` (default: ${defaultValue})`;
      return `| \`${cell(flags)}\` | ${cell(description + choices + initial)} |`;
    });
  return `| option | |\n|---|---|\n${rows.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const EXIT_MEANINGS: ReadonlyMap<number, string> = new Map([
  [0, 'Done.'],
  [1, 'Failed; for `append`: some lines were refused; for `doctor`: something is not in order.'],
  [2, 'Wrong usage or configuration.'],
  [3, 'No such session, or no such event in it.'],
  [4, 'Damage was found.'],
  [5, 'The session is locked by another writer.'],
  [6, 'Stopped by loop detection.'],
  [7, 'Denied by policy.'],
  [8, 'The provider failed.'],
  [9, 'The journal could not be written.'],
  [
    10,
    'The answer is incomplete: cut off at its limit, filtered by the provider, refused, ended for a reason of the provider, or empty.',
  ],
  [129, 'Ended by SIGHUP.'],
  [130, 'Interrupted.'],
  [143, 'Ended by SIGTERM.'],
]);

function exitCodes(): string {
  const known = Object.values(ERROR_CODES).every(({ exit }) => EXIT_MEANINGS.has(exit));
  if (!known) throw new TypeError('An exit code in lib/errors/codes.ts has no meaning here.');
  return [...EXIT_MEANINGS].map(([code, meaning]) => `| ${code} | ${meaning} |`).join('\n');
}

/** The text of docs/errors.md. */
export function errorReference(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { exit, meaning }]) => `| \`${code}\` | ${exit} | ${meaning} |`);
  return `# Errors and exit codes

<!-- Made from lib/errors/codes.ts by "node .ci/generate-docs.ts"; change that, not this page. -->

Every failure that ollm knows has a code for programs and a sentence for people. On the command line the sentence goes to
standard error, with what to do about it on the next line, and the exit code tells the kind:

\`\`\`
$ ollm tail nobody
ollm: There is no session "nobody".
"ollm list" shows all sessions; @last is the last one used.
$ echo $?
3
\`\`\`

In a program the same error is an \`OllmError\`:

\`\`\`ts
import { isOllmError } from 'ollm';

try {
  await store.openWriter('notes');
} catch (error) {
  if (isOllmError(error, 'JOURNAL_LOCKED')) console.log(error.hint);
  else throw error;
}
\`\`\`

\`error.data\` holds the facts (ids, paths, offsets), never a secret. An argument of the
wrong type is \`USAGE\`, and \`error.data.argument\` is its name.

| code | exit | meaning |
|---|---|---|
${rows.join('\n')}
`;
}
