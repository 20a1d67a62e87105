// The event of a new context entry: checked, without secrets, counted, with its end.
import type { ContextSource, TokenCount } from '../messages/index.ts';
import type { ContextEntry } from '../projections/context.ts';

export interface NewEntry {
  readonly key: string;
  readonly content: string;
  /** Higher comes first; equal ones in the order they came. Default: 50. */
  readonly priority?: number | undefined;
  /** After this many milliseconds it leaves by itself. */
  readonly ttlMs?: number | undefined;
  /** Default: `user`. */
  readonly source?: ContextSource | undefined;
  /** Whether it may instruct. Default: only entries of the user. */
  readonly trusted?: boolean | undefined;
}

interface NewEntryMeans {
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  readonly count: (text: string) => TokenCount;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type NewEntryData = Required<Omit<NewEntry, 'ttlMs'>> & {
  /** RFC 3339. */
  readonly expiresAt?: string | undefined;
};

const DEFAULT_PRIORITY = 50;
/** Every request carries it: more than this is certainly a mistake. */
const MAX_ENTRY_CHARACTERS = 1024 * 1024;
const MAX_KEY_CHARACTERS = 200;
/** Above this size a warning names the cost of the entry. */
const LARGE_ENTRY_TOKENS = 8_192;

/** A hundred years: an entry that stays for longer needs no end. */
const MAX_TTL_MS = 100 * 365 * 24 * 3_600_000;

/** `problem`: why it cannot be added. `warning`: what its user should know. */
export function newEntry(entry: NewEntry, { redact, count, now }: NewEntryMeans) {
  const problem = entryProblem(entry);
  if (problem !== undefined) return { problem };
  const { key, priority = DEFAULT_PRIORITY, source = 'user', ttlMs, trusted = source === 'user' } = entry;
  const content = redact(entry.content);
  const tokens = count(content);
  const expiry = ttlMs === undefined ? {} : { expiresAt: new Date(now + ttlMs).toISOString() };
  const data = { key, content, priority, source, ...expiry, tokens, trusted };
  return { event: { type: 'context.added', data } as const, warning: entryWarning({ key, tokens: tokens.count }) };
}

/** Why it cannot be added; undefined if it can. */
function entryProblem({
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
function entryWarning({ key, tokens }: { readonly key: string; readonly tokens: number }): string | undefined {
  if (tokens < LARGE_ENTRY_TOKENS) return undefined;
  return `The context entry ${key} is large: about ${tokens} tokens go along with every request.`;
}

/** Whether an entry that is there already says the same for as long: then it is not stored again. */
export function isSameEntry(known: ContextEntry, added: NewEntryData): boolean {
  const isKept = known.expiresAt === undefined && added.expiresAt === undefined;
  return (
    isKept &&
    known.content === added.content &&
    known.priority === added.priority &&
    known.source === added.source &&
    known.trusted === added.trusted
  );
}
