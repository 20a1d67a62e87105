// The usual ways in which programs lay out their sessions, for the modules that look for them.
import { join } from 'node:path';
import { xdgDirectory } from '../platform/xdg.ts';
import type { DiscoveredSession, FilesAround, JsonObject, Looking, Surroundings } from './agent.ts';
import { parseObject } from './members.ts';

type InHome = Pick<Surroundings, 'env' | 'home'>;

/** The directory of a program's own in the home of its user, or where its variable says. */
export const ownDirectory = {
  claude: ({ env, home }: InHome) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
  codex: ({ env, home }: InHome) => env.CODEX_HOME || join(home, '.codex'),
  copilot: ({ env, home }: InHome) => env.COPILOT_HOME || join(home, '.copilot'),
  /** The variable names the home that it is in. */
  gemini: ({ env, home }: InHome) => join(env.GEMINI_CLI_HOME || home, '.gemini'),
  kimi: ({ env, home }: InHome) => env.KIMI_CODE_HOME || join(home, '.kimi-code'),
  qwen: ({ home }: InHome) => join(home, '.qwen'),
} as const;

/** The user's directory for the settings of programs with windows, by the rules of the system. */
export function configHome(surroundings: Surroundings): string {
  const { env, home, platform } = surroundings;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return xdgDirectory('config', surroundings);
}

/** The names of the directories in a folder. */
export function directoriesIn(folder: string, { entries }: FilesAround): readonly string[] {
  return entries(folder).flatMap(({ name, kind }) => (kind === 'directory' ? [name] : []));
}

/** A small document; undefined if it cannot be read, or is not an object. */
export function documentAt(path: string, { readSmall }: FilesAround): JsonObject | undefined {
  return parseObject(readSmall(path) ?? '');
}

/** The files of a folder, each a session: the first group of the pattern is the id in a name. */
export function* sessionFilesIn(folder: string, pattern: RegExp, looking: Looking): Iterable<DiscoveredSession> {
  for (const { name, kind } of looking.entries(folder)) {
    const id = pattern.exec(name)?.[1];
    if (kind === 'file' && id !== undefined) yield { id, path: join(folder, name) };
  }
}
