// Costs of each route in a home of much and in a home of little: counted, not timed. The handlers and the jobs of
// the workers run in the thread of the test, where their work can be counted. Each request is made twice, and the
// second one counts, because a server remembers from one to the next.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RouteName } from '../../lib/api/routes.ts';
import { ROUTES } from '../../lib/api/routes.ts';
import { openListMemory } from '../../lib/app/list/list-memory.ts';
import type { Host } from '../../lib/host/open-host.ts';
import { openHost } from '../../lib/host/open-host.ts';
import type { WorkerPool } from '../../lib/host/types.ts';
import { JOBS, STREAMS, type WorkerApp } from '../../lib/host/work/jobs.ts';
import { checkQuery } from '../../lib/server/check-request.ts';
import type { Handler, ServerContext } from '../../lib/server/context.ts';
import { Credentials } from '../../lib/server/credentials.ts';
import { createGuests } from '../../lib/server/guests.ts';
import { HANDLERS } from '../../lib/server/handlers.ts';
import { UnreadBytes } from '../../lib/server/unread-bytes.ts';
import { type Counts, countsOf } from '../support/counted-work.ts';
import { anHourLater, fillHome, type Growth, KINDS, LITTLE, overBound, type Sizes } from '../support/home-of-much.ts';

const MANY = Number(process.env.COSTS_MANY ?? 400);

interface Row {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly grows?: Growth;
}

const WHOLE: Growth = { events: 'reads the whole session' };
const RANKS = 'ranks each message that has the word';
const LOOKS = 'looks whether each has changed';
const target = { id: 'target' };
const ollm = { provider: 'ollm' };

const ANSWERS = 'is an answer of a model, which app/twenty-turns and turn/ count';
const ONCE = 'changes something, and so can be done once';
const STREAM = 'is a stream; host/followers counts what it costs';

const TABLE: Readonly<Record<RouteName, Row | { readonly left: string }>> = {
  listSessions: { query: { limit: '20' }, grows: { sessions: LOOKS, foreign: LOOKS } },
  followList: { left: STREAM },
  countSessions: { grows: { sessions: LOOKS, foreign: LOOKS } },
  getSession: { parameters: target, grows: { sessions: LOOKS } },
  getHistory: { parameters: target, query: { limit: '20' } },
  getMessages: { parameters: target, query: { limit: '20' } },
  getDetails: { parameters: target, grows: WHOLE },
  getState: { parameters: target, query: { state: 'summary' }, grows: WHOLE },
  getRequests: { parameters: target, grows: WHOLE },
  getAudit: { parameters: target, grows: WHOLE },
  getOutline: { parameters: target, grows: WHOLE },
  getChanges: { parameters: target, grows: WHOLE },
  getSteps: { parameters: target, grows: WHOLE },
  revertFiles: { left: 'changes files as `revert` does' },
  getBytes: { parameters: target, query: { offset: '0' } },
  findInSession: { parameters: target, query: { q: 'harbour' }, grows: WHOLE },
  getActivity: { parameters: target },
  search: { query: { q: 'harbour', limit: '5' }, grows: { sessions: RANKS, foreign: RANKS, events: RANKS } },
  recall: {
    query: { q: 'harbour' },
    grows: { sessions: LOOKS, foreign: LOOKS, events: 'takes in what is new', files: LOOKS },
  },
  getStats: { grows: { sessions: LOOKS, foreign: LOOKS, events: 'takes in what is new' } },
  listProviders: { grows: { foreign: 'counts the sessions of each program' } },
  listMcpServers: { parameters: { provider: 'claude' } },
  addMcpServer: { parameters: { provider: 'cursor' }, body: { name: 'docs', transport: 'stdio', command: 'docs' } },
  changeMcpServer: { parameters: { provider: 'cursor', name: 'docs' }, body: { transport: 'stdio', command: 'docs' } },
  removeMcpServer: { parameters: { provider: 'cursor', name: 'none' } },
  testMcpServer: { left: 'starts a program' },
  addMcpServerToAll: { body: { name: 'docs', transport: 'stdio', command: 'docs' } },
  listSkills: {},
  listSkillsOf: { parameters: { provider: 'claude' } },
  listModels: { parameters: ollm },
  listSnapshots: { parameters: ollm },
  getSnapshot: { parameters: { provider: 'ollm', id: 'target' }, grows: WHOLE },
  listQuestions: {},
  listQuestionsOf: { parameters: target },
  listWorkspaces: { grows: { sessions: LOOKS } },
  health: {},
  metrics: {},
  openapi: {},
  makeCode: {},
  renameSession: {
    parameters: target,
    body: { summary: 'A title' },
    grows: { events: 'checks the journal at its opening' },
  },
  syncSessions: { body: {}, grows: { sessions: LOOKS, foreign: LOOKS } },

  exportSession: { left: 'streams the whole session' },
  followSession: { left: STREAM },
  followSessions: { left: STREAM },
  getQuestion: { left: 'is there while a turn waits' },
  answerQuestion: { left: 'is there while a turn waits' },
  getAsset: { left: 'sends one file' },
  getAssetText: { left: 'sends a part of one file' },
  getSessionAsset: { left: 'reads the session as far as the event with the image, and sends one file' },
  getSessionAssetText: { left: 'reads the session as far as the event with the output, and sends a part of it' },
  uploadImages: { left: 'stores what it is sent' },
  setKey: { left: 'stores what it is sent' },
  setPrice: { left: 'stores what it is sent' },
  enter: { left: 'answers with a page for a browser' },
  ...left(ANSWERS, ['startSession', 'takeTurn', 'startWith', 'resumeWith', 'compactSession']),
  ...left(ONCE, [
    'deleteSession',
    'restoreSession',
    'importSession',
    'continueIn',
    'forkSession',
    'shareSession',
    'unshareSession',
    'undoTurn',
    'returnToBranch',
  ]),
  ...left('is about a turn that runs', ['stopTurn', 'stopWith', 'editPrompt', 'removePrompt', 'handOver']),
  ...left('is a setting of a session that a turn opens', ['setModel', 'setThinking', 'openWorkspace']),
  ...left('is about an encrypted session, which host/locks tries', ['lockSession', 'unlockSession']),
};

