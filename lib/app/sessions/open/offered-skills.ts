// Puts the names of the skills before the model, as a context entry: those that the user trusts, as they are now. It
// reads one with the tool `skill_read`; without that tool nothing is offered. A search needs none.
import { addContext, removeContext } from '../../add-context.ts';
import type { App } from '../../app.ts';
import type { Conversation } from '../../conversation.ts';
import { projectSkills } from '../../project/project-texts.ts';
import { readSkills, type Skill } from '../../project/skills.ts';
import { notUsed } from './project-instructions.ts';

const KEY = 'skills';
const BEGINNING =
  'Instructions for certain work. Where one fits what you are asked for, read it with skill_read before you begin.';

/** Answers with what the user should know. @throws what an append throws */
export async function updateSkills(app: App, conversation: Conversation): Promise<readonly string[]> {
  const { enabled, disabled } = app.config.tools;
  const known = conversation.session.states.context.entries.find(({ key }) => key === KEY);
  // An entry of the user's own has this name.
  if (known !== undefined && known.source !== 'system') return [];
  const isReadable = enabled && !disabled.includes('skill_read');
  const { skills } = isReadable ? await readSkills(app) : { skills: [] };
  const offered = skills.filter(({ trusted }) => trusted === true);
  if (offered.length === 0) await removeContext(conversation, KEY);
  else {
    const content = [BEGINNING, '', ...offered.map(rowOf)].join('\n');
    await addContext(app, conversation, { key: KEY, content, source: 'system', trusted: true });
  }
  const unasked = isReadable ? projectSkills(app).filter(({ trusted }) => trusted === undefined) : [];
  return unasked.length === 0 ? [] : [notUsed(unasked)];
}

function rowOf({ name, description }: Skill): string {
  return `- ${name}: ${description}`;
}
