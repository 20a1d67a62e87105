// `ollm skills`: the skills that other programs find here.
import { type Command, Option } from 'commander';
import { type AgentSkill, SKILL_AGENTS, type SkillAgent } from '../../app/skills/agent-skill.ts';
import { countOf } from '../../display/quantities.ts';
import { action, type Finish, withExamples } from '../command.ts';

interface Options {
  readonly agent?: SkillAgent;
}

const MAX_PROBLEMS_SHOWN = 10;

export function defineSkills(program: Command, finish: Finish): void {
  const command = program
    .command('skills')
    .description('list the skills that Claude Code, Codex, Cursor and Gemini CLI find in this directory')
    .addOption(new Option('--agent <agent>', 'only those of this program').choices(SKILL_AGENTS))
    .action(
      action<Options, []>(finish, async ({ output, openApp }, { agent }) => {
        const app = await openApp('skills');
        const { listAgentSkills } = await import('../../app/skills/list-agent-skills.ts');
        const { skills, problems } = await listAgentSkills(app, { agents: agent && [agent] });
        if (output.json) return output.document({ skills, problems });
        await output.list(skills, cellsOf, () => [
          { title: 'AGENT', cells: skills.map(({ provider }) => provider), style: 'cyan' },
          { title: 'SCOPE', cells: skills.map(({ scope }) => scope), dropAt: 50 },
          { title: 'CALLED', cells: skills.map(({ invocation }) => invocation) },
          { title: 'FOR', cells: skills.map(({ description = '' }) => description), style: 'dim', grows: true },
        ]);
        for (const { path, reason } of problems.slice(0, MAX_PROBLEMS_SHOWN)) output.note(`${path} ${reason}.`);
        const more = problems.length - MAX_PROBLEMS_SHOWN;
        if (more > 0) output.note(`${countOf(more, 'skill')} more cannot be listed; --json names all.`);
        if (skills.length === 0) output.note('No skill is here. docs/skills.md says where each program looks.');
      }),
    );
  withExamples(command, [
    { line: 'ollm skills', does: 'what each program would find if you started it here, and how to call it' },
    { line: 'ollm skills --agent codex', does: 'only those of Codex' },
    { line: 'ollm skills --json | jq -r ".skills[].filePath"', does: 'their files' },
  ]);
}

/** For a pipe: agent, scope, name, invocation, path, description. */
function cellsOf({ provider, scope, name, invocation, filePath, description }: AgentSkill): readonly unknown[] {
  return [provider, scope, name, invocation, filePath, description];
}
