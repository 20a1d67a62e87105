// The texts of a project that the user is asked about before they may instruct the model.
import type { App } from '../app.ts';
import { type ProjectText, projectInstructions, projectPrompt } from '../project/project-texts.ts';
import { projectSkills } from './project-skills.ts';

/** All but the commands, those nearest to the current directory last. Read again each time. */
export function projectTexts(app: App): readonly ProjectText[] {
  return [...projectInstructions(app), ...projectSkills(app), ...projectPrompt(app)];
}
