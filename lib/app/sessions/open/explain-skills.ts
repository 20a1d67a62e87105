// Which skills there are, and of each whether the model is offered it, or why not.
import { SKILLS_KEY, SKILLS_TOOL } from '../../../context/entries.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { usableSkills } from '../../policy/usable-skills.ts';
import { OFFLINE } from '../../providers/choose-provider.ts';
import { readSkills, type Skill } from '../../skills/own-skills.ts';
import { listTools } from '../../tools/toolbox.ts';

export interface ExplainedSkill extends Skill {
  /** Why the model is not offered it; undefined: it is. */
  readonly why: string | undefined;
}

/** `problems`: faults in the files, each as a sentence. */
export async function explainSkills(
  app: App,
  conversation: Conversation,
): Promise<{ readonly skills: readonly ExplainedSkill[]; readonly problems: readonly string[] }> {
  const { skills, problems } = await readSkills(app);
  const whyNone = await whyNoneAtAll(app, conversation);
  const usable = new Set((await usableSkills(app)).map(({ path }) => path));
  const { entries } = conversation.session.states.context;
  const named = entries.find(({ key, source }) => key === SKILLS_KEY && source === 'system')?.content ?? '';
  const why = (skill: Skill): string | undefined => {
    if (skill.trusted === undefined)
      return app.config.projectInstructions ? 'not trusted yet: /trust' : 'projectInstructions is false';
    if (!skill.trusted) return 'you said no: /trust';
    if (!usable.has(skill.path)) return 'a rule closes its file';
    if (whyNone !== undefined) return whyNone;
    const isNamed = named.includes(`\n- ${skill.name}: `);
    return isNamed ? undefined : 'it came after this session was opened, or its name has no room';
  };
  return { skills: skills.map((skill) => ({ ...skill, why: why(skill) })), problems };
}

async function whyNoneAtAll(app: App, conversation: Conversation): Promise<string | undefined> {
  const { provider } = conversation.choice;
  if (provider.name === OFFLINE) return 'a search needs none';
  if (!provider.capabilities.toolCalling) return 'this model cannot call tools';
  const tools = await listTools(app, conversation);
  const isReadable = tools.some(({ tool, isOffered }) => tool.name === SKILLS_TOOL && isOffered);
  return isReadable ? undefined : `the tool ${SKILLS_TOOL} is off`;
}
