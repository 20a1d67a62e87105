// The schema of a stranger's tool as models are shown it: in the current dialect, its texts without hidden characters,
// bounded in size and depth, referring to nothing elsewhere. Whether it is valid is checked before the user is asked to
// approve the tool (server.ts).
import { sanitize } from '../display/sanitize.ts';
import { currentSchema, wrappedSchema } from './current-schema.ts';

type SafeSchema =
  /** `isWrapped`: the arguments are the one member of an object, since their schema is a composition. */
  | { readonly ok: true; readonly schema: object; readonly isWrapped: boolean }
  /** `problem`: as the end of a sentence that begins with the tool. */
  | { readonly ok: false; readonly problem: string };

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
/** Members whose texts are only for reading. */
const WORDS = new Set(['description', 'title', '$comment']);
/** Names of documents and dialects mean nothing to a model. */
const DROPPED = new Set(['$schema', '$id', 'id']);
const REFERENCES = new Set(['$ref', '$dynamicRef']);

class Unfit extends Error {}

export function safeSchema(schema: Readonly<Record<string, unknown>>): SafeSchema {
  try {
    const entries = Object.entries(schema).filter(([name, value]) => !(DROPPED.has(name) && typeof value === 'string'));
    const current = currentSchema(Object.fromEntries(entries), schema.$schema);
    const wrapped = wrappedSchema(current);
    const safe = cleaned('', wrapped ?? current, 1) as object;
    const bytes = Buffer.byteLength(JSON.stringify(safe));
    if (bytes > MAX_BYTES) throw new Unfit(`its schema has ${bytes} bytes; at most ${MAX_BYTES} are taken`);
    return { ok: true, schema: safe, isWrapped: wrapped !== undefined };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, problem: error.message };
    throw error;
  }
}

function cleaned(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    if (REFERENCES.has(name) && !value.startsWith('#')) throw new Unfit('its schema refers to one elsewhere');
    return WORDS.has(name) ? sanitize(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new Unfit(`its schema is more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) return value.map((each) => cleaned('', each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, cleaned(inner, each, depth + 1)]));
}
