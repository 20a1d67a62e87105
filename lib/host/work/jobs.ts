// The jobs of the workers: a function for each, from an app and a plain value to a plain value, and one for each
// stream. They run in another thread: arguments and results are copied, so they hold no functions. A further job is one
// more line here.
import { parseAddress } from '../../agents/address.ts';
import type { App } from '../../app/app.ts';
import type { ReadingOptions } from '../../app/find/find-session.ts';
import type { HandoverRequest } from '../../app/handover/hand-over.ts';
import type { AllListed, ListAllOptions, ListMemory } from '../../app/list/list-all.ts';
import type { RecallAnswer, RecallRequest } from '../../app/recall/recall.ts';
import type { AuditReport } from '../../app/sessions/read/audit-session.ts';
import type { CountOptions, SessionCounts } from '../../app/sessions/read/count-sessions.ts';
import type { ExportRequest } from '../../app/sessions/read/export-session.ts';
import type { FoundPlaces } from '../../app/sessions/read/find-in-session.ts';
import type { SessionOutline } from '../../app/sessions/read/outline-session.ts';
import type { ReplayReport, ReplayRequest } from '../../app/sessions/read/replay-session.ts';
import type { SearchAnswer, SearchRequest } from '../../app/sessions/read/search-sessions.ts';
import type { RequestsOptions, SessionRequests } from '../../app/sessions/read/session-requests.ts';
import type { SessionSteps } from '../../app/sessions/read/session-steps.ts';
import type { ListAgentSkillsRequest, ListedSkills } from '../../app/skills/list-agent-skills.ts';
import { OWN_AGENT } from '../../catalog/catalog.ts';
import type { SyncOutcome } from '../../hub/sync.ts';
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

interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface Synced {
  readonly outcome: SyncOutcome;
  /** Sessions that were read, by program. */
  readonly read: Readonly<Record<string, number>>;
}

/** How long new sessions of other programs are read in where a search finds nothing. */
const SEARCH_OTHERS_MS = 1_000;
/** How long new content is read in before a recall. */
const RECALL_UPDATE_MS = 5_000;

/** A job that reads the list of all sessions, with the memory that the worker has of it. */
function ofList<Options extends { readonly memory?: ListMemory | undefined }, Output>(
  load: () => Promise<(app: App, options: Options) => Promise<Output>>,
): Job<Omit<Options, 'signal' | 'memory'>, Output> {
  return async (app, input, signal) => {
    const [use, memory] = await Promise.all([load(), app.listMemory()]);
    return use(app, { ...input, memory, signal } as unknown as Options);
  };
}

/** A job that reads one session, named by its reference. */
function ofSession<Options, Output>(
  load: () => Promise<(app: App, reference: string, options: Options) => Promise<Output>>,
): Job<Referenced & Omit<NonNullable<Options>, 'signal' | 'write'>, Output> {
  return async (app, { reference, ...rest }, signal) => (await load())(app, reference, { ...rest, signal } as Options);
}

/** A job that takes one request. */
function ofRequest<Request, Output>(
  load: () => Promise<
    (app: App, request: Request, options: { readonly signal?: AbortSignal | undefined }) => Promise<Output>
  >,
): Job<Request, Output> {
  return async (app, request, signal) => (await load())(app, request, { signal });
}

/** A job that answers with JSON of a page, which is made here. */
function ofPage<Request extends { readonly signal: AbortSignal }, Output>(
  load: () => Promise<(app: App, request: Request) => Promise<Output>>,
): Job<Omit<Request, 'signal'>, Output> {
  return async (app, input, signal) => (await load())(app, { ...input, signal } as Request);
}

/** The directories in which sessions of ollm ran. */
const directories: Job<unknown, readonly string[]> = async (app) => {
  const { openList } = await import('../../app/list/list-all.ts');
  const { memory, filter } = await openList(app, { agent: OWN_AGENT, memory: await app.listMemory() });
  return [...new Set(memory.table.projects(filter).map(({ project }) => project))];
};

async function* exported(
  app: App,
  { reference, ...request }: Referenced & Omit<ExportRequest, 'signal' | 'transient'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const { exportSession } = await import('../../app/sessions/read/export-session.ts');
  yield* (await exportSession(app, reference, { ...request, signal })).chunks;
}

const history = ofPage<PageOf & { readonly withMessages: boolean }, ReadyJson<HistoryPage>>(
  async () => (await import('../reading/page-answer.ts')).historyPage,
);
const messages = ofPage<PageOf, ReadyJson<MessagesPage>>(
  async () => (await import('../reading/page-answer.ts')).messagesPage,
);

