// The state that the steps of a running turn share: the session, its dependencies, and its progress.
import type { CompactionSettings } from '../context/compaction/due.ts';
import type { Redactor } from '../environment/redact.ts';
import { isOllmError, messageOf, OllmError } from '../errors/index.ts';
import { isValidatorText } from '../errors/validator-text.ts';
import type { NewOllmEvent } from '../events/index.ts';
import type { TurnHooks } from '../hooks/hooks.ts';
import type { JournalStore } from '../journal/types.ts';
import type { Usage } from '../messages/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { ContextEntry } from '../projections/context.ts';
import type { Provider } from '../providers/provider.ts';
import type { HistoryForm } from '../providers/refused-history.ts';
import type { Sampling } from '../providers/sampling.ts';
import type { ThinkingMode } from '../providers/thinking.ts';
import type { Session } from '../session/session.ts';
import type { TokenCounter } from '../tokens/counter.ts';
import type { RetrySettings } from './request/retry.ts';
import type { Incomplete, TurnSignal } from './signals.ts';
import type { Steer } from './turn-input.ts';
import type { TurnTools } from './turn-tools.ts';

export interface TurnDependencies {
  readonly provider: Provider;
  readonly model: string;
  /** How much it thinks. Default: as the provider has it. */
  readonly thinking?: ThinkingMode | undefined;
  /** How it picks its words. Default: as the provider has it. */
  readonly sampling?: Sampling | undefined;
  /** Tokens that the model takes in, where known. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Tokens of the window that are kept free for the answer. Default: a quarter of it, at most 4096. */
  readonly reserveForOutput?: number | undefined;
  /** Tokens of messages in a request, at most; the newest message is always included. Default: the window. */
  readonly historyWindow?: number | undefined;
  /** Finds passages for the user's message. Absent: none are looked for. */
  readonly retrieval?: TurnRetrieval | undefined;
  /** Tokens of passages that a turn brings at most. Default: 2048. */
  readonly retrievalBudget?: number | undefined;
  readonly counter: TokenCounter;
  /** `openReader`: for parts that a compaction needs and memory has dropped. */
  readonly store: Pick<JournalStore, 'putBlob' | 'readBlob'> & Partial<Pick<JournalStore, 'openReader'>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of stored text. Absent: nothing is taken out. */
  readonly redactor?: Redactor | undefined;
  /** What models may call. Absent: they are offered no tools. */
  readonly tools?: TurnTools | undefined;
  /** Programs of the user that may veto. */
  readonly hooks?: TurnHooks | undefined;
  /** How a request that failed is made again. */
  readonly retries?: RetrySettings | undefined;
  /** When older messages make room. Absent: never; what does not fit is then not sent. */
  readonly compaction?: CompactionSettings | undefined;
  /** The model that writes summaries. Default: the model that answers. */
  readonly summarizer?: (() => Promise<Summarizer>) | undefined;
  /** Whether a detected loop stops the turn. Default: true. */
  readonly stopAtLoop?: boolean | undefined;
  /**
   * Model requests after which the user is asked whether the turn continues; without `askToGoOn` it stops.
   * Default: 50 where the user can be asked, no limit otherwise.
   */
  readonly maxSteps?: number | undefined;
  readonly askToGoOn?: AskToGoOn | undefined;
  /** Events for context entries that are out of date: asked for before each turn. Absent: none. */
  readonly renewedContext?:
    | ((entries: readonly ContextEntry[], signal: AbortSignal) => Promise<readonly NewOllmEvent[]>)
    | undefined;
  /** Messages of the user since the last request: asked for before each further one. Absent: none. */
  readonly steer?: Steer | undefined;
  /** How long what arrived of an answer may wait until it is stored. Default: two seconds. */
  readonly pieceIntervalMs?: number | undefined;
  /** How long the provider may send nothing. Default: five minutes, for a large model that is loaded first. */
  readonly silenceTimeoutMs?: number | undefined;
}

/**
 * Asks the user whether a turn of `requests` requests continues. Resolves with no or rejects when `signal` is aborted.
 */
