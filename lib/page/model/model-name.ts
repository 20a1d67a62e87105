import { oneLine } from './visible.ts';

/** What a model is called. That of the offline provider is `search`, which would read like a command. */
export function modelName(model: string): string {
  return model === 'search' ? 'offline search' : oneLine(model);
}
