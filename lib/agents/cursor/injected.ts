// Finds the typed part of a message in the role of the user: Cursor wraps it, and adds its own context.
import { saysSomething } from '../members.ts';

interface UserText {
  readonly typed: string | undefined;
  /** The text that the program put there. */
  readonly injected: string | undefined;
}

const QUERY = /<user_query>\s*([\s\S]*?)\s*<\/user_query>/;
const WRAPPED = /^\s*<(?:user_info|additional_data|system_reminder|attached_files|cursor_[a-z_]+|[a-z]+_context)>/;
const WORKSPACE = /^Workspace Path: *(\/[^\r\n]{1,1000})$/m;

export function divide(text: string): UserText {
  const query = QUERY.exec(text);
  if (query !== null) {
    const rest = text.slice(0, query.index) + text.slice(query.index + query[0].length);
    return { typed: ifSaid(query[1]), injected: ifSaid(rest) };
  }
  return WRAPPED.test(text) ? { typed: undefined, injected: text } : { typed: ifSaid(text), injected: undefined };
}

export function workspaceIn(text: string): string | undefined {
  return WORKSPACE.exec(text)?.[1]?.trim();
}

function ifSaid(text: string | undefined): string | undefined {
  return saysSomething(text) ? text : undefined;
}