const snapshot: Job<SnapshotOf, ReadyJson<SnapshotAnswer>> = async (app, input) => {
  const { snapshotAnswer } = await import('../reading/snapshot-answer.ts');
  return readyJson(await snapshotAnswer(app, input));
};

/** Each as JSON. Sessions that were removed are left out. */
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

interface SyncInput {
  /** Only the sessions in this file. */
  readonly path?: string | undefined;
  /** No session is begun after this time. Default: all of them. */
  readonly budgetMs?: number | undefined;
}

const sync: Job<SyncInput, Synced> = async (app, { path, budgetMs }, signal) => {
  const { syncSessions } = await import('../../app/import/sync-sessions.ts');
  const read: Record<string, number> = {};
  const onProgress = ({ address }: { readonly address: string }): void => {
    const agent = parseAddress(address)?.agent ?? OWN_AGENT;
    read[agent] = (read[agent] ?? 0) + 1;
  };
  return { outcome: await syncSessions(app, { path, budgetMs, signal, onProgress }), read };
};

const search: Job<SearchRequest, SearchAnswer> = async (app, request, signal) => {
  const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
  return searchSessions(app, request, { signal, syncOthersMs: SEARCH_OTHERS_MS });
};

const recall: Job<Omit<RecallRequest, 'isLeftOut'>, RecallAnswer> = async (app, input, signal) => {
  const { recall: find } = await import('../../app/recall/recall.ts');
  return find(app, input, { signal, updateMs: RECALL_UPDATE_MS, vectorMs: RECALL_UPDATE_MS, waitMs: 0 });
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

export const JOBS = {
  list: ofList<ListAllOptions, AllListed>(async () => (await import('../../app/list/list-all.ts')).listAll),
  listPage: ofList(async () => (await import('../../app/sessions/read/list-page.ts')).listPage),
  counts: ofList<CountOptions, SessionCounts>(
    async () => (await import('../../app/sessions/read/count-sessions.ts')).countSessions,
  ),
  directories,
  show: ofSession(async () => (await import('../../app/sessions/read/show-session.ts')).showSession),
  search,
  replay: ofSession<ReplayRequest, ReplayReport>(
    async () => (await import('../../app/sessions/read/replay-session.ts')).replaySession,
  ),
  history,
  messages,
  /** As above for the file of another program, which takes longer. */
  foreignHistory: history,
  foreignMessages: messages,
  snapshot,
  audit: ofSession<ReadingOptions & Cancellable, AuditReport>(
    async () => (await import('../../app/sessions/read/audit-session.ts')).auditSession,
  ),
  changes: ofSession(async () => (await import('../../app/sessions/read/session-changes.ts')).sessionChanges),
  steps: ofSession<Cancellable, SessionSteps>(
    async () => (await import('../../app/sessions/read/session-steps.ts')).sessionSteps,
  ),
  requests: ofSession<RequestsOptions, SessionRequests>(
    async () => (await import('../../app/sessions/read/session-requests.ts')).sessionRequests,
  ),
  outline: ofSession<ReadingOptions & Cancellable, SessionOutline>(
    async () => (await import('../../app/sessions/read/outline-session.ts')).outlineSession,
  ),
  find: ofSession<{ readonly text: string } & Cancellable, FoundPlaces>(
    async () => (await import('../../app/sessions/read/find-in-session.ts')).findInSession,
  ),
  showsBlob: ofSession(async () => (await import('../../app/sessions/read/shows-blob.ts')).showsBlob),
  stats: ofRequest(async () => (await import('../../app/sessions/read/stats.ts')).stats),
  sync,
  recall,
  skills: ofRequest<ListAgentSkillsRequest, ListedSkills>(
    async () => (await import('../../app/skills/list-agent-skills.ts')).listAgentSkills,
  ),
  continueIn,
} as const satisfies Record<string, Job<never, unknown>>;
export const STREAMS = { export: exported, snapshots } as const satisfies Record<string, Stream<never>>;

export type JobName = keyof typeof JOBS;
export type JobInput<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[1];
export type JobOutput<Name extends JobName> = Awaited<ReturnType<(typeof JOBS)[Name]>>;

export type StreamName = keyof typeof STREAMS;
export type StreamInput<Name extends StreamName> = Parameters<(typeof STREAMS)[Name]>[1];
