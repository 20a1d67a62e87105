// The skills of a project as texts that would instruct the model: each counts only where the user trusts it.
import { sha256Of } from '../../session/identify.ts';
import type { App } from '../app.ts';
import { type ProjectText, projectInstructions, projectPrompt, trustIn } from '../project/project-texts.ts';
import { pathInProject, skillFiles } from './own-skill-files.ts';

/** All of them, read again each time. None where `projectInstructions` is off. */
export function projectSkills(app: App): readonly ProjectText[] {
  if (!app.config.projectInstructions) return [];
  const files = skillFiles(app).files.filter(({ place }) => place === 'project');
  if (files.length === 0) return [];
  const root = app.paths.project;
  const isTrusted = trustIn(app, root);
  return files.map((file) => {
    const decided = { path: pathInProject(app, file), sha256: sha256Of(new TextEncoder().encode(file.text)) };
    return { kind: 'skill', ...decided, root, content: file.text, trusted: isTrusted(decided) };
  });
}

/** The texts that the user is asked about: all but the commands, those nearest to the current directory last. */
export function projectTexts(app: App): readonly ProjectText[] {
  return [...projectInstructions(app), ...projectSkills(app), ...projectPrompt(app)];
}
