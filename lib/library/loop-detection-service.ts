// Tells when a model repeats itself: the service of the requirements, over the same fold by which a session is watched.
import type { OllmEventOf } from '../events/index.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { createLoopFold, DEFAULT_LOOP_CONFIG, type LoopVerdict } from '../projections/loop.ts';

export interface LoopPattern {
  readonly type: LoopVerdict['pattern'];
  /** One sentence for people. */
  readonly details: string;
  readonly count: number;
}

export interface LoopDetectionConfig {
  /** Turns between two messages of the user. Default: 50. */
  readonly maxTurns: number;
  /** How often in a row the same counts as a loop. Default: 3. */
  readonly repeatThreshold: number;
  readonly enabled: boolean;
}

export interface LoopDetectionService {
  /** What makes no sense is replaced by its default, with a warning. */
  configure(config: LoopDetectionConfig): void;
  recordTurn(): void;
  /** `result`: a call that is repeated while its result changes is no loop. Without it, the call alone is looked at. */
  recordToolCall(toolName: string, args: Readonly<Record<string, unknown>>, result?: string): void;
  recordOutput(output: string): void;
  /** What was found since the last `reset`; null if nothing was, or it is switched off. */
  checkForLoop(): LoopPattern | null;
  /** The user said something. */
  reset(): void;
}

/** An output of nothing is an output too. */
const EMPTY_OUTPUT = '(empty)';

/**
 * Watches one conversation; a second one needs a service of its own.
 *
 * @example
 * const guard = createLoopDetectionService({ repeatThreshold: 3 });
 * guard.recordToolCall('file_read', { path: 'a.ts' }, 'const a = 1;');
 * const loop = guard.checkForLoop(); // null, or { type: 'repeated-tool', details: '…', count: 3 }
 */
export function createLoopDetectionService(
  config: Partial<LoopDetectionConfig> = {},
  { log = silentLog }: { readonly log?: Log | undefined } = {},
): LoopDetectionService {
  let settings = checked({ ...DEFAULT_LOOP_CONFIG, enabled: true, ...config }, log);
  let fold = foldOf(settings);
  let state = fold.initial();
  let turns = 0;
  let calls = 0;

  return {
    configure(changed) {
      settings = checked(changed, log);
      fold = foldOf(settings);
    },
    recordTurn() {
      turns += 1;
    },
    recordToolCall(name, args, result = '') {
      calls += 1;
      const callId = `call-${calls}`;
      const finished = { callId, status: 'ok', result: { llmContent: result }, durationMs: 0, trusted: false } as const;
      try {
        take({ type: 'tool.requested', data: { callId, name, args: { ...args } } });
        take({ type: 'tool.finished', data: { ...finished, tokens: { count: 0, method: 'unknown' } } });
      } catch (error) {
        // Arguments that are no JSON cannot be compared.
        const fields = { service: 'loop-detection', operation: 'record', tool: name, error };
        log.warn({ ...fields, action: 'Hand in arguments that are JSON.' }, 'A call is not watched');
      }
    },
    recordOutput(output) {
      const text = output.trim() === '' ? EMPTY_OUTPUT : output;
      const tokens = { count: 0, method: 'unknown' } as const;
      take({
        type: 'message.added',
        data: { role: 'assistant', parts: [{ type: 'text', text }], tokens, trusted: false },
      });
    },
    checkForLoop() {
      if (!settings.enabled) return null;
      if (turns > settings.maxTurns) {
        return {
          type: 'turn-limit',
          details: `There were ${turns} turns since the last message of the user.`,
          count: turns,
        };
      }
      const { verdict } = state;
      return verdict === undefined ? null : { type: verdict.pattern, details: verdict.details, count: verdict.count };
    },
    reset() {
      state = fold.initial();
      turns = 0;
    },
  };

  type Seen = OllmEventOf<'message.added' | 'tool.requested' | 'tool.finished'>;
  function take(event: Pick<Seen, 'type' | 'data'>): void {
    state = fold.apply(state, { seq: 0, ts: '', ...event } as Seen);
  }
}

/** Turns are counted here, by `recordTurn`. */
function foldOf({ repeatThreshold }: LoopDetectionConfig) {
  return createLoopFold({ maxTurns: Number.POSITIVE_INFINITY, repeatThreshold });
}

function checked({ maxTurns, repeatThreshold, enabled }: LoopDetectionConfig, log: Log): LoopDetectionConfig {
  const countOr = (value: number, least: number, otherwise: number, name: string): number => {
    if (Number.isSafeInteger(value) && value >= least) return value;
    const fields = { service: 'loop-detection', operation: 'configure', [name]: value };
    log.warn({ ...fields, action: `It must be a whole number from ${least} on.` }, `${name} is left at ${otherwise}`);
    return otherwise;
  };
  return {
    maxTurns: countOr(maxTurns, 1, DEFAULT_LOOP_CONFIG.maxTurns, 'maxTurns'),
    repeatThreshold: countOr(repeatThreshold, 2, DEFAULT_LOOP_CONFIG.repeatThreshold, 'repeatThreshold'),
    enabled: enabled !== false,
  };
}
