// Where each setting comes from, without what may be a secret.
import { isObject } from '../platform/json.ts';
import type { LayerEntry } from './layers.ts';
import type { ConfigRow, LayerName } from './types.ts';

const HIDDEN = '(hidden)';
/** Names that only sound like a secret. */
const OPEN_KEYS = new Set(['repl.keys']);
/** Settings whose values are variables for programs: any of them may be a secret. */
const VARIABLES = /^runs\.[^.]+\.env$/;
/** The last word of a name that holds a secret: `apiKey`, `access_token`, but not `monkey`. */
const SECRET_NAME = /(?:^|_|api|(?=[A-Z]))(?:[Kk]ey|[Tt]oken|[Ss]ecret|[Pp]assword|[Pp]assphrase|[Cc]redential)s?$/;
/** The part of an address before its host: `https://me:word@host`. */
const USERINFO = /(\/\/)[^/@\s]+@/g;

export function explainRow(key: string, entry: (LayerEntry & { readonly name: LayerName }) | undefined): ConfigRow {
  if (entry === undefined) return { key, value: undefined, layer: 'default', source: 'not set' };
  return { key, value: withoutSecret(key, entry.value), layer: entry.name, source: entry.source };
}

/** What may be shown of a value. */
export function withoutSecret(key: string, value: unknown): unknown {
  // A number of tokens is not a secret token.
  if (OPEN_KEYS.has(key) || (typeof value === 'number' && key.endsWith('Tokens'))) return value;
  if (VARIABLES.test(key) && isObject(value)) {
    return Object.fromEntries(Object.keys(value).map((name) => [name, HIDDEN]));
  }
  if (SECRET_NAME.test(key.split('.').at(-1) ?? key)) return HIDDEN;
  return typeof value === 'string' ? value.replace(USERINFO, `$1${HIDDEN}@`) : value;
}
