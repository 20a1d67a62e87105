// Subagents whose records are in the file of the session that started them: each has a session of its own, read from
// that file. Its id is that of the session with the key of the subagent, so that no file is opened to find it.
import type { Source } from './agent.ts';
import { nonEmpty } from './members.ts';

const MARK = '-agent-';
/** The subagents of one file that are remembered: the state of a module is bounded. */
const MAX_INSIDES = 200;
const KEY = /^[\w-]{1,100}$/;

/** The type of a record that belongs to another session of the same file: it is not counted in this one. */
export const ELSEWHERE = 'elsewhere';
/** Why records of subagents stay in the source, as far as the session of the file is concerned. */
export const WHY_ELSEWHERE = 'it is of a subagent, which has a session of its own';

/** The session of a subagent in the file of this one. */
export function insideSource({ inside: _, ownId: __, ...session }: Source, key: string): Source {
  return { ...session, id: `${session.id}${MARK}${key}`, inside: key, parent: session.id };
}

/** The id of a subagent's session taken apart; undefined of any other id. */
export function partsOfInside(id: string): { readonly parent: string; readonly key: string } | undefined {
  const at = id.lastIndexOf(MARK);
  return at < 1 ? undefined : { parent: id.slice(0, at), key: id.slice(at + MARK.length) };
}

/** The address of the session of a subagent, for the call that started it. */
export function insideAddress(agent: string, session: string, key: string): string {
  return `${agent}:${session}${MARK}${key}`;
}

/** The key of a subagent, from the id that its records have; undefined where that is none. */
export function insideKey(value: unknown): string | undefined {
  const key = nonEmpty(value);
  return key !== undefined && KEY.test(key) ? key : undefined;
}

/** Remembers a subagent, each once. */
export function rememberInside(keys: string[], key: string): void {
  if (keys.length < MAX_INSIDES && !keys.includes(key)) keys.push(key);
}
