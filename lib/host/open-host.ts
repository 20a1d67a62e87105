// The host: everything that a server needs below HTTP. Sessions with their turns, questions and followers, for any
// number of clients at once; workspaces; work that would hold up the thread that serves them. What its methods throw is
// an `OllmError`; each method lists the codes that it adds. Nothing here knows HTTP.
import type { App } from '../app/app.ts';
import { createApp } from '../app/compose.ts';
import type { ResolvedConfig } from '../config/types.ts';
import { endLeftRuns } from '../lead/runs/run-note.ts';
import { once } from '../platform/once.ts';
import { waitFor } from '../platform/waiting.ts';
import { Followers } from './following/followers.ts';
import { Locks } from './locks.ts';
import type { HostLimits } from './port/limits.ts';
import { Questions } from './questions.ts';
import { HostedRuns } from './runs/hosted-runs.ts';
import { type Announced, announce, type Withdraw } from './server-file.ts';
import { HostedSessions } from './sessions/hosted-sessions.ts';
import type { HostFigures, HostOptions, WorkerPool } from './types.ts';
import { createWorkerPool } from './work/pool.ts';
import { Apps } from './workspaces/apps.ts';
import { Workspaces } from './workspaces/workspaces.ts';

const LIMITS: Omit<HostLimits, 'answerMs'> = {
  holdMs: 30_000,
  ringBytes: 1024 * 1024,
  sliceBytes: 64 * 1024,
  queueLength: 64,
  workspaces: 20,
  threads: 2,
  streams: 4,
  waitingJobs: 32,
  waitingPages: 256,
  stalledMs: 30_000,
  unlockedMs: 15 * 60_000,
  listedMs: 15 * 60_000,
};
/** How long turns may take to end in order. */
const END_MS = 10_000;
/** How long the directories of sessions are remembered. */
const DIRECTORIES_MS = 10_000;

/** Made by `openHost`. To be closed when the server ends. */
export interface Host {
  /** A random name of this run of the server, new at each start. */
  readonly instance: string;
  /**
   * The app of the directory that the server was started in: for lists, searches, titles and everything outside a
   * workspace.
   */
  readonly app: App;
  readonly workspaces: Workspaces;
  readonly sessions: HostedSessions;
  /** Agents of other makers that work here. */
  readonly runs: HostedRuns;
  readonly questions: Questions;
  readonly locks: Locks;
  readonly followers: Followers;
  readonly work: WorkerPool;
  /** Changes the settings of later turns, in all workspaces. No file is written by this. */
  changeConfig(change: (config: ResolvedConfig) => ResolvedConfig): void;
  /** For `/metrics` and `/health`. */
  figures(): HostFigures;
  /**
   * Says at which address this server is reached, where the file of its token is, and by which certificate it is known,
   * in `$OLLM_HOME/run/server-<instance>.json` (0600). Until then, and after `close`, no other process asks it for a
   * session.
   */
  announce(address: string, known?: Pick<Announced, 'tokenFile' | 'certificate' | 'browserAddress'>): Promise<void>;
  /**
   * Refuses new work with SERVER_CLOSING, denies open questions, ends running turns in order (at most 10 s), ends the
   * subscriptions, closes the journals, ends the workers, withdraws the announcement. May be called twice.
   */
  close(): Promise<void>;
}

/**
 * @example
 * const host = await openHost({ env: process.env, cwd: process.cwd() });
 * const { sessionId } = await host.sessions.start({ text: 'What is a journal?' });
 * for await (const items of host.followers.subscribe(sessionId, { after: 'start', signal })) console.log(items);
 * await host.close();
 * @throws OllmError as `createApp`
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const { env, cwd, flags, command = 'ollm serve', parts = {} } = options;
  // A passphrase is never asked for on the terminal of a server.
  const app = await createApp({ env, cwd, flags, command, parts: { askPassphrase: () => undefined, ...parts } });
  const answerMs = app.config.approvals.timeoutSeconds * 1000;
  const limits: HostLimits = { ...LIMITS, answerMs, ...options.limits };
  const instance = app.ids.uuid();
  const apps = new Apps(app, options, limits.workspaces);
  const work = createWorkerPool({ env, cwd, flags, command }, limits, app.keyring.opened);
  const directories = directoriesOfSessions(app, work);
  const workspaces = new Workspaces({ app, apps, directoriesOfSessions: directories.list });
  const followers = new Followers({
    ...{ app, limits },
    now: async (id) => [...(await sessions.now(id)), ...runs.now(id)],
    queueElsewhere: (id) => sessions.queueElsewhere(id),
  });
  const questions = new Questions({
    clock: app.clock,
    ids: app.ids,
    answerMs: limits.answerMs,
    signal: (id, signal) => {
      followers.signal(id, signal);
      followers.signal(id, { type: 'activity', activity: runs.activity(id) ?? sessions.activity(id) });
    },
  });
  const shared = { app, instance, apps, workspaces, followers, questions, limits };
  const sessions: HostedSessions = new HostedSessions({ ...shared, onWorkspace: directories.add });
  const runs: HostedRuns = new HostedRuns(shared);
  void sessions.closeInterrupted();
  void endLeftRuns(app);
  const locks = new Locks({ app, sessions, followers, idleMs: limits.unlockedMs });
  const pid = app.process.pid;
  let withdraw: Withdraw | undefined;

  const close = once(async () => {
    withdraw?.();
    locks.close();
    await waitFor(Promise.all([sessions.close(), runs.close()]), { timeoutMs: END_MS });
    followers.close();
    await work.close();
    await apps.close();
    await app.close();
  });

  return {
    instance,
    app,
    workspaces,
    sessions,
    runs,
    questions,
    locks,
    followers,
    work,
    changeConfig(change) {
      const changeOf = (each: App) => {
        (each as { config: ResolvedConfig }).config = change(each.config);
      };
      changeOf(app);
      apps.each(changeOf);
    },
    figures: (): HostFigures => ({
      ...sessions.figures,
      runs: runs.active,
      ended: sumOf(sessions.figures.ended, runs.ended),
      ...followers.figures,
      workspaces: apps.size,
      work: work.figures,
    }),
    async announce(address, known) {
      withdraw = await announce(app, { address, instance, pid, ...known });
    },
    close,
  };
}

function sumOf(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function directoriesOfSessions(app: App, work: WorkerPool) {
  const added = new Set<string>();
  let known: { readonly atMs: number; readonly paths: Promise<readonly string[]> } | undefined;
  return {
    add: (path: string) => void added.add(path),
    async list(): Promise<readonly string[]> {
      const nowMs = app.clock.monotonic();
      if (known === undefined || nowMs - known.atMs > DIRECTORIES_MS) {
        const paths = work.run('directories', undefined);
        const looked = { atMs: nowMs, paths };
        known = looked;
        // What failed is tried again.
        paths.catch(() => {
          if (known === looked) known = undefined;
        });
      }
      return [...new Set([...(await known.paths), ...added])];
    },
  };
}
