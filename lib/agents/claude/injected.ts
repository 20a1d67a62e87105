// Which parts of a user record of Claude Code the user typed: the program puts reminders, notifications, outputs of
// local commands and interruptions into the role of the user too, at times into the same record.
import type { Part } from '../../messages/index.ts';
import type { JsonObject } from '../agent.ts';
import { objectIn, saysSomething } from '../members.ts';

interface UserParts {
  readonly typed: readonly Part[];
  /** What a program put there. */
  readonly injected: readonly Part[];
}

/** Text of the program's at the beginning of a prompt. */
const PREAMBLE = /^\s*<(system-reminder|ide_[a-z_]+)>[\s\S]*?<\/\1>\s*/;
/** Text that is the program's as a whole. */
const WRAPPER =
  /^\s*(?:<(?:command-name|local-command-[a-z]+|bash-(?:input|stdout|stderr)|system-reminder|task-notification|user-memory-input|ide_[a-z_]+)>|Caveat: )/;
/** A command whose text the model answers. One that the program carries out itself begins with its name. */
const COMMAND = /^\s*<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>/;
const ARGUMENTS = /<command-args>([^<]+)<\/command-args>/;
const INTERRUPTION = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/;

/** Divides the parts of a user record, in their order. */
export function divide(record: JsonObject, parts: readonly Part[]): UserParts {
  if (isInjected(record)) return { typed: [], injected: parts };
  const typed: Part[] = [];
  const injected: Part[] = [];
  for (const part of parts) {
    if (part.type !== 'text') {
      typed.push(part);
      continue;
    }
    const { before, text } = withoutPreamble(part.text);
    if (before !== '') injected.push({ type: 'text', text: before });
    if (WRAPPER.test(text) || isInterruption(text)) injected.push({ type: 'text', text });
    else if (saysSomething(text)) typed.push({ type: 'text', text: commandOf(text) ?? text });
  }
  return { typed, injected };
}

export function isInterruption(text: string): boolean {
  return INTERRUPTION.test(text);
}

function isInjected(record: JsonObject): boolean {
  if (record.isMeta === true || record.isVisibleInTranscriptOnly === true || record.turnCompanion === true) return true;
  const kind = objectIn(record.origin)?.kind;
  return (typeof kind === 'string' && kind !== 'human') || record.promptSource === 'system';
}

function withoutPreamble(text: string): { readonly before: string; readonly text: string } {
  let at = 0;
  for (let found = PREAMBLE.exec(text); found !== null; found = PREAMBLE.exec(text.slice(at))) at += found[0].length;
  return { before: text.slice(0, at), text: text.slice(at) };
}

/** As it was typed: `/init and its arguments`. */
function commandOf(text: string): string | undefined {
  const name = COMMAND.exec(text)?.[1];
  if (name === undefined) return undefined;
  const words = ARGUMENTS.exec(text)?.[1];
  return words === undefined ? name : `${name} ${words}`;
}
