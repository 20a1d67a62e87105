// `ollm config`: the settings in force, and the source of each.
import type { Command } from 'commander';
import { nearest } from '../../config/nearest.ts';
import type { ConfigRow } from '../../config/types.ts';
import { OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

export function defineConfig(program: Command, finish: Finish): void {
  const command = program.command('config').description('print the settings in force');
  const get = command
    .command('get')
    .description('print one setting')
    .argument('<key>', 'such as services.session.maxSessions')
    .action(
      action<object, [string]>(finish, async (shell, _options, key) => {
        const { configuration } = await shell.openApp('config');
        const rows = configuration.explain();
        const row = rows.find((candidate) => candidate.key === key);
        if (!row)
          throw unknownKey(
            key,
            rows.map((candidate) => candidate.key),
          );
        if (shell.output.json) await shell.output.document(row.value ?? null);
        else if (row.value !== undefined) await shell.output.line(shown(row.value));
        return 0;
      }),
    );
  const explain = command
    .command('explain', { isDefault: true })
    .description('print each setting with the layer that set it (the default of config)')
    .action(
      action<object, []>(finish, async (shell) => {
        const { configuration, paths } = await shell.openApp('config');
        const { files } = configuration;
        const settings = configuration.explain();
        if (shell.output.json) await shell.output.document({ home: paths.home, files, settings });
        else await print(shell, settings, files);
        return 0;
      }),
    );
  withExamples(command, [{ line: 'ollm config', does: 'each setting, and where it comes from' }]);
  withExamples(get, [{ line: 'ollm config get services.session.maxSessions', does: 'one value, for a script' }]);
  withExamples(explain, [{ line: 'ollm config explain --json', does: 'all of it, for a program' }]);
}

async function print({ output }: Shell, rows: readonly ConfigRow[], files: readonly string[]): Promise<void> {
  if (!output.isTerminal) {
    for (const { key, value, source } of rows) await output.line([key, shown(value), source].join('\t'));
  } else {
    await output.table([
      { title: 'SETTING', cells: rows.map(({ key }) => key), style: 'cyan' },
      { title: 'VALUE', cells: rows.map(({ value }) => shown(value)) },
      { title: 'FROM', cells: rows.map(({ source }) => source), grows: true, style: 'dim' },
    ]);
  }
  output.note(files.length === 0 ? 'No configuration file was read.' : `Read ${files.join(', ')}.`);
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unknownKey(key: string, keys: readonly string[]): OllmError {
  const last = key.split('.').at(-1)?.toLowerCase() ?? '';
  const inside = keys.filter((candidate) => last !== '' && candidate.toLowerCase().includes(last)).slice(0, 3);
  const near = inside.length > 0 ? inside : [nearest(key, keys)].filter((candidate) => candidate !== undefined);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"ollm config" lists them all.';
  return new OllmError('USAGE', `There is no setting ${key}.`, { hint });
}
