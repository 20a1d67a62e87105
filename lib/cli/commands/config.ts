// `ollm config`: the settings in force with the source of each, and changes of the user's own file. The commands that
// change it need no valid configuration: they are the way to repair one.
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { KeptSetting, UserFile } from '../../app/start/user-file.ts';
import { valueAt } from '../../config/keys.ts';
import { nearest } from '../../config/nearest.ts';
import type { ConfigRow } from '../../config/types.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { action, type Finish, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

const KEY_ARGUMENT = 'such as model or services.session.maxSessions';

export function defineConfig(program: Command, finish: Finish): void {
  const command = program.command('config').description('print the settings in force, and change your own');
  withExamples(command, [
    { line: 'ollm config', does: 'each setting, and where it comes from' },
    { line: 'ollm config set model llama3.2', does: 'the model of new sessions' },
  ]);
  defineGet(command, finish);
  defineSet(command, finish);
  defineUnset(command, finish);
  defineFile(command, finish);
  defineExplain(command, finish);
}

function defineGet(command: Command, finish: Finish): void {
  const get = command
    .command('get')
    .description('print one setting; what may be a secret in it is [hidden]')
    .argument('<key>', KEY_ARGUMENT)
    .option('--show-secrets', 'print the value as it is, with its secrets')
    .action(
      action<{ readonly showSecrets?: boolean }, [string]>(finish, async ({ output, readSettings }, options, key) => {
        const { configuration } = await readSettings('config');
        const open = settingOf(configuration.explain(), key);
        const value = options.showSecrets ? valueAt(configuration.values, key) : open;
        if (output.json) await output.document(value ?? null);
        else if (value !== undefined) await output.line(shown(value));
        if (!options.showSecrets && !isDeepStrictEqual(open, valueAt(configuration.values, key)))
          output.note('What may be a secret is hidden; --show-secrets prints it.');
      }),
    );
  withExamples(get, [
    { line: 'ollm config get services.session.maxSessions', does: 'one value, for a script' },
    { line: 'ollm config get mcp.servers --show-secrets --json', does: 'with the keys in it, to copy them' },
  ]);
}

/** Settings that name a provider, which no schema can list: the user adds some. */
const NAMES_OF_PROVIDERS = ['provider', 'services.compression.summaryProvider'];

/** Not checked where the configuration has other problems: setting a key may be how they are mended. */
async function requireProvider(shell: Shell, name: string): Promise<void> {
  const known = await knownProviders(shell);
  if (known === undefined || known.includes(name)) return;
  const { unknownProvider } = await import('../../providers/registry.ts');
  throw unknownProvider(name, known);
}

async function knownProviders(shell: Shell): Promise<readonly string[] | undefined> {
  try {
    return (await shell.openApp('config')).providers.names;
  } catch (error) {
    if (isOllmError(error, 'CONFIG_INVALID') || isOllmError(error, 'PROVIDER_UNKNOWN')) return undefined;
    throw error;
  }
}

function defineSet(command: Command, finish: Finish): void {
  const set = command
    .command('set')
    .description('set one setting in your own config.yaml; comments and order stay')
    .argument('<key>', KEY_ARGUMENT)
    .argument('<value>', 'a text, a number, true or false, a,b for a list, or JSON')
    .action(
      action<object, [string, string]>(finish, async (shell, _options, key, value) => {
        const { keepSetting } = await import('../../app/start/user-file.ts');
        if (NAMES_OF_PROVIDERS.includes(key)) await requireProvider(shell, value);
        return report(shell, await keepSetting(await userFileOf(shell), key, value));
      }),
    );
  withExamples(set, [
    { line: 'ollm config set provider ollama', does: 'the provider of new sessions' },
    {
      line: 'ollm config set providers.compatible.local.baseUrl http://127.0.0.1:8080/v1',
      does: 'a server on this machine as the provider “local”',
    },
    { line: 'ollm config set tools.allow "bash(npm test),bash(ls)"', does: 'a list' },
  ]);
}

function defineUnset(command: Command, finish: Finish): void {
  const unset = command
    .command('unset')
    .description('take one setting out of your own config.yaml')
    .argument('<key>', KEY_ARGUMENT)
    .action(
      action<object, [string]>(finish, async (shell, _options, key) => {
        const { dropSetting } = await import('../../app/start/user-file.ts');
        return report(shell, await dropSetting(await userFileOf(shell), key));
      }),
    );
  withExamples(unset, [{ line: 'ollm config unset model', does: 'the default counts again' }]);
}

