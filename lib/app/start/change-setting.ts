// `/config set KEY VALUE`: another value for a setting, as long as this program runs. Only settings that are read again
// at each turn can be changed so; the others name the necessary step. The session records each change, because it
// behaves differently from there on. No file is written: after a restart the configuration counts again.
import { valueAt, withValue } from '../../config/keys.ts';
import { nearest } from '../../config/nearest.ts';
import { readingOf } from '../../config/reading.ts';
import type { LoadedConfig, ResolvedConfig } from '../../config/types.ts';
import { OllmError } from '../../errors/index.ts';
import type { App } from '../app.ts';
import type { Conversation } from '../conversation.ts';

/** The settings that can be changed while a conversation is open. */
export const HOT_SETTINGS: readonly string[] = [
  'maxOutputTokens',
  'sampling.temperature',
  'sampling.topP',
  'sampling.seed',
  'sampling.stop',
  'providers.ollama.contextLength',
  'providers.ollama.keepAlive',
  'services.session.autoSave',
  'services.compression.enabled',
  'services.compression.threshold',
  'services.compression.strategy',
  'services.compression.preserveRecent',
  'services.compression.summaryProvider',
  'services.compression.summaryModel',
  'services.budget.maxTotal',
  'services.budget.reserveForOutput',
  'services.budget.historyWindow',
  'services.budget.summaryBudget',
  'services.budget.retrievalBudget',
  'services.loopDetection.enabled',
  'retrieval.enabled',
  'tools.enabled',
  'retention.maxItems',
];

/** Gives a setting back to the configuration. */
const DEFAULT = 'default';

type Value = string | number | boolean | readonly string[];

/** The old and the new value of a setting; undefined where nothing sets it. */
interface ChangedSetting {
  readonly key: string;
  readonly before: Value | undefined;
  readonly value: Value | undefined;
}

/** Any setting as it is now, with where it comes from: `/config` where it was changed. */
export function settingNow(
  { config, configuration }: Pick<App, 'config' | 'configuration'>,
  key: string,
): { readonly value: unknown; readonly source: string } {
  const { value, source } = configuration.explain().find((row) => row.key === key) ?? { value: undefined, source: '' };
  const now = valueAt(config, key);
  const isChanged = HOT_SETTINGS.includes(key) && now !== valueAt(configuration.values, key);
  return isChanged ? { value: now, source: '/config' } : { value, source };
}

/**
 * `text`: as the user typed it; `default` takes the change back. `app.config` says the new value from here on.
 *
 * @example
 * await changeSetting(app, conversation, 'services.compression.threshold', '0.6');
 * @throws OllmError CONFIG_INVALID, and what an append throws: then nothing was changed
 */
export async function changeSetting(
  app: App,
  { session }: Pick<Conversation, 'session'>,
  key: string,
  text: string,
): Promise<ChangedSetting> {
  requireHot(key, app.configuration);
  const before = valueAt(app.config, key) as Value | undefined;
  const value =
    text === DEFAULT
      ? (valueAt(app.configuration.values, key) as Value | undefined)
      : (readingOf(text, (reading) => app.configuration.problemWith(key, reading) !== undefined) as Value);
  const problem = value === undefined ? undefined : app.configuration.problemWith(key, value);
  if (problem !== undefined) throw refused(key, problem, 'docs/configuration.md says what it may be.');
  // Where nothing can be stored any more it is changed all the same: the guard that stops a loop must have a switch.
  if (session.writer.failure === undefined) {
    await session.append({ type: 'setting.changed', data: { key, value: text === DEFAULT ? null : stored(value) } });
  }
  // The one place where the settings of a running program change.
  (app as { config: ResolvedConfig }).config = withValue(app.config, key, value);
  return { key, before, value };
}

/** A list as JSON. */
function stored(value: Value | undefined): string | number | boolean | null {
  return typeof value === 'object' ? JSON.stringify(value) : (value ?? null);
}

function requireHot(key: string, configuration: LoadedConfig): void {
  if (HOT_SETTINGS.includes(key)) return;
  const names = configuration.explain().map((row) => row.key);
  if (names.includes(key)) {
    const hint = `Put it into config.yaml and start again. While a conversation is open these can be changed: ${HOT_SETTINGS.join(', ')}.`;
    throw refused(key, `${key} cannot be changed while a conversation is open.`, hint);
  }
  const close = nearest(key, HOT_SETTINGS) ?? nearest(key, names);
  throw refused(
    key,
    `${key} is not a setting${close ? `; did you mean ${close}?` : '.'}`,
    'docs/configuration.md lists all.',
  );
}

function refused(key: string, message: string, hint: string): OllmError {
  return new OllmError('CONFIG_INVALID', message, { hint, data: { key } });
}
