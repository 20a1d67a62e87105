// /trust: the texts by which the project would instruct the model, and whether they may; asks again, whatever the
// earlier answer was.
import type { ProjectText } from '../../app/project/project-texts.ts';
import { decideOn, trustLines } from '../trust-question.ts';
import type { ReplCommand } from './command.ts';

export const trustCommand: ReplCommand = {
  name: 'trust',
  group: 'context',
  arguments: '',
  summary: 'shows the AGENTS.md, skills and prompt file of the project and asks whether they may instruct the model',
  details:
    'An answer holds for the directory and the content: a text that has changed is asked about again. A prompt file that the configuration of the project names is used in new sessions. trustedDirectories answers for a whole project',
  example: '/trust',
  legal: 'writable',
  async run({ app, front, conversation }) {
    const { projectTexts } = await import('../../app/skills/project-skills.ts');
    const texts = projectTexts(app);
    if (texts.length === 0) {
      front.print('This project brings no AGENTS.md, no skills and no prompt file.');
      return;
    }
    front.print(...trustLines(texts, { columns: Math.min(front.columns, 120), mostRows: Number.POSITIVE_INFINITY }));
    front.print(texts.map(stateOf).join('\n'));
    if (front.kind === 'pipe') return;
    const answer = await front.decide('May they instruct the model?');
    // A look changes nothing.
    if (answer === 'later') return;
    await decideOn(app, texts, answer === 'yes');
    const { updateInstructions } = await import('../../app/context/project-instructions.ts');
    const { updateSkills } = await import('../../app/context/offered-skills.ts');
    for (const notice of await updateInstructions(app, conversation)) front.notice(notice);
    for (const notice of await updateSkills(app, conversation)) front.notice(notice);
  },
};

function stateOf({ path, trusted }: ProjectText): string {
  if (trusted === undefined) return `${path}: not asked yet, not used`;
  return `${path}: ${trusted ? 'trusted, the model follows it' : 'you said no, not used'}`;
}
