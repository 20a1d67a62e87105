// The skills that a model may be told about and read: those that the user trusts, without the ones whose file a rule of
// the user's hides, denies or wants to be asked about.
import { dirname } from 'node:path';
import { realPathOf } from '../../platform/files/io.ts';
import type { Policy } from '../../tools/decision.ts';
import type { App } from '../app.ts';
import { readSkills, type Skill } from '../skills/own-skills.ts';
import { mayRead } from './may-read.ts';

interface UsableSkill extends Skill {
  /** The path of its SKILL.md, with links resolved. */
  readonly realPath: string;
  readonly directory: string;
}

/** `policy`: that of the conversation; without it, one is made where there are skills. */
export async function usableSkills(app: App, policy?: Policy): Promise<readonly UsableSkill[]> {
  const skills = (await readSkills(app)).skills.filter(({ trusted }) => trusted === true);
  if (skills.length === 0) return [];
  const judge = policy ?? (await (await import('./project-policy.ts')).standingPolicy(app));
  return skills.flatMap((skill): readonly UsableSkill[] => {
    const realPath = realPathOf(app.fileSystem, skill.path);
    if (realPath === undefined) return [];
    const isUsable = mayRead(judge, realPath) === 'allow' && mayRead(judge, realPath, 'skill_read') !== 'deny';
    return isUsable ? [{ ...skill, realPath, directory: dirname(skill.path) }] : [];
  });
}
