// The files of an agent outside of its workspace: its state, and in that the settings, hooks, skills and commands which
// a later start reads or runs. A confined agent writes its state and not these, nor the settings that agents have in a
// project.
import { join } from 'node:path';
import type { Surroundings } from '../agents/agent.ts';
import { ownDirectory } from '../agents/finding.ts';
import { xdgDirectory } from '../platform/xdg.ts';
import type { RunAgentName } from './profiles.ts';

interface OwnFiles {
  /** Absolute. Directories that need not be there; of the files those that are there are written. */
  readonly state: { readonly directories: readonly string[]; readonly files: readonly string[] };
  /** Absolute, in `state`; with a slash at the end of a directory. */
  readonly settings: readonly string[];
}

interface Layout {
  directories(surroundings: Surroundings): readonly [string, ...string[]];
  files?(surroundings: Surroundings): readonly string[];
  /** In the first directory. */
  readonly settings: readonly string[];
  /** In a project. A file is protected only where it is there: an empty one would be read. */
  readonly project: readonly string[];
}

const LAYOUTS: Readonly<Record<RunAgentName, Layout>> = {
  claude: {
    directories: (surroundings) => [ownDirectory.claude(surroundings)],
    files: ({ env, home }) => (env.CLAUDE_CONFIG_DIR ? [] : [join(home, '.claude.json')]),
    settings: [
      ...['settings.json', 'settings.local.json', 'keybindings.json', 'CLAUDE.md'],
      ...['agents/', 'commands/', 'hooks/', 'output-styles/', 'plugins/', 'rules/', 'skills/', 'workflows/'],
    ],
    project: ['.claude/', '.mcp.json'],
  },
  codex: {
    directories: (surroundings) => [ownDirectory.codex(surroundings)],
    settings: ['config.toml', 'hooks.json', 'AGENTS.md', 'AGENTS.override.md', 'prompts/', 'rules/', 'plugins/'],
    project: ['.codex/', '.agents/'],
  },
  copilot: {
    directories: ({ env, home }) => [
      ownDirectory.copilot({ env, home }),
      join(xdgDirectory('cache', { env, home }), 'copilot'),
    ],
    settings: ['mcp-config.json', 'lsp-config.json', 'copilot-instructions.md', 'agents/', 'hooks/', 'skills/'],
    project: ['.github/agents/', '.github/hooks/', '.github/skills/', '.mcp.json'],
  },
  cursor: {
    directories: ({ env, home }) => [
      env.CURSOR_CONFIG_DIR || join(home, '.cursor'),
      join(xdgDirectory('config', { env, home }), 'cursor'),
    ],
    settings: ['cli-config.json', 'hooks.json', 'mcp.json', 'agents/', 'commands/', 'rules/', 'skills/'],
    project: ['.cursor/', '.agents/'],
  },
  gemini: {
    directories: (surroundings) => [ownDirectory.gemini(surroundings)],
    settings: [
      ...['settings.json', 'trustedFolders.json', 'GEMINI.md'],
      ...['agents/', 'commands/', 'extensions/', 'hooks/', 'policies/', 'skills/'],
    ],
    project: ['.gemini/', '.agents/'],
  },
  kimi: {
    directories: (surroundings) => [ownDirectory.kimi(surroundings)],
    settings: ['config.toml', 'mcp.json', 'AGENTS.md', 'agents/', 'plugins/', 'skills/'],
    project: ['.kimi-code/', '.agents/'],
  },
  opencode: {
    directories: ({ env, home }) => [
      join(xdgDirectory('data', { env, home }), 'opencode'),
      join(xdgDirectory('state', { env, home }), 'opencode'),
      join(xdgDirectory('cache', { env, home }), 'opencode'),
    ],
    // They are in a directory that it does not write.
    settings: [],
    project: ['.opencode/', 'opencode.json', 'opencode.jsonc'],
  },
  qwen: {
    directories: (surroundings) => [ownDirectory.qwen(surroundings)],
    settings: [
      ...['settings.json', 'trustedFolders.json', 'QWEN.md'],
      ...['agents/', 'commands/', 'extensions/', 'hooks/', 'skills/'],
    ],
    project: ['.qwen/'],
  },
};

export function ownFilesOf(agent: RunAgentName, surroundings: Surroundings): OwnFiles {
  const { directories, files, settings } = LAYOUTS[agent];
  const [first, ...others] = directories(surroundings);
  return {
    state: { directories: [first, ...others], files: files?.(surroundings) ?? [] },
    settings: settings.map((name) => join(first, name)),
  };
}

/** Settings that any of them reads in a project: `workspace` is its root. With a slash at the end of a directory. */
export function projectSettings(workspace: string): readonly string[] {
  return [...new Set(Object.values(LAYOUTS).flatMap(({ project }) => project))].map((name) => join(workspace, name));
}
