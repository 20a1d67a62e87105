// `ollm show ID`: all that is known of one session without opening it for writing.
import { formatAddress } from '../../../agents/address.ts';
import type { FidelityReport } from '../../../agents/fidelity.ts';
import { readHead } from '../../../agents/head.ts';
import { loadAgent } from '../../../agents/registry.ts';
import { OWN_AGENT } from '../../../catalog/catalog.ts';
import { checkArguments } from '../../../errors/arguments.ts';
import type { EventData } from '../../../events/index.ts';
import type { Damage, EventReader, Holder, SessionEvent } from '../../../journal/types.ts';
import { budgetFold } from '../../../projections/budget.ts';
import { type BudgetReport, budgetReport } from '../../../projections/budget-report.ts';
import { replay } from '../../../projections/replay.ts';
import { type SummaryState, summaryFold } from '../../../projections/summary.ts';
import { firstEvent } from '../../../session/fork.ts';
import type { App } from '../../app.ts';
import { agentSessions } from '../../find/agent-sessions.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';
import type { ForeignSession, FoundSession } from '../../find/found.ts';
import { isJournal } from '../../find/open-for-reading.ts';
import { bareSessionOf } from '../../list/bare-sessions.ts';
import { foreignTitles } from '../../list/foreign-notes.ts';
import { copiesOf, type HandoverCopies } from '../../list/handover-copies.ts';
import { foreignPorts } from '../../start/foreign-ports.ts';
import { resumeCommand } from './resume-command.ts';

/** Facts about a conversation from its events. */
export interface ConversationDetails {
  readonly summary: SummaryState;
  readonly budget: BudgetReport;
  readonly events: number;
  readonly damage: readonly Damage[];
  /**
   * For a fork: the session and the event that it was forked from. For a session of another program, only its address.
   */
  readonly parent: { readonly sessionId: string; readonly seq?: number | undefined } | undefined;
  /** For an agent's session: the one that began it. */
  readonly subagentOf: string | undefined;
  /** Name under archive/ of the journal that this one replaces. */
  readonly previous: string | undefined;
  readonly promptFile: string | undefined;
}

/** What there is to know of one session. */
export interface SessionDetails extends ConversationDetails, HandoverCopies {
  /** For a session of another program: its address. */
  readonly id: string;
  /** Ids of the sessions of agents that it began. Absent where there are none. */
  readonly subagents?: readonly string[] | undefined;
  /** For a session of another program. */
  readonly agent?: { readonly name: string; readonly title: string } | undefined;
  /** The id that its program prints and takes, where the address has another one. */
  readonly programId?: string | undefined;
  /** The command that goes on with it in its own program; undefined where that has none. */
  readonly resume?: readonly string[] | undefined;
  /** Id of the journal that it was imported into. */
  readonly importId?: string | undefined;
  /** For a session of another program: how much of its source the events cover. */
  readonly fidelity?: FidelityReport | undefined;
  /** Undefined where its file cannot be looked at. */
  readonly bytes: number | undefined;
  /** RFC 3339: when its file was last written. */
  readonly modified: string | undefined;
  readonly locked: boolean;
  readonly location: string;
  readonly holder: Holder | undefined;
  readonly problem: undefined;
}

/**
 * Looks at one session by reading its journal; it may be open elsewhere.
 *
 * @example
 * const { summary, budget } = await showSession(app, '@last');
 * @throws OllmError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, JOURNAL_NOT_A_FILE, JOURNAL_UNREADABLE
 */
export async function showSession(
  app: App,
  reference: string,
  options: ReadingOptions & { readonly signal?: AbortSignal } = {},
): Promise<SessionDetails> {
  checkArguments('showSession', { app: 'App', reference: 'anything', options: 'object' }, [app, reference, options]);
  const { signal, imported } = options;
  const { store } = app;
  const found = await findConversation(app, reference, { imported, archived: true });
  if (found.kind === 'foreign') return showForeign(app, found, signal);
  const { id, read } = found;
  if (found.archive !== undefined) return showArchived(found, signal);
  const info = (await store.info(id)) ?? bareSessionOf(app, id);
  const subagents = await agentSessions(store, id);
  return read(async (reader) => {
    const { summary, ...details } = await describeConversation(reader, { signal });
    const holder = await store.holder(id);
    return {
      id,
      ...(subagents.length === 0 ? {} : { subagents }),
      resume: await resumeCommand({ agent: OWN_AGENT, id }),
      ...(await copiesOf(app, id)),
      bytes: info?.bytes ?? (await reader.size()),
      modified: info && new Date(info.modifiedMs).toISOString(),
      locked: holder !== undefined,
      location: reader.path,
      holder,
      summary,
      problem: undefined,
      ...details,
    };
  });
}

async function showArchived({ id, read }: FoundSession, signal: AbortSignal | undefined): Promise<SessionDetails> {
  return read(async (reader) => ({
    id,
    resume: undefined,
    bytes: await reader.size(),
    modified: undefined,
    locked: false,
    location: reader.path,
    holder: undefined,
    problem: undefined,
    ...(await describeConversation(reader, { signal })),
  }));
}

async function showForeign(
  app: App,
  { id, agentTitle, source, importId, read, fidelity }: ForeignSession,
  signal: AbortSignal | undefined,
): Promise<SessionDetails> {
  return read(async (reader) => {
    const details = await describeConversation(reader, { signal });
    const stat = app.fileSystem.stat(source.path);
    // Some files show only in later records that they are copies.
    const { forkedFrom, printedId } = readHead(await loadAgent(source.agent), source, foreignPorts(app).files);
    const parent = forkedFrom ?? (source.parent || undefined);
    const title = foreignTitles(app).get(id);
    const programId = source.ownId ?? printedId;
    return {
      id,
      agent: { name: source.agent, title: agentTitle },
      programId,
      resume: await resumeCommand({ agent: source.agent, id: source.id, programId }),
      importId,
      ...(await copiesOf(app, id)),
      fidelity: await fidelity({ signal }),
      bytes: stat?.size,
      modified: stat && new Date(stat.modifiedMs).toISOString(),
      locked: false,
      location: source.path,
      holder: undefined,
      problem: undefined,
      ...details,
      summary: title === undefined ? details.summary : { ...details.summary, title },
      parent: parent === undefined ? details.parent : { sessionId: formatAddress({ agent: source.agent, id: parent }) },
    };
  });
}

/** Describes any conversation, as far as its events allow. @throws OllmError JOURNAL_EMPTY if it is a journal */
export async function describeConversation(
  reader: EventReader,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ConversationDetails> {
  const damage: Damage[] = [];
  const folds = { summary: summaryFold, budget: budgetFold };
  const { states, counts } = await replay(reader, folds, { signal, onDamage: (found) => damage.push(found) });
  // A journal begins with a first line; a program may have made its file for a conversation that did not begin.
  const created = createdOf(isJournal(reader) ? await firstEvent(reader) : await reader.first());
  return {
    summary: states.summary,
    budget: budgetReport(states.budget, { reserveTokens: 0 }),
    events: counts.events,
    damage,
    parent: created?.parent ?? (created?.origin?.parent ? { sessionId: created.origin.parent } : undefined),
    subagentOf: created?.subagentOf?.sessionId,
    previous: created?.previous?.archive,
    promptFile: created?.prompt?.file,
  };
}

type Created = Partial<EventData<'session.created'>>;

function createdOf(event: SessionEvent | undefined): Created | undefined {
  return event?.type === 'session.created' ? (event.data as Created) : undefined;
}
