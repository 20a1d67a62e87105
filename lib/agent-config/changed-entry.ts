// The entry of a server after a change: members of the common form as they are wanted, every other as it was.
import { isDeepStrictEqual } from 'node:util';
import type { McpAgent } from './mcp-agents.ts';
import { HIDDEN_VALUE, type McpServerEntry } from './mcp-server-entry.ts';

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
    args: args?.map((arg, index) => redact(shownArgument(arg, args[index - 1] ?? ''))),
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

/** A flag, a variable or a header that is a secret by its name. */
const SECRET_NAME = String.raw`-{0,2}[\w-]*(?:(?:key|token|secret|credential|cookie)s?|passw(?:or)?d|passphrase|(?<![a-z])(?:pass|pat|pwd)|auth|authorization|bearer)`;
const SECRET_FLAG = new RegExp(`^(?=-)${SECRET_NAME}$`, 'i');
const SECRET_WORD = new RegExp(`^(${SECRET_NAME}(?:=|:\\s*))[^]+$`, 'i');
const HEADER = /^((?:--header=)?[\w-]+:\s*).+$/s;
const VARIABLE = /^((?:--env=)?\w+=).+$/s;
/** A key of a model provider, which a program may take without a name. */
const MODEL_KEY = /^((?:sk|rk|pk)[-_])[\w-]{10,}$/;
/** The word after it is a program, of which nothing is hidden that a shell or a language would run. */
const PROGRAM_FLAG = /^(?:-\w*[ce]|\/[ck]|--?(?:eval|print|command))$/i;
/** In a text: names with values, and addresses. */
const SECRET_PAIR = new RegExp(
  String.raw`(?<![\w-])(${SECRET_NAME}["']?(?:=|:\s*|\s+(?<=--[\w-]+\s+))["']?(?:(?:bearer|basic)\s+)?)[^\s"'\x60$;&|<>()]+`,
  'gi',
);
const ADDRESS = /\b[\w+.-]{1,30}:\/\/(?:[^\s"'`$;&|<>()]|&(?=[\w-]+=))+/g;

/** The value is in the same word as its name, or in the one after its flag. */
function shownArgument(arg: string, before: string): string {
  if (SECRET_FLAG.test(before) && !arg.startsWith('--')) return HIDDEN_VALUE;
  const forms = [
    MODEL_KEY,
    ...(PROGRAM_FLAG.test(before) ? [] : [SECRET_WORD]),
    ...(/^(?:-H|--header)$/.test(before) || arg.startsWith('--header=') ? [HEADER] : []),
    ...(before === '--env' || arg.startsWith('--env=') ? [VARIABLE] : []),
  ];
  const form = forms.find((each) => each.test(arg));
  return form === undefined ? shownText(arg) : arg.replace(form, `$1${HIDDEN_VALUE}`);
}

function shownText(text: string): string {
  return text.replace(ADDRESS, shownAddress).replace(SECRET_PAIR, `$1${HIDDEN_VALUE}`);
}

/** A part of a path that is hardly a word: some servers have the key of their user there. */
const KEY_IN_PATH = /(?<!\/)\/(?=[^/?#]*\d)(?=[^/?#]*[a-z])[^/?#]{16,}/gi;

/** Without its user, the values of its query and its fragment, and keys in its path. */
function shownAddress(url: string): string {
  const place = url
    .replace(/^(\s*[\w+.-]+:[\\/]*)[^\\/?#]*@/, `$1${HIDDEN_VALUE}@`)
    .replace(/([?#]).+$/s, `$1${HIDDEN_VALUE}`);
  return place.replace(KEY_IN_PATH, `/${HIDDEN_VALUE}`);
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
