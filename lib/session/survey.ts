// What retention must know of a session: when it was last used, and whether something protects it from being removed.
import { isOllmError } from '../errors/index.ts';
import { FORMAT } from '../journal/format.ts';
import type { JournalFileInfo, JournalStore } from '../journal/types.ts';
import type { SummaryRow } from '../projections/summary.ts';
import type { Candidate } from './retention.ts';
import { type SessionSummary, summarize } from './summarize.ts';

export type Surveyed = Candidate & { readonly title: string | undefined; readonly bytes: number };

/** `known`: the summary of a session that is known to be whole. */
export async function survey(store: JournalStore, info: JournalFileInfo, known?: SummaryRow): Promise<Surveyed> {
  const { id, bytes, modifiedMs } = info;
  try {
    const found = known === undefined ? await summarize(store, id) : undefined;
    const summary = known ?? found!.summary;
    const isOpen = !(known?.closed ?? false) && (await store.holder(id)) !== undefined;
    const lastActivityMs = Date.parse(summary.lastActivity);
    const protection = isOpen ? 'It is open.' : found && protectionOf(found);
    return {
      id,
      bytes,
      title: summary.title,
      lastActivityMs: Number.isNaN(lastActivityMs) ? modifiedMs : lastActivityMs,
      usedMs: modifiedMs,
      isEmpty: protection === undefined && isEmpty(summary),
      protection,
    };
  } catch (error) {
    const reason = isOllmError(error) ? error.message : String(error);
    const protection = `It cannot be read: ${reason}`;
    return { id, bytes, title: undefined, lastActivityMs: modifiedMs, isEmpty: bytes === 0, protection };
  }
}

/** What a crash leaves of a session that was only opened: one that was left in order without a word is removed then. */
function isEmpty({ closed, turnCount, messageCount, title, parent }: SummaryRow): boolean {
  return !closed && turnCount === 0 && messageCount <= 1 && title === undefined && parent === undefined;
}

function protectionOf({ format, events, damaged }: SessionSummary): string | undefined {
  if (format > FORMAT) return `It comes from a newer version (format ${format}).`;
  if (events === 0) return 'Nothing in it can be read.';
  if (damaged > 0) return 'It is damaged: repair it or delete it by hand.';
  return undefined;
}
