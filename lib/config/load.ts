// The configuration of one run, from its layers: defaults, the user's file, the project's file, the environment, flags.
// Setting by setting, the strongest layer wins. Anything wrong in any of them ends the run: no work is done
// on settings that were half understood.
import { dirname, join, resolve } from 'node:path';
import { createRedactor } from '../environment/redact.ts';
import { OllmError } from '../errors/index.ts';
import { once } from '../platform/once.ts';
import { checkSettings } from './check.ts';
import { configuredSecrets } from './configured-secrets.ts';
import { explainRow } from './explain.ts';
import { withValue } from './keys.ts';
import { defaultLayer, environmentLayer, fileLayer, flagLayer, type Layer, type LayerEntry } from './layers.ts';
import { findProjectFile, projectLayer } from './project-layer.ts';
import { SETTINGS } from './settings.generated.ts';
import type { LoadConfigOptions, LoadedConfig, ResolvedConfig } from './types.ts';
import { findUserFile } from './user-file.ts';

/**
 * @throws OllmError CONFIG_INVALID: each problem on a line of its own, with file, line and column
 *
 * @example
 * const { values } = await loadConfig({ env: process.env, cwd: process.cwd(), homeDirectory: homedir(), fileSystem });
 * values.services.session.maxSessions; // 100
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { cwd, homeDirectory, flags = {}, fileSystem, env } = options;
  const { home, userFile: ownFile, isNamed } = userFileOf(options);
  const files: string[] = [];
  const layers: Layer[] = [defaultLayer({ directory: home, homeDirectory })];
  const warnings: string[] = [];

  const userFile = findUserFile(fileSystem, ownFile, { isNamed, uid: options.uid });
  if (userFile !== undefined) {
    layers.push(await fileLayer('user', userFile, { directory: dirname(userFile), homeDirectory }));
    files.push(userFile);
  }

  let isProjectTrusted = false;
  const project = findProjectFile(fileSystem, cwd, home);
  if (project !== undefined && project.path !== userFile) {
    const layer = await projectLayer(project, options, {
      valueBelow: (key) => strongest(layers, key)?.value,
      userFile: ownFile,
    });
    if ('ignored' in layer) {
      warnings.push(layer.ignored);
    } else {
      layers.push(layer);
      files.push(project.path);
      isProjectTrusted = layer.isTrusted;
    }
  }

  layers.push(environmentLayer(env, { directory: cwd, homeDirectory }), flagLayer(flags));
  refuseProblems(layers.flatMap(({ problems }) => problems));

  const values = resolved(layers);
  const redactor = once(() => createRedactor({ secretValues: configuredSecrets(values, env) }));
  const redact = (text: string) => redactor().redact(text).text;
  return {
    values,
    home,
    userFile: ownFile,
    files,
    project: project && files.includes(project.path) ? project.root : undefined,
    isProjectTrusted,
    warnings: [...warnings, ...layers.flatMap((layer) => layer.warnings)],
    explain: () => SETTINGS.map(({ key }) => explainRow(key, strongest(layers, key), redact)),
    problemWith: (key, value) => checkSettings(withValue({}, key, value))[0]?.message,
  };
}

/** Where the settings of the user are, whether the file exists or not. */
export function userFileOf({ env, cwd, homeDirectory, flags = {} }: Omit<LoadConfigOptions, 'fileSystem'>): {
  readonly home: string;
  readonly userFile: string;
  /** `--config` names it. */
  readonly isNamed: boolean;
} {
  const absolute = (path: string) => resolve(cwd, expandHome(path, homeDirectory));
  const home = absolute(flags.home ?? (env.OLLM_HOME || join(homeDirectory, '.ollm')));
  const isNamed = flags.config !== undefined;
  return { home, userFile: isNamed ? absolute(flags.config) : join(home, 'config.yaml'), isNamed };
}

function strongest(layers: readonly Layer[], key: string): (LayerEntry & Pick<Layer, 'name'>) | undefined {
  const layer = layers.findLast(({ entries }) => entries.has(key));
  return layer && { ...layer.entries.get(key)!, name: layer.name };
}

type Group = Record<string, unknown>;

/** A group without any value is there too, so that a setting can be read without a look at its group. */
function resolved(layers: readonly Layer[]): ResolvedConfig {
  const values: Group = {};
  for (const { key } of SETTINGS) {
    const names = key.split('.');
    const last = names.pop()!;
    let group = values;
    for (const name of names) {
      group[name] ??= {};
      group = group[name] as Group;
    }
    const value = strongest(layers, key)?.value;
    if (value !== undefined) group[last] = value;
  }
  return freeze(values) as unknown as ResolvedConfig;
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) freeze(member);
  return Object.freeze(value);
}

function refuseProblems(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new OllmError('CONFIG_INVALID', problems.join('\n'), {
    hint: 'docs/configuration.md lists every setting.',
    data: { problems },
  });
}

function expandHome(path: string, homeDirectory: string): string {
  return path === '~' || path.startsWith('~/') ? join(homeDirectory, path.slice(1)) : path;
}
