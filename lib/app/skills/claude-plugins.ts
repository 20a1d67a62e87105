// The skills that plugins of Claude Code bring: those that are installed for this workspace and switched on.
import { isAbsolute, join, resolve } from 'node:path';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { isInside } from '../../platform/files/inside.ts';
import { isObject, parseObject } from '../../platform/json.ts';
import { readTextFile } from '../repository/read-text-file.ts';
import type { SkillDirectory } from './agent-skill.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MOST_PLUGINS = 200;

/** `own`: its directory of the user; `managed`: the settings that an administrator gives it. */
export function claudePlugins(
  own: string,
  managed: string,
  { fileSystem, workspace }: { readonly fileSystem: FileSystem; readonly workspace: string },
): readonly SkillDirectory[] {
  const installed = jsonAt(fileSystem, join(own, 'plugins', 'installed_plugins.json'))?.plugins;
  if (!isObject(installed)) return [];
  const settings = [
    join(own, 'settings.json'),
    join(workspace, '.claude', 'settings.json'),
    join(workspace, '.claude', 'settings.local.json'),
    managed,
  ].map((path) => jsonAt(fileSystem, path)?.enabledPlugins);
  // The last of the settings counts.
  const enabled = new Map(settings.filter(isObject).flatMap((each) => Object.entries(each)));
  const on = Object.entries(installed).filter(([id]) => isOn(enabled.get(id)));
  return on.slice(0, MOST_PLUGINS).flatMap(([id, entries]): readonly SkillDirectory[] => {
    const directory = installPath(entries, workspace);
    if (directory === undefined) return [];
    const name = id.split('@', 1)[0]!;
    return directoriesIn(directory, fileSystem).map((path) => ({
      path,
      scope: 'plugin',
      within: directory,
      plugin: { name },
    }));
  });
}

/** A list of versions switches a plugin on too. */
function isOn(value: unknown): boolean {
  return value === true || Array.isArray(value);
}

/** The path in the entry for this project, else in that of the user. The older form has one entry, without a list. */
function installPath(entries: unknown, workspace: string): string | undefined {
  const all = (Array.isArray(entries) ? entries : [entries]).filter(isObject);
  const ofProject = all.find(
    ({ projectPath }) => typeof projectPath === 'string' && isAbsolute(projectPath) && isInside(projectPath, workspace),
  );
  const path = (ofProject ?? all.find(({ projectPath }) => projectPath === undefined))?.installPath;
  return typeof path === 'string' && isAbsolute(path) && !path.includes('\0') ? path : undefined;
}

/** `skills`, and the directories that its manifest names; none may be outside of the plugin. */
function directoriesIn(directory: string, fileSystem: FileSystem): readonly string[] {
  const named = jsonAt(fileSystem, join(directory, '.claude-plugin', 'plugin.json'))?.skills;
  const more = (Array.isArray(named) ? named : [named]).filter((each) => typeof each === 'string');
  const paths = more.map((each) => resolve(directory, each)).filter((path) => isInside(directory, path));
  return [...new Set([join(directory, 'skills'), ...paths])];
}

function jsonAt(fileSystem: FileSystem, path: string): Record<string, unknown> | undefined {
  const text = readTextFile(fileSystem, path, MAX_FILE_BYTES);
  return text === undefined ? undefined : parseObject(text);
}
