// /config: the settings with their sources, and another value for as long as this program runs.
import { nearest } from '../../config/nearest.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { type CommandContext, type ReplCommand, splitFirstWord, wrongUsage } from './command.ts';
import { formatRows } from './rows.ts';
import { requireWritable } from './run.ts';

/** The prompt does not wait for the code that checks settings. */
const load = () => import('../../app/start/change-setting.ts');

export const configCommand: ReplCommand = {
  name: 'config',
  aliases: ['settings'],
  group: 'repl',
  arguments: '[get KEY | set KEY VALUE]',
  summary: 'shows settings; changes one until you leave',
  details:
    'Without arguments it lists the settings that can change while it runs. The value default undoes a change. Changes are recorded in the session, not in a file: lasting ones belong in config.yaml',
  example: '/config set services.compression.threshold 0.6',
  legal: 'always',
  actions: {
    '': { run: listSettings },
    get: {
      takesText: true,
      complete: ({ app }, text) => (/\s/.test(text) ? [] : app.configuration.explain().map((row) => row.key)),
      run: (context, text) => showSetting(context, text.trim()),
    },
    set: {
      takesText: true,
      async complete({ app }, text) {
        const [key = '', ...values] = text.split(/\s+/);
        if (values.length === 0) return (await load()).HOT_SETTINGS;
        return values.length === 1 ? valuesOf(app.configuration.explain(), key) : [];
      },
      run: (context, text) => setSetting(context, ...splitFirstWord(text)),
    },
  },
};

async function listSettings({ app, front }: CommandContext): Promise<void> {
  const { HOT_SETTINGS, settingNow } = await load();
  const rows = HOT_SETTINGS.map((key) => [key, withSource(settingNow(app, key))] as const);
  front.print('Can be changed while it runs:', ...formatRows(front.columns, rows));
}

async function showSetting({ app, front }: CommandContext, key: string): Promise<void> {
  const keys = app.configuration.explain().map((row) => row.key);
  if (key === '') throw wrongUsage(configCommand);
  if (!keys.includes(key)) {
    const close = nearest(key, keys);
    const which = close === undefined ? '' : ` Did you mean ${close}?`;
    throw wrongUsage(configCommand, `There is no setting ${sanitizeLine(key)}.${which}`);
  }
  front.print(withSource((await load()).settingNow(app, key)));
}

async function setSetting({ app, front, conversation }: CommandContext, key: string, text: string): Promise<void> {
  if (text.trim() === '') throw wrongUsage(configCommand);
  requireWritable(conversation);
  const { changeSetting } = await load();
  const { before, value } = await changeSetting(app, conversation, key, text.trim());
  front.print(`${key} was ${shown(before)} and is ${shown(value)}, until you leave.`);
}

function withSource({ value, source }: { readonly value: unknown; readonly source: string }): string {
  return value === undefined ? shown(value) : sanitizeLine(`${shown(value)} (${source})`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a switch may be set to; other values are free. */
function valuesOf(rows: ReturnType<CommandContext['app']['configuration']['explain']>, key: string): readonly string[] {
  const value = rows.find((row) => row.key === key)?.value;
  return typeof value === 'boolean' ? ['true', 'false', 'default'] : ['default'];
}
