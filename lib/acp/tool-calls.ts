// A call of a tool as an editor shows it: its kind, its title, the files that it is about, and an edit as a diff.
import { isAbsolute, resolve } from 'node:path';
import type { ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk';
import { editsOfCall, pathOfCall } from '../blame/call-edits.ts';
import { subjectOf } from '../exporters/tool-call.ts';

interface AskedCall {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
}

interface ShowOptions {
  /** Directory of the session, absolute: paths of arguments begin there. */
  readonly cwd: string;
  /** The text of a file now; undefined where it cannot be read. */
  readonly readText?: ((path: string) => string | undefined) | undefined;
}

const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/edit|write|patch|replace|create/i, 'edit'],
  [/search|grep|glob|find|recall/i, 'search'],
  [/web|fetch/i, 'fetch'],
  [/bash|shell|exec|command|terminal|git/i, 'execute'],
  [/todo|plan|think|agent/i, 'think'],
  [/read|view|list|cat|show/i, 'read'],
];

/** A call that was asked for and did not begin. */
export function shownCall({ callId, name, args }: AskedCall, options: ShowOptions): ToolCall {
  const subject = subjectOf(args);
  const paths = pathsOf({ name, args }, options.cwd);
  const content = diffsOf({ name, args }, options);
  return {
    toolCallId: callId,
    title: subject === undefined ? name : `${name}: ${subject}`,
    kind: kindOf(name),
    status: 'pending',
    rawInput: args,
    ...(paths.length > 0 && { locations: paths.map((path) => ({ path })) }),
    ...(content.length > 0 && { content }),
  };
}

export function kindOf(name: string): ToolKind {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';
}

/** The files that its arguments name, also those in a patch. */
function pathsOf({ name, args }: Pick<AskedCall, 'name' | 'args'>, cwd: string): readonly string[] {
  const paths = [pathOfCall(args), ...editsOfCall(name, args).map(({ path }) => path)];
  return [...new Set(paths.flatMap((path) => (path === undefined ? [] : [absolute(path, cwd)])))];
}

/** The change that the call asks for: of a whole file with the text before, of an edit with the replaced part. */
function diffsOf({ name, args }: Pick<AskedCall, 'name' | 'args'>, { cwd, readText }: ShowOptions): ToolCallContent[] {
  return editsOfCall(name, args).flatMap(({ path: named, before, after, isWhole }) => {
    if (named === undefined || (before === '' && after === '' && !isWhole)) return [];
    const path = absolute(named, cwd);
    return [{ type: 'diff', path, oldText: isWhole ? (readText?.(path) ?? null) : before, newText: after }];
  });
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
