// Names of tools and ids of calls as every vendor takes them: letters, digits, "_" and "-", at most 64, a letter or "_"
// first. What fits already stays as it is; anything else gets a readable stem and a digest of the whole, so that the
// same name is written the same way in each request, which keeps the prompt the same for the vendors' caches.
import { hash } from 'node:crypto';
import type { ModelMessage, ToolDefinition } from '../provider.ts';

const FITS = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const STEM_CHARACTERS = 48;

export function wireName(name: string): string {
  if (FITS.test(name)) return name;
  const stem = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, STEM_CHARACTERS);
  return `${/^[A-Za-z_]/.test(stem) ? '' : '_'}${stem}_${hash('sha256', name, 'hex').slice(0, 12)}`;
}

/** Finds the tool by the name that the model knows it by. */
export function toolNames(tools: readonly ToolDefinition[]): (wire: string) => string {
  const names = new Map(tools.map(({ name }) => [wireName(name), name]));
  return (wire) => names.get(wire) ?? wire;
}

/** Writes ids of calls. No two calls of a prompt share one, also where two servers both counted from one. */
export function createCallIds(): (callId: string) => string {
  const taken = new Set<string>();
  return (callId) => {
    for (let round = 1; ; round++) {
      const id = wireName(round === 1 ? callId : `${callId}#${round}`);
      if (taken.has(id)) continue;
      taken.add(id);
      return id;
    }
  };
}

/** Ids of calls that a conversation knows already. */
export function knownCallIds(messages: readonly ModelMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ callId }) => callId) : [])),
  );
}
