// The event of a new context entry: checked, without secrets, counted, with its end.
import type { ContextSource, TokenCount } from '../messages/index.ts';
import type { ContextEntry } from '../projections/context.ts';
import { entryProblem, entryWarning } from './check-entry.ts';

export interface NewEntry {
  readonly key: string;
  readonly content: string;
  /** Higher comes first; equal ones in the order they came. Default: 50. */
  readonly priority?: number | undefined;
  /** After this many milliseconds it leaves by itself. */
  readonly ttlMs?: number | undefined;
  /** Default: `user`. */
  readonly source?: ContextSource | undefined;
  /** Whether it may instruct. Default: only what the user adds. */
  readonly trusted?: boolean | undefined;
}

export interface NewEntryMeans {
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
