// The jobs of the workers: a function for each, from an app and a plain value to a plain value, and one for each
// stream. They run in another thread: arguments and results are copied, so they hold no functions. A further job is one
// more line here.
import { parseAddress } from '../../agents/address.ts';
import type { App } from '../../app/app.ts';
import type { HandoverRequest } from '../../app/handover/hand-over.ts';
import type { AllListed, ListAllOptions, ListMemory } from '../../app/list/list-all.ts';
import type { RecallAnswer, RecallRequest } from '../../app/recall.ts';
import type { AuditReport } from '../../app/sessions/read/audit-session.ts';
import type { CountOptions, SessionCounts } from '../../app/sessions/read/count-sessions.ts';
import type { ExportRequest } from '../../app/sessions/read/export-session.ts';
import type { FoundPlaces } from '../../app/sessions/read/find-in-session.ts';
import type { ListPage, PageOptions } from '../../app/sessions/read/list-page.ts';
import type { SessionOutline } from '../../app/sessions/read/outline-session.ts';
import type { ReplayReport, ReplayRequest } from '../../app/sessions/read/replay-session.ts';
import type { SearchAnswer, SearchRequest } from '../../app/sessions/read/search-sessions.ts';
import type { SessionChanges } from '../../app/sessions/read/session-changes.ts';
import type { SessionRequests } from '../../app/sessions/read/session-requests.ts';
import type { SessionSteps } from '../../app/sessions/read/session-steps.ts';
import type { SessionDetails } from '../../app/sessions/read/show-session.ts';
import type { Stats, StatsRequest } from '../../app/sessions/read/stats.ts';
import type { ListAgentSkillsRequest, ListedSkills } from '../../app/skills/list-agent-skills.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { SyncOutcome } from '../../hub/sync.ts';
import type { UserPrices } from '../../providers/prices.ts';
import type { SnapshotOf } from '../port/snapshots.ts';
import type { HistoryPage, MessagesPage, PageOf } from '../reading/page-answer.ts';
import { type ReadyJson, readyJson } from '../reading/ready-json.ts';
import type { SnapshotAnswer } from '../reading/snapshot-answer.ts';

/** The app of a worker, with what its lists remember. */
export interface WorkerApp extends App {
  /** Opened at the first list. */
  listMemory(): Promise<ListMemory>;
}

