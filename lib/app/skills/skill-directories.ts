// The directories in which the four programs look for skills, in their order: of two skills with one name the first
// counts. docs/skills.md names the versions that were looked at.
import { dirname, join } from 'node:path';
import type { Surroundings } from '../../agents/agent.ts';
import { ownDirectory } from '../../agents/finding.ts';
import type { FileSystem } from '../../platform/files/file-system.ts';
import { realPathOf } from '../../platform/files/io.ts';
import type { SkillAgent, SkillDirectory, SkillScope } from './agent-skill.ts';
import { claudePlugins } from './claude-plugins.ts';

interface SkillPlaces {
  /** Where the program would be started, absolute. */
  readonly workspace: string;
  readonly surroundings: Surroundings;
  readonly fileSystem: FileSystem;
}

/** As many directories above a workspace are looked into at most. */
const MAX_ABOVE = 64;

export function skillDirectories(agent: SkillAgent, places: SkillPlaces): readonly SkillDirectory[] {
  return DIRECTORIES[agent](places);
}

const DIRECTORIES: Readonly<Record<SkillAgent, (places: SkillPlaces) => readonly SkillDirectory[]>> = {
  claude(places) {
    const { home, platform } = places.surroundings;
    const own = ownDirectory.claude(places.surroundings);
    const managed = managedByClaude(platform);
    return [
      { path: join(managed, '.claude', 'skills'), scope: 'admin' },
      { path: join(own, 'skills'), scope: 'user' },
      ...inProject(upTo(home, places), ['.claude'], 'project'),
      ...claudePlugins(own, join(managed, 'managed-settings.json'), places),
    ];
  },

  codex(places) {
    const { home } = places.surroundings;
    const own = ownDirectory.codex(places.surroundings);
    const { directories, top } = upTo(undefined, places);
    const inRepository = top === undefined ? [places.workspace] : directories;
    return [
      ...inProject({ directories: inRepository, top }, ['.codex', '.agents'], 'repo'),
      { path: join(own, 'skills'), scope: 'user' },
      { path: join(home, '.agents', 'skills'), scope: 'user' },
      { path: join(own, 'skills', '.system'), scope: 'system' },
      { path: '/etc/codex/skills', scope: 'admin' },
    ];
  },

  cursor(places) {
    const { home } = places.surroundings;
    const folders = ['.agents', '.cursor', '.claude', '.codex'];
    return [
      ...inProject(workspaceOf(places), folders, 'project'),
      ...folders.map((folder) => ({ path: join(home, folder, 'skills'), scope: 'user' as const })),
    ];
  },

  gemini(places) {
    const own = ownDirectory.gemini(places.surroundings);
    return [
      ...inProject(workspaceOf(places), ['.agents', '.gemini'], 'project'),
      { path: join(dirname(own), '.agents', 'skills'), scope: 'user' },
      { path: join(own, 'skills'), scope: 'user' },
    ];
  },
};

interface Above {
  /** The workspace, and the directories above it. */
  readonly directories: readonly string[];
  /** The top of the repository that they are in. */
  readonly top: string | undefined;
}

function workspaceOf(places: SkillPlaces): Above {
  return { directories: [places.workspace], top: upTo(undefined, places).top };
}

/** No link may lead out of the repository; where there is none, out of the directory. */
function inProject({ directories, top }: Above, folders: readonly string[], scope: SkillScope): SkillDirectory[] {
  return directories.flatMap((directory) =>
    folders.map((folder) => ({ path: join(directory, folder, 'skills'), scope, within: top ?? directory })),
  );
}

/** Up to the top of the repository, or to `end`, which is not among them. */
function upTo(end: string | undefined, { workspace, fileSystem }: SkillPlaces): Above {
  const directories: string[] = [];
  for (let at = workspace; at !== end && directories.length < MAX_ABOVE; at = dirname(at)) {
    directories.push(at);
    if (realPathOf(fileSystem, join(at, '.git')) !== undefined) return { directories, top: at };
    if (dirname(at) === at) break;
  }
  return { directories, top: undefined };
}

function managedByClaude(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}
