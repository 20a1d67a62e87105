// `ollm sync` in a process of its own, for a program that runs all day: a first sync takes twice the memory of all else
// that this one does, and gives it back at its end.
import { text } from 'node:stream/consumers';
import { messageOf } from '../../errors/index.ts';
import { startProcess } from '../../platform/processes/child-process.ts';
import { onAbort } from '../../platform/waiting.ts';
import type { App } from '../app.ts';

/** `busy`: another process is at a sync. `failed`: with the words of `ollm sync`, or of the system. */
export type SyncElsewhere =
  | { readonly kind: 'done' | 'busy' | 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string };

/** The exit code 4 is about sessions that cannot be read whole. */
const DONE_EXITS: readonly (number | undefined)[] = [0, 4];

/** `program`: the words that start ollm, with the flags of this run. Never rejects. */
export async function syncElsewhere(
  { cwd, env }: App,
  { program, signal }: { readonly program: readonly [string, ...string[]]; readonly signal: AbortSignal },
): Promise<SyncElsewhere> {
  try {
    const all = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const child = await startProcess({
      argv: [...program, 'sync', '--json'],
      cwd,
      env: Object.fromEntries(all),
      errors: 'apart',
    });
    const stopListening = onAbort(signal, () => child.signalGroup('SIGTERM'));
    const [report, said, { exitCode, killedBy }] = await Promise.all([
      text(child.output),
      text(child.errors!),
      child.exited,
    ]);
    stopListening();
    if (signal.aborted) return { kind: 'stopped' };
    if (DONE_EXITS.includes(exitCode)) return { kind: report === '' ? 'busy' : 'done' };
    const words = said
      .trim()
      .replace(/^ollm: /, '')
      .replaceAll('\n', ' ');
    return { kind: 'failed', reason: words || `ollm sync was ended with ${exitCode ?? killedBy}.` };
  } catch (error) {
    return { kind: 'failed', reason: `ollm sync could not be run: ${messageOf(error)}` };
  }
}
