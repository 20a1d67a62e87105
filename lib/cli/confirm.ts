// Asks before something is removed, only on a terminal. Elsewhere the command does not wait: a reversible step is done,
// any other needs --yes. readline-sync reads from the terminal itself, so that text on standard input is no
// answer.
import { OllmError } from '../errors/index.ts';
import type { Shell } from './shell.ts';

interface Confirmation {
  /** What will happen, as a sentence. */
  readonly warning: string;
  /** Whether it can be taken back. */
  readonly reversible: boolean;
  /** `--yes` was given. */
  readonly yes: boolean | undefined;
}

/** Whether to continue. @throws OllmError USAGE where no user can be asked */
export async function confirm(shell: Shell, { warning, reversible, yes }: Confirmation): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    if (reversible) return true;
    throw new OllmError('USAGE', `${warning} This needs a confirmation at a terminal.`, {
      hint: 'Add --yes to confirm without a question.',
    });
  }
  const { default: readlineSync } = await import('readline-sync');
  shell.output.note(warning);
  const goOn = readlineSync.keyInYNStrict('Go on?', { guide: true });
  if (!goOn) shell.output.note('Nothing was changed.');
  return goOn === true;
}
