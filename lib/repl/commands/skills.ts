// /skills: all skills, where each is, and whether the model is offered it.
import type { ExplainedSkill } from '../../app/sessions/open/explain-skills.ts';
import { fitWidth } from '../../display/width.ts';
import { revealLine } from '../approval/reveal.ts';
import type { ReplCommand } from './command.ts';
import { formatRows } from './rows.ts';

const LONGEST_ROW = 300;

export const skillsCommand: ReplCommand = {
  name: 'skills',
  group: 'context',
  arguments: '',
  summary: 'lists the skills, and whether the model is offered them',
  details:
    'Says of each that is not offered why. Those of a project are offered once you trust their text: /trust asks',
  example: '/skills',
  legal: 'always',
  async run({ app, front, conversation }) {
    const { explainSkills } = await import('../../app/sessions/open/explain-skills.ts');
    const { skills, problems } = await explainSkills(app, conversation);
    for (const problem of problems) front.notice(revealLine(problem));
    if (skills.length === 0) {
      const isOff = app.config.skills === 'off';
      front.print(
        isOff ? 'The setting skills is off.' : 'There are no skills: .ollm/skills/NAME/SKILL.md would be one.',
      );
    }
    const rows = skills.map((skill) => [skill.name, rowOf(skill)] as const);
    front.print(...formatRows(front.columns, rows));
  },
};

function rowOf({ description, path, why }: ExplainedSkill): string {
  const state = why === undefined ? 'offered' : `not offered: ${why}`;
  return `${fitWidth(revealLine(description), LONGEST_ROW)} (${revealLine(path)}, ${state})`;
}
