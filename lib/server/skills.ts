// The skills of other programs, in a directory in which this server may work.
import type { SKILL_ROUTES } from '../api/skills.ts';
import { SKILL_AGENTS, type SkillAgent } from '../app/skills/agent-skill.ts';
import { type Handlers, type NamesOf, workspaceOf } from './context.ts';
import { ApiFailure } from './failure.ts';

export const skillHandlers: Handlers<NamesOf<typeof SKILL_ROUTES>> = {
  async listSkillsOf({ parameters, query, context, signal }) {
    const provider = skillAgent(parameters.provider);
    const agents = [provider];
    const workspace = await workspaceOf(context, query.workspacePath);
    return { provider, ...(await context.work.run('skills', { agents, workspace }, { signal })) };
  },

  async listSkills({ query, context, signal }) {
    const agents = query.provider === undefined ? SKILL_AGENTS : [skillAgent(query.provider)];
    const workspace = await workspaceOf(context, query.workspacePath);
    const { skills, problems } = await context.work.run('skills', { agents, workspace }, { signal });
    const providers = agents.map((agent) => [agent, skills.filter(({ provider }) => provider === agent)] as const);
    return { providers: Object.fromEntries(providers), problems };
  },
};

/** @throws ApiFailure UNSUPPORTED_PROVIDER */
function skillAgent(name: string): SkillAgent {
  const agent = SKILL_AGENTS.find((each) => each === name);
  if (agent !== undefined) return agent;
  throw new ApiFailure('UNSUPPORTED_PROVIDER', `The skills of “${name}” are not known.`, { providers: SKILL_AGENTS });
}
