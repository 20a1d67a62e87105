// What a foreign session is called: its address (`claude:5f3c…`) wherever a person or a program names it, and the id of
// the journal that an import of it gets, which is a file name and thus of another form.
import { createHash } from 'node:crypto';
import { isSessionId } from '../journal/format.ts';

/** A blank, a comma or a `#` ends an id in a line, a list or an address; some ids look encoded themselves. */
const NOT_IN_ID = /[\s\p{Cc}#,]|%(?=[\da-f]{2})/iu;
/** The id of a subagent inside of the session, and of a copy of it, is longer: an address has at most 300. */
const MOST_ID_CHARACTERS = 180;
const LONG_ID_CHARACTERS = 160;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const HASHED_CHARACTERS = 26;
/** 80 bits. */
const LONG_HASH_CHARACTERS = 16;

/** The possible texts before `:` in an address. */
export interface Address {
  readonly agent: string;
  readonly id: string;
  /** The program's own id of one record. */
  readonly record?: string | undefined;
}

/**
 * The id of a session in its address, from the one that its program has. Nearly always the same; else the signs that no
 * id may have are percent-encoded, and a very long one ends with a hash. No two ids become one.
 *
 * @example
 * idInAddress('5f3c copy'); // '5f3c%20copy'
 */
export function idInAddress(own: string): string {
  const isPlain = own.length <= MOST_ID_CHARACTERS && !NOT_IN_ID.test(own);
  if (isPlain && own.isWellFormed()) return own;
  const id = own.toWellFormed().replace(new RegExp(NOT_IN_ID, 'giu'), encodeURIComponent);
  if (id.length <= MOST_ID_CHARACTERS && own.isWellFormed()) return id;
  const hash = base32(createHash('sha256').update(own, 'utf16le').digest()).slice(0, LONG_HASH_CHARACTERS);
  return `${id.slice(0, LONG_ID_CHARACTERS).toWellFormed()}~${hash}`;
}

/**
 * @example
 * formatAddress({ agent: 'claude', id: '5f3c', record: '9a01' }); // 'claude:5f3c#9a01'
 */
export function formatAddress({ agent, id, record }: Address): string {
  return record === undefined ? `${agent}:${id}` : `${agent}:${id}#${record}`;
}

/**
 * Undefined where the text has no `:`, as the ids of ollm's own sessions.
 *
 * @example
 * parseAddress('claude:5f3c#9a01'); // { agent: 'claude', id: '5f3c', record: '9a01' }
 */
export function parseAddress(text: string): Address | undefined {
  const [, agent, id, record] = /^([a-z][a-z0-9-]*):([^#]+)(?:#(.+))?$/s.exec(text) ?? [];
  if (agent === undefined || id === undefined) return undefined;
  return record === undefined ? { agent, id } : { agent, id, record };
}

/**
 * The id of an import's journal: `<agent>-<id>` where that is a session id, else `<agent>-` and 26 characters of a
 * hash, so that two sessions never share one.
 *
 * @example
 * importedId('claude', '5f3c'); // 'claude-5f3c'
 * importedId('opencode', 'ses_7Qx'); // 'opencode-' and 26 characters
 */
export function importedId(agent: string, id: string): string {
  const plain = `${agent}-${id}`;
  if (isSessionId(plain)) return plain;
  const hash = createHash('sha256').update(`${agent}\0${id}`).digest();
  return `${agent}-${base32(hash).slice(0, HASHED_CHARACTERS)}`;
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
}
