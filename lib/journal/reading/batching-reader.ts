// The asynchronous face of a journal reader: outcomes in batches, with a turn of the event loop and a look at the
// signal between two of them. Inside of the journal, reading is synchronous (reader.ts).
import { setImmediate } from 'node:timers/promises';
import { OllmError } from '../../errors/index.ts';
import type { JournalReader, Outcome, Verification } from '../types.ts';
import type { LocalReader } from './reader.ts';
import { inBatches } from './scan.ts';

/** The reader of a store, over a synchronous one. */
export function batchingReader(local: LocalReader): JournalReader {
  const { id, path } = local;
  let isClosed = false;

  async function pause(signal: AbortSignal | undefined): Promise<void> {
    await setImmediate();
    signal?.throwIfAborted();
    requireOpen();
  }
  function requireOpen(): void {
    if (!isClosed) return;
    throw new OllmError('JOURNAL_CLOSED', `The reader of journal ${id} was closed while it was being read.`, {
      hint: 'Close a reader after the last batch.',
      data: { id, path },
    });
  }
  async function* outcomes(
    read: () => Iterable<Outcome | undefined>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Outcome[]> {
    signal?.throwIfAborted();
    requireOpen();
    const batches = inBatches(read());
    for (let next = batches.next(); !next.done; ) {
      if (next.value.length > 0) yield next.value;
      requireOpen();
      next = batches.next();
      // Nothing is waited for behind the last batch: a short journal is read in one go.
      if (!next.done) await pause(signal);
    }
  }

  return {
    id,
    path,
    size: async () => local.size(),
    holds: async (anchor) => local.holds(anchor),
    isBeingWritten: async () => local.isBeingWritten(),
    sealed: async () => undefined,
    first: async () => local.first(),
    outcomes: ({ after, signal } = {}) => outcomes(() => local.outcomesInSteps({ after }), signal),
    backwards: ({ signal } = {}) => outcomes(() => local.backwardsInSteps(), signal),
    follow: (options) => local.follow(options),
    async verify({ onDamage, signal } = {}): Promise<Verification> {
      signal?.throwIfAborted();
      const steps = local.verifyInSteps(onDamage);
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value;
        await pause(signal);
      }
    },
    close() {
      isClosed = true;
      local.close();
    },
  };
}
