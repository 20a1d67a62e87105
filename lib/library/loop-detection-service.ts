// Says when a model repeats itself, by the fold that watches a session.
import { checkArguments } from '../errors/arguments.ts';
import type { OllmEventOf } from '../events/index.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { createLoopFold, DEFAULT_LOOP_CONFIG, type LoopVerdict } from '../projections/loop.ts';
import { redactedLog } from './redacted-log.ts';

export interface LoopPattern {
  readonly type: LoopVerdict['pattern'];
  /** A sentence for people. */
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
  /** A member that is missing takes its default; so does one that makes no sense, with a warning in the log. */
  configure(config: Partial<LoopDetectionConfig>): void;
  recordTurn(): void;
  /**
   * `result`: a call that is repeated while its result changes is not a loop. Without it, only the call is compared.
   */
  recordToolCall(toolName: string, args: Readonly<Record<string, unknown>>, result?: string): void;
  /** @throws OllmError USAGE if the output is not a text */
  recordOutput(output: string): void;
  /** The loop that was found since the last `reset`; null if there is none, or the service is switched off. */
  checkForLoop(): LoopPattern | null;
  /** The user said something. */
  reset(): void;
}

/** An empty output is an output too. */
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
  options: { readonly log?: Log | undefined } = {},
): LoopDetectionService {
  const log = redactedLog(options?.log ?? silentLog);
  let settings = checked(config, log);
  let fold = foldOf(settings);
  let state = fold.initial();
  let turns = 0;
  let calls = 0;
  /** Whether a result was handed in since the last reset. */
  let hasResults = false;

  return {
    configure(changed) {
      settings = checked(changed, log);
      fold = foldOf(settings);
    },
    recordTurn() {
      turns += 1;
    },
    recordToolCall(name, args, result) {
      checkArguments('recordToolCall', { name: 'text' }, [name]);
      calls += 1;
      hasResults ||= result !== undefined;
      const callId = `call-${calls}`;
      const ended = { callId, status: 'ok', durationMs: 0, trusted: false } as const;
      try {
        const finished = { ...ended, result: { llmContent: String(result ?? '') } };
        take({ type: 'tool.requested', data: { callId, name, args: { ...args } } });
        take({ type: 'tool.finished', data: { ...finished, tokens: { count: 0, method: 'unknown' } } });
      } catch (error) {
        // Arguments that are not JSON cannot be compared.
        const fields = { service: 'loop-detection', operation: 'record', tool: name, error };
        log.warn({ ...fields, action: 'Hand in arguments that are JSON.' }, 'A call is not watched');
      }
    },
    recordOutput(output) {
      checkArguments('recordOutput', { output: 'text' }, [output]);
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
      if (verdict === undefined) return null;
      const details = hasResults ? verdict.details : verdict.details.replace(/ and the same results?/u, '');
      return { type: verdict.pattern, details, count: verdict.count };
    },
    reset() {
      state = fold.initial();
      turns = 0;
      hasResults = false;
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

function checked(config: Partial<LoopDetectionConfig> | null | undefined, log: Log): LoopDetectionConfig {
  if (typeof config !== 'object' || config === null) {
    const fields = { service: 'loop-detection', operation: 'configure' };
    log.warn({ ...fields, action: 'Hand in an object.' }, 'The configuration is not an object: the defaults hold');
  }
  const { maxTurns, repeatThreshold, enabled } = { ...DEFAULT_LOOP_CONFIG, enabled: true, ...config };
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
