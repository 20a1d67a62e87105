// The limits of a context entry, added by a hook, an extension or the user. Pure; says what is wrong in one sentence.

/** Every request carries it: more than this is certainly a mistake. */
const MAX_ENTRY_CHARACTERS = 1024 * 1024;
const MAX_KEY_CHARACTERS = 200;
/** From here on a warning says what the entry costs. */
const LARGE_ENTRY_TOKENS = 8_192;

/** A hundred years: an entry that stays for longer needs no end. */
const MAX_TTL_MS = 100 * 365 * 24 * 3_600_000;

/** Why it cannot be added; undefined if it can. */
export function entryProblem({
  key,
  content,
  priority = 0,
  ttlMs = 1,
}: {
  readonly key: unknown;
  readonly content: unknown;
  readonly priority?: unknown;
  readonly ttlMs?: unknown;
}): string | undefined {
  if (typeof key !== 'string' || key.trim() === '') return 'A context entry needs a key.';
  if (key.length > MAX_KEY_CHARACTERS)
    return `The key of a context entry has at most ${MAX_KEY_CHARACTERS} characters.`;
  if (typeof content !== 'string' || content.trim() === '') return `The context entry ${key} has no content.`;
  if (content.length > MAX_ENTRY_CHARACTERS) {
    return `The context entry ${key} has ${content.length} characters; at most ${MAX_ENTRY_CHARACTERS} can go along with every request.`;
  }
  if (!Number.isFinite(priority)) return `The priority of the context entry ${key} is not a number.`;
  if (typeof ttlMs === 'number' && ttlMs > 0 && ttlMs <= MAX_TTL_MS) return undefined;
  return `The context entry ${key} can only leave after a time above 0 and of at most a hundred years.`;
}

/** A warning about an entry that was added. */
export function entryWarning({ key, tokens }: { readonly key: string; readonly tokens: number }): string | undefined {
  if (tokens < LARGE_ENTRY_TOKENS) return undefined;
  return `The context entry ${key} is large: about ${tokens} tokens go along with every request.`;
}
