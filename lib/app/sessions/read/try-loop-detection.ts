// `ollm loop`: where the loop guard would have fired in sessions of the past, with which rule, at which thresholds.
// Reads each journal once, for any number of thresholds, and changes nothing.
import { isOllmError } from '../../../errors/index.ts';
import type { EventReader } from '../../../journal/types.ts';
import { createFiringsFold, type LoopFiring } from '../../../projections/loop-firings.ts';
import { replay } from '../../../projections/replay.ts';
import type { App } from '../../app.ts';
import { findConversation, type ReadingOptions } from '../../find/find-session.ts';
import { readJournal } from '../../journals/read-journal.ts';

interface LoopTrialRequest extends ReadingOptions {
  /** A single session. Default: all of them. */
  readonly reference?: string | undefined;
  /** Default: those of the settings. */
  readonly thresholds?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LoopTrial {
  readonly id: string;
  /** Calls with their results, and answers of the model. */
  readonly calls: number;
  readonly outputs: number;
  readonly thresholds: readonly { readonly threshold: number; readonly firings: readonly LoopFiring[] }[];
  /** Why it could not be read; there are no thresholds then. */
  readonly problem?: string;
}

/** Session by session, each as soon as it is read. @throws OllmError SESSION_*, INTERRUPTED */
export async function* tryLoopDetection(app: App, request: LoopTrialRequest): AsyncGenerator<LoopTrial, void, void> {
  const { reference, signal } = request;
  const { maxTurns, repeatThreshold } = app.config.services.loopDetection;
  const thresholds = request.thresholds ?? [repeatThreshold];
  const tryOne = (reader: EventReader) => tryThresholds(reader, { maxTurns, thresholds, signal });
  if (reference !== undefined) {
    const { read } = await findConversation(app, reference, request);
    yield await read(tryOne);
    return;
  }
  for (const id of await app.store.ids()) {
    try {
      yield await readJournal(app.store, id, tryOne);
    } catch (error) {
      // An unreadable session does not keep the others from being tried.
      if (!isOllmError(error) || error.code === 'INTERRUPTED') throw error;
      yield { id, calls: 0, outputs: 0, thresholds: [], problem: error.message };
    }
  }
}

interface TrialOptions {
  /** Requests of one turn after which it asks. */
  readonly maxTurns: number;
  readonly thresholds: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

/** Tries thresholds on any conversation. */
export async function tryThresholds(
  reader: EventReader,
  { maxTurns, thresholds, signal }: TrialOptions,
): Promise<LoopTrial> {
  const folds = Object.fromEntries(
    thresholds.map((repeatThreshold) => [`at-${repeatThreshold}`, createFiringsFold({ maxTurns, repeatThreshold })]),
  );
  const { states } = await replay(reader, folds, { signal });
  const tried = thresholds.map((threshold) => ({ threshold, firings: states[`at-${threshold}`]?.firings ?? [] }));
  const { calls = 0, outputs = 0 } = states[`at-${thresholds[0]}`] ?? {};
  return { id: reader.id, calls, outputs, thresholds: tried };
}
