// What a foreign session is called: its address (`claude:5f3c…`) wherever a person or a program names it, and the id of
// the journal that an import of it gets, which is a file name and thus of another form.
import { createHash } from 'node:crypto';
import { isSessionId } from '../journal/format.ts';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const HASHED_CHARACTERS = 26;

/** The possible texts before `:` in an address. */
export interface Address {
  readonly agent: string;
  readonly id: string;
  /** The program's own id of one record. */
  readonly record?: string | undefined;
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