export type AskToGoOn = (requests: number, signal: AbortSignal) => Promise<boolean>;

/** Finds passages that answer a question. */
export interface TurnRetrieval {
  /**
   * The best first, together at most `limitTokens`. `notices`: places that were not searched, each as a sentence.
   * @throws OllmError; the turn then continues without passages
   */
  find(question: string, options: RetrievalOptions): Promise<RetrievedPassages>;
}

export interface RetrievalOptions {
  readonly limitTokens: number;
  /** Events of this session that the model is shown in any case. */
  readonly shown: ReadonlySet<number>;
  /** Whether the model is shown this text in any case. */
  readonly isShown: (text: string) => boolean;
  readonly signal: AbortSignal;
}

export interface RetrievedPassages {
  readonly chunks: readonly RetrievedChunk[];
  readonly notices: readonly string[];
}

/** A passage as it is put before a model. */
export interface RetrievedChunk {
  /** `path:line`, or `agent:id#KEY`. */
  readonly source: string;
  readonly text: string;
  readonly score: number;
  readonly tokens: number;
}

/** A model in addition to the one that answers. */
export interface Summarizer {
  readonly provider: Provider;
  readonly model: string;
  /** Tokens that it takes in, where known. */
  readonly contextWindow?: number | undefined;
}

export interface Turn {
  readonly session: Session;
  readonly dependencies: TurnDependencies;
  readonly cancelled: AbortSignal;
  readonly show: (signal: TurnSignal) => void;
  /** The start by `clock.monotonic`. */
  readonly startedMs: number;
  /** The number of the turn, from 1; 0 before it begins. */
  number: number;
  /** Model requests made. */
  steps: number;
  /** The number of requests when the user last let the turn continue. */
  stepsAllowed: number;
  /** The sum over all requests. */
  usage: Usage | undefined;
  /** Requests that failed and were made again. */
  retries: number;
  /** Whether some text of an answer has come. */
  hasText: boolean;
  /** Whether the last answer is not whole. */
  incomplete: Incomplete | undefined;
  /** The vendor's own word for the end of the last answer, where that was not an ordinary one. */
  ending: string | undefined;
  /** What passages are looked for with, until they have been. */
  question: string | undefined;
  /** Whether a compaction has made room because the provider refused the conversation as too long. */
  madeRoom: boolean;
  /** How the history is written: another form after the provider refused it. */
  form: HistoryForm;
  /** Outputs that are not stored, by the seq of their tool.finished: the model has them as long as the turn runs. */
  readonly outputs: Map<number, string>;
}

/** A turn that has not begun. */
export function newTurn(facts: Pick<Turn, 'session' | 'dependencies' | 'cancelled' | 'show'>): Turn {
  return {
    ...facts,
    startedMs: facts.dependencies.clock.monotonic(),
    number: 0,
    steps: 0,
    stepsAllowed: 0,
    usage: undefined,
    retries: 0,
    hasText: false,
    incomplete: undefined,
    ending: undefined,
    question: undefined,
    madeRoom: false,
    form: {},
    outputs: new Map(),
  };
}

/** Any failure as an `OllmError`, without secrets: it goes to the journal and to the screen. */
export function providerError(
  dependencies: Pick<TurnDependencies, 'provider' | 'redactor'>,
  error: unknown,
): OllmError {
  const failure = isOllmError(error) ? error : foreignError(dependencies.provider.name, error);
  const redact = (text: string) => dependencies.redactor?.redact(text).text ?? text;
  const message = redact(failure.message);
  const hint = failure.hint === undefined ? undefined : redact(failure.hint);
  if (message === failure.message && hint === failure.hint) return failure;
  return new OllmError(failure.code, message, { ...(hint === undefined ? {} : { hint }), data: failure.data });
}

function foreignError(provider: string, error: unknown): OllmError {
  const message = messageOf(error);
  const words = isValidatorText(message) ? 'its answer has an unknown form.' : message;
  return new OllmError('PROVIDER_FAILED', `The provider ${provider} failed: ${words}`, {
    hint: 'Nothing of the session is lost. Ask again, or choose another provider.',
    cause: error,
  });
}
