// XXH64 of a model request in one canonical form, so that two requests can be told apart, or found to be the same, from
// the journal alone. Members in this order; what is not set is left out.
import { checksum, toHex } from '../../journal/line/checksum.ts';
import { JsonBytes } from '../../journal/line/json-bytes.ts';
import type { ModelRequest } from '../../providers/provider.ts';

/** All that the window holds, made anew for each request: in memory that is used again. */
const json = new JsonBytes();

/** 16 hex digits. */
export function hashRequest({ model, system, messages, tools, contextWindow, maxOutputTokens }: ModelRequest): string {
  const bytes = json.of({ model, system, messages, tools, contextWindow, maxOutputTokens });
  const hash = toHex(checksum(bytes));
  json.clear();
  return hash;
}
