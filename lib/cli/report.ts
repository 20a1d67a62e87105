// Reports a failure to the person at the terminal: the fact, and what to do. A fault of ollm itself is one short
// sentence and the place of the log; its stack is shown only with `--log-level debug`.
import { inspect } from 'node:util';
import { printable } from '../display/printable.ts';
import { withShortIds } from '../display/short-id.ts';
import { wrapWords } from '../display/wrap-words.ts';
import { createRedactor } from '../environment/redact.ts';
import { secretValuesOf } from '../environment/secret-values.ts';
import { ERROR_CODES, isOllmError, systemErrorCode } from '../errors/index.ts';
import { commandLineAdvice } from './command-line-advice.ts';
import type { Shell } from './shell.ts';
import { widthOf } from './standard-output.ts';

/** Writes to standard error and answers with the exit code. */
export function reportError(error: unknown, shell: Shell): number {
  if (isOllmError(error)) {
    complain(error.message, error.hint);
    log(shell, error, error.message);
    if (shell.flags.logLevel === 'debug') printRedacted(`${error.stack}`);
    return error.exitCode;
  }
  if (isRefusal(error)) {
    complain(error.message, error.hint);
    log(shell, error, error.message);
    return (ERROR_CODES as Readonly<Record<string, { readonly exit: number }>>)[error.code]?.exit ?? 1;
  }
  const message = error instanceof Error ? error.message : String((error as { message?: unknown })?.message ?? error);
  const cause = systemErrorCode(error) ? `${message}.` : `Something went wrong in ollm itself: ${message}`;
  const where = shell.app
    ? `See ${shell.app.paths.log}, or run again with --log-level debug.`
    : 'Run again with --log-level debug to see where.';
  complain(cause, where);
  log(shell, error, message);
  if (shell.flags.logLevel === 'debug') printRedacted(inspect(error));
  return ERROR_CODES.INTERNAL.exit;
}

/** What a server of ollm refused, with its own words. By name: most commands do not load the client. */
function isRefusal(error: unknown): error is Error & { readonly code: string; readonly hint?: string } {
  return error instanceof Error && error.name === 'ApiError' && 'code' in error;
}

export function complain(message: string, hint?: string): void {
  const { stderr } = process;
  const shown = (text: string) => {
    const advice = commandLineAdvice(text);
    return stderr.isTTY ? wrapWords(printable(withShortIds(advice)), widthOf(stderr)) : printable(advice);
  };
  printRedacted(shown(`ollm: ${message}`));
  if (hint) printRedacted(shown(hint));
}

/** An error may quote the text it failed at: a URL, a line of a file, a value. */
function printRedacted(text: string): void {
  const { redact } = createRedactor({ secretValues: secretValuesOf(process.env) });
  process.stderr.write(`${redact(text).text}\n`);
}

function log(shell: Shell, error: unknown, message: string): void {
  shell.app?.log.error({ service: 'cli', operation: shell.app.process.command, error }, message);
}
