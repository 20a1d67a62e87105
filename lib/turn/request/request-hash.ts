// XXH64 of a model request in one canonical form, so that two requests can be told apart, or found to be the same, from
// the journal alone. Members in this order; what is not set is left out.
import { checksum, toHex } from '../../journal/line/checksum.ts';
import type { ModelRequest } from '../../providers/provider.ts';

/** 16 hex digits. */
export function hashRequest({ model, system, messages, tools, contextWindow, maxOutputTokens }: ModelRequest): string {
  const canonical = JSON.stringify({ model, system, messages, tools, contextWindow, maxOutputTokens });
  return toHex(checksum(new TextEncoder().encode(canonical)));
}
