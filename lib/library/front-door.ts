// Stores, sessions and turns for a program that has no configuration: what `createApp` takes from the settings has
// defaults here. Reads no configuration and no environment.
import { resolve } from 'node:path';
import type { Observable } from 'rxjs';
import { DEFAULT_COMPACTION } from '../context/compaction/due.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { OllmError } from '../errors/index.ts';
import { openMemoryStore as openMemory } from '../file-store/memory-store.ts';
import { FORMAT } from '../journal/format.ts';
import type { DurabilityPolicy, JournalStore } from '../journal/types.ts';
import { systemClock } from '../platform/clock.ts';
import { nodeFileSystem } from '../platform/files/node-file-system.ts';
import { systemIds } from '../platform/ids.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { thisProcess } from '../platform/processes/process-info.ts';
import type { Provider } from '../providers/provider.ts';
import { checkEvents } from '../session/check-events.ts';
import { createSession as create, systemMessage } from '../session/create.ts';
import { idOfName } from '../session/identify.ts';
import { openSession as open } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { openLocalStore } from '../stores/local-disk-only.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import { estimatingCounter } from '../tokens/estimate.ts';
import type { Approver, Policy } from '../tools/decision.ts';
import { planOnly } from '../tools/modes.ts';
import { simplePolicy } from '../tools/simple-policy.ts';
import { type Tool, ToolFailure } from '../tools/tool.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { runTurn as run, type TurnDependencies, type TurnInput, type TurnOptions } from '../turn/run-turn.ts';
import type { TurnSignal } from '../turn/signals.ts';
import type { TurnTools } from '../turn/turn-tools.ts';
import { VERSION } from '../version.ts';

/** Tokens of an output that a model is given. */
const MAX_OUTPUT_TOKENS = 8_192;

/** Settings of any store. */
export interface StoreOptions {
  readonly log?: Log | undefined;
  /** The name of this process, shown to others that meet its lock. Default: “library”. */
  readonly command?: string | undefined;
}

/** Settings of a store on disk. */
export interface StoreDirectoryOptions extends StoreOptions {
  /** Whether to write on NFS, SMB or 9p too, where neither locks nor syncs are reliable. Default: no. */
  readonly allowNetworkFileSystem?: boolean | undefined;
}

/**
 * The sessions of a directory, which is made at the first write.
 *
 * @example
 * const store = openFileStore('/home/me/notes');
 * @throws OllmError STORE_REFUSED: the path is empty, a link, not a directory, or not ours
 */
export function openFileStore(directory: string, options: StoreDirectoryOptions = {}): JournalStore {
  const { allowNetworkFileSystem } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new OllmError('STORE_REFUSED', 'A store needs the path of a directory.', {
      hint: 'An empty path is not one.',
    });
  }
  return openLocalStore({ ...ports(options), fileSystem: nodeFileSystem }, { directory, allowNetworkFileSystem });
}

/**
 * Sessions that end with the process. The same contract as on disk.
 *
 * @example
 * const store = openMemoryStore();
 */
export function openMemoryStore(options: StoreOptions = {}): JournalStore {
  return openMemory(ports(options));
}

/** The beginning of a session. */
export interface NewSession {
  readonly provider: string;
  readonly model: string;
  /** The name of the session; its id is made of it. Default: a random UUID, and no title until the first message. */
  readonly name?: string | undefined;
  /** The system prompt. */
  readonly system?: string | undefined;
  /** The window of the model, in tokens. */
  readonly contextWindow?: number | undefined;
}

/** How a session is kept. Default of `durability`: `barrier`, which syncs at the end of each turn. */
export interface SessionSettings {
  readonly durability?: DurabilityPolicy | undefined;
  readonly log?: Log | undefined;
}

/**
 * Creates a session and opens it. Close it at the end.
 *
 * @example
 * const session = await createSession(store, { provider: 'mine', model: 'mine-1', name: 'Notes' });
 * @throws OllmError EVENT_INVALID (an argument is wrong), SESSION_EXISTS (open or not), SESSION_ID_INVALID,
 *   JOURNAL_READ_ONLY, JOURNAL_FULL
 */
