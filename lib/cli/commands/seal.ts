// `ollm seal`: signs what journals hold now, so that a third party can check that nothing of it was changed.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app/app.ts';
import type { SealedJournal } from '../../app/sessions/change/seal-session.ts';
import { countOf } from '../../display/quantities.ts';
import { shortId } from '../../display/short-id.ts';
import { isOllmError, OllmError } from '../../errors/index.ts';
import { action, type Finish, SESSION_ARGUMENT, withExamples } from '../command.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly all?: boolean;
  readonly key?: string;
}

export function defineSeal(program: Command, finish: Finish): void {
  const command = program
    .command('seal')
    .description('sign what journals hold now, so that others can check that nothing was changed')
    .argument('[id...]', SESSION_ARGUMENT)
    .option('--all', 'all sessions')
    .option('--key <file>', 'key of SSH, or Ed25519 in PEM; default: ~/.ssh/id_ed25519')
    .action(
      action<Options, [string[]]>(finish, async (shell, options, references) => {
        if (references.length === 0 && !options.all) {
          throw new OllmError('USAGE', 'Which session?', { hint: 'Name one or more, or add --all.' });
        }
        const app = await shell.openApp('seal');
        return sealAll(shell, app, await idsOf(app, options, references), options);
      }),
    );
  withExamples(command, [
    { line: 'ollm seal @last', does: 'the last session, signed with ~/.ssh/id_ed25519' },
    { line: 'ollm seal --all --key ~/.ssh/journals', does: 'all of them, for a cron job: what did not grow is left' },
    { line: 'ollm verify @last --signed', does: 'which events stand under which signature' },
  ]);
}

async function idsOf(app: App, { all }: Options, references: readonly string[]): Promise<readonly string[]> {
  if (all) return app.store.ids();
  const { resolveId } = await import('../../app/find/find-session.ts');
  return Promise.all(references.map((reference) => resolveId(app, reference)));
}

/** A session that cannot be sealed does not keep the others from it. */
async function sealAll(shell: Shell, app: App, ids: readonly string[], options: Options): Promise<number> {
  const { output, signal } = shell;
  const { signingKey } = await import('../../app/sessions/change/signing-key.ts');
  const { sealSession } = await import('../../app/sessions/change/seal-session.ts');
  const sign = signingKey(options.key === undefined ? undefined : resolve(app.cwd, options.key), app.env.HOME);
  let exitCode = 0;
  let publicKey: string | undefined;
  for (const id of ids) {
    if (signal.aborted) throw new OllmError('INTERRUPTED', 'Stopped.');
    try {
      const sealed = await sealSession(app, id, sign, signal);
      publicKey = sealed.publicKey;
      await print(shell, id, sealed);
    } catch (error) {
      const isOfThisOne = isOllmError(error, 'JOURNAL_DAMAGED') || isOllmError(error, 'JOURNAL_EMPTY');
      if (ids.length === 1 || !isOfThisOne) throw error;
      exitCode = error.exitCode;
      output.note(error.message);
    }
  }
  if (publicKey !== undefined && !output.json) {
    output.note(`To check it, others need this line in their list of allowed signers: NAME ${publicKey}`);
  }
  return exitCode;
}

async function print({ output }: Shell, id: string, { statement, key, publicKey, path, added }: SealedJournal) {
  if (output.json) return output.line(JSON.stringify({ ...statement, key, publicKey, path, added }));
  const events = countOf(statement.events, 'event');
  const what = added
    ? `sealed ${events}`
    : `nothing was added since ${statement.sealed}, when its ${events} were sealed`;
  await output.line(`${shortId(id)}: ${what}, ${key}`);
}
