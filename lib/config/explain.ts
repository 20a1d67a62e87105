// Where each setting comes from, without what may be a secret: the one place that decides which part of a configuration
// is shown. A server for MCP is shown as "ollm mcp list" shows those of other programs.
import {
  HIDDEN_VALUE,
  holdsKeyInQuery,
  holdsUser,
  isKeyName,
  shownAddress,
  shownText,
  shownWords,
} from '../environment/shown-words.ts';
import { isObject } from '../platform/json.ts';
import type { LayerEntry } from './layers.ts';
import type { ConfigRow, LayerName } from './types.ts';

/** Takes secrets that it knows by their shape out of a text. */
type Redact = (text: string) => string;

/** Names that only sound like a secret. */
const OPEN_KEYS = new Set(['repl.keys']);
/** Settings whose values are variables for programs: any of them may be a secret. */
const VARIABLES = /^runs\.[^.]+\.env$/;
/** Settings that a user gives names of their own. */
const NAMED_BY_USER = /^(?:mcp\.servers|providers\.compatible|prices)\.[^.]+$/;
const SERVER = /^mcp\.servers\.[^.]+\.(command|url)$/;
const HOOK = /^hooks\.[^.]+(?:\.\d+)?$/;
/** Settings that are addresses, some of them in forms without a scheme. */
const ADDRESS_KEY =
  /^(?:store|nats\.monitor|otel\.endpoint|tools\.web\.(?:search|privateHosts\.\d+)|server\.hosts?(?:\.\d+)?|providers\..+\.(?:host|baseUrl)|mcp\.servers\.[^.]+\.url)$/;
const ADDRESS = /^\s*[\w+.-]+:\/\//;
/** In a longer text, the part of an address before its host: `https://me:word@host`. */
const USERINFO = /(\/\/)[^/@\s]+@/g;

export function explainRow(
  key: string,
  entry: (LayerEntry & { readonly name: LayerName }) | undefined,
  redact: Redact,
): ConfigRow {
  if (entry === undefined) return { key, value: undefined, layer: 'default', source: 'not set' };
  const { value, name, source } = entry;
  // Each start asks for a source or two; no value is looked at for that.
  return {
    key,
    get value() {
      return withoutSecret(key, value, redact);
    },
    layer: name,
    source,
  };
}

/**
 * What may be shown of a value. `key`: that of a setting, or of a member inside one.
 *
 * @example
 * withoutSecret('mcp.servers.notes', { command: ['notes-server', '--token', 'q7Hd82jL'] }, redact);
 * // { command: ['notes-server', '--token', '[hidden]'] }
 */
export function withoutSecret(key: string, value: unknown, redact: Redact): unknown {
  if (isSecretName(key, value)) return HIDDEN_VALUE;
  if (typeof value === 'string') return redact(shownIn(key, value));
  if (Array.isArray(value)) {
    if (!SERVER.test(key) || value.some((word) => typeof word !== 'string'))
      return value.map((each, index) => withoutSecret(`${key}.${index}`, each, redact));
    const [program = '', ...words]: readonly string[] = value;
    return [shownText(program), ...shownWords(words)].map(redact);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      VARIABLES.test(key) ? HIDDEN_VALUE : withoutSecret(`${key}.${name}`, member, redact),
    ]),
  );
}

/** Why a text is a secret: by the name of its setting, or as an address with a user or a key in its query. */
export function secretKind(key: string, text: string): 'name' | 'user' | 'query' | undefined {
  if (isSecretName(key, text)) return 'name';
  if (!isAddress(key, text)) return text.search(USERINFO) === -1 ? undefined : 'user';
  if (holdsUser(text)) return 'user';
  return holdsKeyInQuery(text) ? 'query' : undefined;
}

function isAddress(key: string, text: string): boolean {
  return ADDRESS_KEY.test(key) || ADDRESS.test(text);
}

function isSecretName(key: string, value: unknown): boolean {
  // A number of tokens is not a secret token.
  if (OPEN_KEYS.has(key) || NAMED_BY_USER.test(key) || (typeof value === 'number' && key.endsWith('Tokens')))
    return false;
  return isKeyName(key.split('.').at(-1) ?? key);
}

function shownIn(key: string, text: string): string {
  if (SERVER.test(key) || isAddress(key, text)) return shownAddress(text);
  return HOOK.test(key) ? shownText(text) : text.replace(USERINFO, `$1${HIDDEN_VALUE}@`);
}
