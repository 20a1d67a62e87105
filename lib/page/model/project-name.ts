import { oneLine } from './visible.ts';

/** The last two parts of a path: what people call a project. */
export function nameOf(project: string): string {
  return oneLine(project.split('/').filter(Boolean).slice(-2).join('/') || project);
}
