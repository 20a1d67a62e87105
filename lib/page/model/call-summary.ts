// A call in a few words: its icon, its subject and its outcome.
import { changedPaths, editsOfCall } from '../../blame/call-edits.ts';
import { subjectOfCall } from '../../messages/subject-of-call.ts';
import type { ShownCall } from './blocks.ts';
import type { IconName } from './icon-paths.ts';
import { bytes, count, duration } from './numbers.ts';
import { oneLine } from './visible.ts';

const ICONS: readonly (readonly [RegExp, IconName])[] = [
  [/todo|plan/i, 'plan'],
  [/^task$|agent/i, 'fork'],
  [/search|grep|glob|find|list|^ls$|recall/i, 'search'],
  [/edit|write|patch|replace/i, 'pen'],
  [/read|view|cat|file/i, 'file'],
  [/bash|shell|exec|command|terminal/i, 'shell'],
];

export function iconOf(name: string): IconName {
  return ICONS.find(([pattern]) => pattern.test(name))?.[1] ?? 'tool';
}

/** What a call is about, in one line. */
export function subjectOf({ args, name = '' }: Pick<ShownCall, 'args'> & Partial<Pick<ShownCall, 'name'>>): string {
  const paths = changedPaths(name, args);
  if (paths.length > 0) return oneLine(paths.join(', '));
  const subject = subjectOfCall(args);
  if (subject !== undefined) return oneLine(subject);
  return Object.keys(args).length === 0 ? '' : oneLine(JSON.stringify(args));
}

/** The command line that it ran, in full; undefined if it is not one. */
export function commandOf({ args, start }: Pick<ShownCall, 'args' | 'start'>): string | undefined {
  if (start?.command !== undefined) return start.command;
  for (const name of ['command', 'cmd']) {
    const value = args[name];
    if (typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(' ');
  }
  return undefined;
}

/** How it came out, in three words or less. */
export function outcomeOf(call: ShownCall): string {
  const { end, state } = call;
  if (state === 'failed') return exitOf(end?.result.llmContent ?? '') ?? 'failed';
  if (state === 'declined') return 'declined';
  if (state === 'timeout') return 'timed out';
  if (state === 'stopped') return 'stopped';
  if (state === 'unknown') return 'unknown';
  if (state !== 'ok' || end === undefined) return '';
  if (editsOfCall(call.name, call.args).length > 0) return '';
  const text = end.result.llmContent;
  if (end.truncated !== undefined) return bytes(end.truncated.originalBytes);
  const lines = text === '' ? 0 : text.split('\n').length;
  if (lines > 1) return `${count(lines)} lines`;
  return end.durationMs !== undefined && end.durationMs >= 1000 ? duration(end.durationMs) : '';
}

function exitOf(output: string): string | undefined {
  const code = /\bexit(?:ed with)?(?: code)?:? (\d{1,3})\b/i.exec(output)?.[1];
  return code === undefined ? undefined : `exit ${code}`;
}

/** Who decided, in words. */
export function decisionOf({
  decision,
}: {
  readonly decision?: Omit<NonNullable<ShownCall['decision']>, 'callId'> | undefined;
}): string | undefined {
  if (decision === undefined) return undefined;
  const verb = decision.decision === 'allow' ? 'Allowed' : 'Denied';
  const author = decision.author === undefined ? '' : ` (${oneLine(decision.author)})`;
  if (decision.by === 'user')
    return decision.decision === 'allow' ? `Allowed by you${author}` : `Declined by you${author}`;
  if (decision.by === 'agent') return `${verb} by the agent itself`;
  if (decision.by === 'import') return `${verb}, as its program said`;
  if (decision.by === 'grant') return `${verb} by your grant${named(decision.rule)}`;
  return decision.rule ? `${verb} by the rule${named(decision.rule)}` : `${verb} by the policy`;
}

const named = (rule: string | undefined): string => (rule ? ` “${oneLine(rule)}”` : '');

/** Whether its card opens by itself: what went well is one line. */
export function opensItself(call: ShownCall): boolean {
  return ['failed', 'declined', 'running', 'unknown', 'asked', 'timeout'].includes(call.state);
}
