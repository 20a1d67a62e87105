// `ollm fork`: a new session that begins with what another one knew.
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import { printableLine } from '../../display/printable.ts';
import { parseCount } from '../arguments.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import type { Output } from '../output.ts';
import { tellCautions } from '../tell-cautions.ts';

interface Options {
  readonly at?: number;
  readonly name?: string;
}

export function defineFork(program: Command, finish: Finish): void {
  const command = program
    .command('fork')
    .description('make a new session from the beginning of another')
    .argument('<id>', `${SESSION_ARGUMENT}, or agent:id`)
    .option('--at <seq>', 'last event to copy; default: the newest', parseCount)
    .option('--name <name>', 'name of the new session')
    .action(
      action<Options, [string]>(finish, async ({ output, openApp }, options, reference) => {
        const app = await openApp('fork');
        const { forkSession } = await import('../../app/sessions/change/fork-session.ts');
        const fork = await forkSession(app, reference, options);
        await output.done(fork, fork.id);
        const name = options.name?.trim();
        if (name !== undefined && name !== fork.id) {
          output.note(`The name "${name}" cannot be an id: the id of the new session is ${fork.id}.`);
        }
        output.note(`Forked at event ${fork.at}. Go on with "ollm repl --resume ${fork.id}".`);
        await tellChangedFiles(output, app, fork);
        const { countDamage } = await import('../../app/find/open-for-reading.ts');
        return tellCautions(output, app, fork.parent, await countDamage(app, fork.parent));
      }),
    );
  withExamples(command, [
    { line: 'ollm fork @last --name second-try', does: 'try something else from here' },
    { line: 'ollm fork notes --at 41', does: 'continue from event 41 in a session of its own' },
  ]);
}

/** A fork goes back in the conversation, and not in the files. */
async function tellChangedFiles(
  output: Output,
  { store, paths }: App,
  { parent, at }: { readonly parent: string; readonly at: number },
): Promise<void> {
  const { changedSince } = await import('../../app/sessions/change/revert-files.ts');
  const changed = await changedSince({ id: parent, store }, at);
  if (changed.length === 0) return;
  const { listOfFiles } = await import('../../app/sessions/change/revert-words.ts');
  const { shownPath } = await import('../../tools/paths.ts');
  const names = listOfFiles(changed.map((path) => printableLine(shownPath(path, paths.project))));
  output.note(
    `Tools changed ${names} after event ${at}, and that stays. To put back what they changed: ollm revert ${parent} --at ${at}`,
  );
}