export async function createSession(
  store: JournalStore,
  { provider, model, name, system, contextWindow }: NewSession,
  settings: SessionSettings = {},
): Promise<Session> {
  const { id, title } = name === undefined ? { id: systemIds.uuid(), title: undefined } : idOfName(name);
  const created = {
    provider,
    model,
    ollm: VERSION,
    ...(title === undefined ? {} : { title }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
  checkEvents({ type: 'session.created', data: { ...created, format: FORMAT, sessionId: id } });
  if (await store.has(id)) {
    throw new OllmError('SESSION_EXISTS', `There is a session ${id} already.`, {
      hint: 'Open it with openSession, or choose another name.',
      data: { id },
    });
  }
  const prompt = system === undefined ? undefined : { text: system, tokens: estimatingCounter.count(system) };
  if (prompt !== undefined) checkEvents(systemMessage(prompt));
  return create(store, { id, created, system: prompt }, optionsOf(settings));
}

/**
 * Resumes a session, after a crash too: `session.report.notices` says what was found.
 *
 * @example
 * const session = await openSession(store, 'notes');
 * @throws OllmError SESSION_NOT_FOUND, JOURNAL_LOCKED, JOURNAL_DAMAGED and others: see docs/errors.md
 */
export async function openSession(store: JournalStore, id: string, settings: SessionSettings = {}): Promise<Session> {
  return open(store, id, optionsOf(settings));
}

/** The provider of a turn and its means. All but `provider` and `store` have defaults that need no configuration. */
export interface TurnSettings extends Partial<Omit<TurnDependencies, 'provider' | 'store' | 'counter' | 'tools'>> {
  readonly provider: Provider;
  /** The store of the session: long texts go beside its journal. */
  readonly store: JournalStore;
  readonly counter?: TokenCounter | undefined;
  /** Default: known shapes of secrets are taken out. */
  readonly redactor?: Redactor | undefined;
  /** Tools that the model may call, see `defineTool`. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
  /** Decides on each call. Default: calls that only read may run, all others ask. */
  readonly policy?: Policy | undefined;
  /** `plan`: calls that may change something are denied, whatever the policy says. Default: ask. */
  readonly mode?: 'ask' | 'plan' | undefined;
  /** Asks the user. Without it, calls that ask are denied. */
  readonly approver?: Approver | undefined;
  /** The directory in which tools work. Default: the current one. */
  readonly directory?: string | undefined;
  /** Milliseconds that one call may take. Default: two minutes. */
  readonly toolTimeoutMs?: number | undefined;
}

/**
 * One turn with a provider of your own. Cold; never errors; ends with `done`, `error` or `cancelled`.
 *
 * @example
 * runTurn(session, 'Hello', { provider, store }).subscribe((signal) => {
 *   if (signal.type === 'delta') process.stdout.write(signal.content);
 * });
 */
export function runTurn(
  session: Session,
  input: string | TurnInput,
  settings: TurnSettings,
  options: TurnOptions = {},
): Observable<TurnSignal> {
  const dependencies = turnDependencies(session, settings);
  return run(session, typeof input === 'string' ? { text: input } : input, dependencies, options);
}

/** What a turn of this session runs on, with what the settings leave open. */
export function turnDependencies(session: Session, settings: TurnSettings): TurnDependencies {
  const { view } = session.states;
  const { tools, policy, mode, approver, directory, toolTimeoutMs, ...rest } = settings;
  return {
    model: view.model,
    contextWindow: view.contextWindow,
    counter: estimatingCounter,
    clock: systemClock,
    log: silentLog,
    redactor: createRedactor(),
    compaction: DEFAULT_COMPACTION,
    ...rest,
    tools: tools === undefined ? undefined : toolsOf(session, { ...settings, tools }),
  };
}

function toolsOf(session: Session, settings: TurnSettings & Required<Pick<TurnSettings, 'tools'>>): TurnTools {
  const { tools, policy = simplePolicy(session.answers), mode, approver } = settings;
  const { directory = '.', toolTimeoutMs = 120_000 } = settings;
  const root = resolve(directory);
  return {
    toolbox: createToolbox(tools ?? []),
    policy: mode === 'plan' ? planOnly(policy) : policy,
    approver,
    place: { root, cwd: root },
    boundary: { sandbox: 'none', words: 'not confined', network: true, envRemoved: [], environment: [] },
    runProgram: () => Promise.reject(new ToolFailure('No programs are started here.')),
    timeoutMs: toolTimeoutMs,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
  };
}

function ports({ log = silentLog, command = 'library' }: StoreOptions) {
  return { clock: systemClock, ids: systemIds, process: thisProcess(command), log };
}

function optionsOf({ durability, log = silentLog }: SessionSettings) {
  return { log, policy: durability };
}
