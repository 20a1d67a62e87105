// The keys under which the Claude Agent SDK mirrors a session, as sources of Claude Code's sessions, and back: the same
// path below `projects/` that Claude Code has for it, so that a mirror and an import of the file are one.
import { createHash } from 'node:crypto';
import { formatAddress, importedId } from '../../agents/address.ts';
import type { Source } from '../../agents/agent.ts';
import { OllmError } from '../../errors/index.ts';
import { isObject } from '../../platform/json.ts';

export interface ClaudeSessionKey {
  /** Made of the working directory, or a name that the program chose. */
  readonly projectKey: string;
  readonly sessionId: string;
  /** A further file of the session, such as `subagents/agent-5f3c`. */
  readonly subpath?: string | undefined;
}

/** A journal that a key may have: `id` where it is the first with this session id, else one with a hash. */
export interface KeyedSource {
  readonly id: string;
  readonly address: string;
  readonly source: Source;
}

const EXTENSION = '.jsonl';
const HASH_DIGITS = 8;

/** The two sources that a key may have, the wanted one first. @throws OllmError USAGE */
export function sourcesOf(key: ClaudeSessionKey): readonly [KeyedSource, KeyedSource] {
  requireKey(key);
  const path = pathOf(key);
  const { sessionId, subpath } = key;
  const last = subpath?.split('/').at(-1) ?? '';
  const own = subpath === undefined ? sessionId : last.startsWith('agent-') ? last : `${sessionId}-${subpath}`;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, HASH_DIGITS);
  const keyed = (id: string): KeyedSource => ({
    id: importedId('claude', id),
    address: formatAddress({ agent: 'claude', id }),
    source: { agent: 'claude', id, path, ...(subpath === undefined ? {} : { parent: sessionId }) },
  });
  return [keyed(own), keyed(`${own}-${hash}`)];
}

/** The key of an import of Claude Code's, by its first line; undefined of any other session. */
export function keyOf(created: object): ClaudeSessionKey | undefined {
  const { origin, imported } = created as { readonly origin?: unknown; readonly imported?: unknown };
  if (imported !== true || !isObject(origin) || origin.agent !== 'claude' || typeof origin.path !== 'string') return;
  const path = origin.path.replaceAll('\\', '/');
  const below = path.startsWith('/') || /^[A-Za-z]:/.test(path) ? path.split('/projects/').at(-1) : path;
  const [projectKey, sessionId, ...sub] = withoutExtension(below ?? '')
    .split('/')
    .map(decoded);
  if (projectKey === undefined || sessionId === undefined) return undefined;
  return { projectKey, sessionId, ...(sub.length === 0 ? {} : { subpath: sub.join('/') }) };
}

export function isSameKey(one: ClaudeSessionKey, other: ClaudeSessionKey | undefined): boolean {
  return other !== undefined && pathOf(one) === pathOf(other);
}

export function pathOf({ projectKey, sessionId, subpath }: ClaudeSessionKey): string {
  const steps = [projectKey, sessionId, ...(subpath === undefined ? [] : subpath.split('/'))];
  return `${steps.map((step) => encodeURIComponent(step.toWellFormed())).join('/')}${EXTENSION}`;
}

function requireKey({ projectKey, sessionId, subpath }: ClaudeSessionKey): void {
  for (const [name, value] of Object.entries({ projectKey, sessionId, subpath: subpath ?? 'main' })) {
    if (typeof value === 'string' && value !== '') continue;
    throw new OllmError('USAGE', `The ${name} of the key of a session is ${value === '' ? 'empty' : 'no text'}.`, {
      hint: 'Leave subpath out for the session itself.',
    });
  }
}

function withoutExtension(path: string): string {
  return path.endsWith(EXTENSION) ? path.slice(0, -EXTENSION.length) : path;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
