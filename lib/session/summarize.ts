// What a list says of one session, without opening it for writing: from its state file and what came since, or else from
// the journal alone.
import type { JournalReader, JournalStore } from '../journal/types.ts';
import { replay } from '../projections/replay.ts';
import { type SummaryState, summaryFold } from '../projections/summary.ts';
import { readSavedState } from './open.ts';

/** Sums are kept of what lies further back than this many tokens. */
const KEPT_TOKENS = 65_536;

export interface SessionSummary {
  readonly summary: SummaryState;
  /** The format that the journal was written in. */
  readonly format: number;
  readonly events: number;
  /** Places that could not be read. */
  readonly damaged: number;
}

/** @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE */
export function summarize(store: JournalStore, id: string): SessionSummary {
  const reader = store.openReader(id);
  try {
    const { states, format, counts } = replay(reader, { summary: summaryFold }, { ...savedSummary(store, reader) });
    return { summary: states.summary, format, events: counts.events, damaged: counts.damaged };
  } finally {
    reader.close();
  }
}

function savedSummary(store: JournalStore, reader: JournalReader) {
  const saved = readSavedState(store, reader.id)?.replay;
  const capTokens = KEPT_TOKENS;
  if (saved?.anchor === undefined || !reader.holds(saved.anchor)) return { capTokens };
  const { anchor, format, counts, states } = saved;
  return { capTokens, from: { anchor, format, counts, states: { summary: states.summary } } };
}
