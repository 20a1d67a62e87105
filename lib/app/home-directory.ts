import { homedir } from 'node:os';
import type { App } from './app.ts';

/** Where `~/` leads: HOME, as everybody expects, or what the system knows of the user. */
export function homeDirectoryOf({ env }: Pick<App, 'env'>): string {
  return env.HOME || homedir();
}
