// What retention must know of a session: when it was last used, and whether something protects it from being removed.
import { isOllmError } from '../errors/index.ts';
import { FORMAT } from '../journal/format.ts';
import type { JournalFileInfo, JournalStore } from '../journal/types.ts';
import type { Candidate } from './retention.ts';
import { type SessionSummary, summarize } from './summarize.ts';

export type Surveyed = Candidate & { readonly title: string | undefined };

export function survey(store: JournalStore, { id, modifiedMs }: JournalFileInfo): Surveyed {
  try {
    const found = summarize(store, id);
    const lastActivityMs = Date.parse(found.summary.lastActivity);
    return {
      id,
      title: found.summary.title,
      lastActivityMs: Number.isNaN(lastActivityMs) ? modifiedMs : lastActivityMs,
      protection: store.holder(id) === undefined ? protectionOf(found) : 'It is open.',
    };
  } catch (error) {
    const reason = isOllmError(error) ? error.message : String(error);
    return { id, title: undefined, lastActivityMs: modifiedMs, protection: `It cannot be read: ${reason}` };
  }
}

function protectionOf({ format, events, damaged }: SessionSummary): string | undefined {
  if (format > FORMAT) return `It comes from a newer version (format ${format}).`;
  if (events === 0) return 'Nothing in it can be read.';
  if (damaged > 0) return 'It is damaged: repair it or delete it by hand.';
  return undefined;
}
