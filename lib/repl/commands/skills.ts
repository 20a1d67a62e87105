// /skills: all skills, where each is, and whether the model is offered it.
import type { Skill } from '../../app/project/skills.ts';
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
  details: 'Those of a project are offered once you trust their text: /trust asks',
  example: '/skills',
  legal: 'always',
  async run({ app, front }) {
    const { readSkills } = await import('../../app/project/skills.ts');
    const { skills, problems } = await readSkills(app);
    for (const problem of problems) front.notice(revealLine(problem));
    if (skills.length === 0) front.print('There are no skills: .ollm/skills/NAME/SKILL.md would be one.');
    const rows = skills.map((skill) => [skill.name, rowOf(skill)] as const);
    front.print(...formatRows(rows, front.columns));
  },
};

function rowOf({ description, path, trusted }: Skill): string {
  return `${fitWidth(revealLine(description), LONGEST_ROW)} (${revealLine(path)}, ${stateOf(trusted)})`;
}

function stateOf(trusted: boolean | undefined): string {
  if (trusted === undefined) return 'not trusted yet: /trust';
  return trusted ? 'trusted' : 'not trusted: you said no';
}
