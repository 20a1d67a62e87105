// Asks for a passphrase on the terminal itself, so that text on standard input is no answer and nothing of it is shown. Never
// while a REPL reads keys, and never where there is no terminal: no variable and no argument carries a passphrase, because
// those are seen by every program of the user.
import { createRequire } from 'node:module';
import { withoutEcho } from '../../platform/terminal-echo.ts';
import type { AskPassphrase } from './unlock.ts';

type ReadlineSync = typeof import('readline-sync');

export const askOnTerminal: AskPassphrase = (question) => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY || stdin.isRaw) return undefined;
  const readlineSync = createRequire(import.meta.url)('readline-sync') as ReadlineSync;
  return withoutEcho(() => readlineSync.question(question, { hideEchoBack: true, mask: '', keepWhitespace: true }));
};
