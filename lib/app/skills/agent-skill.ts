// A skill of another program, as lists show it.

/** The programs whose skills are listed. */
export const SKILL_AGENTS = ['claude', 'codex', 'cursor', 'gemini'] as const;

export type SkillAgent = (typeof SKILL_AGENTS)[number];

/** Whose a skill is: `repo`, `admin` and `system` are words of Codex. */
export type SkillScope = 'user' | 'project' | 'plugin' | 'repo' | 'admin' | 'system';

/** A directory in which a program looks for skills. */
export interface SkillDirectory {
  readonly path: string;
  readonly scope: SkillScope;
  /** The repository or plugin that it is in: no link may lead out of it. Undefined for a place of the user's own. */
  readonly within?: string | undefined;
  readonly plugin?: { readonly name: string } | undefined;
}

export interface AgentSkill {
  readonly provider: SkillAgent;
  readonly scope: SkillScope;
  readonly name: string;
  /** The description in its front matter, as one line. */
  readonly description?: string | undefined;
  /** How a user calls it in that program: `/name`, `/plugin:name`, `$name`. */
  readonly invocation: string;
  /** The absolute path of its SKILL.md, as the program finds it. */
  readonly filePath: string;
  readonly pluginName?: string | undefined;
}

/** A place that was found and is not listed. */
export interface SkillProblem {
  readonly provider: SkillAgent;
  readonly path: string;
  /** As the end of a sentence that begins with the path. */
  readonly reason: string;
}
