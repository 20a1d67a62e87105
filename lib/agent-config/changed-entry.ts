// The entry of a server after a change: members of the common form as they are wanted, every other as it was.
import { isDeepStrictEqual } from 'node:util';
import { HIDDEN_VALUE, shownAddress, shownText, shownWords } from '../environment/shown-words.ts';
import type { McpAgent } from './mcp-agents.ts';
import type { McpServerEntry } from './mcp-server-entry.ts';

type Entry = Readonly<Record<string, unknown>>;

/**
 * `before`: the entry that is there. Members that already say the same keep their form.
 *
 * @example
 * changedEntry(mcpAgent('gemini'), { command: 'a', trust: true }, { transport: 'stdio', command: 'b' });
 * // { command: 'b', trust: true }
 */
export function changedEntry(agent: McpAgent, before: Entry | undefined, server: McpServerEntry): Entry {
  const known = before && agent.serverIn(before);
  if (before !== undefined && known !== undefined && isSame(known, server)) return before;
  const made = Object.entries(withoutVoid(agent.entryOf(server)));
  const implied = known === undefined ? {} : withoutVoid(agent.entryOf(known));
  // A member that is not there, and would say what goes without saying, stays absent.
  const needed = made.filter(
    ([member, value]) => Object.hasOwn(before ?? {}, member) || !isDeepStrictEqual(value, implied[member]),
  );
  const short = joined(agent, before, needed);
  const said = agent.serverIn(short);
  return said !== undefined && isSame(said, server) ? short : joined(agent, before, made);
}

function joined(agent: McpAgent, before: Entry | undefined, made: readonly (readonly [string, unknown])[]): Entry {
  const kept = Object.entries(before ?? {}).filter(([member]) => !agent.members.includes(member));
  const changed = new Map([...made, ...kept]);
  const inOrder = Object.keys(before ?? {}).filter((member) => changed.has(member));
  return Object.fromEntries(
    [...new Set([...inOrder, ...changed.keys()])].map((member) => [member, changed.get(member)]),
  );
}

/** Without members that say nothing: a list or a group without members says the same as none. */
export function withoutVoid(entry: object): Entry {
  const isVoid = (value: unknown) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !isVoid(value)));
}

function isSame(a: McpServerEntry, b: McpServerEntry): boolean {
  return isDeepStrictEqual(withoutVoid(a), withoutVoid(b));
}

/** A server as it is shown: with names of variables and headers, and without their values and other secrets. */
export function shownServer(server: McpServerEntry, redact: (text: string) => string): McpServerEntry {
  const { args, command, url, env, headers } = server;
  return {
    ...server,
    command: command && redact(shownText(command)),
    args: args && shownWords(args).map(redact),
    url: url && redact(shownAddress(url)),
    env: env && hidden(env),
    headers: headers && hidden(headers),
  };
}

/** A wanted server with the values that were not shown: what equals the shown form is as it was. */
export function withHiddenValues(
  wanted: McpServerEntry,
  known: McpServerEntry | undefined,
  redact: (text: string) => string,
): McpServerEntry {
  if (known === undefined) return wanted;
  const shown = shownServer(known, redact);
  const { command, args, url, env, headers } = wanted;
  return {
    ...wanted,
    command: command === shown.command ? known.command : command,
    args: args?.map((arg, index) => (arg === shown.args?.[index] ? known.args![index]! : arg)),
    url: url === shown.url ? known.url : url,
    env: env && filled(env, known.env),
    headers: headers && filled(headers, known.headers),
  };
}

/** The names of values that are hidden and not known. */
export function missingValues({
  env = {},
  headers = {},
  command = '',
  args = [],
  url = '',
}: McpServerEntry): readonly string[] {
  const named = Object.entries({ ...env, ...headers }).filter(([, value]) => value === HIDDEN_VALUE);
  const isHidden = (text: string) => text.includes(HIDDEN_VALUE);
  return [...named.map(([name]) => name), ...[command, ...args, url].filter(isHidden)];
}

type Texts = Readonly<Record<string, string>>;

function hidden(texts: Texts): Texts {
  return Object.fromEntries(Object.keys(texts).map((name) => [name, HIDDEN_VALUE]));
}

function filled(texts: Texts, known: Texts = {}): Texts {
  const textOf = (name: string, value: string) =>
    value === HIDDEN_VALUE && Object.hasOwn(known, name) ? known[name]! : value;
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, textOf(name, value)]));
}
