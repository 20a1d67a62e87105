// Summarises a session for a list, without opening it for writing: from its state file and later events, or else from
// the journal. If there are none, the head of the state file is enough: it counts if the journal ends with exactly the
// line that it names and nothing has changed it since; in a list of many its length and its stamp say so.
import type { EventData } from '../events/index.ts';
import { stampOf } from '../journal/files/journal-file.ts';
import { everyOutcome } from '../journal/reading/outcomes.ts';
import type { JournalFileInfo, JournalReader, JournalStore, StoredEvent } from '../journal/types.ts';
import { defined } from '../platform/json.ts';
import { replay } from '../projections/replay.ts';
import { rowOfSummary, type SummaryRow, summaryFold } from '../projections/summary.ts';
import { compareJournal, renewStamp, savedState } from './saved/saved-state.ts';
import { readStateHead, type StateHead } from './saved/state-file.ts';

/** Only sums are kept of content further back than this many tokens. */
const KEPT_TOKENS = 65_536;

export interface SessionSummary {
  readonly summary: SummaryRow;
  /** The format that the journal was written in. */
  readonly format: number;
  readonly events: number;
  /** Places that could not be read. */
  readonly damaged: number;
  /**
   * Whether its last writer closed it in order. Then no process has it open: opening it begins with an event.
   */
  readonly atRest: boolean;
  /** Whether it is encrypted and its key is missing: then this is the content of the lines without their data. */
  readonly sealed?: true | undefined;
}

/**
 * `renews`: saves that a journal was found unchanged after a copy or the like, for a caller without a catalogue.
 *
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE
 */
export async function summarize(
  store: JournalStore,
  id: string,
  { renews = false }: { readonly renews?: boolean } = {},
): Promise<SessionSummary> {
  using reader = store.openReader(id);
  const head = await readStateHead(store, id);
  if (head && isCurrent(head.versions) && (await reader.size()) === head.anchor.offset) {
    const { isWhole, stamp, wasChecked } = await compareJournal(reader, head);
    if (isWhole && wasChecked && renews) await renewStamp(store, reader, stamp);
    if (isWhole) return savedSummary(head);
  }
  const sealed = await reader.sealed();
  return await (sealed ? sealedSummary(sealed) : replayedSummary(store, reader));
}

/**
 * Summarises a session in a list of many: a journal that is as long and as old as its state file says is not opened.
 */
export async function summarizeListed(store: JournalStore, info: JournalFileInfo): Promise<SessionSummary> {
  const head = info.isOrdinary ? await readStateHead(store, info.id) : undefined;
  const isAsSaved =
    head !== undefined &&
    isCurrent(head.versions) &&
    head.anchor.offset === info.bytes &&
    (head.stamp === undefined || head.stamp === stampOf(info));
  return isAsSaved ? savedSummary(head) : summarize(store, info.id);
}

function savedSummary({ summary, journal: { format, counts } }: StateHead): SessionSummary {
  return { summary, format, events: counts.events, damaged: counts.damaged, atRest: summary.closed };
}

async function replayedSummary(store: JournalStore, reader: JournalReader): Promise<SessionSummary> {
  const from = await savedState(store, reader, { ...summaryFold, name: 'summary' });
  const { states, format, counts } = await replay(reader, { summary: summaryFold }, { capTokens: KEPT_TOKENS, from });
  const { events, damaged } = counts;
  return { summary: rowOfSummary(states.summary), format, events, damaged, atRest: false };
}

async function sealedSummary(reader: JournalReader): Promise<SessionSummary> {
  const row = rowOfSummary(summaryFold.initial());
  const counts = { events: 0, damaged: 0, messages: 0, turns: 0, format: 1 };
  const ends: { first?: StoredEvent; last?: StoredEvent } = {};
  await everyOutcome(reader.outcomes(), (outcome) => {
    if (outcome.kind === 'damage') {
      counts.damaged += 1;
      return;
    }
    const { event } = outcome;
    ends.first ??= event;
    ends.last = event;
    counts.events += 1;
    if (event.type === 'message.added') counts.messages += 1;
    if (event.type === 'turn.started') counts.turns += 1;
  });
  const { first, last } = ends;
  const { model, provider, format } = (first?.data ?? {}) as Partial<EventData<'session.created'>>;
  const summary: SummaryRow = {
    ...row,
    id: reader.id,
    ...defined({ model, provider }),
    startTime: first?.ts ?? '',
    lastActivity: last?.ts ?? '',
    messageCount: counts.messages,
    turnCount: counts.turns,
    closed: last?.type === 'session.closed',
  };
  const { events, damaged } = counts;
  return { summary, format: format ?? 1, events, damaged, atRest: summary.closed, sealed: true };
}

function isCurrent(versions: StateHead['versions']): boolean {
  return versions[summaryFold.name] === summaryFold.version;
}
