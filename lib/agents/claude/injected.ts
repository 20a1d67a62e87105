// Which user records of Claude Code the user did not type: the program puts reminders, notifications, outputs of local
// commands and interruptions into the role of the user.
import type { JsonObject } from '../agent.ts';
import { objectIn } from '../members.ts';

const WRAPPERS =
  /^\s*(?:<(?:command-name|command-message|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|system-reminder|task-notification|user-memory-input)>|Caveat: )/;
const INTERRUPTION = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/;

export function isInjected(record: JsonObject, text: string): boolean {
  if (record.isMeta === true || record.isVisibleInTranscriptOnly === true || record.turnCompanion === true) return true;
  const kind = objectIn(record.origin)?.kind;
  if ((typeof kind === 'string' && kind !== 'human') || record.promptSource === 'system') return true;
  return WRAPPERS.test(text) || isInterruption(text);
}

export function isInterruption(text: string): boolean {
  return INTERRUPTION.test(text);
}