type Job<Input, Output> = (app: WorkerApp, input: Input, signal: AbortSignal) => Promise<Output>;
type Stream<Input> = (app: App, input: Input, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** `reference`: as `findConversation` takes it. */
interface Referenced {
  readonly reference: string;
}

export interface Synced {
  readonly outcome: SyncOutcome;
  /** Sessions that were read, by program. */
  readonly read: Readonly<Record<string, number>>;
}

/** How long new content is read in before a recall. */
const RECALL_UPDATE_MS = 5_000;

const list: Job<Omit<ListAllOptions, 'signal' | 'memory'>, AllListed> = async (app, input, signal) => {
  const { listAll } = await import('../../app/list/list-all.ts');
  return listAll(app, { ...input, memory: await app.listMemory(), signal });
};

/** The directories in which sessions of ollm ran. */
const directories: Job<unknown, readonly string[]> = async (app) => {
  const rows = await (await app.listMemory()).own.rows();
  return [...new Set(rows.flatMap(({ project }) => project ?? []))];
};

const show: Job<Referenced & { readonly imported?: boolean }, SessionDetails> = async (app, input, signal) => {
  const { showSession } = await import('../../app/sessions/read/show-session.ts');
  return showSession(app, input.reference, { imported: input.imported, signal });
};

const search: Job<SearchRequest, SearchAnswer> = async (app, input, signal) => {
  const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
  return searchSessions(app, input, { signal });
};

const replay: Job<Referenced & Omit<ReplayRequest, 'signal' | 'write'>, ReplayReport> = async (app, input, signal) => {
  const { replaySession } = await import('../../app/sessions/read/replay-session.ts');
  const { reference, ...request } = input;
  return replaySession(app, reference, { ...request, signal });
};

async function* exported(
  app: App,
  { reference, ...request }: Referenced & Omit<ExportRequest, 'signal' | 'transient'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { exportSession } = await import('../../app/sessions/read/export-session.ts');
  yield* (await exportSession(app, reference, { ...request, signal })).chunks;
}

const listPage: Job<Omit<PageOptions, 'signal' | 'memory'>, ListPage> = async (app, input, signal) => {
  const { listPage: page } = await import('../../app/sessions/read/list-page.ts');
  return page(app, { ...input, memory: await app.listMemory(), signal });
};

const counts: Job<Omit<CountOptions, 'signal' | 'memory'>, SessionCounts> = async (app, input, signal) => {
  const { countSessions } = await import('../../app/sessions/read/count-sessions.ts');
  return countSessions(app, { ...input, memory: await app.listMemory(), signal });
};

type Page = Omit<PageOf, 'signal'>;

const history: Job<Page & { readonly withMessages: boolean }, ReadyJson<HistoryPage>> = async (app, input, signal) => {
  const { historyPage } = await import('../reading/page-answer.ts');
  return historyPage(app, { ...input, signal });
};

const messages: Job<Page, ReadyJson<MessagesPage>> = async (app, input, signal) => {
  const { messagesPage } = await import('../reading/page-answer.ts');
  return readyJson(await messagesPage(app, { ...input, signal }));
};

const snapshot: Job<SnapshotOf, ReadyJson<SnapshotAnswer>> = async (app, input) => {
  const { snapshotAnswer } = await import('../reading/snapshot-answer.ts');
  return readyJson(await snapshotAnswer(app, input));
};

/** Each as JSON. Those that are gone are left out. */
async function* snapshots(
  app: App,
  input: readonly SnapshotOf[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { snapshotAnswer } = await import('../reading/snapshot-answer.ts');
  for (const each of input) {
    if (signal.aborted) return;
    if (await app.store.has(each.id)) yield Buffer.from(JSON.stringify(await snapshotAnswer(app, each)));
  }
}

const changes: Job<Referenced, SessionChanges> = async (app, { reference }, signal) => {
  const { sessionChanges } = await import('../../app/sessions/read/session-changes.ts');
  return sessionChanges(app, reference, { signal });
};

const steps: Job<Referenced, SessionSteps> = async (app, { reference }, signal) => {
  const { sessionSteps } = await import('../../app/sessions/read/session-steps.ts');
  return sessionSteps(app, reference, { signal });
};

const audit: Job<Referenced, AuditReport> = async (app, { reference }, signal) => {
  const { auditSession } = await import('../../app/sessions/read/audit-session.ts');
  return auditSession(app, reference, { signal });
};

const requests: Job<Referenced & { readonly prices?: UserPrices | undefined }, SessionRequests> = async (
  app,
  { reference, prices },
  signal,
) => {
  const { sessionRequests } = await import('../../app/sessions/read/session-requests.ts');
  return sessionRequests(app, reference, { signal, prices });
};

const outline: Job<Referenced, SessionOutline> = async (app, { reference }, signal) => {
  const { outlineSession } = await import('../../app/sessions/read/outline-session.ts');
  return outlineSession(app, reference, { signal });
};

const find: Job<Referenced & { readonly text: string }, FoundPlaces> = async (app, { reference, text }, signal) => {
  const { findInSession } = await import('../../app/sessions/read/find-in-session.ts');
  return findInSession(app, reference, text, { signal });
};

const stats: Job<StatsRequest, Stats> = async (app, input, signal) => {
  const { stats: count } = await import('../../app/sessions/read/stats.ts');
  return count(app, input, { signal });
};

interface SyncInput {
  /** Only the sessions in this file. */
  readonly path?: string | undefined;
  /** No session is begun after this time. Default: all of them. */
  readonly budgetMs?: number | undefined;
}

const sync: Job<SyncInput, Synced> = async (app, { path, budgetMs }, signal) => {
  const { syncSessions } = await import('../../app/sessions/import/sync-sessions.ts');
  const read: Record<string, number> = {};
  const onProgress = ({ address }: { readonly address: string }): void => {
    const agent = parseAddress(address)?.agent ?? OWN_AGENT;
    read[agent] = (read[agent] ?? 0) + 1;
  };
  return { outcome: await syncSessions(app, { path, budgetMs, signal, onProgress }), read };
};

const recall: Job<Omit<RecallRequest, 'isLeftOut'>, RecallAnswer> = async (app, input, signal) => {
  const { recall: find } = await import('../../app/recall.ts');
  return find(app, input, { signal, updateMs: RECALL_UPDATE_MS, vectorMs: RECALL_UPDATE_MS, waitMs: 0 });
};

const skills: Job<ListAgentSkillsRequest, ListedSkills> = async (app, input) => {
  const { listAgentSkills } = await import('../../app/skills/list-agent-skills.ts');
  return listAgentSkills(app, input);
};

/** A conversation that was written for another program. */
interface WrittenElsewhere {
  readonly address: string;
  readonly path: string;
  /** A line for a shell. */
  readonly command: string;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

const continueIn: Job<Referenced & Pick<HandoverRequest, 'to' | 'whole'>, WrittenElsewhere> = async (
  app,
  { reference, ...request },
  signal,
) => {
  const { handOver } = await import('../../app/handover/hand-over.ts');
  const { commandLine, handoverText } = await import('../../app/handover/handover-text.ts');
  const handover = await handOver(app, reference, { ...request, inPlace: true, signal });
  const { lines, note } = handoverText(handover);
  const notes = [note, handover.caution].filter((each) => each !== undefined);
  return { address: handover.address, path: handover.path, command: commandLine(handover), lines, notes };
};

const showsBlob: Job<Referenced & { readonly sha256: string }, boolean> = async (
  app,
  { reference, sha256 },
  signal,
) => {
  const { showsBlob: isShown } = await import('../../app/sessions/read/shows-blob.ts');
  return isShown(app, reference, sha256, { signal });
};

export const JOBS = {
  list,
  listPage,
  counts,
  directories,
  show,
  search,
  replay,
  history,
  messages,
  /** The same reading for the file of another program, which takes longer. */
  foreignHistory: history,
  foreignMessages: messages,
  snapshot,
  audit,
  changes,
  steps,
  requests,
  outline,
  find,
  stats,
  sync,
  recall,
  skills,
  continueIn,
  showsBlob,
} as const satisfies Record<string, Job<never, unknown>>;
export const STREAMS = { export: exported, snapshots } as const satisfies Record<string, Stream<never>>;

export type JobName = keyof typeof JOBS;
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1];
export type JobOutput<Name extends JobName> = Awaited<ReturnType<(typeof JOBS)[Name]>>;

export type StreamName = keyof typeof STREAMS;
export type StreamInput<Name extends StreamName> = Parameters<(typeof STREAMS)[Name]>[1];
