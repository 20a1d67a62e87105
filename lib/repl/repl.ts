// Holds a conversation, on a terminal or through pipes, and says how it ended by an exit code. Never throws for what a
// user, a model or a disk can do wrong.
import type { App } from '../app/app.ts';
import type { ReplOptions } from './options.ts';

/** Runs until the user leaves, the input ends or a signal comes. The exit code: 0, or that of docs/errors.md. */
export async function startRepl(_app: App, _options: ReplOptions): Promise<number> {
  throw new TypeError('not there yet');
}