function defineFile(command: Command, finish: Finish): void {
  const path = command
    .command('path')
    .description('print the path of your own config.yaml, whether it exists or not')
    .action(
      action<object, []>(finish, async (shell) => {
        const { path, fileSystem } = await userFileOf(shell);
        if (shell.output.json) await shell.output.document({ path, exists: fileSystem.stat(path) !== undefined });
        else await shell.output.line(path);
      }),
    );
  const edit = command
    .command('edit')
    .description('open your own config.yaml in an editor: $VISUAL, else $EDITOR, vi or nano; it is checked afterwards')
    .action(
      action<object, []>(finish, async (shell) => {
        const { editUserFile } = await import('../../app/start/edit-user-file.ts');
        const file = await userFileOf(shell);
        const { isChanged } = await editUserFile(file, { signal: shell.signal });
        shell.output.note(isChanged ? `${file.path} was changed.` : 'Nothing was changed.');
      }),
    );
  withExamples(path, [{ line: 'cat "$(ollm config path)"', does: 'the content of the file' }]);
  withExamples(edit, [{ line: 'ollm config edit', does: 'all your settings, by hand' }]);
}

function defineExplain(command: Command, finish: Finish): void {
  const explain = command
    .command('explain', { isDefault: true })
    .description('print each setting with the layer that set it (the default of config)')
    .allowExcessArguments()
    .action(
      action<object, []>(finish, async (shell) => {
        if (explain.args[0] !== undefined) throw unknownUse(command, explain.args[0]);
        const { configuration, paths } = await shell.readSettings('config');
        const { files } = configuration;
        const settings = configuration.explain();
        if (shell.output.json) await shell.output.document({ home: paths.home, files, settings });
        else await print(shell, settings, files);
      }),
    );
  withExamples(explain, [{ line: 'ollm config explain --json', does: 'all of it, for a program' }]);
}

/** `word`: what commander takes for an argument of the default command. */
function unknownUse(command: Command, word: string): OllmError {
  const near = nearest(
    word,
    command.commands.map((each) => each.name()),
  );
  const hint =
    near === undefined
      ? '"ollm config" lists all settings, "ollm config get KEY" prints one.'
      : `Did you mean ${near}?`;
  const message = `There is no "ollm config ${command.args.join(' ')}".`;
  return new OllmError('USAGE', message, { hint: `${hint} See "ollm config --help".` });
}

async function userFileOf(shell: Shell): Promise<UserFile> {
  const { openUserFile } = await import('../../app/start/user-file.ts');
  return openUserFile(shell.settingsOptions('config'));
}

/** The value in the file now, and the value that counts if that is a different one. */
async function report(shell: Shell, { key, before, value }: KeptSetting): Promise<number> {
  const { output } = shell;
  const { path } = await userFileOf(shell);
  const inForce = await inForceNow(shell, key);
  if (output.json) {
    await output.document({ key, before: before ?? null, value: value ?? null, path });
  } else if (value === undefined) {
    output.note(
      before === undefined
        ? `${key} is not set in ${path}.`
        : `${key} was ${shown(before)}, and is not set in ${path} any more.`,
    );
  } else {
    output.note(`${key} is ${shown(value)}${before === undefined ? '' : `, and was ${shown(before)}`}, in ${path}.`);
  }
  if (inForce !== undefined && value !== undefined && !inForce.source.startsWith(`${path}:`))
    output.warn(`In this directory ${key} is ${shown(inForce.value)} all the same: ${inForce.source} says so.`);
  return 0;
}

/** Undefined where the configuration has other problems, which the next command reports. */
async function inForceNow(shell: Shell, key: string): Promise<ConfigRow | undefined> {
  try {
    const { configuration } = await shell.readSettings('config', { silent: true });
    return configuration.explain().find((row) => row.key === key);
  } catch (error) {
    if (isOllmError(error, 'CONFIG_INVALID')) return undefined;
    throw error;
  }
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

/** A setting, or a value inside one that holds settings under names of the user's choice. */
function settingOf(rows: readonly ConfigRow[], key: string): unknown {
  const row = rows.find((candidate) => candidate.key === key || key.startsWith(`${candidate.key}.`));
  const inside = row && (row.key === key ? row.value : valueAt(row.value, key.slice(row.key.length + 1)));
  if (row?.key === key || inside !== undefined) return inside;
  throw unknownKey(
    key,
    rows.map((candidate) => candidate.key),
  );
}

function unknownKey(key: string, keys: readonly string[]): OllmError {
  const last = key.split('.').at(-1)?.toLowerCase() ?? '';
  const inside = keys.filter((candidate) => last !== '' && candidate.toLowerCase().includes(last)).slice(0, 3);
  const near = inside.length > 0 ? inside : [nearest(key, keys)].filter((candidate) => candidate !== undefined);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"ollm config" lists them all.';
  return new OllmError('USAGE', `There is no setting ${key}.`, { hint });
}