function left<Name extends RouteName>(reason: string, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, { left: reason }])) as Record<Name, { readonly left: string }>;
}

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'ollm-route-costs-'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe('the cost of a route', () => {
  it('has a row in the table for every route', () => {
    expect(Object.keys(TABLE).sort()).toEqual(ROUTES.map(({ name }) => name).sort());
  });

  it('grows only with the subject of the route', async () => {
    const little = await allCounts('little', LITTLE);
    const found: string[] = [];
    for (const kind of KINDS) {
      const much = await allCounts(kind, { ...LITTLE, [kind]: MANY });
      found.push(
        ...overBound((name) => (TABLE[name as RouteName] as Row).grows ?? {}, { little, much, kind, many: MANY }),
      );
    }
    expect(found).toEqual([]);
  });
});

async function allCounts(name: string, sizes: Sizes): Promise<Record<string, Counts>> {
  const home = mkdtempSync(join(top, `${name}-`));
  await fillHome(home, sizes);
  using _ = anHourLater();
  const env = { PATH: process.env.PATH, HOME: home, OLLM_HOME: join(home, 'ollm'), OLLAMA_HOST: 'http://127.0.0.1:9' };
  const host = await openHost({ env, cwd: join(home, 'project'), flags: { provider: 'offline' } });
  const context = contextOf(host);
  const counts: Record<string, Counts> = {};
  try {
    // A search indexes changed sessions for at most a second.
    await request(context, 'syncSessions', {});
    for (const { name: route } of ROUTES) {
      const row = TABLE[route];
      if ('left' in row) continue;
      await request(context, route, row);
      // The first one may still store rows after its answer: no cost of the second.
      await host.app.catalog.close();
      counts[route] = await countsOf(() => request(context, route, row));
    }
  } finally {
    context.delay.disable();
    await host.close();
  }
  return counts;
}

async function request(context: ServerContext, name: RouteName, { parameters = {}, query = {}, body = {} }: Row) {
  const route = ROUTES.find((each) => each.name === name)!;
  const { signal } = new AbortController();
  const call = {
    ...{ parameters, body, signal, context },
    query: await checkQuery(route, new URLSearchParams(query)),
    request: new Request('http://127.0.0.1/'),
    ...{ by: {}, hasToken: true, headers: new Headers() },
  };
  await (HANDLERS[name] as Handler<never>)(call as never);
}

function contextOf(host: Host): ServerContext {
  const { app } = host;
  return {
    ...{ host, app, work: workHere(host), instance: host.instance, browserAddress: 'http://127.0.0.1' },
    guests: createGuests(app, AbortSignal.abort()),
    credentials: new Credentials({ token: 'a'.repeat(64), port: 1, isSecure: false, now: () => app.clock.now() }),
    delay: monitorEventLoopDelay(),
    clients: { open: 0, evicted: 0, unread: new UnreadBytes(1) },
    feed: undefined as unknown as ServerContext['feed'],
    catalog: { isSyncing: false, tookMs: 0, sessions: 0, left: 0, wholeAtMs: 0 },
    answered: new Map(),
    startedAt: new Date(app.clock.now()).toISOString(),
    stopping: new AbortController().signal,
  };
}

/** The jobs of the workers, in this thread. */
function workHere({ app }: Host): WorkerPool {
  const memory = openListMemory(app);
  const worker: WorkerApp = { ...app, listMemory: async () => memory };
  const { signal } = new AbortController();
  const [jobs, streams] = [JOBS, STREAMS] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>[];
  return {
    run: (name: string, input: unknown) => jobs![name]!(worker, input, signal),
    stream: (name: string, input: unknown) => streams![name]!(worker, input, signal),
  } as unknown as WorkerPool;
}
