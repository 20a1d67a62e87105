// Names of projects and models, as short as people say them.
import { oneLine } from './visible.ts';

/** The last two parts of a path: what people call a project. */
export function nameOf(project: string): string {
  return oneLine(project.split('/').filter(Boolean).slice(-2).join('/') || project);
}

/** What a model is called. That of the offline provider is `search`, which would read like a command. */
export function modelName(model: string): string {
  return model === 'search' ? 'offline search' : oneLine(model);
}
