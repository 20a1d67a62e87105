// `ollm env`: what a tool would see of the environment, and with --explain why each variable stays or goes. The values
// of those that go are never printed.
import type { Command } from 'commander';
import { printableLine } from '../../display/printable.ts';
import { countOf } from '../../display/quantities.ts';
import { action, type Finish, withExamples } from '../command.ts';

interface Options {
  readonly explain?: boolean;
}

export function defineEnv(program: Command, finish: Finish): void {
  const command = program
    .command('env')
    .description('print the environment of tools, without anything that looks like a secret')
    .option('--explain', 'print why each variable stays or goes, without values')
    .action(
      action<Options, []>(finish, async ({ output, openApp }, { explain }) => {
        const app = await openApp('env');
        const { toolEnvironment } = await import('../../app/policy/tool-environment.ts');
        const { variables, rows, warnings } = toolEnvironment(app);
        for (const warning of warnings) output.warn(warning);
        if (output.json) await output.document(explain ? rows : variables);
        else if (explain) {
          await output.table([
            { title: 'variable', cells: rows.map(({ name }) => name) },
            { title: '', cells: rows.map(({ keeps }) => (keeps ? 'stays' : 'goes')) },
            { title: 'because', cells: rows.map(({ because }) => because), grows: true },
          ]);
        } else {
          for (const { name, keeps } of rows) {
            if (keeps) await output.line(`${printableLine(name)}=${printableLine(variables[name] ?? '')}`);
          }
        }
        const kept = rows.filter(({ keeps }) => keeps).length;
        output.note(`${countOf(kept, 'variable')} for tools, ${rows.length - kept} kept from them.`);
      }),
    );
  withExamples(command, [
    { line: 'ollm env', does: 'the environment that a tool gets' },
    { line: 'ollm env --explain', does: 'each variable with the rule that decided, without values' },
    {
      line: `ollm env --explain --json | jq -r '.[] | select(.keeps | not).name'`,
      does: 'the names that are kept back',
    },
  ]);
}
