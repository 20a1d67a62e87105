// Turns for a program that has no configuration: what `createApp` takes from the settings has defaults here. Reads no
// configuration and no environment.
import { resolve } from 'node:path';
import type { Observable } from 'rxjs';
import { DEFAULT_COMPACTION } from '../context/compaction/due.ts';
import { createRedactor, type Redactor } from '../environment/redact.ts';
import { type ArgumentTable, checkArguments } from '../errors/arguments.ts';
import type { JournalStore } from '../journal/types.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLog } from '../platform/log.ts';
import type { Provider } from '../providers/provider.ts';
import type { Session } from '../session/session.ts';
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

/** Tokens of an output that a model is given. */
const MAX_OUTPUT_TOKENS = 8_192;

/** The provider of a turn and its means. All but `provider` and `store` have defaults that need no configuration. */
export interface TurnSettings extends Partial<Omit<TurnDependencies, 'provider' | 'store' | 'counter' | 'tools'>> {
  readonly provider: Provider;
  /** The store of the session: long texts go next to its journal. */
  readonly store: JournalStore;
  readonly counter?: TokenCounter | undefined;
  /** Default: known shapes of secrets are taken out. */
  readonly redactor?: Redactor | undefined;
  /** Tools that the model may call, see `defineTool`. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
  /** Decides on each call. Default: calls that only read may run, all others ask. */
  readonly policy?: Policy | undefined;
  /** `plan`: calls that may change something are denied, whatever the policy allows. Default: ask. */
  readonly mode?: 'ask' | 'plan' | undefined;
  /** Asks the user. Without it, calls that ask are denied. */
  readonly approver?: Approver | undefined;
  /** The directory in which tools work. Default: the current one. */
  readonly directory?: string | undefined;
  /** Milliseconds that one call may take. Default: two minutes. */
  readonly toolTimeoutMs?: number | undefined;
}

/**
 * A turn with a provider of your own. Cold; never errors; ends with `done`, `error` or `cancelled`.
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
  checkArguments('runTurn', TURN, [session, input, settings, options]);
  const dependencies = turnDependencies(session, settings);
  return run(session, typeof input === 'string' ? { text: input } : input, dependencies, options);
}

const TURN: ArgumentTable = {
  ...{ session: 'Session', input: 'text | object' },
  ...{ settings: { provider: 'object', store: 'JournalStore' }, options: 'object' },
};

/** The dependencies of a turn in this session, with defaults for missing settings. */
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
