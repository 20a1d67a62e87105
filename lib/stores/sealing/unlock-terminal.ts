// Asks for a passphrase on the terminal itself, so that text on standard input does not answer and nothing is shown.
// Never while a REPL reads keys, and never without a terminal: no variable and no argument carries a passphrase,
// because every program of the user can see those.
import { createRequire } from 'node:module';
import { OllmError } from '../../errors/index.ts';
import { readHiddenLine } from '../../platform/terminal-echo.ts';
import type { AskPassphrase } from './unlock.ts';

type ReadlineSync = typeof import('readline-sync');

/** @throws OllmError INTERRUPTED: Ctrl+C, or Ctrl+D */
export const askOnTerminal: AskPassphrase = (question) => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY || stdin.isRaw) return undefined;
  const answer = readHiddenLine(() => stderr.write(question));
  if (answer === undefined) {
    const readlineSync = createRequire(import.meta.url)('readline-sync') as ReadlineSync;
    return readlineSync.question(question, { hideEchoBack: true, mask: '', keepWhitespace: true });
  }
  // The line end that was typed is not shown either.
  stderr.write('\n');
  if (answer.kind === 'line') return answer.text;
  throw new OllmError('INTERRUPTED', 'No passphrase was given.', { hint: 'Nothing was opened, and nothing changed.' });
};
