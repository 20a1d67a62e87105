// The layers of the configuration, each as a list of settings with the place that they come from. Paths are made
// absolute here, because only here it is known where they start.
import { isAbsolute, join, resolve } from 'node:path';
import { type ConfigFinding, checkSettings } from './check.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { type PresentSettings, withPresentKeys } from './former-keys.ts';
import { valueAt, withValue } from './keys.ts';
import { SETTINGS, type Setting } from './settings.generated.ts';
import type { ConfigEnvironment, ConfigFlags, LayerName } from './types.ts';
import { readVariables } from './variables.ts';

export interface LayerEntry {
  readonly value: unknown;
  /** For people: a file with its line, a variable, a flag. */
  readonly source: string;
}

export interface Layer {
  readonly name: LayerName;
  readonly entries: ReadonlyMap<string, LayerEntry>;
  /** Faults as sentences, with their places. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The directory of a path that is not absolute, and that of `~`. */
interface PathBase {
  readonly directory: string;
  readonly homeDirectory: string;
}

const SETTING_BY_KEY = new Map(SETTINGS.map((setting) => [setting.key, setting]));

export function defaultLayer(base: PathBase): Layer {
  const entries = SETTINGS.flatMap((setting): [string, LayerEntry][] =>
    setting.default === undefined
      ? []
      : [[setting.key, { value: absolute(setting, setting.default, base), source: 'default' }]],
  );
  return { name: 'default', entries: new Map(entries), problems: [], warnings: [] };
}

export async function fileLayer(name: 'user' | 'project', path: string, base: PathBase): Promise<Layer> {
  const file = await readConfigFile(path);
  const { data, formerKeys } = settingsIn(file.data);
  const keysInFile = (path: readonly string[]) => formerKeys.get(path.join('.'))?.split('.') ?? path;
  const entries = new Map<string, LayerEntry>();
  for (const setting of SETTINGS) {
    const value = valueAt(data, setting.key);
    if (value === undefined) continue;
    const { line } = file.positionOf(keysInFile(setting.key.split('.')), 'key');
    entries.set(setting.key, { value: absolute(setting, value, base), source: `${path}:${line}` });
  }
  const warnings = [...formerKeys].map(([present, former]) => {
    const { line } = file.positionOf(former.split('.'), 'key');
    return `${path}:${line}: ${former} is read as ${present}, which is its name here.`;
  });
  return { name, entries, problems: problemsIn(file), warnings };
}

/** The content of a file, under the present keys and without empty ones. */
export function settingsIn(data: unknown): PresentSettings {
  return withPresentKeys(withoutEmpty(data) ?? {});
}

/** The faults of a file, with their places. */
export function problemsIn(file: ConfigFile): string[] {
  const { data, formerKeys } = settingsIn(file.data);
  const keysInFile = (path: readonly string[]) => formerKeys.get(path.join('.'))?.split('.') ?? path;
  return checkSettings(data).map(
    (finding) => `${placeOf(file, { ...finding, path: keysInFile(finding.path) })}: ${finding.message}`,
  );
}

export function environmentLayer(env: ConfigEnvironment, base: PathBase): Layer {
  const { values, warnings } = readVariables(env);
  const problems = values.flatMap(({ key, variable, value }) =>
    checkSettings(withValue({}, key, value)).map(({ message }) => `The variable ${variable}: ${message}`),
  );
  const entries = values.map(({ key, variable, value }): [string, LayerEntry] => {
    const setting = SETTING_BY_KEY.get(key);
    return [key, { value: setting ? absolute(setting, value, base) : value, source: variable }];
  });
  return { name: 'environment', entries: new Map(entries), problems, warnings };
}

const FLAGS: readonly { flag: keyof ConfigFlags; key: string; shown: string }[] = [
  { flag: 'provider', key: 'provider', shown: '--provider' },
  { flag: 'model', key: 'model', shown: '--model' },
  { flag: 'mode', key: 'services.session.mode', shown: '--ephemeral' },
  { flag: 'retrieval', key: 'retrieval.enabled', shown: '--rag' },
  { flag: 'logLevel', key: 'log.level', shown: '--log-level' },
  {
    flag: 'allowNetworkFileSystem',
    key: 'services.session.allowNetworkFileSystem',
    shown: '--allow-network-fs',
  },
];

export function flagLayer(flags: ConfigFlags): Layer {
  const given = FLAGS.filter(({ flag }) => flags[flag] !== undefined);
  return {
    name: 'flag',
    entries: new Map(given.map(({ flag, key, shown }) => [key, { value: flags[flag], source: shown }])),
    problems: given.flatMap(({ flag, key, shown }) =>
      checkSettings(withValue({}, key, flags[flag])).map(({ message }) => `The flag ${shown}: ${message}`),
    ),
    warnings: [],
  };
}

function placeOf(file: ConfigFile, { path, part }: ConfigFinding): string {
  const { line, column } = file.positionOf(path, part);
  return `${file.path}:${line}:${column}`;
}

/** A key with nothing after it counts as missing: people leave it when they comment out the lines below. */
function withoutEmpty(data: unknown): unknown {
  if (data === null) return undefined;
  if (typeof data !== 'object' || Array.isArray(data)) return data;
  const kept = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    const inner = withoutEmpty(value);
    return inner === undefined ? [] : [[name, inner]];
  });
  return Object.fromEntries(kept);
}

function absolute({ isPath }: Setting, value: unknown, base: PathBase): unknown {
  if (!isPath) return value;
  return Array.isArray(value) ? value.map((item) => absolutePath(item, base)) : absolutePath(value, base);
}

function absolutePath(value: unknown, { directory, homeDirectory }: PathBase): unknown {
  if (typeof value !== 'string') return value;
  if (value === '~' || value.startsWith('~/')) return join(homeDirectory, value.slice(1));
  return isAbsolute(value) ? value : resolve(directory, value);
}
