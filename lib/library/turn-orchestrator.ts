// A turn by its parts: start it, run a call, finish it, abort it. Thin over `runTurn`, which does all of it.
import { checkArguments } from '../errors/arguments.ts';
import type { OllmError } from '../errors/index.ts';
import type { Usage } from '../messages/index.ts';
import type { Session } from '../session/session.ts';
import { runOneCall } from '../turn/run-one-call.ts';
import type { Incomplete, TurnSignal } from '../turn/signals.ts';
import { runTurn, type TurnSettings, turnDependencies } from './run-turn.ts';

/** How a turn ended. */
export interface TurnResult {
  readonly status: 'completed' | 'cancelled' | 'failed';
  /** The text of the answer, as far as it came. */
  readonly text: string;
  readonly usage: Usage | undefined;
  /** Why the answer is not whole. */
  readonly incomplete?: Incomplete | undefined;
  readonly error?: OllmError | undefined;
}

/** What a call of a tool brought, as it is stored. */
export interface ToolCallResult {
  readonly status: string;
  readonly content: string;
}

const NOTHING_YET: TurnResult = { status: 'completed', text: '', usage: undefined };

export interface TurnOrchestrator {
  /** Runs one turn; each signal is one step of it. A turn that the caller stops listening to is cancelled. */
  start(userMessage: string): AsyncGenerator<TurnSignal, void>;
  /**
   * Runs one call outside of a model's turn: by the same policy, and recorded like any call. @throws what an append
   * throws
   */
  executeToolCall(call: {
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  }): Promise<ToolCallResult>;
  /** Resolves when the turn that runs, or else the last one, has ended and is stored. */
  finalise(): Promise<TurnResult>;
  /** Cancels the running turn. The part of an answer that arrived is kept. */
  abort(): void;
}

/**
 * @example
 * const turns = createTurnOrchestrator(session, { provider, store });
 * for await (const signal of turns.start('Hello')) if (signal.type === 'delta') process.stdout.write(signal.content);
 * const { status, usage } = await turns.finalise();
 */
export function createTurnOrchestrator(session: Session, settings: TurnSettings): TurnOrchestrator {
  const table = { session: 'Session', settings: { provider: 'object', store: 'JournalStore' } } as const;
  checkArguments('createTurnOrchestrator', table, [session, settings]);
  let running = new AbortController();
  let ended = Promise.resolve(NOTHING_YET);

  return {
    async *start(userMessage) {
      const stop = new AbortController();
      const { promise, resolve } = Promise.withResolvers<TurnResult>();
      running = stop;
      ended = promise;
      let result = NOTHING_YET;
      /** Whether the caller stopped listening. */
      let isLeft = false;
      yield* new ReadableStream<TurnSignal>({
        start: (signals) => {
          runTurn(session, userMessage, settings, { signal: stop.signal }).subscribe({
            next(signal) {
              result = resultAfter(result, signal);
              if (!isLeft) signals.enqueue(signal);
            },
            complete() {
              resolve(result);
              if (!isLeft) signals.close();
            },
          });
        },
        cancel() {
          isLeft = true;
          stop.abort();
        },
      });
    },
    async executeToolCall(call) {
      checkArguments('executeToolCall', { call: { name: 'text', args: 'object' } }, [call]);
      const { name, args } = call;
      running = new AbortController();
      let result: ToolCallResult = { status: 'cancelled', content: '' };
      const show = (signal: TurnSignal): void => {
        if (signal.type === 'tool_result') result = { status: signal.status, content: signal.content };
      };
      const typed = { text: `!${name}`, name, args, signal: running.signal, show };
      await runOneCall(session, turnDependencies(session, settings), typed);
      return result;
    },
    finalise: () => ended,
    abort: () => running.abort(),
  };
}

function resultAfter(result: TurnResult, signal: TurnSignal): TurnResult {
  switch (signal.type) {
    case 'delta':
      return { ...result, text: result.text + signal.content };
    case 'done':
      return { ...result, usage: signal.usage, incomplete: signal.incomplete };
    case 'cancelled':
      return { ...result, status: 'cancelled' };
    case 'error':
      return { ...result, status: 'failed', error: signal.error };
    default:
      return result;
  }
}
